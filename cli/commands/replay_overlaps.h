// SPDX-License-Identifier: MIT
// `evenkeel replay --overlaps`: gathers and shows the overlaps of operations in a repeated run.
#ifndef CLI_COMMANDS_REPLAY_OVERLAPS_H
#define CLI_COMMANDS_REPLAY_OVERLAPS_H

#include <jansson.h>

#include "lab/record/replay.h"

struct cli_overlaps;

// Begins before the first turn. Returns NULL with `error` filled if the run has no domains or memory is short.
struct cli_overlaps *cli_overlaps_begin(struct lab_replay *replay, struct ek_error *error);
void cli_overlaps_destroy(struct cli_overlaps *overlaps);

// Add the turn under way, and end after the last turn. They return false with `error` filled if memory is short.
bool cli_overlaps_add(struct cli_overlaps *overlaps, struct ek_error *error);
bool cli_overlaps_end(struct cli_overlaps *overlaps, struct ek_error *error);

// Show the result. The first function returns an object of JSON, or NULL if memory is short. The second writes a line
// of CSV for each sphere. The third writes tables; it returns false with `error` filled if memory is short.
json_t *cli_overlaps_object(const struct cli_overlaps *overlaps);
void cli_overlaps_write_csv(const struct cli_overlaps *overlaps);
bool cli_overlaps_write_table(const struct cli_overlaps *overlaps, struct ek_error *error);

#endif
