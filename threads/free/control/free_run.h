// SPDX-License-Identifier: MIT
// The memory of a run in free timing, and its state before the first turn.
#ifndef THREADS_FREE_CONTROL_FREE_RUN_H
#define THREADS_FREE_CONTROL_FREE_RUN_H

#include "threads/free/control/transport.h"

// Returns the bytes of memory that a run of this machine takes.
uint64_t free_bytes(const struct machine_plan *machine, struct free_transport *transport);

// Creates run `number` of the machine, before its first turn and without a source of looks (look.h). Returns NULL, with
// `error`, if there is no memory.
struct free_control *free_create(const struct machine_plan *machine, uint64_t number, struct free_transport *transport,
                                 struct ek_error *error);
// Gives a run that begins anew its first tasks again, as many as the attendant's loads say. Returns false, with
// `error`, if there is no memory for them.
bool free_restart_tasks(struct free_control *control, struct ek_error *error);
void free_destroy(struct free_control *control);

// Measures the start of a run of which each rank has drawn its own loads, after all ranks have agreed to begin.
void free_begin_over_ranks(struct free_control *control);

// Returns whether ranks bring together the load that was sent over each port, after the run. Otherwise each rank adds
// up its own part of the flows.
bool free_brings_sent(const struct free_run *run);

// Returns a number that is the same in all ranks if they have read the same files of loads and capacities.
uint64_t free_print(const struct free_run *run);

#endif
