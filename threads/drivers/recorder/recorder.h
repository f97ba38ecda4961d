// SPDX-License-Identifier: MIT
// The recorder: a source of looks (look.h) that wraps another source and writes down each look (look_stream.h).
//
// Each worker fills its own chunk of bytes. A writing thread passes full chunks to the experiment's recorder, which
// writes them to a file or a pipe, and then the chunks are empty again. A worker that finds no empty chunk waits. So
// the memory is bounded and no look is lost. Chunks are exchanged under a lock, which a worker takes about once in a
// thousand turns.
//
//   call     caller                                  may run at the same time as
//   create   the run's owner, before the workers     nothing; from then on the writing thread runs
//   wrap     the run's owner, while no worker runs   nothing
//   end      the run's owner, after the workers      nothing
//   failed   the attendant                           everything
#ifndef THREADS_DRIVERS_RECORDER_RECORDER_H
#define THREADS_DRIVERS_RECORDER_RECORDER_H

#include "threads/free/look.h"

struct recorder;

// Returns the bytes of memory that a recorder takes.
uint64_t recorder_bytes(const struct machine_plan *machine);

// Creates a recorder of this run, before its first turn. Returns NULL, with `error`, if there is no memory or no
// thread.
struct recorder *recorder_create(struct free_run *run, struct ek_error *error);
void recorder_destroy(struct recorder *recorder);

// Makes `source` the run's source of looks, and records its looks. Here and below the recorder may be NULL: then
// nothing is recorded.
void recorder_wrap(struct recorder *recorder, struct free_run *run, struct free_look_source *source);

// Passes the last chunks to the experiment's recorder. Returns when all chunks are written.
void recorder_end(struct recorder *recorder);

// Returns whether the experiment's recorder has refused a chunk.
bool recorder_failed(const struct recorder *recorder);

void recorder_report(const struct recorder *recorder, struct ek_free_report *report);

#endif
