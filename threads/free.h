// SPDX-License-Identifier: MIT
// A run in free timing: no barrier, every processor at its own pace.
#ifndef EK_FREE_H
#define EK_FREE_H

#include "threads/machine.h"

struct ek_free;

// The bytes that a run takes.
uint64_t ek_free_bytes(const struct ek_machine *machine);

// Takes the memory and draws the loads of run `run`. NULL and `error` when there is none.
struct ek_free *ek_free_create(struct ek_machine *machine, uint64_t run, struct ek_error *error);
void ek_free_destroy(struct ek_free *free);

// What each worker does; and what the caller does meanwhile, every EK_FREE_PERIOD nanoseconds.
void ek_free_work(void *free, unsigned worker);
void ek_free_attend(struct ek_free *free);
enum { EK_FREE_PERIOD = 1000 * 1000 };

void ek_free_progress(struct ek_free *free, struct ek_progress *progress);

// Fills the report when all workers have ended.
enum ek_status ek_free_report(struct ek_free *free, struct ek_report *report, struct ek_error *error);

#endif
