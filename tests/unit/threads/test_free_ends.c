// SPDX-License-Identifier: MIT
// Free timing by hand (by_hand.h): the watchdog, snapshots, and when a criterion began to hold.
#include <criterion/criterion.h>

#include <string.h>

#include "tests/support/by_hand.h"
#include "threads/mail/mailbox_spsc.h"
#include "threads/free/load_sums.h"

// A message that is in flight for longer than the watchdog's timeout does not end the run.
Test(free_ends, the_watchdog_knows_how_long_a_message_may_take)
{
    struct free_run *run = begin((struct ek_experiment){.topology = "chain:2",
                                                        .method = "diffusion:0.5",
                                                        .load = "peak:100",
                                                        .invoke = "below:1",
                                                        .delay = "fixed:1s",
                                                        .watchdog_s = 0.3});
    let_run(run, 10000000);
    cr_expect_eq(control_of(run)->attendant.ended, EK_ENDED_ITSELF);
    cr_expect_eq(run->processor[1].held, 50.0);
    end(run);
}

// A processor has its turns and never answers: this ends the run.
Test(free_ends, the_watchdog_ends_a_run_that_is_stuck)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:2", .method = "diffusion:0.5", .load = "peak:100", .invoke = "below:1", .watchdog_s = 0.3});
    turns(run, "1");
    struct mail_message lost;
    uint32_t port = run->topology->first[0];
    cr_assert_eq(run->boxes.kind->waiting(&run->boxes, port), 1);
    run->boxes.kind->take(&run->boxes, port, &lost);
    let_run(run, 1000000);
    cr_expect_eq(control_of(run)->attendant.ended, EK_ENDED_STUCK);
    cr_expect(clock_ns > 300000000 && clock_ns < 2000000000, "%g s", 1e-9 * (double)clock_ns);
    end(run);
}

// Processor 1 waits for an answer. It has turns enough, but its slow neighbour has not had enough yet: it could still
// answer.
Test(free_ends, the_watchdog_waits_for_a_slow_processor)
{
    enum { SLOW = 2000, ENOUGH = 64 };
    struct free_run *run = begin((struct ek_experiment){.topology = "chain:2",
                                                        .method = "diffusion:0.5",
                                                        .load = "peak:100",
                                                        .invoke = "below:1",
                                                        .slow = "0:2000",
                                                        .watchdog_s = 0.3});
    let_run(run, 1000000);
    cr_expect_eq(control_of(run)->attendant.ended, EK_ENDED_ITSELF);
    cr_expect(run->processor[1].held == 50.0 && clock_ns > SLOW * UINT64_C(1000000), "it had no turn earlier");
    cr_expect(driver_of(run)->watchdog.turns_enough[0] == ENOUGH && driver_of(run)->watchdog.turns_enough[1] == ENOUGH);
    end(run);
}

// A run with a lost message is stuck when a snapshot has shown it and the caller, which may carry messages between
// ranks, has had as many turns as the processors.
Test(free_ends, the_watchdog_needs_a_snapshot_and_turns_of_the_caller)
{
    enum { CALLS = 64, LATE = 200 };
    for (int late = 0; late < 2; late++) {
        struct free_run *run = begin((struct ek_experiment){.topology = "chain:2",
                                                            .method = "diffusion:0.5",
                                                            .load = "peak:100",
                                                            .invoke = "below:1",
                                                            .watchdog_s = 0.3});
        turns(run, "1");
        struct mail_message lost;
        run->boxes.kind->take(&run->boxes, run->topology->first[0], &lost);
        int calls = 0;
        while (!atomic_load(&run->shared.over)) {
            for (int k = 0; k < 100; k++) {
                turns(run, "01");
            }
            clock_ns += 100000000;
            control_of(run)->attendant.audit_next_ns = late && calls < LATE ? UINT64_MAX : 0;
            control_of(run)->attendant.audit_rested_ns = UINT64_MAX;
            threads_attend(driver_of(run));
            calls++;
        }
        cr_expect(late ? calls > LATE && calls < LATE + CALLS : calls >= CALLS && calls < 2 * CALLS, "%d calls", calls);
        end(run);
    }
}

