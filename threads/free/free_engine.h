// SPDX-License-Identifier: MIT
// The engine of free timing: what its files show each other as the functions of an engine (threads/machine/engine.h).
#ifndef THREADS_FREE_FREE_ENGINE_H
#define THREADS_FREE_FREE_ENGINE_H

#include "threads/free/free_state.h"

// What the caller's thread does meanwhile, every so many nanoseconds.
enum { FREE_PERIOD_NS = 1000 * 1000 };
void free_attend(void *run);

// The same once, at this time, but for the watchdog; and whether there is something to attend to.
void free_attend_at(struct free_run *run, uint64_t now_ns);
bool free_attend_due(const struct free_run *run, uint64_t now_ns);

// What a thread beside the workers does with faults, and how it begins before there are threads; and one step of it:
// the next link or processor fails or comes back, if that is due. Whether it was.
void free_help(void *run);
void free_help_begin(struct free_run *run);
bool free_help_let_fail(struct free_run *run, uint64_t now_ns);

// What each worker does; and one sweep of it: all its processors take their turns. Whether any had something to do.
void free_work(void *run, unsigned worker);
bool free_sweep(struct free_worker *worker);

// The same piece by piece, for who lets workers take turns one by one. A sweep is its stretches: each begins with a
// look around, and says where it ends; the processors of it take a step each, as long as the look has not seen that the
// run is over. Then the sweep ends. A slow processor takes its turn in some steps only; looks says whether there the
// look at its ports comes first.
uint32_t free_stretch_begin(struct free_worker *worker, uint32_t from);
bool free_is_slow(const struct free_worker *worker, uint32_t p);
bool free_looks(const struct free_worker *worker, uint32_t p);
bool free_step(struct free_worker *worker, uint32_t p);
void free_sweep_end(struct free_worker *worker);

uint64_t free_bytes(const struct ek_machine *machine);
void *free_create(struct ek_machine *machine, uint64_t run, struct ek_error *error);
void free_destroy(void *run);
void free_progress(void *run, struct ek_progress *progress);
enum ek_status free_report(void *run, struct ek_report *report, struct ek_error *error);

// What every processor does and waits for, when all workers have ended, as text for a person; NULL without memory.
char *free_dump(const struct free_run *run);

#endif
