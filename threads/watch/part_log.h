// SPDX-License-Identifier: MIT
// The log of parts in operations of free timing: bounded rings for each worker, in which new entries overwrite the
// oldest ones.
//
// Terms. A processor has a *part* in an operation while it takes part in it, as the invoker or as a neighbour. An
// *engagement* is a neighbour's part as both ends of the link know it. A *moment* is a number that a worker increments
// at each begin and end of a part of its processors. So overlaps at a processor are known without a clock.
//
//   1. When an engagement ends, the neighbour's worker logs its part, and the invoker's worker notes the engagement. No
//      message carries anything more for this purpose.
//   2. Both entries have the neighbour's port and the number of the engagement at that port. Both ends count
//      engagements alike, because the messages of a link keep their order.
//   3. After the run, entries with equal port and number are matched (measure). A part whose partner was overwritten
//      makes its operation incomplete.
//
//   call             caller                                    concurrent with
//   moment, add,     worker w, to ring w                       these calls of other workers
//     note
//   measure          one thread, while no worker is running    nothing
//   plan, begin      the owner of the run                      nothing
#ifndef THREADS_WATCH_PART_LOG_H
#define THREADS_WATCH_PART_LOG_H

#include "core/domains/overlaps.h"
#include "threads/api/run.h"

enum {
    WATCH_PART_LOG_RECORDS = 1 << 17, // parts in all rings
    WATCH_PART_LOG_LEAST = 64         // places in each ring
};

// A neighbour's part, or an invoker's own.
struct watch_part {
    uint64_t begin, end;
    double before, after;
    uint32_t processor;
    uint32_t port;   // the neighbour's port to the invoker; UINT32_MAX: an invoker's own part
    uint32_t number; // number of the engagement at that port; in an invoker's own part: number of members noted
    uint32_t noted;  // all notes of the worker so far, modulo 2^32; the last of these belong to this operation
};

// An invoker's note of a member: the member's port and the number of the engagement at that port.
struct watch_member {
    uint32_t port, number;
};

// A worker's rings. Each worker has cache lines of its own.
struct watch_part_ring {
    _Alignas(64) struct watch_part *place; // [capacity]
    struct watch_member *member;           // [capacity]
    uint64_t added, noted;                 // numbers of parts and notes so far
    uint64_t moment;                       // the worker's moment
    uint64_t lost_end;                     // the latest end of an overwritten part
    uint32_t next, next_member;
    bool unused; // the worker never has a part
};

// One end of an engagement, for matching: the neighbour's part at place `at`, or the invoker's note for the operation
// `at`.
struct watch_engaged {
    uint64_t key; // port and number
    uint32_t at;
    bool noted;
};

struct watch_part_log {
    struct watch_part_ring *ring; // [workers]; NULL: no parts are logged
    unsigned workers;
    uint32_t room;                 // places in all rings
    uint32_t capacity;             // places in each ring that is used
    struct watch_part *places;     // [room]
    struct watch_member *members;  // [room]
    uint32_t *operation;           // [room] the operation that a part belongs to
    struct watch_engaged *engaged; // [2 * room]
    struct core_overlaps overlaps;
};

// Plans about `records` places, and the memory that measuring needs later; nothing if `records` is 0. When the memory
// has been allocated, the caller marks the rings that are not used, and begin splits the places evenly among the
// others.
void watch_part_log_plan(struct watch_part_log *log, unsigned workers, uint64_t records, struct base_arena *memory);
void watch_part_log_begin(struct watch_part_log *log);

// Returns the worker's next moment.
static inline uint64_t watch_part_log_moment(struct watch_part_log *log, unsigned worker)
{
    return log->ring ? ++log->ring[worker].moment : 0;
}

// Returns the place after this one in a ring.
static inline uint32_t watch_part_log_after(const struct watch_part_log *log, uint32_t place)
{
    return place + 1 < log->capacity ? place + 1 : 0;
}

// `note` notes a member of the operation whose invoker's part is added next; `add` adds a part. They are inlined
// because an operation with four neighbours has five parts.
static inline void watch_part_log_note(struct watch_part_log *log, unsigned worker, struct watch_member member)
{
    if (log->ring) {
        struct watch_part_ring *ring = &log->ring[worker];
        ring->member[ring->next_member] = member;
        ring->noted++;
        ring->next_member = watch_part_log_after(log, ring->next_member);
    }
}

static inline void watch_part_log_add(struct watch_part_log *log, unsigned worker, const struct watch_part *part)
{
    if (!log->ring) {
        return;
    }
    struct watch_part_ring *ring = &log->ring[worker];
    struct watch_part *place = &ring->place[ring->next];
    ring->lost_end = place->end; // parts are added in the order of their ends; an empty place has end 0
    *place = *part;
    place->noted = (uint32_t)ring->noted;
    ring->added++;
    ring->next = watch_part_log_after(log, ring->next);
}

// Computes what the operations did to the variance about `mean`, for those whose spheres are complete in the rings.
// Returns false if no parts are logged.
bool watch_part_log_measure(struct watch_part_log *log, double mean, struct core_effects *effects);

#endif
