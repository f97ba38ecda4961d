// SPDX-License-Identifier: MIT
// The log of operations: a bounded ring for each worker. New operations overwrite the oldest ones, and losses are
// counted.
//
//   call          caller                                    concurrent with
//   add           worker w, to ring w                       add of other workers
//   spheres       one thread, while no worker is running    nothing
//   plan, begin   the owner of the run                      nothing
//
// An operation is added when it ends. When the run ends, the operations that are still open must be added too;
// otherwise the last moments would lack them. Spheres are defined in core/domains/spheres.h.
#ifndef THREADS_WATCH_OPERATION_LOG_H
#define THREADS_WATCH_OPERATION_LOG_H

#include "core/domains/spheres.h"
#include "threads/api/run.h"

enum {
    WATCH_OPERATION_LOG_RECORDS = 1 << 18, // in all rings
    WATCH_OPERATION_LOG_LEAST = 16,        // in each
    WATCH_OPERATION_LOG_INSTANTS = 256     // the most instants at which spheres are searched for
};

// A worker's ring. Each has cache lines of its own, because two workers that write one line slow each other down.
struct watch_ring {
    _Alignas(64) struct core_operation *place; // [capacity]
    uint64_t added;
    uint64_t lost_end; // the latest end of an overwritten operation
    uint32_t next;
    bool unused; // the worker never adds an operation
};

struct watch_operation_log {
    struct watch_ring *ring; // [workers]
    unsigned workers;
    uint64_t room;     // places in all rings
    uint32_t capacity; // places in each ring that is used
    const struct ek_topology *topology;
    struct core_operation *places;           // [room]
    const struct core_operation **operation; // [room] pointers to the logged operations, for the search
    struct core_spheres work;
};

// Plans about `records` places (at least WATCH_OPERATION_LOG_LEAST for each worker), and the memory that the search for
// spheres in this topology needs later; nothing if `records` is 0. When the memory has been allocated, the caller marks
// the rings that are not used, and begin splits the places evenly among the others.
void watch_operation_log_plan(struct watch_operation_log *log, unsigned workers, uint64_t records,
                              const struct ek_topology *topology, struct base_arena *memory);
void watch_operation_log_begin(struct watch_operation_log *log);

void watch_operation_log_add(struct watch_operation_log *log, unsigned worker, const struct core_operation *operation);

// Fills logged, log_lost, spheres_sampled, spheres and sphere_* of the report. The instants are evenly spaced and
// jittered by `seed`. They lie between the latest end of a lost operation (or `begin`, the begin of the run) and `end`,
// the end of the run: there the rings contain every open operation. If many large domains overlap, there are fewer
// instants, so that the search takes well under a second.
void watch_operation_log_spheres(struct watch_operation_log *log, uint64_t begin, uint64_t end, uint64_t seed,
                                 struct ek_free_report *report);

#endif
