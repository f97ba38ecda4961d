// SPDX-License-Identifier: MIT
// A run in free timing: no barrier, every processor at its own pace.
#ifndef ASYNC_H
#define ASYNC_H

#include "threads/machine.h"

struct async_run;

// The bytes that a run takes.
uint64_t async_bytes(const struct ek_machine *machine);

// Takes the memory and draws the loads of run `run`. NULL and `error` when there is none.
struct async_run *async_create(struct ek_machine *machine, uint64_t run, struct ek_error *error);
void async_destroy(struct async_run *run);

// What each worker does; and what the caller does meanwhile, every ASYNC_PERIOD nanoseconds.
void async_work(void *run, unsigned worker);
void async_attend(struct async_run *run);
enum { ASYNC_PERIOD = 1000 * 1000 };

void async_progress(struct async_run *run, struct ek_progress *progress);

// Fills the report when all workers have ended.
enum ek_status async_report(struct async_run *run, struct ek_report *report, struct ek_error *error);

#endif
