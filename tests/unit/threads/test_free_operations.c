// SPDX-License-Identifier: MIT
// Free timing by hand (by_hand.h): operations and their report. Messages are in test_free_messages.c, the ends of
// runs in test_free_ends.c.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/support/by_hand.h"
#include "threads/free/control/fault_injection.h"
#include "tests/support/runs.h"

static struct free_counts counts(const struct free_run *run)
{
    struct free_counts sum = {0};
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct free_counts *part = &run->worker[w].counts;
        sum.engagements += part->engagements;
        sum.overlaps += part->overlaps;
        sum.refusals += part->refusals;
        sum.abandoned += part->abandoned;
        sum.parcels += part->parcels;
        sum.stale += part->stale;
        sum.sum[FREE_SUM_ASKED] += part->sum[FREE_SUM_ASKED];
        sum.sum[FREE_SUM_GOT] += part->sum[FREE_SUM_GOT];
        sum.overlap_most = part->overlap_most > sum.overlap_most ? part->overlap_most : sum.overlap_most;
    }
    return sum;
}

static struct core_effects effects(struct free_run *run)
{
    struct core_effects all;
    cr_assert(watch_part_log_measure(&run->parts, run->start.mean, &all));
    return all;
}

Test(free_timing, who_has_nothing_asks_and_gets_half)
{
    struct free_run *run = begin((struct ek_experiment){.topology = "chain:2",
                                                        .method = "diffusion:0.5",
                                                        .load = "peak:100",
                                                        .units = "tokens",
                                                        .invoke = "below:1",
                                                        .keep_links = true});
    turns(run, "10101"); // ASK, TELL, PULL, GIVE; then the operation has ended
    struct free_counts sum = counts(run);
    cr_expect(run->processor[0].held == 50.0 && run->processor[1].held == 50.0);
    cr_expect(sum.engagements == 1 && sum.overlaps == 0 && sum.overlap_most == 1 && sum.parcels == 1);
    cr_expect(sum.sum[FREE_SUM_ASKED] == 50.0 && sum.sum[FREE_SUM_GOT] == 50.0 && sum.stale == 0,
              "the requested load was available");
    struct ek_report report = cut_off(run);
    const struct ek_effect *alone = &report.effects.alone;
    cr_expect(alone->count == 1 && report.effects.overlapped.count == 0, "no operation overlapped");
    cr_expect(alone->before == 5000.0 && alone->after == 0.0, "2 * 50^2, then nothing");
    cr_assert_eq(report.free.link_count, 2);
    bool first = report.free.link[0].from == 1;
    const struct ek_link_report *there = &report.free.link[first];
    const struct ek_link_report *back = &report.free.link[!first];
    cr_expect(there->from == 0 && there->to == 1 && there->load == 50.0 && there->messages == 2);
    cr_expect(back->from == 1 && back->to == 0 && back->load == 0.0 && back->messages == 2 && report.messages == 4);
    cr_expect(report.stayed == 50.0 && report.moved == 50.0, "%g never left", report.stayed);
    cr_expect_float_eq(there->latency.maximum, 1e-6, 1e-12);
    cr_expect_float_eq(report.free.operation_time.maximum, 4e-6, 1e-12);
    cr_expect_float_eq(report.free.longest_wait, 2e-6, 1e-12, "from the invocation to the answer");
    ek_report_destroy(&report);
    end(run);
}

// The helper thread has its first turn after a second. A thousand links should have failed by then.
Test(free_timing, faults_that_come_late_are_said_to)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:2", .method = "adf", .load = "constant:10", .faults = "link:1000,repair:1ms"});
    clock_ns = 1000000000;
    cr_expect(free_faults_apply(control_of(run), clock_ns));
    struct ek_report report = cut_off(run);
    cr_expect(report.free.faults.link_failures > 0);
    cr_expect(report.free.fault_lag > 0.9 && report.free.fault_lag < 1.0, "%g s", report.free.fault_lag);
    ek_report_destroy(&report);
    end(run);
}

