// SPDX-License-Identifier: MIT
// Pushed loads (--announce pushed). By hand, with turns at even times, they follow the delay paper's system: as
// rounds do, and as a small simulation does in which no processor gives more than it holds. Also tested: the bound
// on messages, the ends of such runs, and refusals. On threads the load balances if delay and parameter are small,
// and oscillates if they are not.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/by_hand.h"
#include "threads/free/pushed.h"
#include "tests/support/text_file.h"
#include "tests/support/runs.h"

enum { TURN_NS = 1000, PROCESSORS_MAX = 16, PORTS_MAX = 256, TIMES_MAX = 512 };

// x_i(t), and the flow over each port at time t. Until tau no announcement has arrived.
struct paper {
    double load[TIMES_MAX][PROCESSORS_MAX], sent[TIMES_MAX][PORTS_MAX];
};

static double amount_of(double c, double here, double there, double held, bool tokens)
{
    double amount = c * (here - there);
    amount = tokens ? floor(amount) : amount;
    return fmax(0.0, fmin(amount, held));
}

// Simulates from the loads at time 0. A processor's c is `number` over deg + `more`.
static void simulate(struct paper *paper, const struct ek_topology *topology, double number, double more, unsigned tau,
                     bool tokens, unsigned times)
{
    for (unsigned t = 0; t < times; t++) {
        for (uint32_t i = 0; i < topology->processors; i++) {
            double held = t > 0 ? paper->load[t - 1][i] : paper->load[0][i];
            for (uint32_t port = topology->first[i]; port < topology->first[i + 1]; port++) {
                held -= t > 0 ? paper->sent[t - 1][port] : 0.0;
            }
            for (uint32_t port = topology->first[i]; port < topology->first[i + 1]; port++) {
                held += t >= tau ? paper->sent[t - tau][topology->twin[port]] : 0.0;
            }
            double c = number / (topology->first[i + 1] - topology->first[i] + more);
            paper->load[t][i] = held;
            for (uint32_t port = topology->first[i]; t >= tau && port < topology->first[i + 1]; port++) {
                double there = paper->load[t - tau][topology->neighbour[port]];
                paper->sent[t][port] = amount_of(c, paper->load[t][i], there, held, tokens);
                held -= paper->sent[t][port];
            }
        }
    }
}

// Gives all processors this many turns, at the same times.
static void take_turns(struct free_run *run, unsigned times)
{
    for (unsigned t = 0; t < times; t++) {
        for (unsigned w = 0; w < run->machine->workers; w++) {
            free_pass(&run->worker[w]);
        }
        clock_ns += TURN_NS;
    }
}

// Returns what p announced last: its load at the last time, before its gifts.
static double announced_by(const struct free_run *run, uint32_t p)
{
    return run->port[run->topology->first[p]].announced;
}

static struct ek_experiment pushed(const char *topology, const char *method, unsigned tau, bool tokens)
{
    static char delay[32];
    snprintf(delay, sizeof delay, "fixed:%uus", tau);
    return (struct ek_experiment){.topology = topology,
                                  .method = method,
                                  .units = tokens ? "tokens" : "real",
                                  .load = "peak:1600@1",
                                  .announce = "pushed",
                                  .mailbox = "spsc:16",
                                  .delay = delay};
}

// Checks the loads after this many steps of rounds.
static void expect_as_in_rounds(const struct free_run *run, struct ek_experiment experiment, unsigned tau,
                                uint64_t steps)
{
    char delay[32];
    snprintf(delay, sizeof delay, "fixed:%u", tau);
    experiment.delay = delay;
    experiment.announce = experiment.mailbox = NULL;
    experiment.stop = "never";
    experiment.carrier = "pool:1";
    experiment.steps_max = steps;
    experiment.keep_loads = true;
    experiment.seed = 1;
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_assert_eq(outcome.status, EK_OK, "%s", outcome.error.sentence);
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        double expected = outcome.report.final[p];
        double tolerance = run->machine->units == EK_TOKENS ? 0.0 : 1e-9;
        cr_expect(fabs(announced_by(run, p) - expected) <= tolerance, "%s on %s, delay %u: %u has %.17g, not %.17g",
                  experiment.method, experiment.topology, tau, p, announced_by(run, p), expected);
    }
    tests_outcome_destroy(&outcome);
}

