// SPDX-License-Identifier: MIT
// The recorder: a world like another one, mostly the threads', that also writes down each look (tape.h). A worker fills
// a chunk of bytes of its own; full ones go to a thread that hands them to the experiment's recorder, and come back
// empty. Where none is empty the worker waits: the memory is bounded, and nothing is dropped.
//
//   call    who                                     at the same time
//   plan    the owner of the run                    nothing else
//   begin   the owner, before there are workers     nothing else; from then on the writing thread runs
//   end     the owner, when they have all ended     nothing else; then all has been handed over
//   failed  the attendant                           with everything
//
// Chunks go from hand to hand under a lock, which a worker takes once in a thousand turns.
#ifndef THREADS_DRIVERS_REPLAY_RECORD_H
#define THREADS_DRIVERS_REPLAY_RECORD_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "threads/api/run.h"

struct free_run;
struct free_world;

enum { FREE_CHUNK_BYTES = 4096 - 16 };

struct free_chunk {
    struct free_chunk *next;
    uint32_t worker, count;
    uint8_t bytes[FREE_CHUNK_BYTES];
};

struct free_recorder {
    struct free_chunk *chunk; // [chunks]
    struct free_chunk **own;  // by worker: the one that it fills
    uint32_t *links;          // by worker: the version of the link table that it saw last
    uint16_t *room;           // by port: what was known of it before a look
    uint64_t chunks;
    const struct free_world *of; // what is written down: the threads' looks, if nobody else gives them

    bool begun; // there is a writer
    pthread_t writer;
    pthread_mutex_t lock; // of what follows
    pthread_cond_t filled, freed;
    struct free_chunk *free, *first, *last; // the empty chunks; the full ones in their order
    bool ends;                              // no more will be filled
    uint64_t waits, waited_ns;              // of workers, for an empty one
    atomic_bool failed;                     // what was handed over was not taken. Relaxed: a lone flag
};

void free_record_plan(struct free_run *run, struct base_arena *memory);
bool free_record_begin(struct free_run *run, struct ek_error *error);
void free_record_end(struct free_run *run);
bool free_record_failed(const struct free_run *run);

// From here on the looks come from this world; where the run is recorded they are written down, too.
void free_record_world(struct free_run *run, const struct free_world *world);

#endif
