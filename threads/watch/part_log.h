// SPDX-License-Identifier: MIT
// The log of parts in operations of free timing. Each worker has a list of its own. On the computer's clock the lists
// are bounded rings, in which new entries overwrite the oldest ones. In virtual time they grow, so that no part is
// lost; past WATCH_PART_LOG_MOST parts the log is closed.
//
// Terms. A processor has a *part* in an operation while it takes part in it, as the invoker or as a neighbour. An
// *engagement* is a neighbour's part as both ends of the link know it. A *moment* is a number that a worker increments
// at each begin and end of a part of its processors. So overlaps at a processor are known without a clock.
//
//   1. When an engagement ends, the neighbour's worker logs its part, and the invoker's worker notes the engagement. No
//      message carries anything more for this purpose.
//   2. Both entries have the neighbour's port and the number of the engagement at that port. Both ends count
//      engagements alike, because the messages of a link keep their order.
//   3. After the run, entries with equal port and number are matched (measure). A part whose partner is missing makes
//      its operation incomplete. Parts that are open when the run ends, or the log is closed, are added too; they have
//      no partner.
//
//   call             caller                                    concurrent with
//   moment, add,     worker w, to ring w                       these calls of other workers
//     note
//   measure          one thread, while no worker is running    nothing
//   count, join      one thread, while no worker is running    nothing
//   plan, begin,     the owner of the run                      nothing
//     end
#ifndef THREADS_WATCH_PART_LOG_H
#define THREADS_WATCH_PART_LOG_H

#include "core/domains/overlaps.h"
#include "base/common.h"

enum {
    WATCH_PART_LOG_RECORDS = 1 << 17, // parts in all rings
    WATCH_PART_LOG_LEAST = 64,        // places in each ring
    WATCH_PART_LOG_MOST = 1 << 24     // parts in lists that grow: about 3 GB with what measuring needs
};

// Stand for the port of a part that is an invoker's own, and of one that is still open.
#define WATCH_PART_OWN UINT32_MAX
#define WATCH_PART_OPEN (UINT32_MAX - 1)

// A neighbour's part, or an invoker's own.
struct watch_part {
    uint64_t begin, end;
    double before, after;
    uint32_t processor;
    uint32_t port;   // the neighbour's port to the invoker, WATCH_PART_OWN or WATCH_PART_OPEN
    uint32_t number; // number of the engagement at that port; in an invoker's own part: number of members noted
    uint32_t noted;  // all notes of the worker so far, modulo 2^32; the last of these belong to this operation
};

// An invoker's note of a member: the member's port and the number of the engagement at that port.
struct watch_member {
    uint32_t port, number;
};

// A worker's lists. Each worker has cache lines of its own.
struct watch_part_ring {
    _Alignas(64) struct watch_part *place; // [capacity], or as many as are used if they grow
    struct watch_member *member;           // the same
    uint64_t added, noted;                 // numbers of parts and notes so far
    uint64_t moment;                       // the worker's moment
    uint64_t lost_end;                     // the latest end of an overwritten part
    uint32_t next, next_member;
    bool unused;    // the worker never has a part
    bool no_memory; // a part was lost because there was no memory for it
};

// A part, for measuring.
struct watch_listed {
    const struct watch_part *part;
    const struct watch_part_ring *ring;
    uint32_t operation; // to which it belongs
};

// One end of an engagement, for matching: the neighbour's part, listed at `at`, or the invoker's note for the operation
// `at`.
struct watch_engaged {
    uint64_t key; // port and number
    uint32_t at;
    bool noted;
};

struct watch_part_log {
    struct watch_part_ring *ring; // [workers]; NULL: no parts are logged
    unsigned workers;
    bool grows;                   // the lists grow
    bool closed;                  // no more parts are added
    uint32_t room;                // places in all rings
    uint32_t capacity;            // places in each ring that is used
    struct watch_part *places;    // [room]; of lists that grow: all of them, once they are joined
    struct watch_member *members; // the same

    // For measuring. If the lists grow, this memory is allocated then.
    struct base_arena memory;
    struct watch_listed *listed;   // by part
    struct watch_engaged *engaged; // by part and note
    struct core_overlaps overlaps;
};

// Plans rings with about `records` places, and the memory that measuring needs later; nothing if `records` is 0. When
// the memory has been allocated, the caller marks the rings that are not used, and begin splits the places evenly among
// the others. `plan_growing` plans lists that grow instead; `end` frees what they took.
void watch_part_log_plan(struct watch_part_log *log, unsigned workers, uint64_t records, struct base_arena *memory);
void watch_part_log_plan_growing(struct watch_part_log *log, unsigned workers, struct base_arena *memory);
void watch_part_log_begin(struct watch_part_log *log);
void watch_part_log_end(struct watch_part_log *log);

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

// Makes room for one more element in a list that grows. Returns false if there is no memory.
bool watch_part_log_grow_parts(struct watch_part_ring *ring);
bool watch_part_log_grow_members(struct watch_part_ring *ring);

// `note` notes a member of the operation whose invoker's part is added next; `add` adds a part. They are inlined
// because an operation with four neighbours has five parts.
static inline void watch_part_log_note(struct watch_part_log *log, unsigned worker, struct watch_member member)
{
    if (!log->ring || log->closed) {
        return;
    }
    struct watch_part_ring *ring = &log->ring[worker];
    if (log->grows && !watch_part_log_grow_members(ring)) {
        return;
    }
    ring->member[ring->next_member] = member;
    ring->noted++;
    ring->next_member = watch_part_log_after(log, ring->next_member);
}

static inline void watch_part_log_add(struct watch_part_log *log, unsigned worker, const struct watch_part *part)
{
    if (!log->ring || log->closed) {
        return;
    }
    struct watch_part_ring *ring = &log->ring[worker];
    if (log->grows && !watch_part_log_grow_parts(ring)) {
        return;
    }
    struct watch_part *place = &ring->place[ring->next];
    if (!log->grows) {
        ring->lost_end = place->end; // parts are added in the order of their ends; an empty place has end 0
    }
    struct watch_part filled = *part; // in registers, if this function is inlined
    filled.noted = (uint32_t)ring->noted;
    *place = filled;
    ring->added++;
    ring->next = watch_part_log_after(log, ring->next);
}

// Joins lists that grow, as watch_operation_log_join does (operation_log.h).
bool watch_part_log_join(struct watch_part_log *log, unsigned own);

// Returns the number of parts added so far.
uint64_t watch_part_log_count(const struct watch_part_log *log);

// Computes what the operations did to the variance about `mean`, for those whose spheres are complete in the rings.
// Returns false if no parts are logged.
bool watch_part_log_measure(struct watch_part_log *log, double mean, struct core_effects *effects);

#endif
