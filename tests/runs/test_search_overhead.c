// SPDX-License-Identifier: MIT
// The search overhead of branch and bound against a serial search.
#include <criterion/criterion.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/register.h"
#include "tests/support/programs.h"
#include "tests/support/runs.h"

static struct ek_report run(struct ek_experiment experiment)
{
    struct tests_outcome outcome;
    experiment.method = "adf";
    tests_try(&experiment, 0, &outcome);
    cr_assert(outcome.machine, "%s", outcome.error.sentence);
    struct ek_report report = outcome.report;
    tests_outcome_destroy(&outcome);
    return report;
}

Test(search, is_compared_with_one_processor, .timeout = 60)
{
    static const char *const specs[] = {"tsp:9:2", "flowshop:8x4:3", "flowshop-forward:7x3:5"};
    static const char *const timings[] = {"rounds", "turns", "free", "virtual"};
    for (size_t i = 0; i < 12; i++) {
        const char *spec = specs[i / 4];
        struct ek_serial serial = must_execute(spec);
        struct ek_report report =
            run((struct ek_experiment){.topology = "torus:4x4", .tasks = spec, .timing = timings[i % 4]});
        cr_assert(report.tasks.has_search && !report.tasks.serial_unknown, "%s", spec);
        cr_expect_eq(report.tasks.nodes_serial, serial.nodes, "%s: %llu", spec,
                     (unsigned long long)report.tasks.nodes_serial);
        cr_expect_eq(report.tasks.search_overhead, (double)report.tasks.nodes / (double)serial.nodes);
    }
}

// One processor searches what the serial search does. With the optimum as the upper bound every machine does.
Test(search, has_no_overhead_if_all_search_the_same, .timeout = 60)
{
    struct ek_report alone = run((struct ek_experiment){.topology = "chain:1", .tasks = "tsp:10:4"});
    cr_expect_eq(alone.tasks.search_overhead, 1.0);
    char spec[40];
    snprintf(spec, sizeof spec, "tsp:10:4:%llu", (unsigned long long)alone.tasks.result);
    struct ek_report many = run((struct ek_experiment){.topology = "torus:4x4", .tasks = spec});
    cr_expect(many.tasks.nodes_serial > 10);
    cr_expect_eq(many.tasks.search_overhead, 1.0);
}

Test(search, is_reported_of_whole_searches_only, .timeout = 60)
{
    cr_expect_not(run((struct ek_experiment){.topology = "ring:4", .tasks = "queens:6"}).tasks.has_search);
    cr_expect_not(
        run((struct ek_experiment){.topology = "ring:4", .tasks = "tsp:9:2", .steps_max = 3}).tasks.has_search);
}

// A search in which a lucky machine drops nearly all: the root has a leaf with the least value, and a chain whose tasks
// are dropped as soon as this value is known. One processor searches the chain first.
enum { CHAIN = 2000, LEAF = CHAIN };

static struct ek_problem *prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    (void)setting, (void)error;
    struct ek_problem *problem = calloc(1, sizeof *problem);
    if (problem) {
        *problem = (struct ek_problem){
            .task_bytes = sizeof(uint32_t), .first_tasks = 1, .children_most = 5, .best = EK_NO_VALUE};
    }
    return problem;
}

static void begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    (void)problem, (void)index;
    memset(task, 0, sizeof(uint32_t));
}

static void add(struct ek_execution *execution, uint32_t number)
{
    void *room = execution->child(execution);
    if (room) {
        memcpy(room, &number, sizeof number);
    }
}

static void execute(const struct ek_problem *problem, const void *task, struct ek_execution *execution)
{
    uint32_t number;
    (void)problem;
    memcpy(&number, task, sizeof number);
    if (number == LEAF) {
        execution->best = 0;
        return;
    }
    execution->dropped = execution->best == 0;
    for (int i = 0; number == 0 && i < 4; i++) { // enough to share
        add(execution, LEAF);
    }
    if (!execution->dropped && number + 1 < CHAIN) {
        add(execution, number + 1);
    }
}

static struct ek_program lucky = {.name = "lucky",
                                  .choice = {"lucky", "a leaf and a chain"},
                                  .result = EK_RESULT_LEAST,
                                  .prepare = prepare,
                                  .begin = begin,
                                  .execute = execute};

Test(search, is_unknown_if_one_processor_takes_too_long, .timeout = 60)
{
    struct ek_error error;
    cr_assert(ek_program_register(&lucky, &error));
    struct ek_report report = run((struct ek_experiment){.topology = "complete:4", .tasks = "lucky"});
    cr_assert(report.tasks.has_search && report.tasks.serial_unknown, "%llu nodes",
              (unsigned long long)report.tasks.nodes_serial);
    cr_expect_eq(report.tasks.serial_most, 2 * report.tasks.executed);
    cr_expect(report.tasks.executed < CHAIN / 2);
    cr_expect(isnan(report.tasks.search_overhead));
    struct ek_report alone = run((struct ek_experiment){.topology = "chain:1", .tasks = "lucky"});
    cr_expect_eq(alone.tasks.nodes_serial, CHAIN + 4);
}

// Runs of one machine search once, also if they end at the same time.
static void *run_one(void *context)
{
    struct ek_report *report = calloc(1, sizeof *report);
    struct ek_error error;
    ek_run(context, 0, report, NULL, NULL, &error);
    return report;
}

Test(search, is_shared_by_the_runs_of_a_machine, .timeout = 60)
{
    struct ek_error error;
    struct ek_experiment experiment = {
        .topology = "ring:6", .method = "adf", .tasks = "tsp:9:2", .timing = "virtual", .unpinned = true};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    pthread_t thread[3];
    uint64_t nodes = must_execute("tsp:9:2").nodes;
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread[i], NULL, run_one, machine);
    }
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(thread[i], &result);
        struct ek_report *report = result;
        cr_expect_eq(report->tasks.nodes_serial, nodes);
        ek_report_destroy(report);
        free(report);
    }
    ek_machine_destroy(machine);
}
