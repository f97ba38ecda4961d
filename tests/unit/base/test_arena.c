// SPDX-License-Identifier: MIT
// The arena: it takes all of its memory at once, or nothing.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

Test(arena, is_taken_as_planned)
{
    struct base_arena memory = {.count = 0};
    double *loads, *none;
    char *apart;
    base_arena_plan(&memory, &loads, 1000, sizeof *loads);
    base_arena_plan(&memory, &none, 0, sizeof *none);
    base_arena_plan_isolated(&memory, &apart, 3, 1);
    cr_expect_null(loads, "an array is NULL before it is taken");
    uint64_t bytes = base_arena_bytes(&memory);
    cr_expect(bytes >= 8000 + 3 && bytes <= 8000 + 3 * BASE_ARENA_ISOLATION, "%lu bytes", (unsigned long)bytes);
    cr_assert(base_arena_take(&memory));
    cr_expect_null(none);
    cr_expect_eq((uintptr_t)apart % BASE_ARENA_ISOLATION, 0);
    for (unsigned i = 0; i < 1000; i++) {
        cr_assert_eq(loads[i], 0.0);
    }
    memset(apart, 1, BASE_ARENA_ISOLATION); // AddressSanitizer would report a line that is shared
    base_arena_destroy(&memory);
    cr_expect(!loads && !apart);
    base_arena_destroy(&memory); // twice is as good as once
}

Test(arena, counts_only_what_is_touched)
{
    struct base_arena memory = {.count = 0}, all = {.count = 0};
    double *part, *whole;
    base_arena_plan_lanes(&memory, &part, 100000);
    base_arena_touch(&memory, 100000, 1000);
    base_arena_plan_lanes(&all, &whole, 100000);
    cr_expect_eq(base_arena_bytes(&all) - base_arena_bytes(&memory), 99000 * sizeof *part);
    cr_assert(base_arena_take(&memory));
    cr_expect_eq(part[99999], 0.0);
    base_arena_destroy(&memory);
}

Test(arena, a_range_keeps_its_numbers)
{
    struct base_arena memory = {.count = 0};
    uint64_t *part, *none;
    base_arena_plan_range(&memory, &part, (struct base_range){1 << 20, (1 << 20) + 100}, sizeof *part);
    base_arena_plan_range(&memory, &none, (struct base_range){7, 7}, sizeof *none);
    cr_expect_leq(base_arena_bytes(&memory), 100 * sizeof *part + 3 * BASE_ARENA_ISOLATION);
    cr_assert(base_arena_take(&memory));
    cr_expect_null(none);
    cr_expect_eq((uintptr_t)&part[1 << 20] % BASE_ARENA_ISOLATION, 0);
    for (unsigned i = 0; i < 100; i++) { // AddressSanitizer would report elements outside
        cr_expect_eq(part[(1 << 20) + i]++, 0);
    }
    base_arena_destroy(&memory);
    cr_expect_null(part);
}

Test(arena, counts_a_part_of_any_array)
{
    struct base_arena memory = {.count = 0};
    uint16_t *part;
    base_arena_plan(&memory, &part, 1000, sizeof *part);
    uint64_t whole = base_arena_bytes(&memory);
    base_arena_touch(&memory, 1000, 1000);
    cr_expect_eq(base_arena_bytes(&memory), whole);
    base_arena_touch(&memory, 1000, 10);
    cr_expect_eq(base_arena_bytes(&memory), whole - 990 * sizeof *part);
}

Test(arena, is_refused_whole)
{
    struct base_arena memory = {.count = 0};
    char *little, *much;
    base_arena_plan(&memory, &little, 100, 1);
    base_arena_plan(&memory, &much, UINT64_MAX / 16, 16);
    cr_expect_geq(base_arena_bytes(&memory), UINT64_MAX / 2);
    cr_expect_not(base_arena_take(&memory));
    cr_expect(!little && !much, "a part that was taken is freed");
    base_arena_plan(&memory, &much, UINT64_MAX, UINT64_MAX); // without overflow, too
    base_arena_plan(&memory, &much, UINT64_MAX, 1);
    cr_expect_eq(base_arena_bytes(&memory), UINT64_MAX);
}

Test(arena, can_be_handed_over)
{
    struct base_arena memory = {.count = 0};
    double *loads;
    base_arena_plan(&memory, &loads, 2, sizeof *loads);
    cr_assert(base_arena_take(&memory));
    loads[1] = 7.0;
    double *kept = base_arena_detach(&memory, &loads);
    cr_expect_null(loads);
    base_arena_destroy(&memory);
    cr_expect_eq(kept[1], 7.0, "it outlives the arena");
    free(kept);
    cr_expect_null(base_arena_detach(&memory, &kept), "an array that was not planned");
}

// The block may begin anywhere.
Test(arena, lanes_lie_within_a_line_and_may_be_read_beyond)
{
    for (size_t count = 1; count < 100; count++) {
        struct base_arena memory = {.count = 0};
        char *other;
        double *loads;
        base_arena_plan(&memory, &other, count * 16, 1);
        base_arena_plan_lanes(&memory, &loads, count);
        uint64_t bytes = base_arena_bytes(&memory);
        cr_expect(bytes > 24 * count && bytes <= 24 * count + 128, "%lu bytes", (unsigned long)bytes);
        cr_assert(base_arena_take(&memory));
        cr_expect_eq((uintptr_t)(loads + 2) % 32, 0, "%zu doubles", count);
        for (size_t i = 0; i < count + 6; i++) { // AddressSanitizer would report reads outside
            cr_expect_eq(loads[(ptrdiff_t)i - 3], 0.0);
        }
        loads[0] = 1.0;
        loads[count - 1] += 2.0;
        double *kept = base_arena_detach(&memory, &loads);
        cr_expect_eq(kept[0], count > 1 ? 1.0 : 3.0);
        cr_expect_eq(kept[count - 1], count > 1 ? 2.0 : 3.0);
        free(kept);
        base_arena_destroy(&memory);
    }
}
