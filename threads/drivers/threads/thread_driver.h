// SPDX-License-Identifier: MIT
// The driver of real threads: each worker is a thread, which takes its turns as fast as it gets a core. The caller's
// thread is the attendant, and one more thread injects faults.
#ifndef THREADS_DRIVERS_THREADS_THREAD_DRIVER_H
#define THREADS_DRIVERS_THREADS_THREAD_DRIVER_H

#include "threads/free/control/control.h"
#include "threads/free/look.h"

// The watchdog's: when something last went on, and what was seen then.
struct thread_watchdog {
    uint64_t worked_ns; // all threads' processor time then
    uint64_t watched_ns, progress_ns, advances_seen, audits_seen;
    uint64_t *turns_seen; // by worker
};

struct thread_driver {
    struct free_look_source source; // what threads see: the machine as it is now
    struct free_control *control;
    uint64_t (*worked_ns)(const struct thread_driver *driver); // the processor time that all workers took so far
    bool interrupted;  // from outside the machine: by another process, or a recorder that fails
    bool crowded;      // more workers than cores: a turn is followed by a yield
    bool starts_clock; // the last worker that is there starts the clock; else the porter does (threads_start_clock)
    uint64_t began_ns; // on the monotonic clock: all times count from here
    struct thread_watchdog watchdog;
    struct base_arena memory;
    _Alignas(BASE_ARENA_ISOLATION) atomic_uint ready; // workers that are there
    atomic_bool started;                              // all are: `began_ns` is set
};

// The bytes that it takes beside the run.
uint64_t threads_bytes(const struct machine_plan *machine);

// The run is driven by threads from here on. False without memory.
bool threads_begin(struct thread_driver *driver, struct free_control *control);
void threads_end(struct thread_driver *driver);

// What each worker does, from the run's first moment to its last.
void threads_work(struct thread_driver *driver, unsigned worker);

// Time begins: the workers are there.
void threads_start_clock(struct thread_driver *driver);

// What the caller's thread does meanwhile, every so many nanoseconds.
enum { THREADS_PERIOD_NS = 1000 * 1000 };
void threads_attend(struct thread_driver *driver);

// What the fault thread does.
void threads_inject_faults(struct thread_driver *driver);

#endif
