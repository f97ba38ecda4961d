// SPDX-License-Identifier: MIT
// The log of operations. Each worker has a list of its own. On the computer's clock the lists are bounded rings: new
// operations overwrite the oldest ones, and losses are counted. In virtual time they grow, so that no operation is
// lost; past WATCH_OPERATION_LOG_MOST operations the log is closed.
//
//   call          caller                                    concurrent with
//   add           worker w, to ring w                       add of other workers
//   spheres,      one thread, while no worker is running    nothing
//     close, count,
//     join
//   plan, begin,  the owner of the run                      nothing
//     end
//
// An operation is added when it ends. When the run ends, or the log is closed, the operations that are still open must
// be added too; otherwise the last moments would lack them. Spheres are defined in core/domains/spheres.h.
#ifndef THREADS_WATCH_OPERATION_LOG_H
#define THREADS_WATCH_OPERATION_LOG_H

#include "core/domains/spheres.h"

struct ek_free_report;

enum {
    WATCH_OPERATION_LOG_RECORDS = 1 << 18, // in all rings
    WATCH_OPERATION_LOG_LEAST = 16,        // in each
    WATCH_OPERATION_LOG_MOST = 1 << 23,    // in lists that grow: about 700 MB
    WATCH_OPERATION_LOG_INSTANTS = 256     // the most instants at which spheres are searched for
};

// A worker's ring. Each has cache lines of its own, because two workers that write one line slow each other down.
struct watch_ring {
    _Alignas(64) struct core_operation *place; // [capacity], or as many as are used if it grows
    uint64_t added;
    uint64_t lost_end; // the latest end of an overwritten operation
    uint32_t next;
    bool unused;    // the worker never adds an operation
    bool no_memory; // an operation was lost because there was no memory for it
};

struct watch_operation_log {
    struct watch_ring *ring; // [workers]
    unsigned workers;
    bool grows;  // the lists grow
    bool closed; // since `closed_ns` no operation has been added
    uint64_t closed_ns;
    uint64_t room;     // places in all rings
    uint32_t capacity; // places in each ring that is used
    const struct ek_topology *topology;
    struct core_operation *places; // [room]; of lists that grow: all of them, once they are joined
    struct core_spheres work;

    // Pointers to the logged operations, for the search. If the lists grow, this memory is allocated then.
    struct base_arena memory;
    const struct core_operation **operation;
};

// Plans about `records` places (at least WATCH_OPERATION_LOG_LEAST for each worker), and the memory that the search for
// spheres in this topology needs later; nothing if `records` is 0. When the memory has been allocated, the caller marks
// the rings that are not used, and begin splits the places evenly among the others.
// `plan_growing` plans lists that grow instead; `end` frees what they took.
void watch_operation_log_plan(struct watch_operation_log *log, unsigned workers, uint64_t records,
                              const struct ek_topology *topology, struct base_arena *memory);
void watch_operation_log_plan_growing(struct watch_operation_log *log, unsigned workers,
                                      const struct ek_topology *topology, struct base_arena *memory);
void watch_operation_log_begin(struct watch_operation_log *log);
void watch_operation_log_end(struct watch_operation_log *log);

void watch_operation_log_add(struct watch_operation_log *log, unsigned worker, const struct core_operation *operation);

// Adds no more operations from this time on. They count as lost.
void watch_operation_log_close(struct watch_operation_log *log, uint64_t now_ns);

// Joins lists that grow in one array, in the order of the workers, when the counts of all rings are known: in each of
// several processes. Copies the list of worker `own`; the caller fills in the others, which belong to other processes.
// Returns false if there is no memory.
bool watch_operation_log_join(struct watch_operation_log *log, unsigned own);

// Returns the number of operations added so far.
uint64_t watch_operation_log_count(const struct watch_operation_log *log);

// Fills logged, log_lost, spheres_sampled, spheres and sphere_* of the report. The instants are evenly spaced and
// jittered by `seed`. They lie between the latest end of an overwritten operation (or `begin`, the begin of the run)
// and `end`, the end of the run, or the time when the log was closed: there the log contains every open operation. If
// many large domains overlap, there are fewer instants, so that the search takes well under a second.
void watch_operation_log_spheres(struct watch_operation_log *log, uint64_t begin, uint64_t end, uint64_t seed,
                                 struct ek_free_report *report);

#endif
