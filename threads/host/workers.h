// SPDX-License-Identifier: MIT
// Starting many threads: small stacks in one reserved piece of memory, nobody runs before all are there.
#ifndef THREADS_HOST_WORKERS_H
#define THREADS_HOST_WORKERS_H

#include <signal.h>

#include "threads/host/places.h"
#include "threads/api/run.h"

// What the workers do, and what the caller does while they do it.
struct host_job {
    void (*body)(void *context, unsigned worker); // run by each of `workers` threads
    void (*help)(void *context);                  // run by one more, which is not pinned; NULL: none
    void *context;
    void (*tick)(void *context); // run by the caller every `period_ns`, or NULL
    uint64_t period_ns;          // 0: ten times a second
    void *tick_context;
    bool large_stack; // the body calls other libraries, which need a usual stack
};

// Runs `work` on `workers` threads pinned to `places`, with its helper, and returns when all have ended. False when the
// system does not give the threads: nothing has run then, and `error` names the limit and its value.
bool host_workers_run(unsigned workers, const struct host_places *places, const struct host_job *job,
                      struct ek_error *error);

// A host's signals are its own threads' to handle: blocks them for who creates threads, which inherit its mask.
// `before` is what that was, to be set again.
void host_workers_block_signals(sigset_t *before);

// The memory that so many threads take, or what is mapped for them.
uint64_t host_workers_bytes(unsigned workers, bool mapped);

// Whether the system can be expected to give `workers` threads; else an error as above.
bool host_workers_possible(unsigned workers, struct ek_error *error);

#endif
