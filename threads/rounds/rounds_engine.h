// SPDX-License-Identifier: MIT
// The engines of rounds and of turns: functions that their files share to fill in the table of an engine
// (threads/machine/engine.h).
#ifndef THREADS_ROUNDS_ROUNDS_ENGINE_H
#define THREADS_ROUNDS_ROUNDS_ENGINE_H

#include "threads/machine/engine.h"
#include "threads/rounds/rounds_state.h"

// Variants of the engine.
enum { ROUNDS_TOGETHER, ROUNDS_TURNS, ROUNDS_TURNS_RANDOM };

uint64_t rounds_bytes(const struct machine_plan *machine);
bool rounds_computes_rows(const struct machine_plan *machine);
bool rounds_stores_part(const struct machine_plan *machine);
void *rounds_create(const struct machine_plan *machine, uint64_t run, struct ek_error *error);
void rounds_destroy(void *run);
void rounds_progress(void *run, struct ek_progress *progress);
enum ek_status rounds_report(void *run, struct ek_report *report, struct ek_error *error);

extern const struct machine_engine rounds_engine, rounds_turns_engine, rounds_turns_random_engine;

// Do the work of worker `worker` from the begin of the run to its end: in rounds, and in turns.
void rounds_run_worker(void *run, unsigned worker);
void rounds_run_turns(void *run, unsigned worker);

// Plans the memory that turns need in addition to rounds.
void rounds_turns_plan(struct rounds_run *rounds, struct base_arena *memory);

#endif
