// SPDX-License-Identifier: MIT
// A run on a time line, for the trace viewers of Chrome and Perfetto: a track for each processor, with its operations
// as slices and parcels as arrows between tracks.
#ifndef CLI_REPORT_TIMELINE_H
#define CLI_REPORT_TIMELINE_H

#include "lab/record/replay.h"

struct report_timeline;

// Creates the file. Returns NULL with `error` filled if that is impossible.
struct report_timeline *report_timeline_open(const char *path, const struct ek_machine *machine,
                                             struct ek_error *error);

// Adds a turn. The file has at most a million events, and says how many events were left out.
void report_timeline_add(struct report_timeline *timeline, const struct ek_turn_made *turn);

// Completes the file, which then gets its name. Returns false with `error` filled if it could not be written.
bool report_timeline_close(struct report_timeline *timeline, struct ek_error *error);

#endif
