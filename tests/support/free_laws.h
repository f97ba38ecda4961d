// SPDX-License-Identifier: MIT
// Shared by the tests of free timing: laws that every run keeps, and combinations of methods with other axes.
#ifndef TESTS_FREE_LAWS_H
#define TESTS_FREE_LAWS_H

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/runs.h"
#include "topologies/topology.h"

// Returns the experiment's axes as words, for messages.
static inline const char *said(const struct ek_experiment *experiment)
{
    static char text[400];
    const char *const words[] = {experiment->topology, experiment->method, experiment->units,   experiment->ports,
                                 experiment->load,     experiment->invoke, experiment->domains, experiment->carrier,
                                 experiment->mailbox,  experiment->delay,  experiment->work,    experiment->faults};
    size_t length = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        length += (size_t)snprintf(text + length, 32, "%.30s ", words[i] ? words[i] : "-");
    }
    return text;
}

static inline bool is(const char *value, const char *expected)
{
    return value && strcmp(value, expected) == 0;
}

// Checks the report's counts against each other.
static inline void check_counts(const struct ek_experiment *experiment, const struct tests_outcome *outcome)
{
    const struct ek_report *report = &outcome->report;
    const struct ek_free_report *running = &report->free;
    const char *text = said(experiment);
    uint64_t emptied[2] = {0, 0}; // the least and the most messages
    for (unsigned k = 0; k < EK_DEPTHS; k++) {
        emptied[0] += running->depth[k] * (k < 2 ? k + 1 : (1u << (k - 1)) + 1);
        emptied[1] += running->depth[k] << k;
    }
    cr_expect(emptied[0] <= report->messages && report->messages <= emptied[1], "%s: depths", text);
    cr_expect(running->depth_most >= 1 || report->messages == 0, "%s: deepest", text);
    cr_expect(running->latency.count == report->messages && running->operation_time.count == report->operations,
              "%s: what was timed", text);
    cr_expect(running->turns >= report->operations + running->abandoned && running->turns >= running->empty_turns,
              "%s: turns", text);
    cr_expect(running->engagements >= report->operations, "%s: members", text);
    cr_expect(running->overlaps <= running->engagements &&
                  running->overlap_most <= report->operations + running->abandoned,
              "%s: overlaps", text);
    cr_expect(running->logged + running->log_lost == report->operations, "%s: logged", text);
    const struct ek_effects *effects = &report->effects;
    uint64_t measured = effects->alone.count + effects->overlapped.count + effects->unknown;
    cr_expect(report->has_effects == !experiment->capacity, "%s: measured", text);
    cr_expect(experiment->capacity || measured == report->operations, "%s: %lu of %lu measured", text, measured,
              report->operations);
    cr_expect(!is(experiment->domains, "exclusive") || effects->overlapped.count == 0, "%s: overlapped", text);
    cr_expect(running->got <= running->asked * (1.0 + 1e-12) && running->stale_age.count == running->stale, "%s: stale",
              text);
    for (int cause = 0; cause < EK_WAITS; cause++) {
        cr_expect(isfinite(running->waited[cause]) && running->waited[cause] >= 0.0, "%s: waited", text);
    }
    cr_expect(tests_waits_fit(report, ek_machine_topology(outcome->machine)->processors), "%s: waited too long", text);
    cr_expect(isfinite(running->longest_wait) && running->longest_wait >= 0.0, "%s: longest wait", text);
    uint32_t processors = ek_machine_topology(outcome->machine)->processors;
    cr_expect(running->spheres_sampled == 0 || running->sphere_processors.count == 0 ||
                  running->sphere_processors.maximum <= processors,
              "%s: spheres", text);
    cr_expect(!is(experiment->domains, "exclusive") || (running->overlaps == 0 && running->overlap_most <= 1),
              "%s: %lu overlaps, at most %lu at once", text, running->overlaps, running->overlap_most);
    // Two processors that ask each other over one link are in both operations for a moment.
    cr_expect(!is(experiment->ports, "one") || running->overlap_most <= 2, "%s: %lu at once", text,
              running->overlap_most);
}

static inline void check_trace(const struct ek_experiment *experiment, const struct ek_report *report)
{
    const char *text = said(experiment);
    cr_assert(report->trace_count > 0 && report->trace_count == report->free.audits, "%s: trace", text);
    for (size_t i = 1; i < report->trace_count; i++) {
        cr_expect(report->trace[i - 1].time < report->trace[i].time, "%s: time goes back", text);
        cr_expect(report->trace[i - 1].moved <= report->trace[i].moved, "%s: load moves back", text);
    }
    const struct ek_trace_row *last = &report->trace[report->trace_count - 1];
    cr_expect(last->variance == report->variance_final && last->in_flight == 0.0 && last->invokers == 0,
              "%s: the last snapshot is of a drained machine", text);
    cr_expect_eq(last->invocations, report->operations, "%s: %lu operations in the last snapshot, not %lu", text,
                 last->invocations, report->operations);
}

