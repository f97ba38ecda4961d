// SPDX-License-Identifier: MIT
// The driver of real threads: each worker is a thread, which makes turns as fast as its core allows. The caller's
// thread is the attendant, and one more thread injects faults.
#ifndef THREADS_DRIVERS_THREADS_THREAD_DRIVER_H
#define THREADS_DRIVERS_THREADS_THREAD_DRIVER_H

#include "threads/free/control/control.h"
#include "threads/free/look.h"

// The state of the watchdog.
struct thread_watchdog {
    uint64_t watched_ns;                 // when it last checked the run
    uint64_t advances_seen, audits_seen; // at the last check: advances of operations, and snapshots
    uint64_t progress_ns;                // when the run last made progress
    uint64_t calls;                      // turns of the caller since that progress
    uint64_t audits_before;              // snapshots that had begun at that progress
    uint64_t *turns_seen;                // by worker: its turns at that progress
    uint64_t *turns_enough;              // by worker: further turns that a stuck run must have had
};

struct thread_driver {
    struct free_look_source source; // looks at the current state of the machine
    struct free_control *control;
    bool interrupted;  // by another process, or by a recorder that has failed
    bool crowded;      // there are more workers than cores: a worker yields after a pass
    bool starts_clock; // the last worker to begin starts the clock; else the porter does
    uint64_t began_ns; // start of the run on the monotonic clock
    struct thread_watchdog watchdog;
    struct base_arena memory;
    _Alignas(BASE_ARENA_ISOLATION) atomic_uint ready; // number of workers that have begun
    atomic_bool started;                              // `began_ns` is set
};

// Returns the bytes of memory that the driver takes.
uint64_t threads_bytes(const struct machine_plan *machine);

// Makes this driver drive the run. Returns false if there is no memory.
bool threads_begin(struct thread_driver *driver, struct free_control *control);
void threads_end(struct thread_driver *driver);

// The main function of a worker's thread.
void threads_work(struct thread_driver *driver, unsigned worker);

// Starts the run's clock, when all workers have begun.
void threads_start_clock(struct thread_driver *driver);

// Prepares the watchdog, which threads_attend contains.
void threads_watch_begin(struct thread_driver *driver);

// Called by the caller's thread every THREADS_PERIOD_NS nanoseconds.
enum { THREADS_PERIOD_NS = 1000 * 1000 };
void threads_attend(struct thread_driver *driver);

// The main function of the fault thread.
void threads_inject_faults(struct thread_driver *driver);

#endif
