// SPDX-License-Identifier: MIT
// Events of a worker's thread that the system and the hardware count.
//
//   call                 caller                        concurrent with
//   begin, sample, end   the thread that is counted    these calls of other threads
//   add                  one thread, after the end     nothing
//   why                  any thread                    any call
//
// Context switches come from getrusage; Linux counts a sched_yield that yields the core as forced. Migrations between
// cores come from /proc/thread-self/sched if that file exists. Each reading takes about 25 us, so it is done only for
// up to HOST_COUNTERS_SYSTEM_MAX workers. Otherwise migrations are the changes of core that `sample` observed. Hardware
// counters come from PAPI, count in user mode, and exist for up to HOST_COUNTERS_HARDWARE_MAX workers. A thread that
// cannot get hardware counters runs without them.
#ifndef THREADS_HOST_COUNTERS_H
#define THREADS_HOST_COUNTERS_H

#include "base/common.h"

enum { HOST_COUNTERS_SYSTEM_MAX = 1024, HOST_COUNTERS_HARDWARE_MAX = 64 };

struct host_counters {
    uint64_t voluntary, forced; // context switches
    uint64_t migrations;
    bool has_hardware;
    uint64_t cycles, instructions;
    uint64_t cache_misses; // of the last cache level that the hardware counts for a thread
    unsigned threads;      // threads that are summed here
    // From begin to end:
    bool sampled; // migrations are counted by `sample`
    int core;     // core at the last sample
    int events;   // PAPI's event set
};

// Begins to count for the calling thread, which is one of `workers`.
void host_counters_begin(struct host_counters *counters, unsigned workers);

// Returns the processor time that the calling thread has used, in nanoseconds. Takes about 200 ns.
uint64_t host_thread_ns(void);

// Counts a migration if the thread is on another core than at the last call and the system does not count migrations.
// Takes a few ns.
void host_counters_sample(struct host_counters *counters);
void host_counters_end(struct host_counters *counters);

// Adds a thread's counts to a total, which is all zeros at first. A total has hardware counters if every thread in it
// has.
void host_counters_add(struct host_counters *total, const struct host_counters *one);

// Returns why there are no hardware counters, or "" if there are. The first call starts PAPI: make it before there are
// workers, on a thread with a large stack.
const char *host_counters_why(void);

#endif
