// SPDX-License-Identifier: MIT
// What the system and the hardware count of a worker's thread.
//
//   call                 who                           at the same time
//   begin, sample, end   the thread that is counted    the same of other threads
//   add                  one thread, after the end     nothing else
//   why                  anybody                       anything
//
// Context switches come from getrusage; Linux counts a sched_yield that gives way as forced. Migrations between cores
// come from /proc/thread-self/sched where it is there, which takes some 25 us a look: only of up to
// WATCH_COUNTERS_SYSTEM_MAX workers. Otherwise they are the changes that `sample` saw. Hardware counters come from
// PAPI, in user mode, of up to WATCH_COUNTERS_HARDWARE_MAX workers; where a thread does not get them it goes on
// without.
#ifndef THREADS_HOST_COUNTERS_H
#define THREADS_HOST_COUNTERS_H

#include "threads/api/run.h"

enum { WATCH_COUNTERS_SYSTEM_MAX = 1024, WATCH_COUNTERS_HARDWARE_MAX = 64 };

struct host_counters {
    uint64_t voluntary, forced; // context switches
    uint64_t migrations;
    bool has_hardware;
    uint64_t cycles, instructions;
    uint64_t cache_misses; // of the last level that the machine counts for a thread
    unsigned threads;      // that are counted here
    // From begin to end:
    bool sampled; // migrations are what `sample` sees
    int core;     // at the last sample
    int events;   // PAPI's
};

// Begins to count this thread, one of so many workers.
void host_counters_begin(struct host_counters *counters, unsigned workers);

// Looks whether the thread is on another core than before, where the system does not say: a few ns.
void host_counters_sample(struct host_counters *counters);
void host_counters_end(struct host_counters *counters);

// Adds a thread's to a total that is all zeros at first. A total has hardware counters if each of its threads has.
void host_counters_add(struct host_counters *total, const struct host_counters *one);

// Why there are no hardware counters; "" where there are. The first call starts PAPI: make it before there are workers,
// on a thread with a large stack.
const char *host_counters_why(void);

#endif
