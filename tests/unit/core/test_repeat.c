// SPDX-License-Identifier: MIT
// Repeating states: sequences that enter a cycle, for each small length of the cycle and of the way to it.
#include <criterion/criterion.h>

#include "core/theory/repeat.h"

enum { LENGTHS = 24, WORDS = 5 };

static uint64_t look(struct core_repeat *repeat, bool keep)
{
    return core_repeat_look(repeat, core_repeat_is_kept(repeat), keep);
}

Test(repeat, finds_the_length_of_every_cycle)
{
    for (unsigned before = 0; before <= LENGTHS; before++) {
        for (unsigned length = 1; length <= LENGTHS; length++) {
            double load[WORDS] = {0.0};
            double memory = 0.0;
            struct core_repeat repeat;
            struct base_arena plan = {.count = 0};
            core_repeat_plan(&repeat, WORDS + 1, 3, &plan);
            cr_assert(base_arena_take(&plan));
            core_repeat_add(&repeat, load, WORDS);
            core_repeat_add(&repeat, &memory, 1);
            core_repeat_add(&repeat, NULL, 0);
            uint64_t found = 0;
            unsigned calls = 0;
            for (unsigned state = 0; found == 0; calls++) {
                load[WORDS - 1] = state / 5; // two words differ between states, in different parts
                memory = state % 5;
                found = look(&repeat, false);
                state = state + 1 < before + length ? state + 1 : before;
                cr_assert(calls <= 3 * (before + length), "%u before a cycle of %u", before, length);
            }
            cr_expect_eq(found, length, "%u before a cycle of %u", before, length);
            base_arena_destroy(&plan);
        }
    }
}

// A state that the caller asks to keep is found at its next occurrence: here the third, which is no power of two.
Test(repeat, a_kept_state_is_found_at_once)
{
    double load = 0.0;
    struct core_repeat repeat;
    struct base_arena plan = {.count = 0};
    core_repeat_plan(&repeat, 1, 1, &plan);
    cr_assert(base_arena_take(&plan));
    core_repeat_add(&repeat, &load, 1);
    for (; load < 3.0; load += 1.0) {
        cr_assert_eq(look(&repeat, load == 2.0), 0);
    }
    load = 2.0;
    cr_expect_eq(look(&repeat, false), 1);
    base_arena_destroy(&plan);
}

Test(repeat, does_not_see_what_is_not_there)
{
    double load = 0.0;
    struct core_repeat repeat;
    struct base_arena plan = {.count = 0};
    core_repeat_plan(&repeat, 1, 1, &plan);
    cr_assert(base_arena_take(&plan));
    core_repeat_add(&repeat, &load, 1);
    for (unsigned i = 0; i < 10000; i++, load += 1.0) {
        cr_assert_eq(look(&repeat, false), 0);
    }
    base_arena_destroy(&plan);
}
