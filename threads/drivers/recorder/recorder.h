// SPDX-License-Identifier: MIT
// The recorder: a source of looks that wraps another one, mostly the threads', and writes down each look
// (look_stream.h). A worker fills a chunk of bytes of its own; full ones go to a thread that hands them to the
// experiment's recorder, and come back empty. Where none is empty the worker waits: the memory is bounded, and nothing
// is dropped.
//
//   call     who                                     at the same time
//   create   the owner, before there are workers     nothing else; from then on the writing thread runs
//   wrap     the owner, while no worker runs         nothing else
//   end      the owner, when they have all ended     nothing else; then all has been handed over
//   failed   the attendant                           with everything
//
// Chunks go from hand to hand under a lock, which a worker takes once in a thousand turns.
#ifndef THREADS_DRIVERS_RECORDER_RECORDER_H
#define THREADS_DRIVERS_RECORDER_RECORDER_H

#include "threads/free/look.h"

struct recorder;

// The bytes that it takes beside the run.
uint64_t recorder_bytes(const struct machine_plan *machine);

// A recorder of this run, before its first turn. NULL and `error` without memory or a thread.
struct recorder *recorder_create(struct free_run *run, struct ek_error *error);
void recorder_destroy(struct recorder *recorder);

// From here on the run's looks come from this source; with a recorder, which may be NULL here and below, they are
// written down too.
void recorder_wrap(struct recorder *recorder, struct free_run *run, struct free_look_source *source);

// Hands over what is left. Returns when all is written.
void recorder_end(struct recorder *recorder);

// Whether what was handed over was not taken.
bool recorder_failed(const struct recorder *recorder);

void recorder_report(const struct recorder *recorder, struct ek_free_report *report);

#endif