// A snapshot whose marker is lost never completes. It shows that a run is stuck when it has lasted for longer than the
// watchdog's timeout: not a nanosecond earlier, and not counted from the last progress, which came before it began.
Test(free_ends, the_watchdog_needs_no_complete_snapshot)
{
    enum { LIMIT_NS = 300000000, LATE_NS = 500000000 };
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:2", .method = "diffusion:0.5", .load = "peak:100", .invoke = "below:1", .watchdog_s = 0.3});
    struct free_attendant *attendant = &control_of(run)->attendant;
    struct mail_message lost;
    turns(run, "1");
    run->boxes.kind->take(&run->boxes, run->topology->first[0], &lost);
    attendant->audit_next_ns = UINT64_MAX;
    clock_ns += LATE_NS;
    threads_attend(driver_of(run));
    cr_assert_eq(driver_of(run)->watchdog.progress_ns, clock_ns);
    clock_ns += LATE_NS;
    attendant->audit_next_ns = 0;
    threads_attend(driver_of(run)); // the snapshot begins
    cr_assert(attendant->auditing && attendant->audit_began_ns == clock_ns);
    cr_assert_lt(driver_of(run)->watchdog.progress_ns, clock_ns);
    for (int k = 0; k < 100; k++) {
        turns(run, "1");
        mail_fetch(&run->boxes, run->topology->first[0], &lost); // its marker, the first time
        turns(run, "0");
        threads_attend(driver_of(run));
    }
    cr_expect(attendant->auditing && !atomic_load(&run->shared.over));
    clock_ns = attendant->audit_began_ns + LIMIT_NS;
    threads_attend(driver_of(run));
    cr_expect_not(atomic_load(&run->shared.over));
    clock_ns += LIMIT_NS / 10;
    threads_attend(driver_of(run));
    cr_expect(atomic_load(&run->shared.over) && attendant->ended == EK_ENDED_STUCK && attendant->audits == 0);
    end(run);
}

// In each pass a worker gives each of its processors a turn; a slow processor has a turn in some passes only.
Test(free_ends, the_watchdog_counts_turns_of_processors)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:4", .method = "adf", .load = "constant:1", .slow = "1:10", .invoke = "below:0"});
    run->worker[0].end = 3;
    threads_watch_begin(driver_of(run));
    cr_expect_eq(driver_of(run)->watchdog.turns_enough[0], 64 * 21, "640 passes, in each of them 2.1 turns");
    cr_expect_eq(driver_of(run)->watchdog.turns_enough[3], 64);
    run->worker[0].end = 1;
    end(run);
}

// A worker that has made its last pass before it sleeps does not sleep yet.
Test(free_ends, the_watchdog_knows_who_sleeps)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:2", .method = "diffusion:0.5", .load = "peak:100", .invoke = "below:1", .watchdog_s = 0.3});
    for (int k = 0; k <= 100; k++) {
        cr_expect_not(atomic_load(&run->shared.over));
        turns(run, "1");
        atomic_store(&run->bell[0].lying, 1); // processor 0 has lain down; in the end it sleeps
        atomic_store(&run->worker[0].sleeps_until, k < 100 ? 0 : UINT64_MAX);
        clock_ns += 100000000;
        threads_attend(driver_of(run));
    }
    cr_expect(atomic_load(&run->shared.over) && control_of(run)->attendant.ended == EK_ENDED_STUCK);
    end(run);
}

// Returns whether a run ends as frozen if each processor has ended this many operations since the loads last changed.
// The first of these operations may have begun before, with other loads.
static bool is_frozen_after(uint64_t tries)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:2", .method = "diffusion:0.5", .load = "list:1,2", .units = "tokens", .stop = "spread:0.1"});
    struct free_control *control = control_of(run);
    for (int snapshot = 0; snapshot < 2; snapshot++) {
        for (uint32_t p = 0; p < 2; p++) {
            run->processor[p].operation = 7 + (snapshot > 0 ? tries : 0);
        }
        do {
            control->attendant.audit_next_ns = 0;
            threads_attend(driver_of(run));    // begins the snapshot
            for (unsigned w = 0; w < 2; w++) { // only the snapshot's messages
                run->processor[w].pause = 100;
                free_pass(&run->worker[w]);
            }
            clock_ns += 1000000;
        } while (control->attendant.audits == (uint64_t)snapshot);
    }
    bool frozen = control->attendant.stopping && control->attendant.ended == EK_ENDED_FROZEN;
    end(run);
    return frozen;
}

Test(free_ends, a_run_is_frozen_after_two_operations_of_each)
{
    cr_expect_not(is_frozen_after(0));
    cr_expect_not(is_frozen_after(1));
    cr_expect(is_frozen_after(2));
}

