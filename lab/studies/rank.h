// SPDX-License-Identifier: MIT
// Ranking: several methods run one experiment with the same seeds, perhaps each in several timings. They are ordered by
// what each needed to reach the same criterion.
#ifndef LAB_STUDIES_RANK_H
#define LAB_STUDIES_RANK_H

#include "lab/record/fields.h"
#include "lab/record/run_experiment.h"
#include "lab/statistics/statistics.h"

// How a method compares with the first one. A pair is two runs with the same seed.
struct lab_behind {
    struct lab_interval more; // how much more it takes; without bounds if there are too few samples
    size_t samples;           // independent samples among the pairs (lab/statistics/samples.h)
    double p;                 // of the difference, after Holm's correction for all comparisons; NaN: too few samples
    double superiority;       // the probability that the first takes less: the effect size
    bool equal;               // both take the same with every seed
};

// A contender of the ranking: a method, and the timing in which it runs.
struct lab_contender {
    const char *method;
    const char *timing; // NULL: that of the experiment
};

// One contender: its runs, or why the machine refused it.
struct lab_ranked {
    char *method;             // its spec as it was given, cleaned for a terminal
    char *timing;             // the same; NULL if all contenders have the experiment's
    char *name;               // of both, as in "ade (virtual)"
    struct lab_record record; // without runs if the method was refused
    struct ek_error refusal;
    size_t reached;           // runs that reached the criterion; without a criterion all runs
    size_t failed;            // runs that can never reach it: they came to rest, repeat, diverged or broke
    size_t samples;           // independent samples among the runs
    struct lab_interval mean; // the mean of the field that ranks; NaN if a run lacks the field or was cut short of the
                              // criterion; without bounds if there are too few samples
    double at_least;          // a lower bound of the mean if runs were cut; NaN if the field can fall in a run, or if
                              // runs failed, since they have no value to bound
    double theory;            // the value that theory predicts for this field, or NaN
    struct lab_behind behind; // for a method of part 1 after the first
};

struct lab_rank {
    const struct lab_field *by; // the field that ranks
    uint64_t runs_asked;        // runs of each method
    // The rows are in three parts: (1) methods that reached the criterion in every run, the smallest mean first;
    // (2) the other methods that ran, by the share of runs that reached it; (3) methods that were refused.
    struct lab_ranked *rows; // [count]
    size_t count;
    size_t ranked, ran;    // rows of part 1, and of parts 1 and 2
    enum ek_status status; // EK_VIOLATION or EK_STUCK if a run failed, EK_UNREACHED if interrupted, else EK_OK
    struct ek_error error; // of the run that failed
};

// Returns field `index` of those that can rank methods, or NULL past the last. Smaller values are better.
const struct lab_field *lab_rank_field(size_t index);

// Returns the field with this name, where "time" stands for virtual_s or elapsed_s, or NULL and `error`.
const struct lab_field *lab_rank_field_named(const char *name, bool virtual, struct ek_error *error);

// Runs the experiment of `request` with each contender in turn, and calls `begins` with its name before its first run.
// Returns false and `error` if the system lacks memory or threads, or if all are refused; then there is nothing to
// destroy.
bool lab_rank_run(struct lab_rank *rank, const struct lab_run_request *request, const struct lab_field *by,
                  const struct lab_contender *contenders, size_t count,
                  void (*begins)(void *context, size_t index, const char *name), struct ek_error *error);

// Returns whether the difference to the first method is significant at 5 %.
bool lab_rank_significant(const struct lab_behind *behind);

// Returns the place of row `index`, counted from 1, or 0 if the row is not ranked. Rows with equal means share a place.
size_t lab_rank_place(const struct lab_rank *rank, size_t index);
void lab_rank_destroy(struct lab_rank *rank);

// Returns sentences that explain why the first method is first, or "" if no method is ranked; the caller frees them.
// NULL if memory is short.
char *lab_rank_why(const struct lab_rank *rank);

// Returns what the runs show, and what to do if they show too little; the caller frees it. NULL if memory is short.
char *lab_rank_verdict(const struct lab_rank *rank);

#endif
