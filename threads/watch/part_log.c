// SPDX-License-Identifier: MIT
// Rings of parts, and the operations that they make up.
#include "threads/watch/part_log.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

void watch_part_log_plan(struct watch_part_log *log, unsigned workers, uint64_t records, struct core_memory *memory)
{
    uint64_t each = records / workers;
    each = each < WATCH_PART_LOG_LEAST ? WATCH_PART_LOG_LEAST : each;
    uint64_t places = records > 0 ? workers * each : 0;
    *log = (struct watch_part_log){.workers = workers, .capacity = (uint32_t)each};
    core_memory_plan_apart(memory, &log->ring, records > 0 ? workers : 0, sizeof *log->ring);
    core_memory_plan(memory, &log->places, places, sizeof *log->places);
    core_memory_plan(memory, &log->sorted, places, sizeof *log->sorted);
    core_memory_plan(memory, &log->operation, places, sizeof *log->operation);
    core_overlaps_plan(&log->overlaps, places, places, memory);
}

void watch_part_log_begin(struct watch_part_log *log)
{
    for (unsigned worker = 0; log->ring && worker < log->workers; worker++) {
        log->ring[worker].place = log->places + (size_t)worker * log->capacity;
    }
}

void watch_part_log_add(struct watch_part_log *log, unsigned worker, const struct watch_part *part)
{
    if (!log->ring) {
        return;
    }
    struct watch_part_ring *ring = &log->ring[worker];
    struct watch_part *place = &ring->place[ring->next];
    if (ring->added >= log->capacity && !place->noted) {
        ring->lost_end = place->end; // ends come in order
    }
    *place = *part;
    ring->added++;
    ring->next = ring->next + 1 < log->capacity ? ring->next + 1 : 0;
}

// The records of a ring, from the oldest: place `index` of how many.
static uint32_t held(const struct watch_part_log *log, const struct watch_part_ring *ring)
{
    return ring->added < log->capacity ? (uint32_t)ring->added : log->capacity;
}

static const struct watch_part *place_of(const struct watch_part_log *log, const struct watch_part_ring *ring,
                                         uint32_t index)
{
    uint32_t oldest = ring->added < log->capacity ? 0 : ring->next;
    uint32_t place = oldest + index;
    return &ring->place[place < log->capacity ? place : place - log->capacity];
}

// Notes which operation a record belongs to; one that began before the last that is lost may have overlapped with that.
static void assign(struct watch_part_log *log, const struct watch_part_ring *ring, const struct watch_part *part,
                   uint32_t operation)
{
    log->operation[part - log->places] = operation;
    if (operation != NONE && !part->noted && part->begin <= ring->lost_end) {
        core_overlaps_unknown(&log->overlaps, operation);
    }
}

// Finds the operations in a ring: each is closed by its invoker's own part.
static void find_operations(struct watch_part_log *log, const struct watch_part_ring *ring)
{
    uint32_t noted = 0; // in a row, up to here
    for (uint32_t i = 0; i < held(log, ring); i++) {
        const struct watch_part *part = place_of(log, ring, i);
        assign(log, ring, part, NONE);
        if (part->noted) {
            noted++;
            continue;
        }
        if (part->port == NONE) {
            uint32_t operation = core_overlaps_operation(&log->overlaps, part->processor);
            assign(log, ring, part, operation);
            for (uint32_t k = 1; k <= noted; k++) {
                assign(log, ring, place_of(log, ring, i - k), operation);
            }
            if (noted < part->number) {
                core_overlaps_unknown(&log->overlaps, operation);
            }
        }
        noted = 0;
    }
}

static int by_engagement(const void *a, const void *b)
{
    const struct watch_part *const *first = a;
    const struct watch_part *const *second = b;
    int ports = ((*first)->port > (*second)->port) - ((*first)->port < (*second)->port);
    int numbers = ((*first)->number > (*second)->number) - ((*first)->number < (*second)->number);
    return ports ? ports : numbers ? numbers : (int)(*second)->noted - (int)(*first)->noted;
}

// Gives the neighbours' parts to the operations that noted them.
static void match(struct watch_part_log *log)
{
    size_t count = 0;
    for (unsigned worker = 0; worker < log->workers; worker++) {
        for (uint32_t i = 0; i < held(log, &log->ring[worker]); i++) {
            const struct watch_part *part = place_of(log, &log->ring[worker], i);
            log->sorted[count] = part;
            count += part->port != NONE;
        }
    }
    qsort(log->sorted, count, sizeof *log->sorted, by_engagement);
    for (size_t i = 0; i < count; i++) {
        const struct watch_part *part = log->sorted[i];
        const struct watch_part *next = i + 1 < count ? log->sorted[i + 1] : NULL;
        if (part->noted && next && next->port == part->port && next->number == part->number) {
            log->operation[next - log->places] = log->operation[part - log->places];
        } else if (part->noted && log->operation[part - log->places] != NONE) {
            core_overlaps_unknown(&log->overlaps, log->operation[part - log->places]);
        }
    }
}

// Hands the parts of a ring on.
static void add_parts(struct watch_part_log *log, const struct watch_part_ring *ring)
{
    for (uint32_t i = 0; i < held(log, ring); i++) {
        const struct watch_part *part = place_of(log, ring, i);
        uint32_t operation = log->operation[part - log->places];
        if (part->noted) {
            continue;
        }
        if (operation == NONE) { // of an operation that the rings have lost
            operation = core_overlaps_operation(&log->overlaps, NONE);
            core_overlaps_unknown(&log->overlaps, operation);
        }
        assign(log, ring, part, operation);
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
    for (unsigned worker = 0; worker < log->workers; worker++) {
        find_operations(log, &log->ring[worker]);
    }
    match(log);
    for (unsigned worker = 0; worker < log->workers; worker++) {
        add_parts(log, &log->ring[worker]);
    }
    core_overlaps_measure(&log->overlaps, mean, effects);
    return true;
}