// A failed processor does nothing while it has no link. Its workload goes on.
Test(free_timing, a_failed_processor_makes_up_its_ticks)
{
    static const uint8_t none[2];
    struct free_run *run = begin((struct ek_experiment){.topology = "chain:2",
                                                        .method = "adf",
                                                        .load = "constant:10",
                                                        .invoke = "below:1",
                                                        .work = "constant:0=1",
                                                        .tick_s = 1e-6,
                                                        .faults = "link:0.001",
                                                        .seconds_max = 1.0});
    turns(run, "00");
    cr_expect_eq(run->processor[0].held, 12.0);
    links_up = none;
    turns(run, "0000");
    cr_expect_eq(run->processor[0].held, 12.0, "a failed processor consumed load");
    links_up = NULL;
    turns(run, "00");
    cr_expect_eq(run->processor[0].held, 18.0, "%g, not a tick for each microsecond", run->processor[0].held);
    end(run);
}

// Each operation finds the member with the load that it announced. One comes too late for half of it.
Test(free_timing, two_operations_share_a_member)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:3", .method = "diffusion:0.75", .load = "peak:100@1", .invoke = "below:1"});
    turns(run, "021");
    struct free_counts sum = counts(run);
    cr_expect(sum.engagements == 2 && sum.overlaps == 1 && sum.overlap_most == 2, "the operations overlap");
    turns(run, "0202");
    cr_expect_eq(run->processor[1].held, 100.0, "processor 1 has had no turn");
    turns(run, "1");
    sum = counts(run);
    cr_expect(run->processor[1].held == 0.0 && sum.stale == 1 && sum.parcels == 2, "75 and the rest");
    turns(run, "02");
    cr_expect(run->processor[0].held == 75.0 && run->processor[2].held == 25.0);
    turns(run, "102");
    sum = counts(run);
    cr_expect(sum.sum[FREE_SUM_ASKED] == 150.0 && sum.sum[FREE_SUM_GOT] == 100.0);
    struct core_effects all = effects(run);
    cr_expect(all.of[CORE_EFFECT_ALONE].count == 0 && all.of[CORE_EFFECT_OVERLAPPED].count == 2);
    const struct core_effect *pair = &all.of[CORE_EFFECT_ONE_SHARED];
    double mean = 100.0 / 3.0;
    double before = 2.0 * mean * mean + (100.0 - mean) * (100.0 - mean);
    double after = mean * mean + (75.0 - mean) * (75.0 - mean) + (25.0 - mean) * (25.0 - mean);
    cr_expect(pair->count == 1 && fabs(pair->before - before) < 1e-9 && fabs(pair->after - after) < 1e-9, "%g to %g",
              pair->before, pair->after);
    end(run);
}

// Processor 1 asks 0; then 2 asks 1 and ends its operation before 0 answers. No member of the operation of 1 was in
// two operations, but 1 itself was.
Test(free_timing, an_operation_overlaps_where_its_invoker_is_asked)
{
    struct free_run *run = begin(
        (struct ek_experiment){.topology = "chain:3", .method = "ade", .load = "peak:900@0", .invoke = "below:1"});
    run->processor[2].held = 0.0;
    turns(run, "12"); // 1 asks its neighbour of the first colour, 2 its only neighbour
    turns(run, "1");
    run->processor[2].held = 300.0; // then it invokes no more
    turns(run, "2");
    cr_expect_eq(run->worker[2].operations, 1);
    cr_expect_eq(run->worker[1].operations, 0);
    turns(run, "01010121212121");
    cr_expect_eq(run->worker[1].operations, 1);
    struct core_effects all = effects(run);
    cr_expect(all.of[CORE_EFFECT_ALONE].count == 0 && all.of[CORE_EFFECT_ADJACENT].count == 1);
    cr_expect_eq(counts(run).overlaps, 1);
    end(run);
}

// Another processor asks the member after the member has given, while its load is in flight.
Test(free_timing, operations_overlap_only_where_somebody_is_in_both_at_once)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:3", .method = "diffusion:0.5", .load = "peak:100@1", .invoke = "below:1"});
    turns(run, "0101");
    cr_expect_eq(run->processor[1].engaged, 0);
    turns(run, "210");
    cr_expect(run->worker[0].operations == 1 && run->worker[2].operations == 0);
    turns(run, "212");
    cr_expect_eq(run->worker[2].operations, 1);
    struct core_effects all = effects(run);
    cr_expect(all.of[CORE_EFFECT_ALONE].count == 2 && all.of[CORE_EFFECT_OVERLAPPED].count == 0);
    cr_expect_eq(counts(run).overlaps, 0);
    end(run);
}

