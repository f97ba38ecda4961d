// SPDX-License-Identifier: MIT
// The tasks of a run without an engine: a task that was changed or lost is noticed at the end.
#include <criterion/criterion.h>

#include <string.h>

#include "base/arena.h"
#include "threads/api/run.h"
#include "threads/cargo/tasks.h"
#include "threads/machine/machine.h"

static struct ek_machine *machine;
static struct base_arena memory;
static struct cargo_tasks tasks;
static double held[2];

static void begin(void)
{
    struct ek_error error;
    struct ek_experiment experiment = {
        .topology = "chain:2", .tasks = "queens:5", .method = "none", .carrier = "pool:1"};
    machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cargo_tasks_plan(&tasks, &machine->plan, 1, &memory);
    cargo_parcels_plan(&tasks, 2, &memory);
    cr_assert(base_arena_take(&memory));
    held[0] = 1.0;
    cr_assert(cargo_tasks_begin(&tasks, held, &error));
}

static bool tick(void)
{
    cargo_begin_tick(&tasks.worker[0]);
    for (uint32_t p = 0; p < 2; p++) {
        cargo_tick(&tasks.worker[0], p, &held[p]);
    }
    return cargo_tick_done(&tasks, 0.0);
}

// Executes what is left, and returns whether the identities agree.
static bool ends_well(struct ek_error *error)
{
    while (!tick()) {
    }
    return cargo_good(&tasks, true, error);
}

static void end(void)
{
    cargo_tasks_end(&tasks);
    base_arena_destroy(&memory);
    ek_machine_destroy(machine);
}

Test(cargo_tasks, moves_keep_every_task, .init = begin, .fini = end)
{
    struct ek_error error;
    tick();
    cr_assert_eq(cargo_send(&tasks.worker[0], 0, 0, 3), 3);
    cargo_receive(&tasks.worker[0], 1, 0);
    cr_expect(ends_well(&error));
    struct ek_tasks_report report;
    cargo_report_ticks(&tasks, &report);
    cr_expect_eq(report.result, 10, "queens:5 has 10 solutions");
    cr_expect_lt(report.native_fraction, 1.0);
}

Test(cargo_tasks, a_changed_task_is_noticed, .init = begin, .fini = end)
{
    struct ek_error error;
    tick();
    struct core_task_block *block = tasks.processor[0].held.oldest;
    block->place[block->from * tasks.worker[0].store.bytes] ^= 1; // in the path that led to the task
    cr_expect_not(ends_well(&error));
    cr_expect_eq(error.status, EK_VIOLATION);
    cr_expect(strstr(error.sentence, "a task was lost, doubled or changed"), "%s", error.sentence);
}

Test(cargo_tasks, a_lost_task_is_noticed, .init = begin, .fini = end)
{
    struct ek_error error;
    tick();
    tasks.processor[0].held.oldest->from++;
    tasks.processor[0].held.count--;
    cr_expect_not(ends_well(&error));
    cr_expect(strstr(error.sentence, "a task was lost, doubled or changed"), "%s", error.sentence);
}
