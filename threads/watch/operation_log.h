// SPDX-License-Identifier: MIT
// The log of operations: a bounded ring for each worker, in which the newest overwrite the oldest and losses are
// counted.
//
//   call                     who                                       at the same time
//   add                      worker w only, to ring w                  add of other workers
//   spheres, create, free    one thread, while no worker is running    nothing else
//
// An operation is added when it ends. Those that are still open when the run ends have to be added then too, else the
// last instants would lack them.
#ifndef WATCH_OPERATION_LOG_H
#define WATCH_OPERATION_LOG_H

#include "core/spheres.h"
#include "threads/run.h"

enum {
    WATCH_OPERATION_LOG_RECORDS = 1 << 18, // in all rings
    WATCH_OPERATION_LOG_LEAST = 16,        // in each
    WATCH_OPERATION_LOG_INSTANTS = 256     // at which spheres are looked for, at most
};

struct watch_operation_log;

// About `records` places, split evenly, at least WATCH_OPERATION_LOG_LEAST a worker, and all that looking for spheres
// in this topology takes later. NULL without memory. It takes `bytes`.
struct watch_operation_log *watch_operation_log_create(unsigned workers, uint64_t records,
                                                       const struct ek_topology *topology);
void watch_operation_log_destroy(struct watch_operation_log *log); // NULL is fine
uint64_t watch_operation_log_bytes(unsigned workers, uint64_t records, uint32_t processors);

void watch_operation_log_add(struct watch_operation_log *log, unsigned worker, const struct core_operation *operation);

// Fills logged, log_lost, spheres_sampled, spheres and sphere_* of the report. The instants lie evenly, jittered by
// `seed`, from the latest end of an operation that was lost (or `begin`, the run's) to the run's `end`: there no ring
// lacks an operation that was open. They are fewer where many large domains overlap: it takes well under a second.
void watch_operation_log_spheres(struct watch_operation_log *log, uint64_t begin, uint64_t end, uint64_t seed,
                                 struct ek_async_report *report);

#endif