Test(free_timing, what_comes_too_late_is_stale)
{
    struct free_run *run = begin((struct ek_experiment){.topology = "chain:2",
                                                        .method = "diffusion:0.5",
                                                        .load = "peak:100",
                                                        .invoke = "below:1",
                                                        .work = "constant:0=-80",
                                                        .tick_s = 1.0,
                                                        .seconds_max = 9.0});
    turns(run, "10");
    uint64_t told_ns = clock_ns;
    clock_ns = 1000000000;
    turns(run, "0101"); // the work, PULL, GIVE of 20
    cr_expect(run->processor[0].held == 0.0 && run->processor[0].consumed == 80.0);
    cr_expect_eq(run->processor[1].held, 20.0);
    turns(run, "01");
    struct ek_report report = cut_off(run);
    cr_expect(report.free.stale == 1 && report.free.asked == 50.0 && report.free.got == 20.0);
    double age = 1e-9 * (double)(1000000000 + 3000 - told_ns);
    cr_expect_float_eq(report.free.stale_age.maximum, age, 1e-9, "%g, not %g", report.free.stale_age.maximum, age);
    ek_report_destroy(&report);
    end(run);
}

Test(free_timing, a_link_carries_no_more_than_its_limit)
{
    static const char *const invokes[] = {"below:1", "outside:0:60"}; // the first pulls, the second gives
    for (int k = 0; k < 2; k++) {
        struct free_run *run = begin((struct ek_experiment){.topology = "chain:2",
                                                            .method = "diffusion:0.5",
                                                            .load = "peak:100",
                                                            .invoke = invokes[k],
                                                            .link_limit = "7"});
        turns(run, k == 0 ? "10101" : "0101");
        cr_expect(run->processor[0].held == 93.0 && run->processor[1].held == 7.0, "%s: %g", invokes[k],
                  run->processor[1].held);
        struct free_counts sum = counts(run);
        cr_expect(sum.sum[FREE_SUM_ASKED] == (k == 0 ? 7.0 : 0.0) && sum.sum[FREE_SUM_GOT] == sum.sum[FREE_SUM_ASKED] &&
                      sum.stale == 0,
                  "asked for %g", sum.sum[FREE_SUM_ASKED]);
        end(run);
    }
}

// With one port, or with exclusive domains. While processor 1 is in the operation of 2, it refuses 0, which was
// refused often before, and reserves itself for 0.
enum { OFTEN = 500 };
static struct free_run *begin_with_a_promise(const char *domains, const char *ports)
{
    struct free_run *run = begin((struct ek_experiment){.topology = "chain:3",
                                                        .method = "ade",
                                                        .load = "peak:900@1",
                                                        .invoke = "below:1",
                                                        .ports = ports,
                                                        .domains = domains});
    run->processor[0].age = OFTEN;
    turns(run, "21"); // ASK, TELL
    turns(run, "01"); // ASK, REFUSE
    cr_expect_eq(counts(run).refusals, 1);
    turns(run, "21212"); // the operation of 2 ends
    cr_expect_eq(run->worker[2].operations, 1);
    cr_expect_eq(run->processor[2].age, 0);
    run->processor[2].held = 0.0; // it invokes again
    run->processor[1].held += 450.0;
    turns(run, "21");
    cr_expect_eq(counts(run).refusals, 2, "processor 1 is reserved for 0");
    return run;
}

