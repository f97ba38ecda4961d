// SPDX-License-Identifier: MIT
// Rings of parts, and the operations that the parts form.
#include "threads/watch/part_log.h"

#include <stdlib.h>

#define NONE UINT32_MAX

void watch_part_log_plan(struct watch_part_log *log, unsigned workers, uint64_t records, struct base_arena *memory)
{
    uint64_t each = records / workers;
    each = each < WATCH_PART_LOG_LEAST ? WATCH_PART_LOG_LEAST : each;
    uint64_t places = records > 0 ? workers * each : 0;
    *log = (struct watch_part_log){.workers = workers, .room = (uint32_t)places};
    base_arena_plan_isolated(memory, &log->ring, records > 0 ? workers : 0, sizeof *log->ring);
    base_arena_plan(memory, &log->places, places, sizeof *log->places);
    base_arena_plan(memory, &log->members, places, sizeof *log->members);
    base_arena_plan(memory, &log->operation, places, sizeof *log->operation);
    base_arena_plan(memory, &log->engaged, 2 * places, sizeof *log->engaged);
    core_overlaps_plan(&log->overlaps, places, places, memory);
}

void watch_part_log_begin(struct watch_part_log *log)
{
    unsigned used = 0;
    for (unsigned worker = 0; log->ring && worker < log->workers; worker++) {
        used += !log->ring[worker].unused;
    }
    log->capacity = log->room / (used > 0 ? used : 1);
    size_t place = 0;
    for (unsigned worker = 0; log->ring && worker < log->workers; worker++) {
        log->ring[worker].place = log->places + place;
        log->ring[worker].member = log->members + place;
        place += log->ring[worker].unused ? 0 : log->capacity;
    }
}

// Returns the number of parts in a ring. They begin at place 0.
static uint32_t held(const struct watch_part_log *log, const struct watch_part_ring *ring)
{
    return ring->added < log->capacity ? (uint32_t)ring->added : log->capacity;
}

// A part that began before the end of the last overwritten part may have overlapped with it.
static void check_window(struct watch_part_log *log, const struct watch_part_ring *ring, const struct watch_part *part,
                         uint32_t operation)
{
    if (part->begin <= ring->lost_end) {
        core_overlaps_unknown(&log->overlaps, operation);
    }
}

static struct watch_engaged engaged(uint32_t port, uint32_t number, uint32_t at, bool noted)
{
    return (struct watch_engaged){.key = (uint64_t)port << 32 | number, .at = at, .noted = noted};
}

// Lists the members of an invoker's part, unless they have been overwritten. Returns the new number of listed ends.
static size_t list_members(struct watch_part_log *log, const struct watch_part_ring *ring,
                           const struct watch_part *part, uint32_t operation, size_t count)
{
    uint32_t since = (uint32_t)ring->noted - part->noted; // notes after this part's
    if ((uint64_t)since + part->number > log->capacity) {
        core_overlaps_missing(&log->overlaps, operation);
        return count;
    }
    uint32_t back = since + part->number;
    uint32_t place = ring->next_member >= back ? ring->next_member - back : ring->next_member + log->capacity - back;
    for (uint32_t k = 0; k < part->number; k++, place = watch_part_log_after(log, place)) {
        log->engaged[count++] = engaged(ring->member[place].port, ring->member[place].number, operation, true);
    }
    return count;
}

// Finds the operations in a ring by their invokers' parts, and lists both ends of engagements. Returns the new number
// of listed ends.
static size_t list_ring(struct watch_part_log *log, const struct watch_part_ring *ring, size_t count)
{
    for (uint32_t i = 0; i < held(log, ring); i++) {
        const struct watch_part *part = &ring->place[i];
        uint32_t place = (uint32_t)(part - log->places);
        log->operation[place] = NONE;
        if (part->port == NONE) {
            uint32_t operation = core_overlaps_operation(&log->overlaps, part->processor);
            log->operation[place] = operation;
            count = list_members(log, ring, part, operation, count);
        } else {
            log->engaged[count++] = engaged(part->port, part->number, place, false);
        }
    }
    return count;
}

static int by_engagement(const void *a, const void *b)
{
    const struct watch_engaged *first = a;
    const struct watch_engaged *second = b;
    return first->key != second->key ? (first->key > second->key) - (first->key < second->key)
                                     : (int)second->noted - (int)first->noted;
}

// Assigns the neighbours' parts to the operations that noted them.
static void match(struct watch_part_log *log, size_t count)
{
    qsort(log->engaged, count, sizeof *log->engaged, by_engagement);
    for (size_t i = 0; i < count; i++) {
        const struct watch_engaged *end = &log->engaged[i];
        if (end->noted && i + 1 < count && end[1].key == end->key) {
            log->operation[end[1].at] = end->at;
        } else if (end->noted) {
            core_overlaps_missing(&log->overlaps, end->at);
        }
    }
}

// Passes the parts of a ring to the measurement.
static void add_parts(struct watch_part_log *log, const struct watch_part_ring *ring)
{
    for (uint32_t i = 0; i < held(log, ring); i++) {
        const struct watch_part *part = &ring->place[i];
        uint32_t operation = log->operation[part - log->places];
        if (operation == NONE) { // the invoker's part was overwritten
            operation = core_overlaps_operation(&log->overlaps, NONE);
            core_overlaps_missing(&log->overlaps, operation);
        }
        check_window(log, ring, part, operation);
        core_overlaps_part(&log->overlaps, (struct core_part){.begin = part->begin,
                                                              .end = part->end,
                                                              .before = part->before,
                                                              .after = part->after,
                                                              .processor = part->processor,
                                                              .operation = operation});
    }
}

bool watch_part_log_measure(struct watch_part_log *log, double mean, struct core_effects *effects)
{
    if (!log->ring) {
        return false;
    }
    *effects = (struct core_effects){0};
    size_t count = 0;
    for (unsigned worker = 0; worker < log->workers; worker++) {
        count = list_ring(log, &log->ring[worker], count);
    }
    match(log, count);
    for (unsigned worker = 0; worker < log->workers; worker++) {
        add_parts(log, &log->ring[worker]);
    }
    core_overlaps_measure(&log->overlaps, mean, effects);
    return true;
}
