// SPDX-License-Identifier: MIT
// The log of operations: a bounded ring for each worker, in which the newest overwrite the oldest and losses are
// counted.
//
//   call          who                                       at the same time
//   add           worker w only, to ring w                  add of other workers
//   spheres       one thread, while no worker is running    nothing else
//   plan, begin   the owner of the run                      nothing else
//
// An operation is added when it ends. Those that are still open when the run ends have to be added then too, else the
// last instants would lack them.
#ifndef THREADS_WATCH_OPERATION_LOG_H
#define THREADS_WATCH_OPERATION_LOG_H

#include "core/domains/spheres.h"
#include "threads/api/run.h"

enum {
    WATCH_OPERATION_LOG_RECORDS = 1 << 18, // in all rings
    WATCH_OPERATION_LOG_LEAST = 16,        // in each
    WATCH_OPERATION_LOG_INSTANTS = 256     // at which spheres are looked for, at most
};

// A cache line, so that no two workers write one.
struct watch_ring {
    _Alignas(64) struct core_operation *place; // [capacity]
    uint64_t added;
    uint64_t lost_end; // the latest end of those that were overwritten
    uint32_t next;
};

struct watch_operation_log {
    struct watch_ring *ring; // [workers]
    unsigned workers;
    uint32_t capacity; // of each ring
    const struct ek_topology *topology;
    struct core_operation *places;           // [workers * capacity]
    const struct core_operation **operation; // the same many: those that are logged, for the spheres
    struct core_spheres work;
};

// Plans about `records` places, split evenly, at least WATCH_OPERATION_LOG_LEAST a worker, and all that looking for
// spheres in this topology takes later. And when the memory is taken.
void watch_operation_log_plan(struct watch_operation_log *log, unsigned workers, uint64_t records,
                              const struct ek_topology *topology, struct base_arena *memory);
void watch_operation_log_begin(struct watch_operation_log *log);

void watch_operation_log_add(struct watch_operation_log *log, unsigned worker, const struct core_operation *operation);

// Fills logged, log_lost, spheres_sampled, spheres and sphere_* of the report. The instants lie evenly, jittered by
// `seed`, from the latest end of an operation that was lost (or `begin`, the run's) to the run's `end`: there no ring
// lacks an operation that was open. They are fewer where many large domains overlap: it takes well under a second.
void watch_operation_log_spheres(struct watch_operation_log *log, uint64_t begin, uint64_t end, uint64_t seed,
                                 struct ek_free_report *report);

#endif
