// SPDX-License-Identifier: MIT
// Doorbells against a plain set, in blocks that share words.
#include <criterion/criterion.h>

#include <string.h>

#include "threads/rounds/bells.h"
#include "base/random.h"

enum { PROCESSORS = 333 };

static void answer_and_compare(struct rounds_bells *bells, const bool *rung, uint32_t begin, uint32_t end)
{
    uint32_t who[PROCESSORS];
    uint32_t count = rounds_bells_answer(bells, begin, end, who);
    uint32_t at = 0;
    for (uint32_t p = begin; p < end; p++) {
        if (rung[p]) {
            cr_assert(at < count && who[at] == p, "%u of %u..%u was rung and is not listed", p, begin, end);
            at++;
        }
    }
    cr_assert_eq(at, count);
    cr_assert_eq(rounds_bells_answer(bells, begin, end, who), 0, "an answered bell rings again");
}

static void look_and_compare(const struct rounds_bells *bells, const bool *rung)
{
    uint32_t who[PROCESSORS];
    uint32_t count = rounds_bells_list(bells, NULL, PROCESSORS, who);
    for (uint32_t p = 0, at = 0; p < PROCESSORS; p++) {
        cr_assert_eq(rung[p], at < count && who[at] == p, "%u", p);
        at += rung[p];
    }
}

Test(bells, tell_exactly_who_was_rung)
{
    struct rounds_bells bells;
    struct base_arena memory = {.count = 0};
    rounds_bells_plan(&bells, PROCESSORS, &memory);
    cr_assert(base_arena_take(&memory));
    struct base_random random = base_random_start(3, 0, BASE_STREAM_LOAD);
    for (unsigned round = 0; round < 300; round++) {
        bool rung[PROCESSORS] = {false};
        for (uint64_t rings = base_random_below(&random, PROCESSORS); rings > 0; rings--) {
            uint32_t p = (uint32_t)base_random_below(&random, PROCESSORS);
            rung[p] = true;
            rounds_bells_ring(&bells, p);
        }
        look_and_compare(&bells, rung); // a look answers no bell
        for (uint32_t begin = 0; begin < PROCESSORS;) {
            uint32_t end = begin + 1 + (uint32_t)base_random_below(&random, PROCESSORS - begin);
            answer_and_compare(&bells, rung, begin, end);
            begin = end;
        }
    }
    base_arena_destroy(&memory);
}