Test(free_timing, who_was_refused_comes_next)
{
    for (int k = 0; k < 2; k++) {
        struct free_run *run = begin_with_a_promise(k ? "exclusive" : "overlap", k ? "all" : "one");
        turns(run, "0");
        cr_expect(run->processor[0].age == OFTEN + 1 && run->processor[0].wanted_at > 0, "its ticket keeps its age");
        uint32_t pause = run->processor[0].pause;
        cr_expect(pause >= 1 && pause <= 4, "of 1 to 2 * degree + 2 turns: %u", pause);
        for (; pause > 0; pause--) {
            cr_expect_eq(run->processor[0].phase, FREE_PHASE_IDLE);
            turns(run, "0");
        }
        turns(run, "01010");
        cr_expect_eq(run->worker[0].operations, 1);
        cr_expect_eq(counts(run).refusals, 2);
        turns(run, "222222121212"); // the reservation is used; 2 may come after a pause
        cr_expect(run->worker[2].operations == 2 && counts(run).refusals == 2);
        end(run);
    }
}

Test(free_timing, a_promise_does_not_last_for_ever)
{
    struct free_run *run = begin_with_a_promise("overlap", "one");
    turns(run, "0");
    run->processor[0].held = 300.0; // it no longer invokes, and does not come
    for (int k = 0; k < 40; k++) {
        turns(run, "12");
    }
    cr_expect_eq(run->worker[2].operations, 2);
    end(run);
}

Test(free_timing, a_ticket_is_as_old_as_its_operation)
{
    struct free_run *run =
        begin((struct ek_experiment){.topology = "chain:2", .method = "diffusion:0.5", .load = "peak:100"});
    run->processor[0].age = 5;
    turns(run, "010"); // ASK, TELL, GIVE: the operation ends, and the next one begins in the same turn
    cr_expect(run->worker[0].operations == 1 && run->processor[0].age == 0, "refused %u times", run->processor[0].age);
    end(run);
}

// A processor that was refused so often goes before younger tickets, though it pauses.
Test(free_timing, who_has_waited_long_goes_first)
{
    for (unsigned age = 7; age <= 8; age++) {
        struct free_run *run =
            begin((struct ek_experiment){.topology = "chain:2", .method = "ade", .load = "peak:100", .ports = "one"});
        run->processor[1].age = (uint16_t)age;
        run->processor[1].wanted_at = 1;
        run->processor[1].pause = 3;
        turns(run, "01");
        cr_expect_eq(counts(run).refusals, age == 8);
        end(run);
    }
}

// Processor 1 has asked two neighbours. An older ticket arrives, before or after one of them has answered. The
// member that has answered is released.
Test(free_timing, who_gives_way_lets_its_members_go)
{
    for (int k = 0; k < 2; k++) {
        struct free_run *run = begin((struct ek_experiment){.topology = "chain:3",
                                                            .method = "diffusion:0.3",
                                                            .load = "peak:900@0",
                                                            .invoke = "below:1",
                                                            .domains = "exclusive"});
        uint32_t port = run->topology->first[2];
        run->processor[2].age = 9;
        turns(run, k == 0 ? "1" : "10"); // 1 asks both
        struct mail_message asked;       // the message is taken out, as if it had not arrived
        run->boxes.kind->take(&run->boxes, port, &asked);
        turns(run, "2");
        run->boxes.kind->put(&run->boxes, run->topology->twin[port], asked);
        turns(run, "1");
        cr_expect(run->processor[1].withdrawn && run->processor[1].engaged == 1);
        turns(run, k == 0 ? "0121210" : "21210");
        cr_expect_eq(run->processor[0].engaged, 0);
        cr_expect(counts(run).abandoned == 1 && run->processor[0].held == 900.0);
        end(run);
    }
}

// An invoker with an exclusive domain asks its neighbours one after the other. It has settled with the first when an
// older ticket arrives, so it cannot give way.
Test(free_timing, what_has_moved_is_not_taken_back)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:3", .method = "ade", .load = "peak:900@0", .invoke = "below:1", .domains = "exclusive"});
    run->processor[2].age = 9; // the oldest ticket
    turns(run, "101021");      // 1 has settled with 0, and receives the ASK of 2
    cr_expect_eq(run->processor[1].held, 450.0);
    cr_expect(!run->processor[1].withdrawn && counts(run).refusals == 1, "%lu", (unsigned long)counts(run).refusals);
    for (int k = 0; k < 20; k++) {
        turns(run, "012");
    }
    cr_expect_eq(run->worker[1].operations, 1);
    cr_expect_gt(run->worker[2].operations, 0);
    end(run);
}

