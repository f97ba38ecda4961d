// SPDX-License-Identifier: MIT
// Carriers: their specs, their blocks of processors, and how many workers a pool takes.
#include <criterion/criterion.h>

#include "tests/support/runs.h"
#include "threads/ranks/blocks.h"
#include "threads/host/places.h"
#include "threads/experiment/tables.h"
#include "threads/machine/machine.h"

Test(carriers, cut_blocks_that_cover_all)
{
    for (uint32_t processors = 1; processors < 5000; processors = processors * 5 / 4 + 1) {
        for (unsigned workers = 1; workers <= processors && workers < 40; workers++) {
            cr_assert_eq(rank_block_begin(processors, workers, 0), 0);
            cr_assert_eq(rank_block_begin(processors, workers, workers), processors);
            for (unsigned w = 0; w < workers; w++) {
                cr_assert(rank_block_begin(processors, workers, w) < rank_block_begin(processors, workers, w + 1),
                          "%u processors, %u workers: block %u is empty", processors, workers, w);
            }
        }
    }
}

Test(carriers, read_their_specs)
{
    const struct machine_carrier *carrier;
    unsigned asked;
    struct ek_error error;
    cr_assert(experiment_carrier_parse("threads", &carrier, &asked, &error) && carrier == &experiment_carrier_threads &&
              asked == 0);
    cr_assert(experiment_carrier_parse("pool", &carrier, &asked, &error) && carrier == &experiment_carrier_pool &&
              asked == 0);
    cr_assert(experiment_carrier_parse("pool:3", &carrier, &asked, &error) && asked == 3);
    cr_assert_eq(experiment_carrier_threads.workers(64, 512, 2, 0), 64);
    cr_assert_eq(experiment_carrier_pool.workers(64, 512, 2, 3), 3);
    cr_assert_eq(experiment_carrier_pool.workers(2, 512, 2, 3), 2);
    cr_assert_eq(experiment_carrier_pool.workers(511, 512, 4, 0), 1);
    cr_assert_eq(experiment_carrier_pool.workers(512, 512, 4, 0), 4);
    cr_assert_eq(experiment_carrier_pool.workers(100000, UINT32_MAX, 4, 0), 1);
}

// Checks how many workers a pool takes if its spec names no number: one, or one a core.
static void expect_shared(const char *topology, const char *method, const char *units, const char *timing, bool shared)
{
    struct ek_experiment experiment = {
        .topology = topology, .method = method, .units = units, .timing = timing, .carrier = "pool"};
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cr_expect_eq(machine->plan.workers, shared ? host_places_count(machine->plan.places) : 1, "%s %s %s on %s: %u",
                 method, units, timing, topology, machine->plan.workers);
    ek_machine_destroy(machine);
}

Test(carriers, a_pool_shares_what_takes_less_time_shared)
{
    expect_shared("ring:3071", "adf", "real", "rounds", false);
    expect_shared("ring:3072", "adf", "real", "rounds", true);
    expect_shared("ring:3071", "adf", "tokens", "rounds", false);
    expect_shared("ring:3072", "adf", "tokens", "rounds", true);
    expect_shared("ring:511", "sos", "real", "rounds", false);
    expect_shared("ring:512", "sos", "real", "rounds", true);
    expect_shared("ring:9000", "adf", "real", "turns", false);
    expect_shared("ring:9000", "adf", "real", "turns:random", false);
    expect_shared("ring:63", "adf", "real", "free", false);
    expect_shared("ring:64", "adf", "real", "free", true);
}
