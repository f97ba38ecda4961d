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
#ifndef ASYNC_RECORD_H
#define ASYNC_RECORD_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/memory.h"
#include "threads/run.h"

struct async_run;
struct async_world;

enum { ASYNC_CHUNK_BYTES = 4096 - 16 };

struct async_chunk {
    struct async_chunk *next;
    uint32_t worker, count;
    uint8_t bytes[ASYNC_CHUNK_BYTES];
};

struct async_recorder {
    struct async_chunk *chunk; // [chunks]
    struct async_chunk **own;  // by worker: the one that it fills
    uint32_t *links;           // by worker: the version of the link table that it saw last
    uint16_t *room;            // by port: what was known of it before a look
    uint64_t chunks;
    const struct async_world *of; // what is written down: the threads' looks, if nobody else gives them

    bool begun; // there is a writer
    pthread_t writer;
    pthread_mutex_t lock; // of what follows
    pthread_cond_t filled, freed;
    struct async_chunk *free, *first, *last; // the empty chunks; the full ones in their order
    bool ends;                               // no more will be filled
    uint64_t waits, waited_ns;               // of workers, for an empty one
    atomic_bool failed;                      // what was handed over was not taken. Relaxed: a lone flag
};

void async_record_plan(struct async_run *run, struct core_memory *memory);
bool async_record_begin(struct async_run *run, struct ek_error *error);
void async_record_end(struct async_run *run);
bool async_record_failed(const struct async_run *run);

// From here on the looks come from this world; where the run is recorded they are written down, too.
void async_record_world(struct async_run *run, const struct async_world *world);

#endif
