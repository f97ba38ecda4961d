// SPDX-License-Identifier: MIT
// Lists of operations, and spheres at instants of a run. Operations are sorted by begin, so those that are open at
// ascending instants form a window that moves along the list: each operation enters it once and leaves it once.
#include "threads/watch/operation_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/random.h"
#include "threads/api/report.h"
#include "threads/watch/histogram.h"
#include "topologies/topology.h"

static uint32_t capacity_of(unsigned workers, uint64_t records)
{
    uint64_t capacity = records / workers;
    return capacity < WATCH_OPERATION_LOG_LEAST ? WATCH_OPERATION_LOG_LEAST
           : capacity < UINT32_MAX              ? (uint32_t)capacity
                                                : UINT32_MAX;
}

void watch_operation_log_plan(struct watch_operation_log *log, unsigned workers, uint64_t records,
                              const struct ek_topology *topology, struct base_arena *memory)
{
    *log = (struct watch_operation_log){
        .workers = workers, .capacity = records > 0 ? capacity_of(workers, records) : 0, .topology = topology};
    uint64_t places = log->room = (uint64_t)workers * log->capacity;
    base_arena_plan_isolated(memory, &log->ring, records > 0 ? workers : 0, sizeof *log->ring);
    base_arena_plan(memory, &log->places, places, sizeof *log->places);
    base_arena_plan(memory, &log->operation, places, sizeof *log->operation);
    if (records > 0) {
        core_spheres_plan(&log->work, topology->processors, memory);
    }
}

void watch_operation_log_plan_growing(struct watch_operation_log *log, unsigned workers,
                                      const struct ek_topology *topology, struct base_arena *memory)
{
    *log = (struct watch_operation_log){.workers = workers, .grows = true, .topology = topology};
    base_arena_plan_isolated(memory, &log->ring, workers, sizeof *log->ring);
    core_spheres_plan(&log->work, topology->processors, memory);
}

void watch_operation_log_begin(struct watch_operation_log *log)
{
    if (log->grows) {
        log->capacity = UINT32_MAX;
        return;
    }
    unsigned used = 0;
    for (unsigned worker = 0; log->ring && worker < log->workers; worker++) {
        used += !log->ring[worker].unused;
    }
    uint64_t capacity = log->room / (used > 0 ? used : 1);
    log->capacity = capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX;
    struct core_operation *place = log->places;
    for (unsigned worker = 0; log->ring && worker < log->workers; worker++) {
        log->ring[worker].place = place;
        place += log->ring[worker].unused ? 0 : log->capacity;
    }
}

bool watch_operation_log_join(struct watch_operation_log *log, unsigned own)
{
    uint64_t count = 0;
    for (unsigned worker = 0; worker < log->workers; worker++) {
        count += log->ring[worker].next;
    }
    struct core_operation *place = malloc((count + 1) * sizeof *place);
    if (!place) {
        return false;
    }
    log->places = place;
    for (unsigned worker = 0; worker < log->workers; worker++) {
        struct watch_ring *ring = &log->ring[worker];
        if (worker == own && ring->next > 0) {
            memcpy(place, ring->place, ring->next * sizeof *place);
        }
        free(ring->place);
        ring->place = place;
        place += ring->next;
    }
    return true;
}

void watch_operation_log_end(struct watch_operation_log *log)
{
    bool joined = log->grows && log->places;
    for (unsigned worker = 0; log->ring && log->grows && !joined && worker < log->workers; worker++) {
        free(log->ring[worker].place);
    }
    free(joined ? log->places : NULL);
    base_arena_destroy(&log->memory);
}

static bool make_room(struct watch_ring *ring)
{
    struct core_operation *grown = base_grow(ring->place, ring->next, sizeof *grown);
    ring->place = grown ? grown : ring->place;
    ring->no_memory = ring->no_memory || !grown;
    return grown;
}

void watch_operation_log_add(struct watch_operation_log *log, unsigned worker, const struct core_operation *operation)
{
    if (!log->ring) {
        return;
    }
    struct watch_ring *ring = &log->ring[worker];
    ring->added++;
    if (log->closed || (log->grows && !make_room(ring))) {
        return;
    }
    struct core_operation *place = &ring->place[ring->next];
    if (ring->added > log->capacity && place->end > ring->lost_end) {
        ring->lost_end = place->end;
    }
    *place = *operation;
    ring->next = ring->next + 1 < log->capacity ? ring->next + 1 : 0;
}

void watch_operation_log_close(struct watch_operation_log *log, uint64_t now_ns)
{
    log->closed = true;
    log->closed_ns = now_ns;
}

uint64_t watch_operation_log_count(const struct watch_operation_log *log)
{
    uint64_t count = 0;
    for (unsigned worker = 0; log->ring && worker < log->workers; worker++) {
        count += log->ring[worker].added;
    }
    return count;
}

// ---- spheres ----

// Returns the number of operations in a ring. They begin at place 0.
static uint32_t held(const struct watch_operation_log *log, const struct watch_ring *ring)
{
    return log->grows || ring->added < log->capacity ? ring->next : log->capacity;
}

