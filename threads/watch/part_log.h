// SPDX-License-Identifier: MIT
// The log of parts that processors had in operations of free timing: bounded rings for each worker, in which the
// newest overwrite the oldest. Both ends of an engagement log it apart, as no message carries more for that: the
// neighbour its part, the invoker that it had one. They are matched by the neighbour's port and the number of its
// engagements there, which both count, for the messages of a link keep their order.
//
//   call             who                                       at the same time
//   moment, add,     worker w only, to ring w                  those of other workers
//     note
//   measure          one thread, while no worker is running    nothing else
//   plan, begin      the owner of the run                      nothing else
//
// Moments are a worker's own: it counts the begins and ends of its processors' parts. So what overlaps at a processor
// is known without a clock.
#ifndef THREADS_WATCH_PART_LOG_H
#define THREADS_WATCH_PART_LOG_H

#include "core/domains/overlaps.h"
#include "threads/api/run.h"

enum {
    WATCH_PART_LOG_RECORDS = 1 << 17, // in all rings of parts
    WATCH_PART_LOG_LEAST = 64         // in each
};

// A neighbour's part, or an invoker's own.
struct watch_part {
    uint64_t begin, end;
    double before, after;
    uint32_t processor;
    uint32_t port;   // the neighbour's, to the invoker; UINT32_MAX: the invoker's own
    uint32_t number; // of its engagements there; of the invoker's own: how many members it had, which are
    uint32_t noted;  // the last that were noted when so many had been, modulo 2^32
};

// What an invoker notes of a member: the member's port, and the number of its engagement there.
struct watch_member {
    uint32_t port, number;
};

// Cache lines that no two workers write.
struct watch_part_ring {
    _Alignas(64) struct watch_part *place; // [capacity]
    struct watch_member *member;           // [capacity]
    uint64_t added, noted;                 // so far
    uint64_t moment;                       // of the worker
    uint64_t lost_end;                     // the latest end of those that were overwritten
    uint32_t next, next_member;
};

// An end of an engagement, as it is looked up: the part's, whose place is `at`, or the noted one's, of operation `at`.
struct watch_engaged {
    uint64_t key; // port and number
    uint32_t at;
    bool noted;
};

struct watch_part_log {
    struct watch_part_ring *ring; // [workers]; NULL: nothing is logged
    unsigned workers;
    uint32_t capacity;             // of each ring
    struct watch_part *places;     // [workers * capacity]
    struct watch_member *members;  // the same many
    uint32_t *operation;           // by place: the operation that a part belongs to
    struct watch_engaged *engaged; // twice as many
    struct core_overlaps overlaps;
};

// Plans about `records` places, split evenly, and all that measuring takes later; nothing where `records` is 0. And
// when the memory is taken.
void watch_part_log_plan(struct watch_part_log *log, unsigned workers, uint64_t records, struct base_arena *memory);
void watch_part_log_begin(struct watch_part_log *log);

// The worker's next moment.
static inline uint64_t watch_part_log_moment(struct watch_part_log *log, unsigned worker)
{
    return log->ring ? ++log->ring[worker].moment : 0;
}

// The place behind this one.
static inline uint32_t watch_part_log_after(const struct watch_part_log *log, uint32_t place)
{
    return place + 1 < log->capacity ? place + 1 : 0;
}

// Notes a member of the operation whose invoker's part is added next; adds a part. Inlined, for there are five parts to
// an operation with four neighbours.
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
    ring->lost_end = place->end; // ends come in order; a place that was empty has none
    *place = *part;
    place->noted = (uint32_t)ring->noted;
    ring->added++;
    ring->next = watch_part_log_after(log, ring->next);
}

// What the operations whose spheres the rings hold whole did to the variance about this mean. False where nothing is
// logged.
bool watch_part_log_measure(struct watch_part_log *log, double mean, struct core_effects *effects);

#endif
