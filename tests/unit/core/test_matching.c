// SPDX-License-Identifier: MIT
// Matchings: they are maximal, depend on the seed alone, and last until the next draw but one.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/steps/matching.h"
#include "tests/support/must.h"

// Checks that no processor is matched twice, that both ends are listed, in order, and that no link could be added.
static void expect_maximal(const struct core_matching *matching, const struct ek_topology *topology)
{
    bool *matched = calloc(topology->processors, sizeof *matched);
    cr_assert(matched);
    for (size_t k = 0; k < matching->count; k++) {
        struct ek_end end = matching->ends[k];
        cr_assert(k == 0 || matching->ends[k - 1].processor < end.processor);
        cr_assert(topology->first[end.processor] <= end.port && end.port < topology->first[end.processor + 1]);
        matched[end.processor] = true;
    }
    for (size_t k = 0; k < matching->count; k++) {
        cr_assert(matched[topology->neighbour[matching->ends[k].port]]);
    }
    for (uint32_t port = 0; port < topology->ports; port++) {
        cr_assert(matched[topology->neighbour[port]] || matched[topology->neighbour[topology->twin[port]]]);
    }
    free(matched);
}

Test(matchings, are_maximal_and_come_from_the_seed)
{
    static const char *const specs[] = {"ring:9", "torus:5x4", "complete:7", "star:6", "random:30:3", "chain:2"};
    for (unsigned i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = must_build(specs[i]);
        struct core_matching one, other;
        struct base_arena memory = {.count = 0};
        core_matching_plan(&one, topology, &memory);
        core_matching_plan(&other, topology, &memory);
        cr_assert(base_arena_take(&memory));
        core_matching_begin(&one, topology);
        core_matching_begin(&other, topology);
        for (uint64_t step = 0; step < 50; step++) {
            core_matching_draw(&one, topology, 3, step);
            expect_maximal(&one, topology);
        }
        core_matching_draw(&other, topology, 3, 49); // the draws before it do not matter
        cr_assert_eq(one.count, other.count);
        cr_assert(memcmp(one.ends, other.ends, one.count * sizeof *one.ends) == 0);
        base_arena_destroy(&memory);
        ek_topology_destroy(topology);
    }
}

// The next matching is drawn while the parcels of the one before are in flight.
Test(matchings, outlive_the_next_draw)
{
    struct ek_topology *topology = must_build("torus:6x6");
    struct core_matching matching;
    struct base_arena memory = {.count = 0};
    core_matching_plan(&matching, topology, &memory);
    cr_assert(base_arena_take(&memory));
    core_matching_begin(&matching, topology);
    core_matching_draw(&matching, topology, 1, 0);
    const struct ek_end *before = matching.ends;
    struct ek_end copy[36];
    size_t size = matching.count * sizeof *copy;
    memcpy(copy, before, size);
    core_matching_draw(&matching, topology, 1, 1);
    cr_assert(memcmp(copy, before, size) == 0);
    cr_assert(memcmp(copy, matching.ends, size) != 0);
    base_arena_destroy(&memory);
    ek_topology_destroy(topology);
}
