// SPDX-License-Identifier: MIT
// The engine of free timing: what its files show each other as the functions of an engine (threads/engine.h).
#ifndef ASYNC_ENGINE_H
#define ASYNC_ENGINE_H

#include "threads/async/state.h"

// What the caller's thread does meanwhile, every so many nanoseconds.
enum { ASYNC_PERIOD_NS = 1000 * 1000 };
void async_attend(void *run);

// The same once, at this time, but for the watchdog; and whether there is something to attend to.
void async_attend_at(struct async_run *run, uint64_t now_ns);
bool async_attend_due(const struct async_run *run, uint64_t now_ns);

// What a thread beside the workers does with faults, and how it begins before there are threads; and one step of it:
// the next link or processor fails or comes back, if that is due. Whether it was.
void async_help(void *run);
void async_help_begin(struct async_run *run);
bool async_help_let_fail(struct async_run *run, uint64_t now_ns);

// What each worker does; and one sweep of it: all its processors take their turns. Whether any had something to do.
void async_work(void *run, unsigned worker);
bool async_sweep(struct async_worker *worker);

// The same piece by piece, for who lets workers take turns one by one. A sweep is its stretches: each begins with a
// look around, and says where it ends; the processors of it take a step each, as long as the look has not seen that the
// run is over. Then the sweep ends. A slow processor takes its turn in some steps only; looks says whether there the
// look at its ports comes first.
uint32_t async_stretch_begin(struct async_worker *worker, uint32_t from);
bool async_is_slow(const struct async_worker *worker, uint32_t p);
bool async_looks(const struct async_worker *worker, uint32_t p);
bool async_step(struct async_worker *worker, uint32_t p);
void async_sweep_end(struct async_worker *worker);

uint64_t async_bytes(const struct ek_machine *machine);
void *async_create(struct ek_machine *machine, uint64_t run, struct ek_error *error);
void async_destroy(void *run);
void async_progress(void *run, struct ek_progress *progress);
enum ek_status async_report(void *run, struct ek_report *report, struct ek_error *error);

// What every processor does and waits for, when all workers have ended, as text for a person; NULL without memory.
char *async_dump(const struct async_run *run);

#endif
