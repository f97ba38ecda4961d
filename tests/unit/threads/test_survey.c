// SPDX-License-Identifier: MIT
// Surveys by hand: what the parts of all processors sum up to, and how they end a run. Also the sums of loads over
// workers, which lose no rounding error.
#include <math.h>
#include <string.h>

#include "tests/support/text_file.h"
#include "tests/support/virtual_by_hand.h"
#include "threads/free/control/end.h"
#include "threads/free/control/survey.h"

enum { PROCESSORS = 4 };

// A run of ring:4 with load 10 at each processor, in which no turn has been made.
struct fixture {
    struct ek_machine *prepared;
    struct virtual_machine *machine;
    struct free_control *control;
    struct free_snapshot part[PROCESSORS]; // of a machine at rest
};

static struct fixture create(struct ek_experiment more)
{
    more.topology = "ring:4";
    more.method = more.method ? more.method : "ade";
    more.load = more.load ? more.load : "constant:10";
    more.timing = "virtual";
    more.carrier = "pool:1";
    more.unpinned = true;
    more.stop = more.stop ? more.stop : "variance:1";
    more.seconds_max = 1.0;
    struct fixture fixture = {.prepared = must_prepare(more)};
    fixture.machine = virtual_create(fixture.prepared);
    fixture.control = fixture.machine->control;
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fixture.part[p] = (struct free_snapshot){.held = 10.0, .idle = true, .asks = true};
    }
    return fixture;
}

static void destroy(struct fixture *fixture)
{
    virtual_engine.destroy(fixture->machine);
    ek_machine_destroy(fixture->prepared);
}

static struct free_snapshot part_of(void *context, uint32_t p)
{
    const struct fixture *fixture = context;
    return fixture->part[p];
}

static struct free_totals totals_of(struct fixture *fixture)
{
    return free_survey_add(fixture->control, part_of, fixture);
}

// Surveys the parts, and decides what follows.
static void judge(struct fixture *fixture)
{
    struct free_totals totals = totals_of(fixture);
    struct core_measure measure;
    free_survey_measure(fixture->control, &totals, &measure);
    free_survey_judge(fixture->control, &totals, &measure);
}

static bool is_over(const struct fixture *fixture)
{
    return atomic_load_explicit(&fixture->machine->run->shared.over, memory_order_relaxed);
}

static bool is_violated(const struct fixture *fixture)
{
    return atomic_load_explicit(&fixture->machine->run->shared.violated, memory_order_relaxed);
}

// ---- sums ----

Test(survey, sums_up_the_parts)
{
    struct fixture fixture = create((struct ek_experiment){0});
    fixture.part[1] = (struct free_snapshot){.held = 7.0,
                                             .generated = 5.0,
                                             .consumed = 1.0,
                                             .moved = 3.0,
                                             .stayed = 2.0,
                                             .in_flight = 4.5,
                                             .messages = 3,
                                             .asks = true,
                                             .blocked = true,
                                             .held_back = true,
                                             .ended = 8,
                                             .tried = 1,
                                             .ticks = 6};
    fixture.part[2].in_flight = 0.25;
    fixture.part[2].messages = 1;
    fixture.part[2].tried = 9;
    fixture.part[0].tried = 11;
    fixture.part[3].asks = false;
    fixture.part[3].blocked = true;
    struct free_totals totals = totals_of(&fixture);
    cr_expect_eq(totals.in_flight, 4.75);
    cr_expect_eq(totals.generated, 5.0);
    cr_expect_eq(totals.consumed, 1.0);
    cr_expect_eq(totals.moved, 3.0);
    cr_expect_eq(totals.stayed, 2.0);
    cr_expect_eq(totals.messages, 4);
    cr_expect_eq(totals.ticks, 6);
    cr_expect_eq(totals.operations, 8);
    cr_expect_eq(totals.active, 1);
    cr_expect_eq(totals.asking, 3);
    cr_expect_eq(totals.blocked, 1, "one that asks nobody is not blocked");
    cr_expect(totals.held_back);
    cr_expect_not(totals.works);
    cr_expect_not(totals.recurs);
    cr_expect_eq(totals.tried, 9, "of those that ask and can");
    cr_expect_eq(fixture.control->attendant.held[1], 7.0);
    destroy(&fixture);
}