Test(free_timing, what_came_over_a_failed_link_goes_back)
{
    static const uint8_t failed[2] = {0, 0};
    struct free_run *run = begin((struct ek_experiment){.topology = "chain:2",
                                                        .method = "diffusion:0.5",
                                                        .load = "peak:100",
                                                        .invoke = "outside:0:60",
                                                        .keep_links = true});
    turns(run, "010"); // ASK, TELL, GIVE of 50
    cr_expect_eq(run->processor[0].held, 50.0);
    links_up = failed;
    turns(run, "1010101");
    cr_expect(run->processor[0].held == 100.0 && run->processor[1].held == 0.0);
    struct ek_report report = cut_off(run);
    cr_expect(report.free.faults.returned == 1 && report.free.faults.load_returned == 50.0);
    cr_expect(report.flow_l1 == 0.0 && report.flow_l2 == 0.0, "load crossed the link: %g", report.flow_l1);
    cr_expect(report.free.link[0].load == 0.0 && report.free.link[1].load == 0.0);
    ek_report_destroy(&report);
    end(run);
}

// Load that goes back when the run is cut off was sent over the other direction of the link, and has not crossed it.
Test(free_timing, what_goes_back_is_under_way_where_it_was_sent)
{
    static const uint8_t failed[2] = {0, 0};
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:2", .method = "diffusion:0.5", .load = "peak:100", .invoke = "outside:0:60"});
    turns(run, "010"); // ASK, TELL, GIVE of 50
    links_up = failed;
    turns(run, "1"); // RETURN of 50
    struct ek_report report = cut_off(run);
    cr_expect_eq(report.in_flight, 50.0);
    uint32_t port = run->topology->first[1];
    cr_expect_eq(control_of(run)->attendant.left[port].load, 50.0);
    cr_expect_eq(control_of(run)->attendant.left[port].messages, 0);
    cr_expect_eq(control_of(run)->attendant.left[run->topology->twin[port]].messages, 1);
    cr_expect(report.free.dump && !strstr(report.free.dump, " sent, "), "no load was lost: %s", report.free.dump);
    ek_report_destroy(&report);
    end(run);
}

// A link that fails takes requested load, or refuses the request. That is no load that the neighbour lacked.
Test(free_timing, what_a_failed_link_takes_was_not_missing)
{
    static const uint8_t failed[2] = {0, 0};
    for (int k = 0; k < 3; k++) {
        struct free_run *run = begin((struct ek_experiment){
            .topology = "chain:2", .method = "diffusion:0.5", .load = "peak:100", .invoke = "below:1"});
        turns(run, k == 1 ? "101" : "1010"); // ASK, TELL, PULL and its answer
        links_up = k < 2 ? failed : NULL;
        turns(run, k == 1 ? "010" : "101");
        struct ek_report report = cut_off(run);
        cr_expect(report.operations == 1 && run->processor[1].held == (k < 2 ? 0.0 : 50.0));
        cr_expect(report.free.asked == (k < 2 ? 0.0 : 50.0) && report.free.got == report.free.asked, "%d: %g of %g", k,
                  report.free.got, report.free.asked);
        ek_report_destroy(&report);
        end(run);
    }
}

Test(free_timing, who_has_no_link_left_stands_still)
{
    struct free_run *run = begin((struct ek_experiment){.topology = "chain:3",
                                                        .method = "adf",
                                                        .load = "constant:10",
                                                        .invoke = "below:0",
                                                        .work = "constant:0=5,1=5",
                                                        .faults = "processor:1",
                                                        .seconds_max = 9.0});
    const struct ek_topology *topology = run->topology;
    uint8_t up[4] = {0};
    for (uint32_t port = topology->first[1]; port < topology->first[2]; port++) {
        up[port] = topology->neighbour[port] == 2;
    }
    links_up = up;
    turns(run, "001");
    cr_expect(run->processor[0].generated == 0.0 && run->processor[0].ticks == 0, "it had failed");
    cr_expect(run->processor[1].generated == 5.0, "this one still has a link");
    memset(up, 1, sizeof up);
    turns(run, "0");
    cr_expect_eq(run->processor[0].generated, 5.0);
    end(run);
}