static int by_begin(const void *a, const void *b)
{
    const struct core_operation *const *first = a;
    const struct core_operation *const *second = b;
    int begins = ((*first)->begin > (*second)->begin) - ((*first)->begin < (*second)->begin);
    return begins ? begins : ((*first)->invoker > (*second)->invoker) - ((*first)->invoker < (*second)->invoker);
}

// Lists the logged operations, sorted by begin, and returns their number. If the lists have grown, it allocates the
// memory for this; without memory there is none.
static size_t list_operations(struct watch_operation_log *log)
{
    size_t count = 0;
    if (log->grows) {
        base_arena_plan(&log->memory, &log->operation, watch_operation_log_count(log), sizeof *log->operation);
        if (!base_arena_take(&log->memory)) {
            return 0;
        }
    }
    for (unsigned worker = 0; worker < log->workers; worker++) {
        const struct watch_ring *ring = &log->ring[worker];
        for (uint32_t i = 0; i < held(log, ring); i++) {
            log->operation[count++] = &ring->place[i];
        }
    }
    qsort(log->operation, count, sizeof *log->operation, by_begin);
    return count;
}

static uint32_t domain_size(const struct core_operation *operation, const struct ek_topology *topology)
{
    uint32_t size = 1 + (uint32_t)__builtin_popcountll(operation->members);
    uint32_t degree = topology->first[operation->invoker + 1] - topology->first[operation->invoker];
    return size + (operation->members >> 63 ? degree - 64 : 0);
}

// Returns the number of instants in begin .. end - 1, such that the search meets 2^22 processors in all. That takes a
// fraction of a second.
static unsigned count_instants(const struct watch_operation_log *log, size_t count, uint64_t begin, uint64_t end)
{
    if (begin >= end) {
        return 0;
    }
    double met = 0.0; // processors at an instant, on average
    for (size_t i = 0; i < count; i++) {
        const struct core_operation *operation = log->operation[i];
        uint64_t from = operation->begin > begin ? operation->begin : begin;
        uint64_t to = operation->end < end ? operation->end : end;
        met += from < to ? (double)(to - from) * domain_size(operation, log->topology) : 0.0;
    }
    met /= (double)(end - begin);
    double instants = fmin(WATCH_OPERATION_LOG_INSTANTS, (double)(end - begin));
    return (unsigned)fmax(fmin(instants, 0x1p22 / met), 1.0);
}

// The spheres at all instants together.
struct seen {
    uint64_t spheres;
    struct watch_histogram operations, processors, time;
};

static void see(void *context, const struct core_sphere *sphere)
{
    struct seen *seen = context;
    seen->spheres++;
    watch_histogram_add(&seen->operations, sphere->operations);
    watch_histogram_add(&seen->processors, sphere->processors);
    watch_histogram_add(&seen->time, sphere->end - sphere->begin);
}

// Searches for spheres at each instant. Operations that may be open are kept at the front of the list.
static void sample(struct watch_operation_log *log, size_t count, uint64_t begin, uint64_t end, unsigned instants,
                   uint64_t seed, struct seen *seen)
{
    struct base_random random = base_random_start(seed, 0, BASE_STREAM_SPHERES);
    size_t next = 0, open = 0;
    for (unsigned i = 0; i < instants; i++) {
        uint64_t t = begin + (uint64_t)((i + base_random_unit(&random)) / instants * (double)(end - begin));
        size_t kept = 0;
        for (size_t k = 0; k < open; k++) {
            if (log->operation[k]->end > t) {
                log->operation[kept++] = log->operation[k];
            }
        }
        for (; next < count && log->operation[next]->begin <= t; next++) {
            log->operation[kept] = log->operation[next];
            kept += log->operation[next]->end > t;
        }
        open = kept;
        core_spheres_at(&log->work, log->operation, open, log->topology, t, see, seen);
    }
}

void watch_operation_log_spheres(struct watch_operation_log *log, uint64_t begin, uint64_t end, uint64_t seed,
                                 struct ek_free_report *report)
{
    report->log_lost = 0;
    for (unsigned worker = 0; log->ring && worker < log->workers; worker++) {
        const struct watch_ring *ring = &log->ring[worker];
        report->log_lost += ring->added - held(log, ring);
        begin = ring->lost_end > begin ? ring->lost_end : begin;
    }
    end = log->closed && log->closed_ns < end ? log->closed_ns : end;
    size_t count = watch_operation_log_count(log) > 0 ? list_operations(log) : 0;
    unsigned instants = log->ring ? count_instants(log, count, begin, end) : 0;
    struct seen seen = {0};
    sample(log, count, begin, end, instants, seed, &seen);
    report->logged = count;
    report->spheres_sampled = instants;
    report->spheres = instants > 0 ? (double)seen.spheres / instants : NAN;
    report->sphere_operations = watch_histogram_quantiles(&seen.operations, 1.0);
    report->sphere_processors = watch_histogram_quantiles(&seen.processors, 1.0);
    report->sphere_time = watch_histogram_quantiles(&seen.time, 1e-9);
}
