// SPDX-License-Identifier: MIT
// The values of one group's runs: how each run ended, what it drew from its seed, and a summary of all values.
#ifndef LAB_STORE_GROUP_VALUES_H
#define LAB_STORE_GROUP_VALUES_H

#include "lab/statistics/samples.h"
#include "lab/statistics/survival.h"
#include "lab/results/rows.h"

enum { LAB_GROUP_VALUES_MAX = 1 << 22 }; // held in memory at once: 128 MiB with what the runs drew

enum lab_run_end {
    LAB_RUN_FINISHED, // reached its criterion, or had none
    LAB_RUN_CUT,      // a limit or an interrupt ended it: its counts are lower bounds
    LAB_RUN_FAILED,   // froze, repeated a state, or ended by itself without balance: it never reaches its criterion
    LAB_RUN_BROKEN    // diverged, got stuck or violated an invariant: it failed, and its numbers mean nothing
};

enum { LAB_RUN_OUTCOMES = 8 };

struct lab_group_run {
    int64_t seed;
    enum lab_run_end end;
    uint64_t experiment;              // equal for runs that differ in their seed alone
    double outcome[LAB_RUN_OUTCOMES]; // numbers of its beginning and end; the last place is for the value
};

// Selects what lab_group_run_read reads, as LAB_RUN_COLUMNS columns.
enum { LAB_RUN_COLUMNS = 3 + LAB_RUN_OUTCOMES - 1 };
bool lab_group_run_select(struct lab_rows *rows, struct ek_error *error);

// Selects only how the run ended.
bool lab_group_run_select_end(struct lab_rows *rows, struct ek_error *error);

// Reads the run of the current row, whose columns begin at `from`, and counts how it ended.
struct lab_group_run lab_group_run_read(const struct lab_rows *rows, size_t from, struct lab_answer_notes *notes);
enum lab_run_end lab_group_run_end(const struct lab_rows *rows, size_t at, struct lab_answer_notes *notes);

struct lab_group_values {
    double *of; // [count]
    size_t count;
    double *cut; // [cut_count]: lower bounds
    size_t cut_count;
    struct lab_drawn *drawn; // [count + cut_count]
    size_t failed;           // runs without a value
};

// Returns what tells draws apart: the seed, and a hash of the run's numbers and of `value`. With a `partner` it is that
// of the pair.
struct lab_drawn lab_group_run_drawn(const struct lab_group_run *run, double value, const struct lab_group_run *partner,
                                     double partner_value);

// Returns whether a run that ended like this has a value in the column. A failed run has none in a column that grows, a
// broken run only in a switch, such as `converged`.
bool lab_run_has_value(enum lab_run_end end, const struct lab_heading *column);

// Adds a value of the column; ignores NaN. If the column grows, the value of a run that was cut is a lower bound. Fails
// if LAB_GROUP_VALUES_MAX values are already held. Values are held until they are cleared.
bool lab_group_values_add(struct lab_rows *rows, struct lab_group_values *values, enum lab_run_end end,
                          const struct lab_heading *column, double value, struct lab_drawn drawn,
                          struct ek_error *error);
void lab_group_values_clear(struct lab_rows *rows, struct lab_group_values *values);
void lab_group_values_destroy(struct lab_group_values *values);

// How many independent samples some values are.
struct lab_sampling {
    size_t samples;
    bool shared; // several values have the same seed
};
struct lab_sampling lab_sampling_of(struct lab_drawn *drawn, size_t count); // sorts `drawn`

// Returns whether the samples suffice for an interval or a test.
bool lab_sampling_suffices(struct lab_sampling sampling);

// Adds a line with this sampling to the notes.
void lab_sampling_note(struct lab_sampling sampling, struct lab_answer_notes *notes);

// Sorts the values, and returns their mean, median and other statistics.
struct lab_spread lab_group_values_spread(struct lab_group_values *values, struct lab_sampling sampling,
                                          struct lab_confidence by);

// Returns the sorted values for a test.
struct lab_censored lab_group_values_censored(const struct lab_group_values *values);

#endif