// If only listed processors invoke, their workers have all the room of the logs.
Test(free_timing, logs_have_room_for_those_who_invoke)
{
    struct free_run *run =
        begin((struct ek_experiment){.topology = "ring:8", .method = "adf", .invoke = "at:1,2", .load = "uniform:0:9"});
    cr_expect_eq(run->log.capacity, WATCH_OPERATION_LOG_RECORDS / 2);
    cr_expect_eq(run->parts.capacity, WATCH_PART_LOG_RECORDS / 4, "processors 0 to 3 take part");
    for (int k = 0; k < 4000; k++) {
        turns(run, "01230123");
    }
    struct ek_report report = cut_off(run);
    cr_expect_gt(report.operations, 2000);
    cr_expect(report.free.logged == report.operations && report.free.log_lost == 0);
    cr_expect_eq(report.effects.alone.count + report.effects.overlapped.count, report.operations);
    ek_report_destroy(&report);
    end(run);
}

Test(free_timing, a_straggler_takes_every_so_many_th_turn)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:3", .method = "adf", .load = "constant:10", .invoke = "below:0", .slow = "1:3"});
    for (int k = 0; k < 30; k++) {
        turns(run, "012");
    }
    cr_expect(run->worker[0].turns == 30 && run->worker[1].turns == 10 && run->worker[2].turns == 30);
    end(run);
}

// A processor that has no answer yet when the run is cut off has waited until then.
Test(free_timing, who_still_waits_has_waited_longest)
{
    struct free_run *run =
        begin((struct ek_experiment){.topology = "chain:2", .method = "adf", .load = "peak:100", .invoke = "below:1"});
    turns(run, "1");
    clock_ns = 5000000000;
    struct ek_report report = cut_off(run);
    cr_expect_float_eq(report.free.longest_wait, 5.0 - 1.001e-6, 1e-9, "%g", report.free.longest_wait);
    ek_report_destroy(&report);
    end(run);
}

// A turn with nothing to do counts the time of the pass before it.
Test(free_timing, a_turn_without_anything_to_do_has_waited)
{
    struct free_run *run =
        begin((struct ek_experiment){.topology = "chain:2", .method = "adf", .load = "peak:100", .invoke = "below:1"});
    turns(run, "1"); // ASK, at 1 us
    clock_ns = 4000;
    turns(run, "11"); // at 5 us, after a pass of 1 us, and at 6 us, after a pass of 4 us
    struct ek_report report = cut_off(run);
    cr_expect_float_eq(report.free.waited[EK_WAIT_ANSWER], 5e-6, 1e-12, "%g", report.free.waited[EK_WAIT_ANSWER]);
    ek_report_destroy(&report);
    end(run);
}

// An invoker that waits for a neighbour's operation to end tries again in every turn. These tries are no refusals.
Test(free_timing, turns_put_off_are_no_refusals)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:2", .method = "adf", .load = "constant:10", .invoke = "below:20", .domains = "exclusive"});
    turns(run, "1");   // ASK
    turns(run, "000"); // TELL; the processor's own operation is put off
    struct ek_report report = cut_off(run);
    cr_expect(report.free.refusals == 0 && report.free.abandoned == 0);
    cr_assert_not_null(report.free.dump);
    cr_expect(strstr(report.free.dump, "waits for a neighbour's operation to end, in 1 operations of neighbours, "
                                       "refused or postponed in 3 turns"),
              "%s", report.free.dump);
    ek_report_destroy(&report);
    end(run);
}

