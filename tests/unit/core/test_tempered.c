// SPDX-License-Identifier: MIT
// TemperedLB: examples by hand in which nothing depends on what is drawn, and what holds of every placement. Random
// placements are computed again in tests/property/tempered.py.
#include <criterion/criterion.h>

#include <stdlib.h>

#include "base/random.h"
#include "core/objects/tempered.h"

static struct core_object_set set;
static uint32_t place[4096];
static const struct core_tempered usual = {.fanout = 2, .rounds = 1, .iterations = 4, .trials = 1};

// Makes a set of objects with these weights; `at` has their processors, or NULL if all are on processor 0.
static void begin(const unsigned *weight, const uint32_t *at, uint32_t count)
{
    struct ek_error error = {0};
    struct base_cursor spec = base_cursor_start("objects", "test", &error);
    set = (struct core_object_set){0};
    for (uint32_t i = 0; i < count; i++) {
        cr_assert(core_object_add(&set, (struct core_object){.weight = weight[i], .place = at ? at[i] : 0}));
    }
    cr_assert(core_object_set_finish(&set, &spec, 0), "%s", error.sentence);
}

// Places the objects and returns the number of messages.
static uint64_t run(struct core_tempered rule, uint32_t processors, uint64_t seed, uint64_t steps)
{
    void *memory = malloc(core_tempered_bytes(&set, processors));
    cr_assert(memory);
    uint64_t messages = core_tempered_place(&rule, &set, processors, seed, steps, memory, place);
    free(memory);
    return messages;
}

static uint64_t largest_load(uint32_t processors)
{
    uint64_t load[64] = {0}, largest = 0;
    for (uint32_t i = 0; i < set.count; i++) {
        cr_assert_lt(place[i], processors);
        load[place[i]] += set.object[i].weight;
    }
    for (uint32_t p = 0; p < processors; p++) {
        largest = load[p] > largest ? load[p] : largest;
    }
    return largest;
}

static void expect_place(uint32_t line, uint32_t processor)
{
    uint32_t found = place[set.of_line[line]];
    cr_expect_eq(found, processor, "object %u is on %u, not %u", line, found, processor);
}

// Processor 1 tells 0, which has 10. The mean is 5, and no object weighs more than the 5 above it. So the heaviest one
// goes, and both have 5. No processor is below the mean then, so there are no more messages.
Test(tempered, two_processors)
{
    begin((const unsigned[]){3, 5, 2}, NULL, 3);
    cr_expect_eq(run(usual, 2, 1, 8), 2);
    expect_place(0, 0);
    expect_place(1, 1);
    expect_place(2, 0);
    cr_expect_eq(largest_load(2), 5);
    core_object_set_destroy(&set);
}

// The mean is 4.5. The object of 8 alone suffices, and goes first: 8 < 9 - 0. It would exceed the mean at the receiver,
// so grapevine gives the object of 1 instead.
Test(tempered, criteria)
{
    struct core_tempered grapevine = usual;
    grapevine.criterion = CORE_TEMPERED_GRAPEVINE;
    begin((const unsigned[]){8, 1}, NULL, 2);
    run(usual, 2, 1, 8);
    expect_place(0, 1);
    expect_place(1, 0);
    run(grapevine, 2, 1, 8);
    expect_place(0, 0);
    expect_place(1, 1);
    core_object_set_destroy(&set);
    begin((const unsigned[]){9}, NULL, 1); // 9 < 9 - 0 does not hold: nothing is gained
    run(usual, 2, 1, 8);
    expect_place(0, 0);
    core_object_set_destroy(&set);
    begin((const unsigned[]){4, 4}, NULL, 2); // the receiver reaches the mean exactly
    run(grapevine, 2, 1, 8);
    cr_expect_eq(largest_load(2), 4);
    core_object_set_destroy(&set);
}

// The lightest object that alone brings the giver below the mean goes first, then the lighter ones, from the heaviest
// on. The mean is 15. Where another object would follow, the criterion holds no more.
Test(tempered, order_of_fewest_migrations)
{
    const unsigned weights[] = {2, 12, 3, 11, 1, 1};
    begin(weights, NULL, 6); // 30 in all: the mean is 15
    run(usual, 2, 1, 2);     // 15 are above it, and no object suffices: 12 goes, then 3
    for (uint32_t line = 0; line < 6; line++) {
        expect_place(line, line == 1 || line == 2);
    }
    core_object_set_destroy(&set);
    begin(weights, (const uint32_t[]){0, 0, 0, 0, 1, 1}, 6); // 28 and 2: 13 above the mean
    run(usual, 2, 1, 2);                                     // 12 goes, and 11 < 16 - 14 does not hold, 2 < 2 neither
    expect_place(1, 1);
    cr_expect_eq(largest_load(2), 16);
    core_object_set_destroy(&set);
    begin(weights, (const uint32_t[]){0, 0, 1, 0, 1, 0}, 6); // 26 and 4: 11 above the mean, for which 12 suffices
    run(usual, 2, 1, 2);
    expect_place(1, 1);
    expect_place(3, 0);
    cr_expect_eq(largest_load(2), 16);
    core_object_set_destroy(&set);
    begin(weights, (const uint32_t[]){0, 0, 1, 0, 1, 1},
          6); // 25 and 5: 10 above the mean; 11 is the lightest that suffices
    run(usual, 2, 1, 2);
    expect_place(1, 0);
    expect_place(3, 1);
    cr_expect_eq(largest_load(2), 16);
    core_object_set_destroy(&set);
}