// In rounds all loads are known at the start. Here the first announcement takes the delay.
Test(announce, in_step_it_is_what_rounds_are)
{
    static const char *const topologies[] = {"mesh:4x4", "ring:15", "complete:8", "star:6"};
    static const char *const methods[] = {"sender:1/(deg+1)", "sender:1/deg", "adf", "diffusion:0.1"};
    enum { STEPS = 60 };
    for (unsigned k = 0; k < 4 * 4 * 3 * 2; k++) {
        unsigned tau = 1 + k / 16 % 3 * 3;
        struct ek_experiment experiment = pushed(topologies[k % 4], methods[k / 4 % 4], tau, k / 48);
        struct free_run *run = begin(experiment);
        take_turns(run, STEPS + tau + 1);
        expect_as_in_rounds(run, experiment, tau, STEPS);
        end(run);
    }
}

Test(announce, nobody_gives_more_than_it_holds)
{
    static const struct {
        const char *topology, *method;
        double number, more;
    } cases[] = {{"mesh:4x4", "sender:1.5/deg", 1.5, 0.0},
                 {"complete:8", "sender:2/deg", 2.0, 0.0},
                 {"star:6", "sender:4/(deg+1)", 4.0, 1.0},
                 {"ring:15", "sender:1/(deg+1)", 1.0, 1.0}};
    static struct paper paper;
    for (unsigned k = 0; k < 4 * 3 * 2; k++) {
        unsigned tau = 1 + k / 4 % 3 * 3;
        bool tokens = k / 12;
        struct free_run *run = begin(pushed(cases[k % 4].topology, cases[k % 4].method, tau, tokens));
        for (uint32_t p = 0; p < run->topology->processors; p++) {
            paper.load[0][p] = run->processor[p].held;
        }
        memset(paper.sent, 0, sizeof paper.sent);
        simulate(&paper, run->topology, cases[k % 4].number, cases[k % 4].more, tau, tokens, TIMES_MAX);
        take_turns(run, TIMES_MAX);
        for (uint32_t p = 0; p < run->topology->processors; p++) {
            double expected = paper.load[TIMES_MAX - 1][p];
            cr_expect(fabs(announced_by(run, p) - expected) <= 1e-9, "%s on %s, delay %u: %u has %.17g, not %.17g",
                      cases[k % 4].method, cases[k % 4].topology, tau, p, announced_by(run, p), expected);
            cr_expect_geq(run->worker[free_worker_of(run, p)].counts.minimum, 0.0);
        }
        end(run);
    }
}

// Returns the distance of the held loads from balance, divided by the distance at the start.
static double distance_left(const struct free_run *run)
{
    double squares = 0.0;
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        double distance = run->processor[p].held - run->start.mean;
        squares += distance * distance;
    }
    return sqrt(squares / run->start.variance);
}

// The same methods and delay: in rounds one diverges and the other converges.
Test(announce, what_diverges_in_rounds_swings)
{
    static const struct {
        const char *method;
        bool diverges;
    } cases[] = {{"sender:1.5/deg", true}, {"sender:1/deg", true}, {"sender:0.2/deg", false}};
    for (int k = 0; k < 3; k++) {
        struct free_run *run = begin(pushed("mesh:4x4", cases[k].method, 5, false));
        take_turns(run, 1500);
        double least = INFINITY;
        for (int t = 0; t < 100; t++) {
            take_turns(run, 1);
            least = fmin(least, distance_left(run));
        }
        cr_expect(cases[k].diverges ? least > 0.03 : distance_left(run) < 1e-6, "%s: %g of the distance",
                  cases[k].method, least);
        end(run);
    }
}

Test(announce, who_has_nothing_new_is_silent)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "ring:4", .method = "adf", .load = "constant:10", .announce = "pushed", .stop = "shared"});
    take_turns(run, 50);
    uint64_t messages = 0;
    for (unsigned w = 0; w < 4; w++) {
        messages += run->worker[w].messages;
        cr_expect_eq(run->worker[w].operations, 0, "no processor has load to give");
        cr_expect(run->worker[w].turns - run->worker[w].counts.empty_turns <= 2,
                  "one turn to announce and one to receive");
    }
    cr_expect_eq(messages, 8, "each once to each neighbour: %lu", (unsigned long)messages);
    end(run);
}

