// SPDX-License-Identifier: MIT
// Teams of many threads, with small stacks in one reservation of memory. No thread runs before all have been created.
#ifndef THREADS_HOST_WORKERS_H
#define THREADS_HOST_WORKERS_H

#include <signal.h>

#include "threads/host/places.h"
#include "base/common.h"

// The functions of a team: those of its threads, and that of the caller, who waits for them.
struct host_job {
    void (*body)(void *context, unsigned worker); // run by each of the `workers` threads
    void (*help)(void *context);                  // run by one more thread, which is not pinned; NULL: none
    void *context;
    void (*tick)(void *context); // run by the caller every `period_ns`; NULL: none
    uint64_t period_ns;          // 0: ten times a second
    void *tick_context;
    bool large_stack; // the body calls functions that need a stack of usual size
};

// Runs the job on `workers` threads pinned to `places`, with its helper, and returns when all have ended. Returns false
// if the system cannot create the threads. Then nothing has run, and `error` names the limit and its value.
bool host_workers_run(unsigned workers, const struct host_places *places, const struct host_job *job,
                      struct ek_error *error);

// Blocks signals in the calling thread, and so in the threads that it creates, which inherit its mask: the program that
// uses the library handles its signals in its own threads. Writes the previous mask to `before`, for the caller to
// restore.
void host_workers_block_signals(sigset_t *before);

// Returns the memory that the threads occupy, or the address space that they map if `mapped`. `large` says whether
// their stacks are.
uint64_t host_workers_bytes(unsigned workers, bool large, bool mapped);

// Returns whether the system can be expected to create `workers` threads. If not, `error` names the limit and its
// value.
bool host_workers_possible(unsigned workers, struct ek_error *error);

#endif
