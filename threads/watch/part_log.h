// SPDX-License-Identifier: MIT
// The log of parts that processors had in operations of free timing: a bounded ring for each worker, in which the
// newest overwrite the oldest. Both ends of an engagement log it apart, as no message carries more for that: the
// neighbour its part, the invoker that it had one. They are matched by the neighbour's port and the number of its
// engagements there, which both count, for the messages of a link keep their order.
//
//   call             who                                       at the same time
//   own, part        worker w only, to ring w                  those of other workers
//   measure          one thread, while no worker is running    nothing else
//   plan, begin      the owner of the run                      nothing else
//
// Moments are a worker's own: it counts the begins and ends of its processors' parts. So what overlaps at a processor
// is known without a clock.
#ifndef WATCH_PART_LOG_H
#define WATCH_PART_LOG_H

#include "core/overlaps.h"
#include "threads/run.h"

enum {
    WATCH_PART_LOG_RECORDS = 1 << 18, // in all rings
    WATCH_PART_LOG_LEAST = 64         // in each
};

// A neighbour's part; or an invoker's with what it knows of the others': in the log these come right before it.
struct watch_part {
    uint64_t begin, end;
    double before, after;
    uint32_t processor;
    uint32_t port;   // the neighbour's, to the invoker; UINT32_MAX: the invoker's own
    uint32_t number; // of its engagements there; of the invoker's own: how many members it had
    bool noted;      // by the invoker: no begin and no end
};

// A cache line, so that no two workers write one.
struct watch_part_ring {
    _Alignas(64) struct watch_part *place; // [capacity]
    uint64_t added;
    uint64_t moment;   // of the worker
    uint64_t lost_end; // the latest end of those that were overwritten
    uint32_t next;
};

struct watch_part_log {
    struct watch_part_ring *ring; // [workers]; NULL: nothing is logged
    unsigned workers;
    uint32_t capacity;                // of each ring
    struct watch_part *places;        // [workers * capacity]
    const struct watch_part **sorted; // the same many
    uint32_t *operation;              // by place: the operation that a part belongs to
    struct core_overlaps overlaps;
};

// Plans about `records` places, split evenly, and all that measuring takes later; nothing where `records` is 0. And
// when the memory is taken.
void watch_part_log_plan(struct watch_part_log *log, unsigned workers, uint64_t records, struct core_memory *memory);
void watch_part_log_begin(struct watch_part_log *log);

// The worker's next moment.
static inline uint64_t watch_part_log_moment(struct watch_part_log *log, unsigned worker)
{
    return log->ring ? ++log->ring[worker].moment : 0;
}

// Adds a record.
void watch_part_log_add(struct watch_part_log *log, unsigned worker, const struct watch_part *part);

// What the operations whose spheres the rings hold whole did to the variance about this mean. False where nothing is
// logged.
bool watch_part_log_measure(struct watch_part_log *log, double mean, struct core_effects *effects);

#endif