// Processor 0 knows that 1 holds nothing, and 1 has no turns.
Test(announce, a_full_link_takes_no_more)
{
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:2", .method = "adf", .load = "peak:100", .announce = "pushed", .mailbox = "spsc:1"});
    turns(run, "0100"); // the gift of 50 is sent; its announcement and a gift of 25 are kept
    cr_expect_eq(run->port[0].kept.count, 2);
    turns(run, "0000");
    cr_expect_eq(run->port[0].kept.count, 2, "no gift is sent while messages are kept");
    cr_expect_eq(run->processor[0].held, 25.0);
    threads_attend(driver_of(run));
    turns(run, "0000");
    cr_expect_eq(run->port[0].kept.count, 3, "a marker is kept, too");
    turns(run, "1");
    cr_expect_eq(run->processor[1].held, 50.0);
    for (int k = 0; k < 100; k++) {
        turns(run, "01");
    }
    cr_expect_eq(run->port[0].kept.count, 0);
    cr_expect_float_eq(run->processor[0].held + run->processor[1].held, 100.0, 1e-9);
    cr_expect_float_eq(run->processor[1].held, 50.0, 1e-6);
    cr_expect_eq(run->port[0].neighbour_level, run->processor[1].held, "the newest load has arrived");
    end(run);
}

// In a snapshot. The receiver may have taken the messages that fill the link before it recorded itself, so the
// snapshot does not count them. It must count that the sender has something to announce and to give.
Test(announce, a_full_link_hides_nothing_from_a_snapshot)
{
    struct free_run *run =
        begin((struct ek_experiment){.topology = "chain:2", .method = "adf", .load = "peak:90", .announce = "pushed"});
    struct free_port *port = &run->port[run->topology->first[0]];
    port->neighbour_level = 0.0;
    port->kept.count = 1;
    for (int news = 0; news < 2; news++) {
        struct free_snapshot part = {0};
        port->announced = news ? 30.0 : 90.0;
        free_push_record(&run->worker[0], 0, &part);
        cr_expect(part.idle == !news && !part.blocked, "%d", news);
    }
    port->neighbour_level = 90.0;
    struct free_snapshot part = {0};
    free_push_record(&run->worker[0], 0, &part);
    cr_expect(part.blocked, "the loads are equal: it would give nothing");
    port->kept.count = 0;
    end(run);
}

// Load in flight arrives when the link fails. Then no message is sent until the link is repaired; then everything is
// announced.
Test(announce, a_failed_link_is_not_used)
{
    static const uint8_t failed[2] = {0, 0};
    struct free_run *run = begin((struct ek_experiment){
        .topology = "chain:2", .method = "diffusion:0.25", .load = "peak:100", .announce = "pushed"});
    turns(run, "010");
    cr_expect_eq(run->processor[0].held, 75.0);
    links_up = failed;
    turns(run, "1010");
    cr_expect(run->processor[0].held == 75.0 && run->processor[1].held == 25.0);
    cr_expect(run->port[0].neighbour_level == 0.0 && run->port[1].neighbour_level == 100.0,
              "a failed link carried an announcement");
    links_up = NULL;
    turns(run, "10");
    cr_expect_eq(run->port[0].neighbour_level, 25.0);
    cr_expect_eq(run->processor[0].held, 62.5);
    turns(run, "10101010101010101010101010101010101010101010");
    cr_expect_float_eq(run->processor[1].held, 50.0, 1e-3);
    end(run);
}

// An announcement in flight may cause a gift, and so may a random number that is still to be drawn.
Test(announce, it_is_no_end_while_anything_can_come)
{
    static const struct {
        struct ek_experiment experiment;
        enum ek_ended ended;
        double held;
    } cases[] = {
        {{.delay = "fixed:1s", .stop = "spread:1"}, EK_ENDED_CRITERION, 50.0},
        {{.invoke = "probability:0.01", .stop = "spread:1"}, EK_ENDED_CRITERION, 50.0},
        {{.invoke = "every:50", .stop = "spread:1"}, EK_ENDED_CRITERION, 50.0},
        {{.invoke = "global:spread:1"}, EK_ENDED_ITSELF, 50.0},
        {{.invoke = "above:75", .work = "file:work", .tick_s = 1.0}, EK_ENDED_ITSELF, 70.0},
    };
    struct tests_memory work = {"0 0\n0 0\n40 0\n", 12};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        experiment.topology = "chain:2";
        experiment.method = "adf";
        experiment.load = "peak:100";
        experiment.announce = "pushed";
        experiment.reader = (struct ek_reader){tests_memory_read, &work};
        struct free_run *run = begin(experiment);
        let_run(run, 10000000);
        cr_expect_eq(control_of(run)->attendant.ended, cases[i].ended, "case %zu: %d", i,
                     control_of(run)->attendant.ended);
        cr_expect_float_eq(run->processor[1].held, cases[i].held, 0.5, "case %zu: %g", i, run->processor[1].held);
        end(run);
    }
}

