// SPDX-License-Identifier: MIT
// Windows of virtual time against a single queue of events, in which no processor runs ahead of another: random
// experiments have equal reports. A window may be as long as the least time from the begin of a turn to the arrival of
// its message, but no longer.
#include <string.h>

#include "tests/support/virtual_by_hand.h"
#include "tests/support/virtual_experiments.h"

enum { DRAWS = 1400, PROCESSORS_MAX = 64 };

typedef void how(struct virtual_machine *machine);

// Runs an experiment with one worker. With `lookahead_ns` above 0 the windows have that length.
static enum ek_status run_in(struct ek_machine *prepared, how *run, uint64_t lookahead_ns, struct ek_report *report)
{
    struct ek_error error;
    struct virtual_machine *machine = virtual_create(prepared);
    if (lookahead_ns > 0) {
        virtual_set_lookahead(machine, lookahead_ns);
    }
    *report = (struct ek_report){0};
    run(machine);
    enum ek_status status = virtual_end(machine, report, &error);
    cr_expect_neq(status, EK_VIOLATION, "%s", error.sentence);
    return status;
}

// Prepares a drawn experiment. Returns NULL if it is refused.
static struct ek_machine *prepare(struct tests_virtual *drawn)
{
    struct ek_error error;
    drawn->experiment.carrier = "pool:1";
    return ek_prepare(&drawn->experiment, &error);
}

Test(windows, have_the_reports_of_a_single_queue_of_events)
{
    unsigned made = 0;
    for (uint64_t number = 0; number < DRAWS; number += tests_one_in()) {
        struct tests_virtual drawn;
        tests_draw_virtual(&drawn, number);
        struct ek_machine *machine = prepare(&drawn);
        if (!machine) {
            continue;
        }
        struct ek_report windows, queue;
        enum ek_status status = run_in(machine, virtual_run_by_windows, 0, &windows);
        cr_expect_eq(run_in(machine, virtual_run_by_queue, 0, &queue), status, "%s", tests_virtual_said(&drawn));
        const char *name = tests_virtual_differs(&windows, &queue, ek_machine_topology(machine)->processors);
        cr_expect_null(name, "%lu, %s: %s differs", number, tests_virtual_said(&drawn), name);
        made++;
        ek_report_destroy(&windows);
        ek_report_destroy(&queue);
        ek_machine_destroy(machine);
    }
    cr_expect_geq(made * tests_one_in(), DRAWS * 4 / 5, "%u experiments", made);
}

// Lets the drawn experiment end at its limit of time only, so that nothing but its turns and messages decides.
static struct ek_machine *prepare_for_a_time(struct tests_virtual *drawn, uint64_t number)
{
    tests_draw_virtual(drawn, number);
    struct ek_experiment *experiment = &drawn->experiment;
    experiment->stop = "never";
    experiment->operations_max = 0;
    experiment->faults = NULL;
    experiment->keep_trace = false;
    experiment->invoke =
        experiment->invoke && strncmp(experiment->invoke, "global", 6) == 0 ? NULL : experiment->invoke;
    return prepare(drawn);
}

// Returns the name of a value that differs between a run in the usual windows and another one, or NULL. How often
// windows end does not count. A run that ends by itself does so when it is tested, so then only loads count.
static const char *differs_from(struct ek_machine *machine, how *run, uint64_t lookahead_ns)
{
    struct ek_report usual, other;
    run_in(machine, virtual_run_by_windows, 0, &usual);
    run_in(machine, run, lookahead_ns, &other);
    other.windows = usual.windows;
    other.free.audits = usual.free.audits;
    uint32_t processors = ek_machine_topology(machine)->processors;
    const char *name = tests_virtual_differs(&usual, &other, processors);
    if (usual.ended == EK_ENDED_ITSELF && other.ended == EK_ENDED_ITSELF && usual.final) {
        name = memcmp(usual.final, other.final, processors * sizeof *usual.final) == 0 ? NULL : "final";
    }
    ek_report_destroy(&usual);
    ek_report_destroy(&other);
    return name;
}

// The queue knows no window here: one is as long as the whole run.
Test(windows, decide_nothing_but_when_a_run_is_tested)
{
    for (uint64_t number = 0; number < DRAWS; number += tests_one_in()) {
        struct tests_virtual drawn;
        struct ek_machine *machine = prepare_for_a_time(&drawn, number);
        const char *name = machine ? differs_from(machine, virtual_run_by_queue, UINT64_C(1) << 60) : NULL;
        cr_expect_null(name, "%lu, %s: %s differs", number, tests_virtual_said(&drawn), name);
        ek_machine_destroy(machine);
    }
}

// Returns the least time from the begin of a turn to the arrival of its message, in whole nanoseconds.
static uint64_t longest_window(const struct ek_machine *machine)
{
    const struct ek_link_model *links = &machine->plan.links;
    uint64_t latency = links->delay.low;
    latency = links->load_apart && links->delay_load.low < latency ? links->delay_load.low : latency;
    return latency + core_cost_ns(&links->costs, CORE_COST_GAP) + core_cost_ns(&links->costs, CORE_COST_TURN) +
           core_cost_ns(&links->costs, CORE_COST_OVERHEAD);
}

Test(windows, may_be_longer_by_a_turn_and_an_overhead)
{
    for (uint64_t number = 0; number < DRAWS; number += tests_one_in()) {
        struct tests_virtual drawn;
        struct ek_machine *machine = prepare_for_a_time(&drawn, number);
        const char *name = machine ? differs_from(machine, virtual_run_by_windows, longest_window(machine)) : NULL;
        cr_expect_null(name, "%lu, %s: %s differs", number, tests_virtual_said(&drawn), name);
        ek_machine_destroy(machine);
    }
}

// Processor 0 has a turn each nanosecond, so it has one when the first message arrives. It comes first in its window.
Test(windows, may_not_be_longer_by_a_nanosecond)
{
    struct ek_experiment experiment = {.topology = "chain:2",
                                       .method = "ade",
                                       .timing = "virtual",
                                       .carrier = "pool:1",
                                       .load = "list:0,100",
                                       .work = "constant:0=1",
                                       .invoke = "at:1",
                                       .turn_cost = "1ns",
                                       .overhead = "0ns",
                                       .gap = "0ns",
                                       .latency = "10ns",
                                       .stop = "never",
                                       .seconds_max = 200e-9,
                                       .keep_loads = true};
    struct ek_machine *machine = must_prepare(experiment);
    cr_assert_eq(longest_window(machine), 11);
    cr_expect_null(differs_from(machine, virtual_run_by_windows, 11));
    cr_expect_not_null(differs_from(machine, virtual_run_by_windows, 12));
    cr_expect_null(differs_from(machine, virtual_run_by_queue, 12), "the queue needs no windows");
    ek_machine_destroy(machine);
}