// Only processor 1 tells 0. It gets objects of 1 until 0 and 1 have 6 each, although the mean is 4 and its share is 0
// from there on: a single peer is taken. The shares of `original` leave it out at 4. These seeds draw 0 for processor
// 1, and 1 for processor 2.
Test(tempered, a_single_peer)
{
    const unsigned ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct core_tempered rule = {.fanout = 1, .rounds = 1, .iterations = 1, .trials = 1};
    struct base_random first, second;
    uint64_t seed = 0;
    do {
        seed++;
        first = base_random_start(seed, 1, BASE_STREAM_PEERS);
        second = base_random_start(seed, 2, BASE_STREAM_PEERS);
    } while (base_random_below(&first, 2) != 0 || base_random_below(&second, 2) != 1);
    begin(ones, NULL, 12);
    cr_expect_eq(run(rule, 3, seed, 2), 3); // 1 tells 0, 2 tells 1, and 0 gives
    cr_expect_eq(largest_load(3), 6);
    rule.share = CORE_TEMPERED_ORIGINAL;
    run(rule, 3, seed, 2);
    cr_expect_eq(largest_load(3), 8);
    core_object_set_destroy(&set);
}

// An object that stays counts as load, and is not offered.
Test(tempered, fixed_objects_stay)
{
    begin((const unsigned[]){6, 1, 1}, NULL, 3);
    set.object[0].fixed = true;
    run(usual, 2, 1, 8);
    expect_place(0, 0);
    expect_place(1, 1);
    expect_place(2, 1);
    core_object_set_destroy(&set);
}

// The first step is the round of gossip: nothing has moved after it.
Test(tempered, steps)
{
    begin((const unsigned[]){3, 5, 2}, NULL, 3);
    cr_expect_eq(run(usual, 2, 1, 0), 0);
    cr_expect_eq(run(usual, 2, 1, 1), 1);
    expect_place(1, 0);
    cr_expect_eq(run(usual, 2, 1, 2), 2);
    expect_place(1, 1);
    core_object_set_destroy(&set);
}

// One processor has no peers, and equal loads have nothing to give.
Test(tempered, nothing_to_do)
{
    begin((const unsigned[]){3, 5}, NULL, 2);
    cr_expect_eq(run(usual, 1, 1, 8), 0);
    core_object_set_destroy(&set);
    begin((const unsigned[]){7, 7, 7}, (const uint32_t[]){0, 1, 2}, 3);
    cr_expect_eq(run(usual, 3, 1, 8), 0);
    core_object_set_destroy(&set);
}

// More iterations and more trials never leave a larger load, and none is larger than at the start.
Test(tempered, laws)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct base_random random = base_random_start(seed, 0, BASE_STREAM_LOAD);
        uint32_t processors = 2 + (uint32_t)base_random_below(&random, 62);
        uint32_t count = 1 + (uint32_t)base_random_below(&random, 300), at[300];
        unsigned weight[300];
        for (uint32_t i = 0; i < count; i++) {
            weight[i] = 1 + (unsigned)base_random_below(&random, 40);
            at[i] = (uint32_t)base_random_below(&random, 1 + processors / 2);
        }
        begin(weight, at, count);
        struct core_tempered rule = {.criterion = (enum core_tempered_criterion)base_random_below(&random, 2),
                                     .share = (enum core_tempered_share)base_random_below(&random, 4),
                                     .fanout = 1 + (uint32_t)base_random_below(&random, 4),
                                     .rounds = 1 + (uint32_t)base_random_below(&random, 4),
                                     .iterations = 4,
                                     .trials = 3};
        uint64_t before = UINT64_MAX;
        for (uint32_t k = 0; k <= rule.iterations * rule.trials; k++) {
            run(rule, processors, seed, (uint64_t)k * (rule.rounds + 1));
            uint64_t largest = largest_load(processors);
            cr_expect_leq(largest, before, "seed %u, %u iterations", (unsigned)seed, k);
            before = largest;
        }
        core_object_set_destroy(&set);
    }
}
