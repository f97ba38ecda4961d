// SPDX-License-Identifier: MIT
// Runs of experiments for tests, and experiments drawn at random for laws that hold for all of them.
#ifndef TESTS_RUNS_H
#define TESTS_RUNS_H

#include "threads/api/run.h"
#include "base/random.h"

// Returns n if this run of the tests takes one in n draws or combinations: TESTS_PART of the environment
// (tests/run.sh), or 1 if it is not set.
unsigned tests_one_in(void);

// Returns how many of `all` draws to take. Sanitizers are slow and do not check numbers, so they take an eighth, or
// a twelfth each day.
unsigned tests_part(unsigned all);

struct tests_outcome {
    struct ek_machine *machine; // NULL if the experiment was refused
    enum ek_status status;
    struct ek_error error;
    struct ek_report report;
};

// Prepares and runs an experiment. In rounds and turns one worker carries it, unless it names a carrier: all
// carriers give the same results (test_laws.c, test_method_laws.c) and one worker costs least. Free the outcome
// whatever its status.
void tests_try(const struct ek_experiment *experiment, uint64_t run, struct tests_outcome *outcome);
void tests_outcome_destroy(struct tests_outcome *outcome);

// An experiment drawn by its number. It keeps its loads and its trace, takes at most 30 operations, and names no
// carrier, mailbox or barrier.
struct tests_drawn {
    char topology[32];
    char method[32];
    char load[32];
    struct ek_experiment experiment;
};
void tests_draw(struct tests_drawn *drawn, uint64_t number);

// Draws the axes other than topology, method, load and stop. An axis that is not drawn stays NULL.
void tests_draw_axes(struct ek_experiment *experiment, struct base_random *random);

// Returns whether the method says that it can run with these axes. Its topology and parameter are not checked.
bool tests_axes_supported(const struct ek_experiment *experiment, const struct ek_method *method);

// A number of a report.
struct tests_value {
    const char *name;
    double value;
};
enum { TESTS_VALUES_MAX = 64 };

// Sets the numbers of a report that do not depend on the carrier, without those of free timing. Returns how many.
unsigned tests_report_values(const struct ek_report *report, struct tests_value values[TESTS_VALUES_MAX]);

// Returns the name of the first of `count` values that differs, bit by bit, or NULL.
const char *tests_values_differ(const struct tests_value *a, const struct tests_value *b, unsigned count);

// Returns the name of the first value in which two reports of one experiment differ, bit by bit, or NULL. Values
// that depend on the carrier (time, workers, barrier) may differ.
const char *tests_report_differs(const struct ek_report *a, const struct ek_report *b, uint32_t processors);

// Returns whether the processors of a run in free timing waited no longer than the run took, all causes together.
// Workers go on for up to a second until they see the end.
bool tests_waits_fit(const struct ek_report *report, uint32_t processors);

#endif
