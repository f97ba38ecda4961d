// SPDX-License-Identifier: MIT
// Shows a run on the terminal while it goes on. An observer of the run copies the loads: at each state at which the
// run's pace lets it stop (cli/figures/pace.h), or about ten times a second if nothing slows the run. A thread of its
// own draws them and reads keys. A run that is not slowed never waits for the terminal.
#ifndef CLI_FIGURES_LIVE_H
#define CLI_FIGURES_LIVE_H

#include "cli/figures/speed.h"
#include "cli/terminal/terminal.h"
#include "lab/record/record.h"

struct ek_experiment;
struct report_live;

// The runs that a view shows, and their speed.
struct report_live_plan {
    uint64_t runs;
    struct report_speed speed;
    double limit_s; // the most seconds that a run lasts, 0: any; in virtual time it is not used
};

// Returns whether standard output can show a run, or fills `error`.
bool report_live_possible(const struct cli_terminal *terminal, struct ek_error *error);

// Creates the view of runs that will be added to `record`. Returns NULL with `error` filled if memory is short.
struct report_live *report_live_create(const struct lab_record *record, const struct report_live_plan *plan,
                                       struct ek_error *error);

// Lets the view observe the experiment. report_live_begin must be called with its machine before the first run.
void report_live_observe(struct report_live *live, struct ek_experiment *experiment);
bool report_live_begin(struct report_live *live, const struct ek_machine *machine, struct ek_error *error);

// Lets the run under way go on without waiting. It was asked to end.
void report_live_release(struct report_live *live);

// Erases the picture between two runs, so that others can write to the terminal.
void report_live_clear(struct report_live *live);

// Returns how long the runs have waited so that people can follow them, without pauses.
double report_live_slowed_s(struct report_live *live);

// Ends the view after the last run and erases the picture. NULL is ignored.
void report_live_destroy(struct report_live *live);

#endif
