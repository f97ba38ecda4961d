// SPDX-License-Identifier: MIT
// Rounds: the machine whose processors go through their steps together, held by a barrier.
#ifndef ROUNDS_H
#define ROUNDS_H

#include "threads/machine.h"

struct rounds_run;

// Takes all memory for run `run` and draws its loads. NULL and `error` when there is not enough.
struct rounds_run *rounds_create(struct ek_machine *machine, uint64_t run, struct ek_error *error);
void rounds_destroy(struct rounds_run *rounds);

// What worker `worker` does from the first to the last round. All workers of the machine must run it at once.
void rounds_work(void *rounds, unsigned worker);

// What the run has done so far; any thread, at any time.
void rounds_progress(struct rounds_run *rounds, struct ek_progress *progress);

// After all workers have ended: the report. EK_OK, EK_UNREACHED, or EK_VIOLATION with `error`.
enum ek_status rounds_report(struct rounds_run *rounds, struct ek_report *report, struct ek_error *error);

// The bytes that a run of this machine takes beside the topology.
uint64_t rounds_bytes(const struct ek_machine *machine);

#endif
