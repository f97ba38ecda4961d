// SPDX-License-Identifier: MIT
// A machine that gets another seed runs as one that was prepared with this seed.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "threads/api/run.h"

static struct ek_error error;

static struct ek_machine *prepare(const char *topology, const char *work, uint64_t seed)
{
    struct ek_experiment experiment = {.topology = topology,
                                       .work = work,
                                       .stop = "never",
                                       .steps_max = 20,
                                       .carrier = "pool:1",
                                       .seed = seed,
                                       .every = 1,
                                       .keep_loads = true};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    return machine;
}

static struct ek_report run(struct ek_machine *machine, uint64_t number)
{
    struct ek_report report = {0};
    cr_assert_eq(ek_run(machine, number, &report, NULL, NULL, &error), EK_OK, "%s", error.sentence);
    return report;
}

Test(reseed, a_run_is_that_of_the_new_seed)
{
    struct ek_machine *fresh = prepare("ring:16", "normal:100:30:100", 7);
    struct ek_machine *given = prepare("ring:16", "normal:100:30:100", 1);
    struct ek_theory wanted, found;
    cr_assert(ek_machine_reseed(given, 7));
    struct ek_report one = run(fresh, 0), other = run(given, 0), next = run(given, 1);
    cr_expect_eq(other.seed, 7);
    cr_expect_eq(memcmp(one.initial, other.initial, 16 * sizeof *one.initial), 0);
    cr_expect_eq(memcmp(one.final, other.final, 16 * sizeof *one.final), 0);
    cr_expect_eq(next.seed, 8);
    cr_expect_neq(memcmp(one.final, next.final, 16 * sizeof *one.final), 0);
    ek_report_destroy(&one);
    ek_report_destroy(&other);
    ek_report_destroy(&next);
    ek_machine_destroy(fresh);
    ek_machine_destroy(given);

    fresh = prepare("ring:16", "none", 7);
    given = prepare("ring:16", "none", 1);
    cr_assert(ek_machine_reseed(given, 7));
    ek_theory_find(fresh, &wanted);
    ek_theory_find(given, &found);
    cr_expect_eq(found.gamma_exact, wanted.gamma_exact);
    ek_machine_destroy(fresh);
    ek_machine_destroy(given);
}

Test(reseed, what_was_drawn_has_its_seed_for_good)
{
    struct ek_machine *machine = prepare("random:16:4", "none", 1);
    cr_expect(!ek_machine_reseed(machine, 7));
    struct ek_report report = run(machine, 0);
    cr_expect_eq(report.seed, 1);
    ek_report_destroy(&report);
    ek_machine_destroy(machine);
}
