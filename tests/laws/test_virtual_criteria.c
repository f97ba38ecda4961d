// SPDX-License-Identifier: MIT
// Runs in virtual time end at the first end of a window at which their criterion holds, though most windows are not
// surveyed. Rows of the trace stand at the ends of windows, one for each time of --sample that has passed.
#include <criterion/criterion.h>

#include <math.h>

#include "tests/support/must.h"
#include "threads/api/replay.h"

enum { PROCESSORS = 16 };

// Returns whether the loads of a row fulfil the criterion.
static bool holds(const struct ek_trace_row *row, const char *stop)
{
    double limit = strchr(stop, ':') ? strtod(strchr(stop, ':') + 1, NULL) : 0.0;
    if (strncmp(stop, "variance", 8) == 0) {
        return row->variance <= limit && row->in_flight * row->in_flight <= limit;
    }
    if (strncmp(stop, "error", 5) == 0) {
        return row->error <= limit && row->in_flight <= limit;
    }
    if (strncmp(stop, "spread", 6) == 0 || strncmp(stop, "discrepancy", 11) == 0) { // the same with equal capacities
        return row->spread <= limit && row->in_flight <= limit;
    }
    if (strncmp(stop, "imbalance", 9) == 0) {
        double mean = row->mean + row->in_flight / PROCESSORS;
        return row->maximum <= (1.0 + limit) * mean * (1.0 + 1e-12) && row->in_flight <= limit * mean;
    }
    return row->minimum > 0.0 && row->in_flight <= row->mean + row->in_flight / PROCESSORS; // shared
}

// Returns the first row that fulfils the criterion.
static size_t first_row(const struct ek_report *report, const char *stop)
{
    size_t row = 0;
    while (row < report->trace_count && !holds(&report->trace[row], stop)) {
        row++;
    }
    return row;
}

static const char falling[] = "constant:0=3,5=-9,10=2", rising[] = "constant:0=9,5=-3", moving[] = "constant:0=6,9=-6";

static const struct {
    const char *method, *stop, *work, *capacity, *units;
} cases[] = {
    {"ade", "variance:1", NULL, NULL, "real"},           {"ade", "variance:5000", falling, NULL, "real"},
    {"ade", "variance:5000", rising, NULL, "real"},      {"ade", "variance:9000", moving, NULL, "tokens"},
    {"ade", "error:60", falling, NULL, "real"},          {"ade", "error:60", rising, NULL, "real"},
    {"adf", "error:400", NULL, "semi", "real"},          {"adf", "error:300", rising, "semi", "real"},
    {"adf", "error:300", falling, "semi", "real"},       {"adf", "variance:120000", NULL, "semi", "real"},
    {"adf", "variance:120000", falling, "semi", "real"}, {"ade", "spread:40", falling, NULL, "real"},
    {"ade", "spread:9", NULL, NULL, "tokens"},           {"ade", "shared", NULL, NULL, "tokens"},
    {"ade", "imbalance:0.2", NULL, NULL, "real"},        {"ade", "imbalance:0.5", rising, NULL, "tokens"},
    {"ade", "discrepancy:40", falling, NULL, "real"},    {"ade", "discrepancy:9", NULL, NULL, "tokens"},
};

static void check_case(size_t i, const char *carrier)
{
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = "torus:4x4",
                                    .method = cases[i].method,
                                    .load = "peak:1600",
                                    .units = cases[i].units,
                                    .stop = cases[i].stop,
                                    .work = cases[i].work,
                                    .capacity = cases[i].capacity,
                                    .timing = "virtual",
                                    .carrier = carrier,
                                    .tick_s = 1e-6,
                                    .sample_s = 1e-9,
                                    .seconds_max = 2e-3,
                                    .keep_trace = true},
             &outcome);
    const struct ek_report *report = &outcome.report;
    size_t row = first_row(report, cases[i].stop);
    cr_assert(row > 0 && row < report->trace_count, "%zu: row %zu of %zu", i, row, report->trace_count);
    cr_expect_eq(report->ended, EK_ENDED_CRITERION, "%zu: it ended by %d", i, report->ended);
    cr_expect_float_eq(report->free.reached_s, report->trace[row].time, 1e-15,
                       "%zu on %s: reached at %.9g s, not %.9g s", i, carrier, report->free.reached_s,
                       report->trace[row].time);
    tests_outcome_destroy(&outcome);
}

Test(criteria, end_a_run_at_the_first_window_that_fulfils_them)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i, "pool:1");
        check_case(i, "pool:3");
    }
}

// ---- a criterion that holds, and fails when the run has drained ----

enum { RING = 8, TURN_NS = 100, OVERHEAD_NS = 200, WINDOW_NS = 1050 }; // by default

// A run turn by turn, as its events tell.
struct watched {
    uint64_t ended[RING], begun[RING]; // by processor: the end of its last turn, and the begin
    bool in_operation[RING], engaged[RING][RING];
    uint64_t under_way;  // messages
    uint64_t quiet_from; // the end of the first window, after the first turns, at which nothing is left to do
    unsigned woken;      // processors that have had a turn since
    unsigned drains;     // how often nothing was left to do
};

// Returns whether no message is under way, and no processor takes part in an operation.
static bool is_quiet(const struct watched *watched)
{
    bool quiet = watched->under_way == 0;
    for (unsigned p = 0; p < RING; p++) {
        quiet = quiet && !watched->in_operation[p];
        for (unsigned q = 0; q < RING; q++) {
            quiet = quiet && !watched->engaged[p][q];
        }
    }
    return quiet;
}