Test(announce, it_ends_when_all_has_been_said)
{
    static const struct {
        struct ek_experiment experiment;
        enum ek_ended ended;
        enum ek_status status;
    } cases[] = {
        {{.units = "tokens", .stop = "spread:0"}, EK_ENDED_FROZEN, EK_UNREACHED},
        {{.units = "tokens", .stop = "spread:0", .invoke = "probability:0.5"}, EK_ENDED_FROZEN, EK_UNREACHED},
        {{.units = "tokens", .stop = "spread:0", .faults = "link:2000,repair:5ms"}, EK_ENDED_FROZEN, EK_UNREACHED},
        {{.units = "tokens", .stop = "never", .operations_max = 100000}, EK_ENDED_FROZEN, EK_OK},
        {{.load = "peak:6000", .invoke = "above:900"}, EK_ENDED_ITSELF, EK_OK},
        {{.load = "peak:6000", .invoke = "below:200"}, EK_ENDED_FROZEN, EK_UNREACHED},
        {{.units = "tokens", .faults = "file:faults", .stop = "spread:0"}, EK_ENDED_FROZEN, EK_UNREACHED},
    };
    struct tests_memory faults = {"0us fail processor 3\n", 21};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int pool = 0; pool < 2; pool++) {
            struct ek_experiment experiment = cases[i].experiment;
            experiment.topology = "ring:12";
            experiment.method = "adf";
            experiment.announce = "pushed";
            experiment.timing = "free";
            experiment.carrier = pool ? "pool:2" : "threads";
            experiment.seed = 1;
            experiment.reader = (struct ek_reader){tests_memory_read, &faults};
            struct tests_outcome outcome;
            tests_try(&experiment, 0, &outcome);
            cr_assert_eq(outcome.status, cases[i].status, "case %zu: %s", i, outcome.error.sentence);
            cr_expect_eq(outcome.report.ended, cases[i].ended, "case %zu: %d", i, outcome.report.ended);
            tests_outcome_destroy(&outcome);
        }
    }
}

// The link is repaired after a time without events that is three times the watchdog's timeout.
Test(announce, it_waits_for_repairs)
{
    struct tests_memory faults = {"0us fail link 0 1\n900ms repair link 0 1\n", 40};
    struct ek_experiment experiment = {.topology = "chain:3",
                                       .method = "adf",
                                       .load = "peak:90",
                                       .timing = "free",
                                       .announce = "pushed",
                                       .stop = "spread:1",
                                       .watchdog_s = 0.3,
                                       .faults = "file:faults",
                                       .reader = {tests_memory_read, &faults}};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_expect(outcome.status == EK_OK && outcome.report.ended == EK_ENDED_CRITERION, "%s", outcome.error.sentence);
    cr_expect(outcome.report.free.faults.repairs == 1 && outcome.report.elapsed_s > 0.9);
    tests_outcome_destroy(&outcome);
}

// If delay and parameter are small, the run ends as it does with requested loads. It does so too if both are large
// and domains are exclusive, because then no other processor changes their loads.
Test(announce, threads_balance)
{
    static const struct {
        const char *method, *delay, *announce, *domains;
    } cases[] = {
        {"sender:0.5/deg", "none", "asked", "overlap"},          {"sender:0.5/deg", "none", "pushed", "overlap"},
        {"sender:0.2/deg", "fixed:300us", "asked", "overlap"},   {"sender:0.2/deg", "fixed:300us", "pushed", "overlap"},
        {"sender:1.5/deg", "fixed:300us", "asked", "exclusive"},
    };
    for (unsigned k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        struct ek_experiment experiment = {.topology = "mesh:4x4",
                                           .method = cases[k / 2].method,
                                           .load = "peak:1600",
                                           .timing = "free",
                                           .carrier = k % 2 ? "threads" : "pool:2",
                                           .delay = cases[k / 2].delay,
                                           .announce = cases[k / 2].announce,
                                           .domains = cases[k / 2].domains,
                                           .stop = "spread:1",
                                           .seconds_max = 60.0,
                                           .seed = 1};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_assert_eq(outcome.status, EK_OK, "case %u: %s", k, outcome.error.sentence);
        cr_expect_float_eq(report->total_final, 1600.0, 1e-9);
        cr_expect(report->minimum_ever >= 0.0 && report->in_flight == 0.0 && report->operations > 0);
        cr_expect(report->spread_final <= 1.0, "case %u: a spread of %g", k, report->spread_final);
        bool is_pushed = strcmp(cases[k / 2].announce, "pushed") == 0;
        cr_expect(!is_pushed || (report->free.engagements == 0 && report->free.refusals == 0));
        cr_expect_eq(report->free.announced_age.count > 0, is_pushed);
        tests_outcome_destroy(&outcome);
    }
}