// Checks what holds for every run that was not refused: it ends drained, keeps all load, and no load ever was
// negative.
static inline void check_laws(const struct ek_experiment *experiment, const struct tests_outcome *outcome)
{
    const struct ek_report *report = &outcome->report;
    const char *text = said(experiment);
    cr_assert(outcome->machine, "%s: %s", text, outcome->error.sentence);
    cr_assert(outcome->status == EK_OK || outcome->status == EK_UNREACHED, "%s: %s\n%s", text, outcome->error.sentence,
              report->free.dump ? report->free.dump : "");
    double handled = report->total_initial + report->generated + report->moved;
    double gap = report->total_initial + report->generated - report->consumed - report->total_final;
    cr_expect(fabs(gap) <= (is(experiment->units, "tokens") ? 0.0 : 1e-12 * handled), "%s: lost %g", text, gap);
    cr_expect(report->in_flight == 0.0, "%s: in flight", text);
    cr_expect(report->minimum_ever >= 0.0 && report->minimum_ever <= report->minimum, "%s: below 0", text);
    cr_expect(report->free.audits > 0 && report->free.dump == NULL, "%s: audits", text);
    cr_expect(experiment->operations_max == 0 || report->operations <= experiment->operations_max, "%s: operations",
              text);
    check_counts(experiment, outcome);
    check_trace(experiment, report);
}

static inline void run_free(struct ek_experiment *experiment, uint64_t run, struct tests_outcome *outcome)
{
    experiment->timing = "free";
    experiment->keep_loads = experiment->keep_trace = true;
    experiment->watchdog_s = 60.0; // the machine may be busy
    tests_try(experiment, run, outcome);
    check_laws(experiment, outcome);
}

static inline bool all_inside(const struct tests_outcome *outcome, double low, double high)
{
    return outcome->report.minimum >= low && outcome->report.maximum <= high;
}

enum { ALL = 1, TOKENS = 2, REALS = 4, RINGS = 8 }; // the method needs all ports, tokens, real loads, a ring

static const struct {
    const char *name;
    unsigned only;
} methods[] = {
    {"ade", 0},
    {"ode", REALS},
    {"gde:0.7", 0},
    {"adf", 0},
    {"odf", 0},
    {"diffusion:0.1", 0},
    {"fos", REALS},
    {"nna", ALL | REALS},
    {"nna:net", ALL | REALS},
    {"nna", ALL | TOKENS | RINGS},
    {"local-average", ALL},
    {"random-neighbours:2:1", ALL},
    {"liquid:c5", ALL | TOKENS | RINGS},
    {"sender:1/(deg+1)", 0},
};
enum { ONE_WAY = 2 }; // the last ones: they cannot help a processor below the bounds
enum { METHODS = sizeof methods / sizeof *methods };

static const char *const topologies[] = {"torus:4x4", "ring:9",   "hypercube:4", "complete:6",
                                         "star:7",    "mesh:3x4", "random:12:3", "otis(mesh:2x2)"};
static const char *const rings[] = {"ring:9", "ring:4", "ring:16", "ring:3"};
static const char *const carriers[] = {"threads", "pool:1", "threads", "pool:3"};

// Sets combination `k` of method, units, ports, domains and carrier. Returns false if the method cannot run so.
static inline bool combine(unsigned k, struct ek_experiment *experiment)
{
    unsigned only = methods[k % METHODS].only;
    bool tokens = k / METHODS % 2;
    bool one = k / METHODS / 2 % 2;
    *experiment = (struct ek_experiment){
        .method = methods[k % METHODS].name,
        .units = tokens ? "tokens" : "real",
        .ports = one ? "one" : "all",
        .domains = k / METHODS / 4 % 2 ? "exclusive" : "overlap",
        .topology = only & RINGS ? rings[k % 4] : topologies[(k + k / METHODS) % 8],
        .carrier = carriers[(k / 3 + k / METHODS) % 4],
    };
    return !((only & ALL && one) || (only & TOKENS && !tokens) || (only & REALS && tokens));
}
enum { COMBINATIONS = 8 * METHODS };

// Returns whether this test runs combination `k` if only a part of the combinations runs. Together the tests run all
// of them.
static inline bool in_part(unsigned k, unsigned test)
{
    return (k + test) % tests_one_in() == 0;
}

#endif
