// SPDX-License-Identifier: MIT
// Lists of parts, and the operations that the parts form.
#include "threads/watch/part_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define NONE UINT32_MAX

static void plan_tables(struct watch_part_log *log, uint64_t parts, uint64_t notes, struct base_arena *memory)
{
    base_arena_plan(memory, &log->listed, parts, sizeof *log->listed);
    base_arena_plan(memory, &log->engaged, parts + notes, sizeof *log->engaged);
    core_overlaps_plan(&log->overlaps, parts, parts, memory);
}

void watch_part_log_plan(struct watch_part_log *log, unsigned workers, uint64_t records, struct base_arena *memory)
{
    uint64_t each = records / workers;
    each = each < WATCH_PART_LOG_LEAST ? WATCH_PART_LOG_LEAST : each;
    uint64_t places = records > 0 ? workers * each : 0;
    *log = (struct watch_part_log){.workers = workers, .room = (uint32_t)places};
    base_arena_plan_isolated(memory, &log->ring, records > 0 ? workers : 0, sizeof *log->ring);
    base_arena_plan(memory, &log->places, places, sizeof *log->places);
    base_arena_plan(memory, &log->members, places, sizeof *log->members);
    plan_tables(log, places, places, memory);
}

void watch_part_log_plan_growing(struct watch_part_log *log, unsigned workers, struct base_arena *memory)
{
    *log = (struct watch_part_log){.workers = workers, .grows = true};
    base_arena_plan_isolated(memory, &log->ring, workers, sizeof *log->ring);
}

// Counts the parts and the notes in all lists that grow.
static void count_entries(const struct watch_part_log *log, uint64_t *parts, uint64_t *notes)
{
    for (unsigned worker = 0; worker < log->workers; worker++) {
        *parts += log->ring[worker].added;
        *notes += log->ring[worker].noted;
    }
}

void watch_part_log_begin(struct watch_part_log *log)
{
    unsigned used = 0;
    for (unsigned worker = 0; log->ring && worker < log->workers; worker++) {
        used += !log->ring[worker].unused;
    }
    log->capacity = log->grows ? UINT32_MAX : log->room / (used > 0 ? used : 1);
    size_t place = 0;
    for (unsigned worker = 0; log->ring && !log->grows && worker < log->workers; worker++) {
        log->ring[worker].place = log->places + place;
        log->ring[worker].member = log->members + place;
        place += log->ring[worker].unused ? 0 : log->capacity;
    }
}

// Moves the list of a worker to its place in the joined lists.
static void move_to(struct watch_part_ring *ring, bool own, struct watch_part *place, struct watch_member *member)
{
    if (own && ring->added > 0) {
        memcpy(place, ring->place, ring->added * sizeof *place);
    }
    if (own && ring->noted > 0) {
        memcpy(member, ring->member, ring->noted * sizeof *member);
    }
    free(ring->place);
    free(ring->member);
    ring->place = place;
    ring->member = member;
}

bool watch_part_log_join(struct watch_part_log *log, unsigned own)
{
    uint64_t parts = 0;
    uint64_t notes = 0;
    count_entries(log, &parts, &notes);
    struct watch_part *place = malloc((parts + 1) * sizeof *place);
    struct watch_member *member = malloc((notes + 1) * sizeof *member);
    if (!place || !member) {
        free(place);
        free(member);
        return false;
    }
    log->places = place;
    log->members = member;
    for (unsigned worker = 0; worker < log->workers; worker++) {
        struct watch_part_ring *ring = &log->ring[worker];
        move_to(ring, worker == own, place, member);
        place += ring->added;
        member += ring->noted;
    }
    return true;
}

void watch_part_log_end(struct watch_part_log *log)
{
    bool joined = log->grows && log->places;
    for (unsigned worker = 0; log->ring && log->grows && !joined && worker < log->workers; worker++) {
        free(log->ring[worker].place);
        free(log->ring[worker].member);
    }
    free(joined ? log->places : NULL);
    free(joined ? log->members : NULL);
    base_arena_destroy(&log->memory);
}

bool watch_part_log_grow_parts(struct watch_part_ring *ring)
{
    struct watch_part *grown = base_grow(ring->place, ring->next, sizeof *grown);
    ring->place = grown ? grown : ring->place;
    ring->no_memory = ring->no_memory || !grown;
    return grown;
}

bool watch_part_log_grow_members(struct watch_part_ring *ring)
{
    struct watch_member *grown = base_grow(ring->member, ring->next_member, sizeof *grown);
    ring->member = grown ? grown : ring->member;
    ring->no_memory = ring->no_memory || !grown;
    return grown;
}

uint64_t watch_part_log_count(const struct watch_part_log *log)
{
    uint64_t count = 0;
    for (unsigned worker = 0; log->ring && worker < log->workers; worker++) {
        count += log->ring[worker].added;
    }
    return count;
}

