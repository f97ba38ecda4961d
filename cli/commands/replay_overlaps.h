// SPDX-License-Identifier: MIT
// `evenkeel replay --overlaps`: what operations did, by how they overlapped, of a run that is made again.
#ifndef CLI_COMMANDS_REPLAY_OVERLAPS_H
#define CLI_COMMANDS_REPLAY_OVERLAPS_H

#include <jansson.h>

#include "lab/record/replay.h"

struct cli_overlaps;

// Before the first turn. NULL and `error` where the run has no domains, or without memory.
struct cli_overlaps *cli_overlaps_begin(struct lab_replay *replay, struct ek_error *error);
void cli_overlaps_destroy(struct cli_overlaps *overlaps);

// After each turn, and after the last one.
bool cli_overlaps_add(struct cli_overlaps *overlaps, struct ek_error *error);
bool cli_overlaps_end(struct cli_overlaps *overlaps, struct ek_error *error);

// What there is then: an object, NULL without memory; a line for each sphere; tables, false without memory.
json_t *cli_overlaps_object(const struct cli_overlaps *overlaps);
void cli_overlaps_write_csv(const struct cli_overlaps *overlaps);
bool cli_overlaps_write_table(const struct cli_overlaps *overlaps, struct ek_error *error);

#endif