Test(survey, work_of_a_processor_cut_off_for_good_does_not_come)
{
    static struct tests_memory file = {.text = "1s fail link 0 1\n", .length = 17};
    struct fixture fixture = create((struct ek_experiment){.faults = "file:any", .reader = tests_memory_reader(&file)});
    fixture.part[1].works = fixture.part[1].cut_off = true;
    cr_expect_not(totals_of(&fixture).works);
    fixture.control->attendant.repairs_pending = true;
    cr_expect(totals_of(&fixture).works);
    fixture.control->attendant.repairs_pending = false;
    fixture.part[1].cut_off = false;
    cr_expect(totals_of(&fixture).works);
    destroy(&fixture);
}

Test(sums, of_several_workers_lose_nothing)
{
    struct ek_machine *prepared = must_prepare((struct ek_experiment){.topology = "ring:8",
                                                                      .method = "ade",
                                                                      .timing = "virtual",
                                                                      .carrier = "pool:3",
                                                                      .unpinned = true,
                                                                      .keep_loads = true});
    struct ek_error error;
    struct virtual_machine *machine = virtual_engine.create(&prepared->plan, 0, &error);
    cr_assert(machine, "%s", error.sentence);
    static const double amounts[] = {1e16, 1.0, 3.0, -1e16, 0.5, 1e-3, 1.0};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        free_sum_add(&machine->worker[i % 3].worker->counts, FREE_SUM_ASKED, amounts[i]);
    }
    struct ek_report report = {0};
    virtual_engine.report(machine, &report, &error);
    cr_expect_eq(report.free.asked, 5.501, "%.17g", report.free.asked);
    ek_report_destroy(&report);
    virtual_engine.destroy(machine);
    ek_machine_destroy(prepared);
}

// ---- ends ----

Test(judgement, lost_load_is_a_violation)
{
    struct fixture fixture = create((struct ek_experiment){.stop = "never"});
    fixture.part[0].held = 9.0;
    fixture.part[2].in_flight = 1.0;
    judge(&fixture);
    cr_expect_not(is_violated(&fixture), "it is under way");
    fixture.part[2].in_flight = 0.5;
    judge(&fixture);
    cr_expect(is_violated(&fixture) && is_over(&fixture));
    destroy(&fixture);
}

Test(judgement, a_criterion_that_fails_again_after_the_drain_lets_the_run_go_on)
{
    struct fixture fixture = create((struct ek_experiment){.stop = "variance:1"});
    struct free_attendant *attendant = &fixture.control->attendant;
    fixture.part[1].idle = false;
    judge(&fixture);
    cr_expect(attendant->reached);
    cr_expect(free_drains(fixture.control) && attendant->ended == EK_ENDED_CRITERION);
    judge(&fixture);
    cr_expect_not(is_over(&fixture), "an operation is open");
    fixture.part[1].idle = true;
    fixture.part[0].held = 15.0;
    fixture.part[1].held = 5.0;
    atomic_store(&fixture.machine->run->shared.epoch, attendant->drained_epoch);
    judge(&fixture);
    cr_expect_not(is_over(&fixture));
    cr_expect_not(free_drains(fixture.control));
    cr_expect_not(attendant->reached);
    fixture.part[0].held = fixture.part[1].held = 10.0;
    judge(&fixture);
    atomic_store(&fixture.machine->run->shared.epoch, attendant->drained_epoch);
    judge(&fixture);
    cr_expect(is_over(&fixture) && attendant->ended == EK_ENDED_CRITERION);
    destroy(&fixture);
}