// ---- measuring ----

// Returns the number of parts in a ring. They begin at place 0.
static uint32_t held(const struct watch_part_log *log, const struct watch_part_ring *ring)
{
    return ring->added < log->capacity ? (uint32_t)ring->added : log->capacity;
}

static int by_processor(const void *a, const void *b)
{
    const struct watch_part *first = ((const struct watch_listed *)a)->part;
    const struct watch_part *second = ((const struct watch_listed *)b)->part;
    int processors = (first->processor > second->processor) - (first->processor < second->processor);
    return processors ? processors : (first->begin > second->begin) - (first->begin < second->begin);
}

// Lists all parts, in an order that does not depend on the number of workers. Returns their number.
static size_t list_parts(struct watch_part_log *log)
{
    size_t count = 0;
    for (unsigned worker = 0; worker < log->workers; worker++) {
        const struct watch_part_ring *ring = &log->ring[worker];
        for (uint32_t i = 0; i < held(log, ring); i++) {
            log->listed[count++] = (struct watch_listed){.part = &ring->place[i], .ring = ring, .operation = NONE};
        }
    }
    qsort(log->listed, count, sizeof *log->listed, by_processor);
    return count;
}

static struct watch_engaged engaged(uint32_t port, uint32_t number, uint32_t at, bool noted)
{
    return (struct watch_engaged){.key = (uint64_t)port << 32 | number, .at = at, .noted = noted};
}

// Lists the members of an invoker's part, unless they have been overwritten. Returns the new number of listed ends.
static size_t list_members(struct watch_part_log *log, const struct watch_listed *listed, size_t count)
{
    const struct watch_part *part = listed->part;
    const struct watch_part_ring *ring = listed->ring;
    uint32_t since = (uint32_t)ring->noted - part->noted; // notes after this part's
    if ((uint64_t)since + part->number > log->capacity) {
        core_overlaps_missing(&log->overlaps, listed->operation);
        return count;
    }
    uint32_t back = since + part->number;
    uint32_t place = ring->next_member >= back ? ring->next_member - back : ring->next_member + log->capacity - back;
    for (uint32_t k = 0; k < part->number; k++, place = watch_part_log_after(log, place)) {
        log->engaged[count++] = engaged(ring->member[place].port, ring->member[place].number, listed->operation, true);
    }
    return count;
}

// Finds the operations by their invokers' parts, and lists both ends of engagements. Returns the number of listed ends.
static size_t list_ends(struct watch_part_log *log, size_t parts)
{
    size_t count = 0;
    for (uint32_t i = 0; i < parts; i++) {
        struct watch_listed *listed = &log->listed[i];
        if (listed->part->port == WATCH_PART_OWN) {
            listed->operation = core_overlaps_operation(&log->overlaps, listed->part->processor);
            count = list_members(log, listed, count);
        } else if (listed->part->port != WATCH_PART_OPEN) {
            log->engaged[count++] = engaged(listed->part->port, listed->part->number, i, false);
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
            log->listed[end[1].at].operation = end->at;
        } else if (end->noted) {
            core_overlaps_missing(&log->overlaps, end->at);
        }
    }
}

// Passes the parts to the measurement.
static void add_parts(struct watch_part_log *log, size_t parts)
{
    for (size_t i = 0; i < parts; i++) {
        const struct watch_part *part = log->listed[i].part;
        uint32_t operation = log->listed[i].operation;
        if (operation == NONE) { // the invoker's part was overwritten, or has not ended
            operation = core_overlaps_operation(&log->overlaps, NONE);
            core_overlaps_missing(&log->overlaps, operation);
        }
        if (part->begin <= log->listed[i].ring->lost_end) { // it may have overlapped with the last overwritten part
            core_overlaps_unknown(&log->overlaps, operation);
        }
        core_overlaps_part(&log->overlaps, (struct core_part){.begin = part->begin,
                                                              .end = part->end,
                                                              .before = part->before,
                                                              .after = part->after,
                                                              .processor = part->processor,
                                                              .operation = operation});
    }
}

// Allocates the tables for measuring lists that have grown.
static bool take_tables(struct watch_part_log *log)
{
    uint64_t parts = 0;
    uint64_t notes = 0;
    count_entries(log, &parts, &notes);
    plan_tables(log, parts, notes, &log->memory);
    return base_arena_take(&log->memory);
}

bool watch_part_log_measure(struct watch_part_log *log, double mean, struct core_effects *effects)
{
    if (!log->ring) {
        return false;
    }
    *effects = (struct core_effects){0};
    if (watch_part_log_count(log) == 0) {
        return true;
    }
    if (log->grows && !take_tables(log)) {
        return true; // then all effects are unknown
    }
    size_t parts = list_parts(log);
    match(log, list_ends(log, parts));
    add_parts(log, parts);
    core_overlaps_measure(&log->overlaps, mean, effects);
    return true;
}