// If both are large, so that the method diverges in rounds, pushed loads oscillate. By hand: on a busy machine,
// processors wait for longer than the delay, so their information is new.
Test(announce, it_swings_where_delay_and_parameter_are_large)
{
    static const char *const methods[] = {"sender:1.5/deg", "sender:0.2/deg"};
    for (unsigned k = 0; k < 2; k++) {
        struct free_run *run = begin((struct ek_experiment){.topology = "mesh:4x4",
                                                            .method = methods[k],
                                                            .load = "peak:1600",
                                                            .delay = "fixed:300us",
                                                            .announce = "pushed",
                                                            .stop = "spread:1",
                                                            .seconds_max = 0.5});
        let_run(run, 20000);
        struct ek_report report = {0};
        struct ek_error error;
        cr_expect_eq(free_report(control_of(run), &report, &error), EK_OK);
        cr_expect_eq(report.ended, k == 0 ? EK_ENDED_TIME : EK_ENDED_CRITERION, "%u: reason %d", k, report.ended);
        cr_expect(k == 0 ? report.spread_final > 10.0 : report.spread_final <= 1.0, "%g", report.spread_final);
        cr_expect_float_eq(report.total_final, 1600.0, 1e-9);
        cr_expect(report.minimum_ever >= 0.0 && report.in_flight == 0.0 && report.free.engagements == 0);
        ek_report_destroy(&report);
        end(run);
    }
}

// Each gift follows an announcement that is as old as the delay.
Test(announce, the_report_says_how_old_announcements_were)
{
    struct free_run *run = begin(pushed("chain:2", "diffusion:0.1", 7, false));
    take_turns(run, 40);
    struct ek_report report = {0};
    struct ek_error error;
    free_end_now(control_of(run), EK_ENDED_STUCK);
    cr_expect_eq(free_report(control_of(run), &report, &error), EK_STUCK);
    cr_expect_eq(report.free.announced_age.count, report.parcels);
    cr_expect_float_eq(report.free.announced_age.median, 7e-6, 1e-7, "%g", report.free.announced_age.median);
    ek_report_destroy(&report);
    end(run);
}

Test(announce, what_means_nothing_is_refused)
{
    static const struct {
        struct ek_experiment experiment;
        const char *sentence;
    } cases[] = {
        {{.method = "ade"},
         "ade requests load or draws links, which pushed announcements do not allow: choose announce asked, or a "
         "method"},
        {{.method = "nna"}, "or a method that only gives, like adf or sender"},
        {{.method = "splitting:1/2", .topology = "ring:8"}, "splitting requests load or draws links"},
        {{.method = "local-average"}, "local-average requests load or draws links"},
        {{.ports = "one"}, "uses all its links at once: choose ports all, or announce asked"},
        {{.domains = "exclusive"}, "choose domains overlap, or announce asked"},
        {{.domains = "once"}, "choose domains overlap, or announce asked"},
        {{.invoke = "above:3", .work = "constant:0=1", .working = "suspended", .seconds_max = 1.0},
         "choose working after, or announce asked"},
        {{.units = "tokens", .rounding = "carry"}, "choose rounding down or nearest, or announce asked"},
        {{.units = "tokens", .rounding = "random"}, "draws and carries nothing"},
        {{.timing = "rounds"}, "use timing free"},
        {{.announce = "shouted"}, "announcing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        experiment.timing = experiment.timing ? experiment.timing : "free";
        experiment.method = experiment.method ? experiment.method : "adf";
        experiment.announce = experiment.announce ? experiment.announce : "pushed";
        struct ek_error error;
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_expect(!machine && error.status == EK_BAD_INPUT && strcmp(error.axis, "announce") == 0 && error.at == 0 &&
                      strstr(error.sentence, cases[i].sentence),
                  "case %zu: %s at %d: %s", i, error.axis, error.at, error.sentence);
        ek_machine_destroy(machine);
    }
}