Test(judgement, a_run_ends_by_itself_if_nobody_would_invoke)
{
    struct fixture fixture = create((struct ek_experiment){.stop = "never", .invoke = "below:5"});
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fixture.part[p].asks = false;
    }
    fixture.part[2].works = true;
    judge(&fixture);
    cr_expect_not(is_over(&fixture), "work is to come");
    fixture.part[2].works = false;
    fixture.part[3].messages = 1;
    judge(&fixture);
    cr_expect_not(is_over(&fixture), "a message is under way");
    fixture.part[3].messages = 0;
    fixture.part[3].asks = true;
    judge(&fixture);
    cr_expect_not(is_over(&fixture), "one would invoke");
    fixture.part[3].asks = false;
    judge(&fixture);
    cr_expect(is_over(&fixture) && fixture.control->attendant.ended == EK_ENDED_ITSELF);
    destroy(&fixture);
}

Test(judgement, a_run_goes_on_while_an_invocation_may_be_drawn)
{
    struct fixture fixture = create((struct ek_experiment){.stop = "never", .invoke = "probability:0.1"});
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fixture.part[p].asks = false;
    }
    fixture.part[2].recurs = true;
    judge(&fixture);
    cr_expect_not(is_over(&fixture));
    fixture.part[2].recurs = false; // its method would include no neighbour
    judge(&fixture);
    cr_expect(is_over(&fixture) && fixture.control->attendant.ended == EK_ENDED_ITSELF);
    destroy(&fixture);
}

// Tokens that no rule would move: the run is frozen when each processor has tried twice since the last change.
Test(judgement, a_run_is_frozen_after_two_vain_operations_of_each_processor)
{
    struct fixture fixture =
        create((struct ek_experiment){.units = "tokens", .load = "list:10,10,10,11", .stop = "variance:0.1"});
    fixture.part[3].held = 11.0;
    for (uint64_t tried = 0; tried < 2; tried++) {
        for (unsigned p = 0; p < PROCESSORS; p++) {
            fixture.part[p].tried = p == 1 ? tried : 5;
        }
        judge(&fixture);
        cr_expect_not(free_drains(fixture.control), "one has tried %lu times", tried);
    }
    fixture.part[1].tried = 2;
    fixture.part[0].in_flight = 1.0;
    fixture.part[0].held = 9.0;
    judge(&fixture);
    cr_expect_not(free_drains(fixture.control), "load is under way");
    fixture.part[0].in_flight = 0.0;
    fixture.part[0].held = 10.0;
    fixture.machine->run->processor[1].operation = 2;
    judge(&fixture); // a change, from which on the operations count again
    cr_expect_not(free_drains(fixture.control));
    fixture.part[1].tried = 3;
    judge(&fixture);
    cr_expect_not(free_drains(fixture.control), "one has tried once since the change");
    fixture.part[1].tried = 4;
    judge(&fixture);
    cr_expect(free_drains(fixture.control) && fixture.control->attendant.ended == EK_ENDED_FROZEN);
    destroy(&fixture);
}

// ---- the criterion of a run without one ----

static enum core_stop_kind stop_without_one(struct ek_experiment more)
{
    more.topology = "ring:4";
    more.method = "ade";
    more.timing = "virtual";
    more.seconds_max = 1e-6;
    struct ek_machine *prepared = must_prepare(more);
    enum core_stop_kind kind = prepared->plan.stop.kind;
    ek_machine_destroy(prepared);
    return kind;
}

Test(settled, criteria_fit_work_and_invocation)
{
    cr_expect_eq(stop_without_one((struct ek_experiment){0}), CORE_STOP_VARIANCE);
    cr_expect_eq(stop_without_one((struct ek_experiment){.invoke = "below:9"}), CORE_STOP_ITSELF);
    cr_expect_eq(stop_without_one((struct ek_experiment){.work = "constant:0=1"}), CORE_STOP_NEVER);
    cr_expect_eq(stop_without_one((struct ek_experiment){.work = "constant:0=1", .invoke = "below:9"}),
                 CORE_STOP_NEVER);
}
