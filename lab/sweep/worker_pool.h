// SPDX-License-Identifier: MIT
// The worker processes of a sweep, and what they share with the main process.
#ifndef LAB_SWEEP_WORKER_POOL_H
#define LAB_SWEEP_WORKER_POOL_H

#include <sys/types.h>

#include "lab/sweep/sweep.h"

enum { LAB_JOBS_MAX = 1024 };

// A worker, in memory that it shares with the main process.
struct lab_worker {
    // The claimed tasks are [from, to), and `at` is the current one. The tasks before `at` are made, but not stored
    // yet.
    _Atomic size_t from, at, to;
    _Atomic bool running;      // task `at` has begun and not ended
    _Atomic uint64_t since_ns; // when task `at` began
    _Atomic uint64_t ran, reused, refused, unreached;
    _Atomic uint64_t violated, stuck; // of the runs that were made
    _Atomic uint64_t bytes;           // the growth of the store
    _Atomic bool broken;              // the worker cannot continue, because of `error`
    _Atomic bool gave_up;             // the worker ended, with `error`: the current run had no memory, or did not end
    struct ek_error error;

    // Used by the main process only:
    pid_t process; // its id, 0 if it has ended
    bool late;     // it was killed because task `late_at` took too long
    size_t late_at;
    unsigned deaths; // how often it died while it made no run
};

// The data that all processes share.
struct lab_worker_pool {
    _Atomic size_t next; // the first unclaimed task
    _Atomic bool stop;
    struct lab_worker worker[LAB_JOBS_MAX];
};

// A phase of a sweep, in which its workers make some of its tasks.
struct lab_sweep_phase {
    const struct lab_sweep *sweep;
    const char *store; // the path of the store
    const struct lab_plan *plan;
    size_t to;            // the end of the tasks
    bool pinned;          // each worker is pinned to a core
    uint64_t deadline_ns; // no task begins after this time; 0: no limit
};

// Runs worker `index` in its process: makes tasks until none is left.
void lab_worker_main(const struct lab_sweep_phase *phase, struct lab_worker_pool *pool, unsigned index);

#endif
