// SPDX-License-Identifier: MIT
// The worker processes of a sweep, and what they share with the one that looks on.
#ifndef LAB_SWEEP_WORKER_POOL_H
#define LAB_SWEEP_WORKER_POOL_H

#include <sys/types.h>

#include "lab/sweep/sweep.h"

enum { LAB_JOBS_MAX = 1024 };

// A worker, in memory that it shares with the process that looks on.
struct lab_worker {
    // Of the tasks that it has taken, [from, to): the one under way. Those before it are made, but not in the store
    // yet.
    _Atomic size_t from, at, to;
    _Atomic bool running;      // `at` was begun and has not ended
    _Atomic uint64_t since_ns; // when
    _Atomic size_t skipped;    // a task that it is not to make, as another has died of it; SIZE_MAX: none
    _Atomic uint64_t ran, reused, refused, unreached;
    _Atomic uint64_t violated, stuck; // of those that ran
    _Atomic uint64_t bytes;           // by which its store has grown
    _Atomic bool broken;              // it cannot go on:
    _Atomic bool starved;             // it has ended, for want of memory for the run under way:
    struct ek_error error;

    // Of the process that looks on:
    pid_t process; // its number, 0 where it has ended
    bool late;     // it was killed since the run `late_at` took too long
    size_t late_at;
};

// What all share.
struct lab_worker_pool {
    _Atomic size_t next; // task that nobody has taken
    _Atomic bool stop;
    struct lab_worker worker[LAB_JOBS_MAX];
};

// What there is to do.
struct lab_sweep_phase {
    const struct lab_sweep *sweep;
    const char *store; // its path
    const struct lab_plan *plan;
    size_t to;            // the end of the tasks
    bool pinned;          // each worker has a core
    uint64_t deadline_ns; // when no more is to be begun; 0: never
};

// The life of worker `index`, in its process: makes tasks until none is left.
void lab_worker_main(const struct lab_sweep_phase *phase, struct lab_worker_pool *pool, unsigned index);

#endif