// A run that ends while a processor waits for a message that nobody sends has violated the protocol.
Test(free_ends, no_processor_waits_at_the_end)
{
    for (int k = 0; k < 3; k++) {
        struct free_run *run = begin((struct ek_experiment){
            .topology = "chain:2", .method = "diffusion:0.5", .load = "constant:1", .invoke = "below:0"});
        run->processor[1].phase = k == 1 ? FREE_PHASE_SETTLING : FREE_PHASE_IDLE;
        run->processor[1].engaged = k == 2;
        struct ek_report report = {0};
        struct ek_error error = {0};
        free_end_now(control_of(run), EK_ENDED_ITSELF);
        enum ek_status status = free_report(control_of(run), &report, &error);
        cr_expect_eq(status, k == 0 ? EK_OK : EK_VIOLATION);
        cr_expect(k == 0 || strstr(error.sentence, "the run ended while processor 1 was in an operation"), "%s",
                  error.sentence);
        atomic_store(&run->shared.violated, false);
        ek_report_destroy(&report);
        end(run);
    }
}

// After a snapshot the attendant rests, unless the run was interrupted: the process may not have long to live.
Test(free_ends, an_interrupted_run_does_not_rest)
{
    for (int interrupted = 0; interrupted < 2; interrupted++) {
        struct free_run *run = begin((struct ek_experiment){
            .topology = "chain:2", .method = "diffusion:0.5", .load = "constant:1", .invoke = "below:0"});
        const struct free_attendant *attendant = &control_of(run)->attendant;
        threads_attend(driver_of(run)); // the first snapshot begins
        free_drain(control_of(run), interrupted ? EK_ENDED_INTERRUPT : EK_ENDED_TIME);
        clock_ns += 10000000;
        for (int k = 0; k < 4; k++) {
            turns(run, "01");
        }
        threads_attend(driver_of(run));
        cr_expect_eq(attendant->audits, 1);
        cr_expect_eq(attendant->audit_next_ns > clock_ns, !interrupted);
        end(run);
    }
}

// The criterion must still hold when all load in flight has arrived. Otherwise the run goes on.
Test(free_ends, a_criterion_is_tested_again_after_the_drain)
{
    struct free_run *run = begin((struct ek_experiment){.topology = "chain:2",
                                                        .method = "diffusion:0.5",
                                                        .load = "peak:100",
                                                        .invoke = "below:1",
                                                        .stop = "spread:10"});
    free_drain(control_of(run), EK_ENDED_CRITERION); // as if the criterion had held at a snapshot
    for (int k = 0; k < 20; k++) {
        turns(run, "01");
        threads_attend(driver_of(run));
    }
    cr_expect_not(control_of(run)->attendant.stopping);
    let_run(run, 1000);
    cr_expect_eq(run->processor[1].held, 50.0, "the run goes on");
    end(run);
}

// The next snapshot finds load that appears from nowhere, even a little.
Test(free_ends, a_snapshot_holds_the_loads_against_the_ledger)
{
    static const double amounts[] = {0.0, 1.0, 1e-6};
    for (int k = 0; k < 3; k++) {
        struct free_run *run = begin((struct ek_experiment){.topology = "ring:4",
                                                            .method = "adf",
                                                            .load = "constant:1000",
                                                            .units = k == 1 ? "tokens" : "real",
                                                            .invoke = "below:1"});
        run->processor[2].held += amounts[k];
        let_run(run, 1000);
        cr_expect_eq(atomic_load(&run->shared.violated), k > 0, "%g of load", amounts[k]);
        atomic_store(&run->shared.violated, false); // the violation was planted
        end(run);
    }
}

// Snapshots also find it in runs with work, which comes at its own times or in every turn. The number of ticks
// bounds the rounding error.
Test(free_ends, a_snapshot_knows_work_from_what_appears)
{
    for (int k = 0; k < 4; k++) {
        struct free_run *run = begin((struct ek_experiment){.topology = "ring:4",
                                                            .method = "adf",
                                                            .load = "constant:1000",
                                                            .invoke = "below:1",
                                                            .work = "normal:10:3:10",
                                                            .tick_s = k / 2 ? 1e-3 : 0.0,
                                                            .seconds_max = 0.01});
        run->processor[2].held += k % 2 ? 1e-6 : 0.0;
        let_run(run, 1000);
        cr_expect_eq(atomic_load(&run->shared.violated), k % 2, "%d", k);
        cr_expect(k % 2 || (run->processor[2].ticks > 5 && run->processor[2].generated > 0.0), "%d", k);
        atomic_store(&run->shared.violated, false); // the violation was planted
        end(run);
    }
}

