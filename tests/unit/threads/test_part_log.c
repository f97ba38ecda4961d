// SPDX-License-Identifier: MIT
// The rings of the log of parts: how many places each worker's ring has.
#include <criterion/criterion.h>

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
