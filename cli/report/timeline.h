// SPDX-License-Identifier: MIT
// A run on a time line, as the trace viewers of Chrome and Perfetto read it: a track for each processor, its operations
// as slices on it, parcels as arrows between them.
#ifndef CLI_REPORT_TIMELINE_H
#define CLI_REPORT_TIMELINE_H

#include "lab/record/replay.h"

struct cli_timeline;

// Makes the file. NULL and `error` where that cannot be.
struct cli_timeline *cli_timeline_open(const char *path, const struct ek_machine *machine, struct ek_error *error);

// Adds a turn. Of a long run the file has the first million events, and says so.
void cli_timeline_add(struct cli_timeline *timeline, const struct ek_turn_made *turn);

// Ends the file, which is whole and has its name then. False and `error` where it could not be written.
bool cli_timeline_close(struct cli_timeline *timeline, struct ek_error *error);

#endif