// The mean time between snapshots. The first begins with the run.
Test(free_ends, the_interval_between_snapshots)
{
    struct free_run *run = begin((struct ek_experiment){.topology = "ring:4",
                                                        .method = "adf",
                                                        .invoke = "below:1",
                                                        .work = "constant:0=1",
                                                        .tick_s = 1.0,
                                                        .audit_s = 0.01,
                                                        .seconds_max = 0.1});
    unsigned begun = 0;
    uint64_t last_ns = 0;
    while (!control_of(run)->attendant.stopping) {
        unsigned before = atomic_load(&run->shared.epoch);
        threads_attend(driver_of(run));
        if (atomic_load(&run->shared.epoch) > before && !control_of(run)->attendant.stopping) {
            begun++;
            last_ns = clock_ns;
        }
        turns(run, "0123");
    }
    let_run(run, 1000);
    struct ek_report report = {0};
    struct ek_error error;
    cr_assert_eq(free_report(control_of(run), &report, &error), EK_OK, "%s", error.sentence);
    cr_expect(begun > 3 && report.free.audits > begun);
    double interval = 1e-9 * (double)last_ns / (begun - 1);
    cr_expect_float_eq(report.free.audit_interval, interval, 1e-12, "%g, not %g", report.free.audit_interval, interval);
    ek_report_destroy(&report);
    end(run);
}

// The variance of 10, 12, 14 and 16 is 20, and their spread is 6. The sums leave out load in flight between workers.
Test(free_ends, sums_of_the_workers_promise_a_criterion)
{
    static const struct {
        const char *load, *stop;
        bool promised;
    } cases[] = {
        {"list:10,12,14,16", "variance:20", true}, {"list:10,12,14,16", "variance:19.9", false},
        {"list:10,12,14,16", "spread:6", true},    {"list:10,12,14,16", "spread:5.9", false},
        {"list:10,12,14,16", "error:4.48", true},  {"list:10,12,14,16", "error:4.47", false},
        {"list:10,12,14,16", "shared", true},      {"list:0,12,14,16", "shared", false},
        {"list:5,5,5,5", "neighbours:9", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct free_run *run =
            begin((struct ek_experiment){.topology = "ring:4", .load = cases[i].load, .stop = cases[i].stop});
        for (unsigned w = 0; w < 4; w++) {
            free_publish_sums(&run->worker[w]);
        }
        cr_expect_eq(free_sums_reach_criterion(run), cases[i].promised, "%s of %s", cases[i].stop, cases[i].load);
        end(run);
    }
}

// The criterion held at the first snapshot since which it has always held, and did not hold at the snapshot before.
Test(free_ends, the_report_says_between_which_snapshots_the_criterion_came_to_hold)
{
    struct free_run *run =
        begin((struct ek_experiment){.topology = "ring:4", .method = "adf", .load = "peak:4000", .stop = "spread:1"});
    uint64_t began_ns[1000] = {0};
    unsigned begun = 0;
    while (!control_of(run)->attendant.stopping && begun < 1000) {
        unsigned before = atomic_load(&run->shared.epoch);
        threads_attend(driver_of(run));
        if (atomic_load(&run->shared.epoch) > before && !control_of(run)->attendant.stopping) {
            began_ns[begun++] = clock_ns;
        }
        turns(run, "0123");
    }
    let_run(run, 1000);
    struct ek_report report = {0};
    struct ek_error error;
    cr_assert_eq(free_report(control_of(run), &report, &error), EK_OK, "%s", error.sentence);
    cr_assert(begun > 1, "%u snapshots", begun);
    cr_expect_float_eq(report.free.reached_s, 1e-9 * (double)began_ns[begun - 1], 1e-12, "%g", report.free.reached_s);
    cr_expect_float_eq(report.free.reached_window_s, 1e-9 * (double)(began_ns[begun - 1] - began_ns[begun - 2]), 1e-12,
                       "%g", report.free.reached_window_s);
    cr_expect(report.free.reached_operations > 0 && report.free.reached_operations <= (double)report.operations);
    ek_report_destroy(&report);
    end(run);
}