// Counts what a turn did. Returns how many messages it received and sent.
static unsigned follow(struct watched *watched, const struct ek_turn_made *turn)
{
    unsigned messages = 0;
    uint32_t p = turn->processor;
    for (size_t i = 0; i < turn->count; i++) {
        const struct ek_event *event = &turn->events[i];
        bool takes = event->kind == EK_EVENT_TAKES;
        bool sends = event->kind == EK_EVENT_SENDS;
        messages += takes || sends;
        watched->under_way += sends;
        watched->under_way -= takes;
        watched->in_operation[p] =
            event->kind == EK_EVENT_BEGINS ||
            (watched->in_operation[p] && event->kind != EK_EVENT_ENDS && event->kind != EK_EVENT_LEAVES);
        if (event->kind == EK_EVENT_LET_GO || (sends && strcmp(event->message, "tell") == 0)) {
            watched->engaged[p][event->other] = sends;
        }
    }
    return messages;
}

// Checks the turn that the replay has made against the windows before it.
static void watch(struct watched *watched, const struct ek_turn_made *turn)
{
    uint32_t p = turn->processor;
    uint64_t window_ns = turn->time_ns / WINDOW_NS * WINDOW_NS;
    bool first = watched->quiet_from == 0 || watched->woken == RING;
    if (first && turn->number > RING && is_quiet(watched)) { // so many turns come at the start
        watched->quiet_from = window_ns;
        watched->woken = 0;
        watched->drains++;
    }
    if (watched->quiet_from > 0 && watched->woken < RING && watched->begun[p] < watched->quiet_from) {
        uint64_t wanted = watched->ended[p] > watched->quiet_from ? watched->ended[p] : watched->quiet_from;
        cr_expect_eq(turn->time_ns, wanted, "processor %u goes on at %lu ns, not at %lu", p,
                     (unsigned long)turn->time_ns, (unsigned long)wanted);
        watched->woken++;
    }
    watched->begun[p] = turn->time_ns;
    watched->ended[p] = turn->time_ns + TURN_NS + follow(watched, turn) * OVERHEAD_NS;
}

// The spread is reached while load is under way, which brings it above the limit again. So the run drains, the
// criterion fails, and every processor has a turn at the later of its own end and that window's end.
Test(criteria, let_a_run_go_on_if_they_fail_when_it_has_drained)
{
    struct ek_error error;
    struct ek_machine *machine = must_prepare((struct ek_experiment){.topology = "ring:8",
                                                                     .method = "adf",
                                                                     .load = "uniform:0:100",
                                                                     .seed = 141,
                                                                     .stop = "spread:17",
                                                                     .timing = "virtual",
                                                                     .seconds_max = 2e-3,
                                                                     .by_caller = true,
                                                                     .keep_loads = true});
    struct ek_replay *replay = ek_replay_begin(machine, 0, NULL, &error);
    cr_assert(replay, "%s", error.sentence);
    struct watched watched = {.quiet_from = 0};
    struct ek_turn_made turn = {0};
    enum ek_replay_status status;
    while ((status = ek_replay_turn(replay, &turn, &error)) == EK_REPLAY_TURN) {
        watch(&watched, &turn);
    }
    cr_expect_eq(status, EK_REPLAY_ENDS);
    cr_expect(watched.drains > 0 && watched.woken == RING, "%u drains, %u processors woken", watched.drains,
              watched.woken);
    struct ek_report report = {0};
    cr_expect_eq(ek_replay_report(replay, EK_ENDED_CRITERION, 0.0, &report, &error), EK_OK, "%s", error.sentence);
    cr_expect_eq(report.ended, EK_ENDED_CRITERION);
    cr_expect_leq(report.maximum - report.minimum, 17.0);
    ek_report_destroy(&report);
    ek_replay_destroy(replay);
    ek_machine_destroy(machine);
}

// ---- samples, and the limit of time ----

// Work comes every 50 us, and in between nothing happens: a row is not made up for each sample that was passed over.
Test(samples, are_taken_at_the_next_end_of_a_window)
{
    static const double sample_s = 3e-6;
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = "torus:4x4",
                                    .method = "ade",
                                    .load = "constant:100",
                                    .work = "constant:0=9,5=-9",
                                    .invoke = "outside:95:105",
                                    .stop = "never",
                                    .timing = "virtual",
                                    .tick_s = 50e-6,
                                    .sample_s = sample_s,
                                    .seconds_max = 1e-3,
                                    .keep_trace = true},
             &outcome);
    const struct ek_report *report = &outcome.report;
    cr_assert_gt(report->trace_count, 20);
    for (size_t i = 1; i < report->trace_count; i++) {
        double before = floor(report->trace[i - 1].time / sample_s + 1e-9),
               now = floor(report->trace[i].time / sample_s + 1e-9);
        cr_expect_lt(before, now, "rows %zu at %.9g s and %.9g s", i, report->trace[i - 1].time, report->trace[i].time);
    }
    tests_outcome_destroy(&outcome);
}

// A turn that begins at the very end of the run still happens. Alone in a window, processor 0 begins its second turn
// after 100 ns, and each further one 100 ns later.
Test(limit_of_time, includes_a_turn_that_begins_then)
{
    for (uint64_t ns = 799; ns <= 801; ns++) {
        struct tests_outcome outcome;
        must_run((struct ek_experiment){.topology = "chain:2",
                                        .method = "ade",
                                        .load = "constant:0",
                                        .invoke = "every:1000",
                                        .stop = "never",
                                        .timing = "virtual",
                                        .turn_cost = "100ns",
                                        .seconds_max = 1e-9 * (double)ns},
                 &outcome);
        cr_expect_eq(outcome.report.free.turns, ns < 800 ? 16 : 18, "%u turns within %u ns",
                     (unsigned)outcome.report.free.turns, (unsigned)ns);
        tests_outcome_destroy(&outcome);
    }
}
