// SPDX-License-Identifier: MIT
// Data that different workers write while they run lies in different pairs of cache lines, since some cores fetch
// pairs. Each struct, and each array of structs, begins and ends at a multiple of 128 bytes.
#include <criterion/criterion.h>
#include <stddef.h>

#include "tests/support/runs.h"
#include "threads/machine/machine.h"
#include "threads/free/control/free_run.h"
#include "threads/rounds/rounds_state.h"

enum { APART = BASE_ARENA_ISOLATION, WORKERS = 5 };

#define CR_EXPECT_APART(type, first, second)                                                                           \
    cr_expect_neq(offsetof(type, first) / APART, offsetof(type, second) / APART, #first " and " #second)

static void expect_apart(const void *array, size_t size, const char *what)
{
    cr_expect_eq((uintptr_t)array % APART, 0, "%s begins within a line", what);
    cr_expect_eq(size % APART, 0, "%s: %zu bytes", what, size);
}

Test(layout, who_arrives_does_not_disturb_who_polls)
{
    CR_EXPECT_APART(struct mail_group, arrived, generation);
    CR_EXPECT_APART(struct mail_barrier, groups_arrived, member);
    CR_EXPECT_APART(struct mail_barrier, groups_arrived, kind);
    cr_expect_eq(sizeof(struct mail_member) % 64, 0);
    CR_EXPECT_APART(struct rounds_run, shared, now);
    CR_EXPECT_APART(struct rounds_run, shared, worker);
    CR_EXPECT_APART(struct free_shared, epoch, complete);
    CR_EXPECT_APART(struct free_shared, complete, permits);
}

static struct ek_machine *prepared(const char *timing)
{
    struct ek_error error;
    struct ek_experiment experiment = {
        .topology = "torus:6x5", .method = "adf", .timing = timing, .carrier = "pool:5", .seed = 1};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cr_assert_eq(machine->plan.workers, WORKERS);
    return machine;
}

Test(layout, workers_of_rounds_lie_apart)
{
    struct ek_error error;
    struct ek_machine *machine = prepared("rounds");
    struct rounds_run *rounds = machine->plan.engine->create(&machine->plan, 0, &error);
    cr_assert(rounds, "%s", error.sentence);
    expect_apart(rounds->worker, sizeof *rounds->worker, "the workers");
    expect_apart(rounds->barrier.group, sizeof *rounds->barrier.group, "the barrier's groups");
    expect_apart(&rounds->shared, sizeof *rounds - offsetof(struct rounds_run, shared), "what all write");
    for (unsigned w = 1; w < WORKERS; w++) {
        size_t between = (size_t)(rounds->worker[w].room - rounds->worker[w - 1].room) * sizeof(double);
        cr_expect(between % 64 == 0 && between >= 64, "the rooms of %u and %u", w - 1, w);
    }
    machine->plan.engine->destroy(rounds);
    ek_machine_destroy(machine);
}

Test(layout, workers_of_free_timing_lie_apart)
{
    struct ek_error error;
    struct ek_machine *machine = prepared("free");
    struct free_control *control = free_create(&machine->plan, 0, &free_transport_local, &error);
    cr_assert(control, "%s", error.sentence);
    struct free_run *run = &control->run;
    expect_apart(run->worker, sizeof *run->worker, "the workers");
    cr_expect_eq((uintptr_t)run->processor % 64, 0);
    cr_expect_eq(sizeof *run->processor % 64, 0);
    free_destroy(control);
    ek_machine_destroy(machine);
}
