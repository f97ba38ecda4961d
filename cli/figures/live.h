// SPDX-License-Identifier: MIT
// Shows a run on the terminal while it goes on. An observer of the run copies the loads about ten times a second. A
// thread of its own draws them, so the run never waits for the terminal.
#ifndef CLI_REPORT_LIVE_H
#define CLI_REPORT_LIVE_H

#include "cli/terminal/terminal.h"
#include "cli/terminal/text.h"
#include "lab/record/record.h"

struct report_live;

// Returns whether standard output can show a run, or fills `error`.
bool report_live_possible(const struct cli_terminal *terminal, struct ek_error *error);

// Creates the view of `runs` runs, which will be added to `record`. Returns NULL with `error` filled if memory is
// short.
struct report_live *report_live_create(const struct lab_record *record, uint64_t runs, struct ek_error *error);

// Returns the observer for the experiment. report_live_begin must be called with its machine before the first run.
struct ek_observer report_live_observer(struct report_live *live);
bool report_live_begin(struct report_live *live, const struct ek_machine *machine, struct ek_error *error);

// Erases the picture between two runs, so that others can write to the terminal.
void report_live_clear(struct report_live *live);

// Ends the view after the last run and erases the picture. NULL is ignored.
void report_live_destroy(struct report_live *live);

#endif
