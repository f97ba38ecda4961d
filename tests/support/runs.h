// SPDX-License-Identifier: MIT
// Runs of experiments for tests: one call, one outcome, and experiments drawn at random for laws that must hold for
// all.
#ifndef TESTS_RUNS_H
#define TESTS_RUNS_H

#include "threads/api/run.h"
#include "base/random.h"

// The everyday run makes a part of what is drawn or combined only, one in TESTS_PART of the environment (tests/run.sh);
// alone a test makes all.
unsigned tests_one_in(void);

// So many of `all` draws. A sanitizer, which is slow and looks at memory and races and not at numbers, has enough of an
// eighth, and each day of a twelfth.
unsigned tests_part(unsigned all);

struct tests_outcome {
    struct ek_machine *machine; // NULL when the experiment was refused
    enum ek_status status;
    struct ek_error error;
    struct ek_report report;
};

// Prepares and runs. One worker carries rounds and turns that name no carrier, since all carriers give the same
// (test_laws.c, test_method_laws.c) and this one costs least. Free the outcome whatever its status.
void tests_try(const struct ek_experiment *experiment, uint64_t run, struct tests_outcome *outcome);
void tests_outcome_destroy(struct tests_outcome *outcome);

// An experiment drawn by its number, with its texts. It keeps its loads and its trace, takes at most some 30
// operations, and names no carrier, mailbox or barrier.
struct tests_drawn {
    char topology[32];
    char method[32];
    char load[32];
    struct ek_experiment experiment;
};
void tests_draw(struct tests_drawn *drawn, uint64_t number);

// Draws the axes beside topology, method, load and stop; what is not drawn stays NULL.
void tests_draw_axes(struct ek_experiment *experiment, struct base_random *random);

// Whether a method can be run so, by what it says of itself. Topology and parameter are another matter.
bool tests_axes_supported(const struct ek_experiment *experiment, const struct ek_method *method);

// The name of the first value in which two reports of one experiment differ, to the last bit, or NULL. What the carrier
// decides (time, workers, barrier) is left out.
const char *tests_report_differs(const struct ek_report *a, const struct ek_report *b, uint32_t processors);

// Whether the processors of a run in free timing have waited no longer than it took, all causes together. Workers go on
// until they see that it has ended: for that they have a second.
bool tests_waits_fit(const struct ek_report *report, uint32_t processors);

#endif