Test(free_timing, a_cycle_of_waits_is_shown)
{
    struct free_run *run = begin(
        (struct ek_experiment){.topology = "ring:4", .method = "adf", .load = "constant:10", .invoke = "below:1"});
    const struct ek_topology *topology = run->topology;
    for (uint32_t p = 0; p < 3; p++) { // 0 waits for 1, 1 for 2, 2 for 1; 3 waits for none
        uint32_t port = topology->first[p];
        port += topology->neighbour[port] != (p < 2 ? p + 1 : 1);
        run->port[port].member = p == 2 ? FREE_MEMBER_PULLED : FREE_MEMBER_ASKED;
        run->processor[p].phase = FREE_PHASE_ASKING;
        run->processor[p].waiting = 1;
    }
    clock_ns = 3000000;
    struct ek_report report = cut_off(run);
    cr_assert_not_null(report.free.dump);
    static const char *const parts[] = {
        ("processor 0: load 10, waits for an answer, in 0 operations of neighbours, its own operation 0 has asked for "
         "3 "
         "ms"),
        "  link to 1: waits for an answer; 0 messages under way from there, 0 kept for it\n",
        "  link to 1: waits for load; 0 messages under way from there, 0 kept for it\n",
        "1 processors have nothing to do\n", "a cycle of waits: 1 -> 2 -> 1\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cr_expect(strstr(report.free.dump, parts[i]), "'%s' is not in\n%s", parts[i], report.free.dump);
    }
    ek_report_destroy(&report);
    end(run);
}

// ---- --domains once ----

// Starts a run with all load at processor 1. The processors in `at` invoke as often as they can.
static struct free_run *begin_once(const char *topology, const char *at)
{
    return begin((struct ek_experiment){
        .topology = topology, .method = "ade", .load = "peak:900@1", .invoke = at, .domains = "once"});
}

// Returns p's port towards q.
static struct free_port *port_to(struct free_run *run, uint32_t p, uint32_t q)
{
    uint32_t port = run->topology->first[p];
    while (run->topology->neighbour[port] != q) {
        port++;
    }
    return &run->port[port];
}

Test(once, of_two_that_ask_each_other_the_older_ticket_has_the_link)
{
    for (uint32_t older = 0; older < 2; older++) {
        struct free_run *run = begin_once("chain:2", "at:0,1");
        run->processor[older].age = 3;
        uint32_t port = run->topology->first[1];
        struct mail_message asked; // the message is taken out, as if it had not arrived
        turns(run, "0");
        run->boxes.kind->take(&run->boxes, port, &asked);
        turns(run, "1");
        run->boxes.kind->put(&run->boxes, run->topology->twin[port], asked);
        turns(run, older == 0 ? "01010" : "01");
        struct free_counts sum = counts(run);
        cr_expect(run->worker[older].operations == 1 && run->worker[1 - older].operations == 0, "%u", older);
        cr_expect(sum.refusals == 1 && sum.engagements == 1, "%lu refused", (unsigned long)sum.refusals);
        cr_expect_eq(run->processor[1].held, 450.0);
        end(run);
    }
}

Test(once, who_is_in_an_operation_does_not_use_its_link)
{
    struct free_run *run = begin_once("chain:3", "at:0,1");
    turns(run, "01");
    cr_expect(port_to(run, 1, 0)->engaged && port_to(run, 1, 0)->member == FREE_MEMBER_NONE);
    cr_expect_eq(port_to(run, 1, 2)->member, FREE_MEMBER_ASKED, "1 asks its other neighbour");
    end(run);
}

Test(once, who_has_used_the_link_refuses)
{
    struct free_run *run = begin_once("chain:3", "at:0,1");
    turns(run, "101"); // 1 has given to 0, and asks 2
    run->processor[0].pause = 0;
    turns(run, "0"); // the load has arrived, and 0 asks
    cr_expect_eq(port_to(run, 0, 1)->member, FREE_MEMBER_ASKED);
    turns(run, "1");
    cr_expect_eq(port_to(run, 1, 0)->member, FREE_MEMBER_SETTLED);
    cr_expect_eq(counts(run).refusals, 1);
    end(run);
}

Test(once, who_has_told_does_without_the_link)
{
    struct free_run *run = begin_once("chain:3", "at:1,2");
    turns(run, "121"); // 1 asks 0, then tells 2
    cr_expect(port_to(run, 1, 2)->engaged && port_to(run, 1, 2)->member == FREE_MEMBER_REFUSED);
    turns(run, "01");
    cr_expect_eq(run->worker[1].operations, 1, "with 0 alone");
    cr_expect_eq(run->processor[1].held, 450.0);
    end(run);
}
