// SPDX-License-Identifier: MIT
// A run as it goes, on the terminal that is standard output: what an observer of it sees, drawn by a thread of its own,
// which only ever waits for the terminal. The run waits for nobody; some ten times a second one step of it takes as
// long as it takes to copy the loads.
#ifndef CLI_REPORT_LIVE_H
#define CLI_REPORT_LIVE_H

#include "cli/terminal/terminal.h"
#include "cli/terminal/text.h"
#include "lab/record/record.h"

struct cli_live;

// Whether standard output can show it. False and `error` where not.
bool cli_live_possible(const struct cli_terminal *terminal, struct ek_error *error);

// NULL and `error` without memory. The runs go into `record`, of which nothing is needed yet.
struct cli_live *cli_live_create(const struct lab_record *record, uint64_t runs, struct ek_error *error);

// Who is to look on at the runs, which begin after cli_live_begin has been told of their machine.
struct ek_observer cli_live_observer(struct cli_live *live);
bool cli_live_begin(struct cli_live *live, const struct ek_machine *machine, struct ek_error *error);

// Between two runs: takes the picture away, for others to write there.
void cli_live_clear(struct cli_live *live);

// When no run is under way any more. Leaves nothing on the terminal. NULL is none.
void cli_live_destroy(struct cli_live *live);

#endif
