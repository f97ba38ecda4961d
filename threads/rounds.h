// SPDX-License-Identifier: MIT
// Rounds: the machine whose processors go through their steps together, held by a barrier.
#ifndef EK_ROUNDS_H
#define EK_ROUNDS_H

#include "threads/machine.h"

struct ek_rounds;

// Takes all memory for run `run` and draws its loads. NULL and `error` when there is not enough.
struct ek_rounds *ek_rounds_create(struct ek_machine *machine, uint64_t run, struct ek_error *error);
void ek_rounds_free(struct ek_rounds *rounds);

// What worker `worker` does from the first to the last round. All workers of the machine must run it at once.
void ek_rounds_work(void *rounds, unsigned worker);

// What the run has done so far; any thread, at any time.
void ek_rounds_progress(struct ek_rounds *rounds, struct ek_progress *progress);

// After all workers have ended: the report. EK_OK, EK_UNREACHED, or EK_VIOLATION with `error`.
enum ek_status ek_rounds_report(struct ek_rounds *rounds, struct ek_report *report, struct ek_error *error);

// The bytes that a run of this machine takes beside the topology.
uint64_t ek_rounds_bytes(const struct ek_machine *machine);

#endif
