// SPDX-License-Identifier: MIT
// Passes through the processors and ports of several ranks. The other ranks are a function here: it fills in their
// parts of each window with successive numbers.
#include <criterion/criterion.h>

#include "tests/support/must.h"
#include "threads/ranks/collect.h"
#include "topologies/topology.h"

enum { PROCESSORS = 3000, SPANS = 4 };

// Rank 1, which is this one, has two spans.
static uint32_t begin[SPANS + 1] = {0, 10, 1500, 1501, PROCESSORS};
static unsigned ranks_of_spans[SPANS] = {0, 1, 2, 1};

struct others {
    double next; // number that the others say next
    size_t windows;
    bool deaf;
};

static bool collect(void *context, double *array, const size_t *from)
{
    struct others *others = context;
    others->windows++;
    for (size_t i = from[0]; i < from[3]; i++) {
        if (i < from[1] || i >= from[2]) {
            array[i] = others->next++;
        }
    }
    return !others->deaf;
}

struct seen {
    size_t words;
    uint32_t next; // element that is to be taken next
    double other;  // number that another rank has said next
    size_t own;    // elements of this rank that were taken
};

static void put(void *context, uint32_t i, double *words)
{
    const struct seen *seen = context;
    for (size_t k = 0; k < seen->words; k++) {
        words[k] = -(double)(i * seen->words + k);
    }
}

static void take(void *context, uint32_t i, const double *words)
{
    struct seen *seen = context;
    cr_assert_eq(i, seen->next, "%u after %u", i, seen->next);
    seen->next++;
    if (words[seen->words - 1] < 0.0) {
        seen->own++;
        cr_expect_eq(words[0], -(double)(i * seen->words));
    }
}

static struct seen pass(size_t words, const struct ek_topology *ports, struct others *others, bool *good)
{
    struct ek_ranks ranks = {.context = others, .count = 3, .rank = 1, .collect = collect};
    struct rank_placement placement = {.spans = SPANS, .begin = begin, .rank = ranks_of_spans};
    struct rank_collector collector;
    struct base_arena memory = {.count = 0};
    struct seen seen = {.words = words};
    rank_collector_plan(&collector, &ranks, &placement, true, &memory);
    cr_assert(base_arena_take(&memory));
    *good = rank_collect_pass(
        &collector, &(struct rank_pass){.context = &seen, .ports = ports, .words = words, .put = put, .take = take});
    base_arena_destroy(&memory);
    return seen;
}

Test(collect, passes_through_all_processors_in_their_order)
{
    for (size_t words = 1; words <= RANK_PASS_WORDS; words += 7) {
        struct others others = {.next = 1.0};
        bool good;
        struct seen seen = pass(words, NULL, &others, &good);
        cr_expect(good);
        cr_expect_eq(seen.next, PROCESSORS);
        cr_expect_eq(seen.own, 1490 + 1499);
        cr_expect_eq(others.next, 1.0 + 11.0 * (double)words, "each number of another rank is exchanged once");
        cr_expect_eq(others.windows, (PROCESSORS - 1) / (RANK_WINDOW / words) + 1, "%zu windows", others.windows);
    }
}

Test(collect, passes_through_all_ports)
{
    struct ek_topology *ring = must_build("ring:3000");
    struct others others = {.next = 1.0};
    bool good;
    struct seen seen = pass(64, ring, &others, &good);
    cr_expect(good);
    cr_expect_eq(seen.next, 2 * PROCESSORS);
    cr_expect_eq(seen.own, 2 * (1490 + 1499));
    ek_topology_destroy(ring);
}

Test(collect, ends_when_a_rank_does_not_answer)
{
    struct others others = {.next = 1.0, .deaf = true};
    bool good;
    struct seen seen = pass(1, NULL, &others, &good);
    cr_expect_not(good);
    cr_expect_eq(seen.next, 0);
}

Test(collect, one_process_passes_alone)
{
    struct seen seen = {.words = 3};
    rank_pass_alone(&(struct rank_pass){.context = &seen, .words = 3, .put = put, .take = take}, PROCESSORS);
    cr_expect_eq(seen.next, PROCESSORS);
    cr_expect_eq(seen.own, PROCESSORS);
}
