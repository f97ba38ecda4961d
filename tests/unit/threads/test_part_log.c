// SPDX-License-Identifier: MIT
// The log of parts: how many places each worker's ring has, and lists that grow.
#include <criterion/criterion.h>
#include <string.h>

#include "threads/watch/part_log.h"

Test(part_log, every_ring_has_places_enough)
{
    static const struct {
        unsigned workers, unused;
        uint64_t records;
        uint32_t capacity;
    } cases[] = {
        {1, 0, 100000, 100000},                                  // all for one
        {4, 0, 100000, 25000},                                   // even shares
        {4, 3, 100000, 100000},                                  // shares of the rings that are used
        {3000, 0, WATCH_PART_LOG_RECORDS, WATCH_PART_LOG_LEAST}, // more than there are records, so that each has a few
        {3000, 1500, WATCH_PART_LOG_RECORDS, 2 * WATCH_PART_LOG_LEAST},
        {4, 0, 0, 0}, // no log
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_arena memory = {.count = 0};
        struct watch_part_log log;
        watch_part_log_plan(&log, cases[i].workers, cases[i].records, &memory);
        cr_assert(base_arena_take(&memory));
        for (unsigned w = 0; w < cases[i].unused; w++) {
            log.ring[w].unused = true;
        }
        watch_part_log_begin(&log);
        cr_expect_eq(log.capacity, cases[i].capacity, "%zu: %u places", i, log.capacity);
        cr_expect((log.ring != NULL) == (cases[i].records > 0), "%zu", i);
        for (uint32_t k = 0; k < log.capacity; k++) { // the last ring is whole
            watch_part_log_add(&log, cases[i].workers - 1, &(struct watch_part){.begin = 1, .end = 2, .port = 1});
        }
        base_arena_destroy(&memory);
    }
}

// Adds an operation whose invoker takes part from `moment` to the next but one, with a neighbour at `port` + 1. The
// invoker's load falls from 8 to 6, the neighbour's grows from 4 to 6.
static void add_operation(struct watch_part_log *log, unsigned invokers, unsigned neighbours, uint32_t processor,
                          uint32_t number)
{
    uint64_t begin[2] = {watch_part_log_moment(log, invokers), watch_part_log_moment(log, neighbours)};
    uint32_t port = processor + 1;
    watch_part_log_add(log, neighbours,
                       &(struct watch_part){.begin = begin[1],
                                            .end = watch_part_log_moment(log, neighbours),
                                            .before = 4.0,
                                            .after = 6.0,
                                            .processor = processor + 1,
                                            .port = port,
                                            .number = number});
    watch_part_log_note(log, invokers, (struct watch_member){.port = port, .number = number});
    watch_part_log_add(log, invokers,
                       &(struct watch_part){.begin = begin[0],
                                            .end = watch_part_log_moment(log, invokers),
                                            .before = 8.0,
                                            .after = 6.0,
                                            .processor = processor,
                                            .port = WATCH_PART_OWN,
                                            .number = 1});
}

// Operations of processors 0, 2, 4, .. with the next processor, in two lists or in one.
static struct core_effects grow(unsigned workers, unsigned operations, unsigned open, bool close)
{
    struct base_arena memory = {.count = 0};
    struct watch_part_log log;
    watch_part_log_plan_growing(&log, workers, &memory);
    cr_assert(base_arena_take(&memory));
    watch_part_log_begin(&log);
    for (uint32_t i = 0; i < operations; i++) {
        unsigned w = i % 3 * workers / 3; // so that lists have different lengths
        add_operation(&log, w, w, 2 * (i % 3 + 3 * (i % 5)), i / 15);
    }
    if (open < 3) { // the last operation of this processor's list overlaps with one that has not ended
        unsigned w = open * workers / 3;
        log.ring[w].place[log.ring[w].next - 1].end = log.ring[w].moment + 1;
        watch_part_log_add(&log, w,
                           &(struct watch_part){.begin = log.ring[w].moment,
                                                .end = log.ring[w].moment + 2,
                                                .processor = log.ring[w].place[log.ring[w].next - 1].processor,
                                                .port = WATCH_PART_OPEN});
    }
    log.closed = close;
    add_operation(&log, 0, 0, 100, 0);
    cr_expect_eq(watch_part_log_count(&log), 2 * operations + (open < 3) + (close ? 0 : 2));
    struct core_effects effects;
    cr_assert(watch_part_log_measure(&log, 6.0, &effects));
    watch_part_log_end(&log);
    base_arena_destroy(&memory);
    return effects;
}

Test(part_log, lists_that_grow_lose_nothing)
{
    enum { MANY = 3 * WATCH_PART_LOG_RECORDS };
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        struct core_effects effects = grow(workers, MANY, 3, false);
        const struct core_effect *alone = &effects.of[CORE_EFFECT_ALONE];
        cr_expect_eq(alone->count, MANY + 1, "%u workers: %lu alone", workers, (unsigned long)alone->count);
        cr_expect(alone->before == 8.0 * (MANY + 1) && alone->after == 0.0);
        cr_expect_eq(effects.unknown, 0);
        effects = grow(workers, 30, 3, true);
        cr_expect_eq(effects.of[CORE_EFFECT_ALONE].count, 30, "no part is added to a closed log");
    }
}

Test(part_log, an_operation_that_overlaps_with_an_open_one_is_overlapped)
{
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        struct core_effects effects = grow(workers, 30, 1, true);
        cr_expect_eq(effects.of[CORE_EFFECT_ALONE].count, 29, "%u workers", workers);
        cr_expect_eq(effects.of[CORE_EFFECT_OVERLAPPED].count, 1);
        cr_expect_eq(effects.of[CORE_EFFECT_ADJACENT].count, 0, "the sphere has an operation that has not ended");
        cr_expect_eq(effects.unknown, 0);
    }
}
