// SPDX-License-Identifier: MIT
// Free timing by hand (by_hand.h): messages and their mailboxes.
#include <criterion/criterion.h>

#include "tests/support/by_hand.h"
#include "tests/support/runs.h"

// Whether a turn is interrupted is drawn at each message that is sent or received, and nowhere else.
Test(free_messages, perturbs_at_every_message)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:2", .method = "diffusion:0.5", .load = "peak:100", .invoke = "below:1", .perturb = 0.5});
    struct base_random drawn[2] = {run->worker[0].random, run->worker[1].random};
    turns(run, "10101"); // each sends two of ASK, TELL, PULL and GIVE, and receives the others
    for (unsigned w = 0; w < 2; w++) {
        for (unsigned message = 0; message < 4; message++) {
            base_random_unit(&drawn[w]);
        }
        cr_expect_arr_eq(&run->worker[w].random, &drawn[w], sizeof drawn[w], "worker %u", w);
    }
    end(run);
}

// The bits of a stamp that hold the time overflow after 78 hours. Delays and latencies must stay right.
Test(free_messages, a_message_knows_its_time_after_78_hours)
{
    static const uint64_t hours_78 = UINT64_C(1) << 48;
    for (uint64_t before = 0; before < 6; before++) {
        struct free_run *run = begin((struct ek_experiment){.topology = "chain:2",
                                                            .method = "diffusion:0.5",
                                                            .load = "peak:100",
                                                            .invoke = "below:1",
                                                            .delay = "fixed:3us"});
        clock_ns = hours_78 - 1000 * before;
        turns(run, "101010101010101010101010"); // the receiver takes three turns for an answer
        struct ek_report report = cut_off(run);
        cr_expect(report.operations == 1 && run->processor[0].held == 50.0);
        cr_expect_float_eq(report.free.latency.maximum, 3e-6, 1e-6, "%g s", report.free.latency.maximum);
        cr_expect_float_eq(report.free.delay_realised.median, 3e-6, 1e-6, "%g s", report.free.delay_realised.median);
        cr_expect(report.free.operation_time.maximum > 10e-6 && report.free.operation_time.maximum < 24e-6);
        ek_report_destroy(&report);
        end(run);
    }
}

// A message that its delay holds back has left the mailbox. The mailbox has room for one message and never held
// more.
Test(free_messages, a_mailbox_never_holds_more_than_its_capacity)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:2", .method = "adf", .load = "peak:100", .mailbox = "spsc:1", .delay = "fixed:5us"});
    for (unsigned i = 0; i < 20; i++) {
        turns(run, "010101");
    }
    struct ek_report report = cut_off(run);
    cr_expect_gt(report.free.depth[0], 10);
    cr_expect_eq(report.free.depth_most, 1, "%lu", (unsigned long)report.free.depth_most);
    ek_report_destroy(&report);
    end(run);
}

// A straggler finds several messages from another processor of its worker. The depth counts all of them, though a
// turn receives only some.
Test(free_messages, a_mailbox_is_as_deep_as_what_lies_in_it)
{
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.timing = "free",
                                      .topology = "chain:2",
                                      .method = "sender:1/(2deg)",
                                      .announce = "pushed",
                                      .carrier = "pool:1",
                                      .mailbox = "spsc:20",
                                      .slow = "1:100",
                                      .work = "constant:0=3",
                                      .stop = "never",
                                      .operations_max = 3000},
              0, &outcome);
    cr_assert_eq(outcome.report.ended, EK_ENDED_OPERATIONS, "%s", outcome.error.sentence);
    const struct ek_free_report *running = &outcome.report.free;
    cr_expect_eq(running->depth_most, 20, "%lu", (unsigned long)running->depth_most);
    cr_expect_gt(running->depth[5], 100, "%lu of 17 to 32", (unsigned long)running->depth[5]);
    tests_outcome_destroy(&outcome);
}
