// SPDX-License-Identifier: MIT
// Laws of every method over every axis, each tried on some hundred experiments that are drawn at random: what is
// supported runs and the rest is refused; load is conserved, held and in flight together; tokens stay whole; all
// carriers give the same; run r of seed s is run 0 of seed s + r; axes with values that change nothing change
// nothing.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/axes/capacity.h"
#include "tests/support/text_file.h"
#include "tests/support/runs.h"

// Every method, with topologies that it can balance.
static const struct subject {
    const char *method;
    const char *topologies[5];
} subjects[] = {
    {"ade", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"ode", {"mesh:4x3", "hypercube:3", "ring:7", "torus:3x2x2", "chain:9"}},
    {"gde:0.7", {"complete:7", "mesh:5", "otis(mesh:2x2)", "kary:3^2", "random:10:4"}},
    {"gde:0.3", {"torus:5x2", "star:5", "ring:3", "hypercube:4", "mesh:1x6"}},
    {"matching", {"torus:4x4", "random:11:4", "star:6", "otis(chain:3)", "chain:2"}},
    {"matching:edge", {"mesh:4x3", "random:11:4", "star:6", "otis(chain:3)", "chain:2"}},
    {"adf", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "hypercube:3"}},
    {"odf", {"mesh:4x3", "hypercube:3", "ring:8", "random:10:3", "complete:5"}},
    {"diffusion:0.2", {"complete:5", "torus:3x3", "otis(mesh:2x2)", "chain:7", "kary:3^2"}},
    {"dde", {"mesh:3x4", "torus:5x2x3", "ring:7", "chain:6", "hypercube:3"}},
    {"dde:send-first", {"mesh:3x4", "torus:5x2x3", "ring:7", "chain:6", "hypercube:3"}},
    {"dde:middle", {"mesh:3x4", "torus:5x2x3", "ring:7", "chain:6", "hypercube:3"}},
    {"dde:send-first,doubling", {"mesh:3x4", "torus:5x2x3", "ring:7", "chain:6", "hypercube:3"}},
    {"twa:middle", {"chain:2", "chain:9", "chain:16", "chain:5", "chain:13"}},
    {"twa:binomial", {"chain:2", "chain:9", "chain:16", "chain:5", "chain:13"}},
    {"twa:whole", {"tree:2:3", "star:6", "chain:9", "tree:3:2", "chain:2"}},
    {"dem", {"hypercube:1", "hypercube:2", "hypercube:3", "hypercube:4", "hypercube:2"}},
    {"dem:folded", {"chain:7", "mesh:3x4", "hypercube:3", "mesh:2x5x3", "mesh:1x6"}},
    {"liquid:c0", {"ring:7", "torus:4x3", "hypercube:3", "ring:2", "kary:3^2"}},
    {"liquid:c1", {"ring:8", "torus:3x3", "hypercube:2", "ring:3", "torus:2x2x3"}},
    {"liquid:c2", {"ring:5", "torus:4x1", "hypercube:3", "ring:2", "kary:4^2"}},
    {"liquid:c2r", {"ring:7", "torus:4x3", "hypercube:3", "ring:2", "kary:3^2"}},
    {"liquid:c3", {"ring:6", "torus:5x2", "hypercube:1", "ring:4", "torus:3x2"}},
    {"liquid:c4", {"ring:9", "torus:4x4", "hypercube:3", "ring:2", "kary:3^2"}},
    {"liquid:c4r", {"ring:7", "torus:4x3", "hypercube:3", "ring:2", "torus:6x2"}},
    {"liquid:c5", {"ring:12", "torus:3x5", "hypercube:4", "ring:2", "kary:3^2"}},
    {"nna", {"ring:7", "ring:2", "ring:12", "ring:3", "ring:4"}},
    {"nna:portion", {"ring:7", "ring:2", "ring:12", "ring:3", "ring:4"}},
    {"nna:net", {"ring:7", "ring:2", "ring:12", "ring:3", "ring:4"}},
    {"rotor:0", {"ring:7", "star:6", "torus:4x3", "hypercube:3", "chain:2"}},
    {"rotor:3", {"mesh:4x3", "random:12:3", "otis(ring:3)", "complete:5", "ring:8"}},
    {"push-sum:30", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"broadcast-gossip:30:0.3", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"none", {"ring:7", "star:6", "torus:4x3", "otis(ring:3)", "chain:2"}},
    {"splitting:1/3", {"ring:7", "ring:5", "ring:12", "ring:3", "ring:4"}},
    {"local-average", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"random-neighbours:2", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"sender:1/deg", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"sender:0.2", {"mesh:4x3", "hypercube:3", "ring:8", "random:10:3", "complete:5"}},
    {"fos", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"sos", {"mesh:4x3", "hypercube:3", "ring:8", "random:10:3", "complete:5"}},
    {"sos:5", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"chebyshev", {"mesh:4x3", "hypercube:3", "ring:8", "random:10:3", "complete:5"}},
    {"chebyshev:0.3:9", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"metropolis", {"mesh:4x3", "random:12:3", "star:6", "otis(chain:3)", "chain:2"}},
    {"diffusion:best", {"mesh:4x3", "hypercube:3", "star:6", "random:10:3", "chain:7"}},
    {"opt", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"opt:leja", {"mesh:4x3", "hypercube:3", "ring:8", "random:10:3", "complete:5"}},
    {"ops", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"least-flow", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"adi(fos)", {"torus:4x3", "mesh:3x4x2", "hypercube:3", "ring:7", "mesh:1x6"}},
    {"mdi(fos)", {"torus:4x3", "mesh:3x4x2", "hypercube:3", "ring:7", "mesh:1x6"}},
    {"adi(opt)", {"torus:4x3", "mesh:3x4x2", "hypercube:3", "ring:7", "mesh:1x6"}},
    {"adi(ops)", {"torus:4x3", "mesh:3x4x2", "hypercube:3", "ring:7", "mesh:1x6"}},
    {"de-adi(opt)", {"torus:4x3", "mesh:3x4x2", "hypercube:3", "ring:8", "mesh:1x6"}},
    {"de-adi(ops)", {"torus:4x3", "mesh:3x4x2", "hypercube:3", "ring:8", "mesh:1x6"}},
    {"mdi(opt)", {"torus:4x3", "mesh:3x4x2", "hypercube:3", "ring:7", "mesh:1x6"}},
    {"de(fos)", {"torus:4x3", "random:12:3", "star:6", "otis(ring:3)", "chain:2"}},
    {"de(opt)", {"mesh:4x3", "hypercube:3", "ring:8", "kary:3^2", "complete:5"}},
    {"de(ops)", {"torus:4x3", "chain:9", "complete:7", "otis(ring:3)", "chain:2"}},
    {"ded(fos)", {"otis(ring:3)", "otis(mesh:2x2)", "otis(chain:4)", "otis(star:4)", "otis(random:4:3)"}},
    {"ded(sos)", {"otis(ring:3)", "otis(mesh:2x2)", "otis(chain:4)", "otis(star:4)", "otis(random:4:3)"}},
    {"ded(opt)", {"otis(ring:3)", "otis(mesh:2x2)", "otis(chain:4)", "otis(star:4)", "otis(random:4:3)"}},
    {"ded(ops)", {"otis(ring:3)", "otis(mesh:2x2)", "otis(chain:4)", "otis(star:4)", "otis(random:4:3)"}},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects, TOPOLOGIES = 5 };
enum { DRAWS = 40, FEW = 4 };

static char title[400]; // of the experiment that runs

static void set_title(const struct ek_experiment *experiment)
{
    const char *const axes[] = {
        experiment->units,  experiment->ports,    experiment->timing,    experiment->clock,      experiment->invoke,
        experiment->work,   experiment->capacity, experiment->weighting, experiment->link_limit, experiment->delay,
        experiment->faults, experiment->carrier,  experiment->mailbox,   experiment->rounding};
    int length = snprintf(title, sizeof title, "%s on %s, %s, seed %u", experiment->method, experiment->topology,
                          experiment->load, (unsigned)experiment->seed);
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        if (axes[i]) {
            length += snprintf(title + length, sizeof title - (size_t)length, " %s", axes[i]);
        }
    }
}

static const struct ek_method *method_of(const struct subject *subject)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(subject->method, ":("), subject->method);
    const struct ek_method *method = ek_method_find(name);
    cr_assert(method, "%s", name);
    method = method->variant ? method->variant(subject->method + strlen(name)) : method;
    return method;
}

// Draws an experiment of this method: loads, seed and steps by the number, the other axes at random.
static struct ek_experiment draw(const struct subject *subject, unsigned number, struct base_random *random)
{
    static const char *const loads[] = {NULL, "peak:900", "modulo:7919:1001", "uniform:0:9", "constant:40"};
    *random = base_random_start(7, (uint64_t)(subject - subjects) * 1000 + number, BASE_STREAM_LOAD);
    struct ek_experiment experiment = {
        .topology = subject->topologies[number % TOPOLOGIES],
        .method = subject->method,
        .load = loads[base_random_below(random, 5)],
        .stop = "never",
        .steps_max = 1 + base_random_below(random, 40),
        .seed = base_random_below(random, 1000),
        .keep_loads = true,
        .keep_trace = true,
    };
    tests_draw_axes(&experiment, random);
    return experiment;
}

// Draws experiments until the method supports one.
static struct ek_experiment draw_supported(const struct subject *subject, unsigned number)
{
    const struct ek_method *method = method_of(subject);
    struct base_random random;
    struct ek_experiment experiment = draw(subject, number, &random);
    for (unsigned tries = 0; !tests_axes_supported(&experiment, method); tries++) {
        cr_assert_lt(tries, 100000u, "%s", subject->method);
        tests_draw_axes(&experiment, &random);
    }
    set_title(&experiment);
    return experiment;
}

static void try_supported(const struct ek_experiment *experiment, struct tests_outcome *outcome)
{
    tests_try(experiment, 0, outcome);
    cr_assert(outcome->status == EK_OK || outcome->status == EK_UNREACHED, "%s: status %d, %s", title, outcome->status,
              outcome->error.sentence);
}

static uint32_t processors_of(const struct tests_outcome *outcome)
{
    return ek_machine_topology(outcome->machine)->processors;
}

static bool tokens_of(const struct tests_outcome *outcome)
{
    return outcome->report.has_stayed;
}

static void expect_refused(const struct tests_outcome *outcome)
{
    const struct ek_error *error = &outcome->error;
    cr_expect_eq(outcome->status, EK_BAD_INPUT, "%s: status %d", title, outcome->status);
    cr_expect(strlen(error->sentence) > 10 && !strchr(error->sentence, '\n'), "%s: '%s'", title, error->sentence);
    cr_expect(strstr(error->sentence, "use "), "%s: '%s' says no way out", title, error->sentence);
    cr_expect(*error->axis, "%s: '%s' names no axis", title, error->sentence);
}

// Methods that write letters need tasks, and some methods objects: tests/runs/test_letters.c and test_objects.c have
// these.
Test(method_laws, every_method_is_a_subject)
{
    const struct ek_method *method;
    for (size_t i = 0; (method = ek_method_at(i)) != NULL; i++) {
        bool found = method->letters || method->supports.objects;
        for (size_t s = 0; s < SUBJECTS && !found; s++) {
            found = method_of(&subjects[s]) == method;
        }
        cr_expect(found, "%s", method->name);
    }
}

// Combinations that a method supports run without a violation. All others are refused.
Test(method_laws, every_combination_runs_or_is_refused)
{
    unsigned refused = 0;
    for (const struct subject *subject = subjects; subject < subjects + SUBJECTS; subject++) {
        for (unsigned number = 0; number < tests_part(DRAWS); number++) {
            struct base_random random;
            struct ek_experiment experiment = draw(subject, number, &random);
            struct tests_outcome outcome;
            set_title(&experiment);
            if (tests_axes_supported(&experiment, method_of(subject))) {
                try_supported(&experiment, &outcome);
            } else {
                tests_try(&experiment, 0, &outcome);
                expect_refused(&outcome);
                refused++;
            }
            tests_outcome_destroy(&outcome);
        }
    }
    cr_expect(refused > SUBJECTS && refused < SUBJECTS * tests_part(DRAWS) * 19 / 20, "%u", refused);
}

// One axis at a time, so that every pair of a method and an axis is tried.
Test(method_laws, every_axis_alone_runs_or_is_refused)
{
    static const struct ek_experiment axes[] = {
        {.units = "real"},        {.units = "tokens"},        {.ports = "one"},
        {.timing = "turns"},      {.timing = "turns:random"}, {.clock = "step"},
        {.invoke = "below:300"},  {.invoke = "outside:1:99"}, {.invoke = "probability:0.4"},
        {.work = "normal:5:4:5"}, {.work = "pareto:1:2:5"},   {.work = "constant:0=-7"},
        {.capacity = "semi"},     {.capacity = "cs"},         {.capacity = "uniform:1:9"},
        {.weighting = "target"},  {.link_limit = "25"},       {.delay = "fixed:2"},
        {.delay = "uniform:0:4"}, {.delay = "exponential:2"}, {.faults = "link:0.5"},
    };
    static const char *const elsewhere[] = {"chain:5",    "star:4",     "otis(mesh:2x2)",
                                            "complete:4", "random:8:3", "ring:5"};
    for (size_t pair = 0; pair < SUBJECTS * (sizeof axes / sizeof *axes); pair++) {
        const struct subject *subject = &subjects[pair % SUBJECTS];
        struct ek_experiment experiment = axes[pair / SUBJECTS];
        experiment.method = subject->method;
        experiment.carrier = "pool:1";
        experiment.steps_max = 9;
        struct tests_outcome outcome;
        experiment.topology = subject->topologies[pair % TOPOLOGIES];
        set_title(&experiment);
        if (tests_axes_supported(&experiment, method_of(subject))) {
            try_supported(&experiment, &outcome);
        } else {
            tests_try(&experiment, 0, &outcome);
            expect_refused(&outcome);
        }
        tests_outcome_destroy(&outcome);
        experiment.topology = elsewhere[pair % 6];
        set_title(&experiment);
        tests_try(&experiment, 0, &outcome);
        if (outcome.status != EK_OK && outcome.status != EK_UNREACHED) {
            expect_refused(&outcome);
        }
        tests_outcome_destroy(&outcome);
    }
}

static void expect_whole(const struct ek_report *report, uint32_t processors)
{
    double stays =
        report->consumed; // the most that can have stayed: what was there or came, and is there or was consumed
    for (uint32_t p = 0; p < processors; p++) {
        cr_expect_eq(report->final[p], floor(report->final[p]), "%s: %.17g", title, report->final[p]);
        stays += fmax(0.0, report->generated > 0.0 ? report->final[p] : fmin(report->initial[p], report->final[p]));
    }
    cr_expect(report->stayed >= 0.0 && report->stayed == floor(report->stayed) && report->stayed <= stays,
              "%s: %g stayed", title, report->stayed);
    double left =
        report->moved +
        report->faults.load_returned; // the most that can have left: load that was returned has left, but not moved
    cr_expect(report->stayed >= report->total_initial + report->generated - left, "%s: %g stayed", title,
              report->stayed);
    cr_expect_eq(report->moved, floor(report->moved), "%s", title);
}

// initial + generated = held + in flight + consumed. Tokens are exact and whole.
Test(method_laws, load_is_conserved_and_tokens_stay_whole)
{
    for (const struct subject *subject = subjects; subject < subjects + SUBJECTS; subject++) {
        for (unsigned number = 0; number < tests_part(DRAWS); number++) {
            struct ek_experiment experiment = draw_supported(subject, number);
            struct tests_outcome outcome;
            try_supported(&experiment, &outcome);
            const struct ek_report *report = &outcome.report;
            double came = report->total_initial + report->generated;
            double is = report->held_final + report->in_flight + report->consumed;
            double handled = came + report->moved;
            bool exact = tokens_of(&outcome) && handled <= 0x1p53;
            cr_expect(!isfinite(handled) || fabs(came - is) <= (exact ? 0.0 : 1e-12 * handled), "%s: %.17g, not %.17g",
                      title, is, came);
            cr_expect(experiment.delay || report->in_flight == 0.0, "%s: %g in flight", title, report->in_flight);
            if (exact) {
                expect_whole(report, processors_of(&outcome));
            }
            tests_outcome_destroy(&outcome);
        }
    }
}

// In every step a processor with one port announces and sends over at most one link.
Test(method_laws, one_port_is_one_link_a_step)
{
    unsigned tried = 0;
    for (const struct subject *subject = subjects; subject < subjects + SUBJECTS; subject++) {
        for (unsigned number = 0; number < tests_part(DRAWS) && (method_of(subject)->supports.ports & EK_ONE_PORT);
             number++) {
            struct ek_experiment experiment = draw_supported(subject, number);
            experiment.ports = "one";
            experiment.timing = NULL;
            experiment.delay = NULL; // announcements that arrive later are sent over every link
            set_title(&experiment);
            struct tests_outcome outcome;
            try_supported(&experiment, &outcome);
            const struct ek_report *report = &outcome.report;
            uint64_t taken_back = method_of(subject)->direct ? ek_machine_topology(outcome.machine)->colours : 0;
            uint64_t most = (report->steps + report->reduction_steps + taken_back) * processors_of(&outcome);
            cr_expect_leq(report->parcels, most, "%s", title);
            cr_expect_leq(report->messages - report->parcels, most, "%s", title);
            tried += report->parcels > 0;
            tests_outcome_destroy(&outcome);
        }
    }
    cr_expect_gt(tried, tests_part(300));
}

// Everything that must not change results. Each draw tries two of them, so that a method meets them all.
static const struct {
    const char *carrier, *mailbox, *barrier;
} variants[] = {
    {"threads", "slot", "auto"},     {"pool:2", "spsc", "sleep"},  {"pool:3", "wfcq", "yield"},
    {"threads", "mutex", "pthread"}, {"pool:2", "slot", "spin"},   {"threads", "spsc", "yield"},
    {"pool:3", "slot", "auto"},      {"threads", "wfcq", "sleep"},
};

Test(method_laws, carriers_mailboxes_and_barriers_agree_to_the_last_bit)
{
    for (const struct subject *subject = subjects; subject < subjects + SUBJECTS; subject++) {
        for (unsigned number = 100; number < 100 + FEW; number++) {
            struct ek_experiment experiment = draw_supported(subject, number);
            struct tests_outcome one, other;
            experiment.byte_time = experiment.timing ? NULL : "0.3ns"; // turns have no virtual time
            experiment.load_bytes = experiment.timing ? NULL : "8";
            try_supported(&experiment, &one);
            bool timed = !experiment.timing && !experiment.delay;
            cr_expect(one.report.has_virtual == timed, "%s", title);
            cr_expect(one.report.steps == 0 || (one.report.virtual_s > 0.0) == timed, "%s: %g s", title,
                      one.report.virtual_s);
            const struct ek_trace_row *last = &one.report.trace[one.report.trace_count - 1];
            bool more = one.report.reduction_steps > 0; // the trace has no row for such steps at the end
            cr_expect(!timed || last->time == one.report.virtual_s || (more && last->time < one.report.virtual_s),
                      "%s: %g s, and %g s in the trace", title, one.report.virtual_s, last->time);
            for (size_t i = number % FEW; i < sizeof variants / sizeof *variants; i += FEW) {
                experiment.carrier = variants[i].carrier;
                experiment.mailbox = variants[i].mailbox;
                experiment.barrier = variants[i].barrier;
                set_title(&experiment);
                tests_try(&experiment, 0, &other);
                cr_assert_eq(other.status, one.status, "%s: status %d, %s", title, other.status, other.error.sentence);
                const char *name = tests_report_differs(&one.report, &other.report, processors_of(&one));
                cr_expect_null(name, "%s: %s differs", title, name);
                tests_outcome_destroy(&other);
            }
            tests_outcome_destroy(&one);
        }
    }
}

// Runs are independent. A topology that is drawn at random is prepared again.
Test(method_laws, runs_count_on_from_the_seed)
{
    for (const struct subject *subject = subjects; subject < subjects + SUBJECTS; subject++) {
        for (unsigned number = 200; number < 200 + tests_part(DRAWS) / 4; number++) {
            struct ek_experiment experiment = draw_supported(subject, number);
            struct tests_outcome one, other;
            tests_try(&experiment, 3, &one);
            experiment.seed += 3;
            tests_try(&experiment, 0, &other);
            cr_assert(one.machine && other.machine, "%s: %s", title, one.error.sentence);
            bool drawn = strstr(experiment.topology, "random") ||
                         (experiment.capacity && strncmp(experiment.capacity, "uniform", 7) == 0);
            cr_expect_eq(ek_machine_drawn(one.machine), drawn, "%s", title);
            if (!drawn) {
                cr_expect_eq(one.status, other.status, "%s", title);
                const char *name = tests_report_differs(&one.report, &other.report, processors_of(&one));
                cr_expect_null(name, "%s: %s differs", title, name);
            }
            tests_outcome_destroy(&other);
            tests_outcome_destroy(&one);
        }
    }
}

// Another seed makes another run, if anything is drawn.
Test(method_laws, lots_come_from_the_seed)
{
    static const struct ek_experiment drawing[] = {
        {.method = "ade", .invoke = "probability:0.5"},
        {.method = "adf", .work = "normal:90:40:9"},
        {.method = "adf", .delay = "uniform:0:5"},
        {.method = "sender:0.2", .delay = "exponential:2"},
        {.method = "sender:0.2", .timing = "turns:random"},
        {.method = "matching"},
        {.method = "random-neighbours:1"},
        {.method = "fos", .capacity = "uniform:1:64"},
        {.method = "ade", .topology = "random:30:3"},
    };
    for (size_t i = 0; i < sizeof drawing / sizeof *drawing; i++) {
        struct ek_experiment experiment = drawing[i];
        experiment.load = "modulo:7919:1001";
        experiment.carrier = "pool:1";
        experiment.stop = "never";
        experiment.steps_max = 6;
        experiment.keep_loads = true;
        set_title(&experiment);
        struct tests_outcome one, other;
        try_supported(&experiment, &one);
        experiment.seed = 1;
        try_supported(&experiment, &other);
        size_t bytes = processors_of(&one) * sizeof(double);
        cr_expect(memcmp(one.report.initial, other.report.initial, bytes) == 0, "%s", title);
        cr_expect(memcmp(one.report.final, other.report.final, bytes) != 0, "%s", title);
        tests_outcome_destroy(&other);
        tests_outcome_destroy(&one);
    }
}

// Values that change nothing give the default's results, up to rounding if a spectrum is found in another way.
Test(method_laws, axes_that_ask_for_nothing_change_nothing)
{
    static const struct ek_experiment nothing[] = {
        {.invoke = "probability:1"}, {.invoke = "below:1e300"},   {.invoke = "outside:1e299:1e300"},
        {.delay = "fixed:0"},        {.delay = "uniform:0:0"},    {.delay = "uniform:1:1"},
        {.link_limit = "1e15"},      {.work = "constant:0=0"},    {.work = "normal:0:0:0"},
        {.clock = "step"},           {.capacity = "uniform:1:1"}, {.timing = "rounds"},
        {.faults = "link:0"},
    };
    for (size_t pair = 0; pair < SUBJECTS * (sizeof nothing / sizeof *nothing); pair++) {
        const struct subject *subject = &subjects[pair % SUBJECTS];
        struct ek_experiment experiment = nothing[pair / SUBJECTS];
        bool late = experiment.delay && strcmp(experiment.delay, "uniform:1:1") == 0; // affects the announcements
        experiment.method = subject->method;
        if (!tests_axes_supported(&experiment, method_of(subject)) || late) {
            continue;
        }
        struct ek_experiment plain = {.carrier = "pool:1",
                                      .stop = "never",
                                      .steps_max = 7,
                                      .keep_loads = true,
                                      .invoke = "always", // not the few that the method invokes by default
                                      .method = subject->method,
                                      .topology = subject->topologies[pair % TOPOLOGIES]};
        struct tests_outcome one, other;
        set_title(&plain);
        try_supported(&plain, &one);
        experiment.carrier = plain.carrier;
        experiment.stop = plain.stop;
        experiment.steps_max = plain.steps_max;
        experiment.keep_loads = true;
        experiment.invoke = experiment.invoke ? experiment.invoke : plain.invoke;
        experiment.topology = plain.topology;
        set_title(&experiment);
        try_supported(&experiment, &other);
        for (uint32_t p = 0; p < processors_of(&one); p++) {
            double allowed = experiment.capacity ? 1e-7 * one.report.total_initial : 0.0;
            cr_expect(fabs(one.report.final[p] - other.report.final[p]) <= allowed, "%s: final[%u] is %.17g, not %.17g",
                      title, p, other.report.final[p], one.report.final[p]);
        }
        tests_outcome_destroy(&other);
        tests_outcome_destroy(&one);
    }
}

// Balanced means c_i * W / C, with either weighting.
Test(method_laws, capacities_share_the_load)
{
    static const char *const capacities[] = {"semi", "cs", "uniform:1:9", NULL};
    unsigned tried = 0;
    for (size_t pair = 0; pair < SUBJECTS * 8; pair++) {
        const struct subject *subject = &subjects[pair % SUBJECTS];
        struct ek_experiment experiment = {.carrier = "pool:1",
                                           .stop = "error:0.01",
                                           .keep_loads = true,
                                           .topology = subject->topologies[pair % TOPOLOGIES],
                                           .method = subject->method,
                                           .seed = pair,
                                           .steps_max = 20000};
        experiment.capacity = capacities[pair / SUBJECTS % 4];
        experiment.weighting = pair / SUBJECTS < 4 ? NULL : "target";
        struct tests_outcome outcome;
        set_title(&experiment);
        if (!tests_axes_supported(&experiment, method_of(subject)) || method_of(subject)->supports.units == EK_TOKENS) {
            continue;
        }
        try_supported(&experiment, &outcome);
        double capacity = 0.0;
        struct ek_error error;
        double *share = NULL;
        bool drawn;
        uint32_t processors = processors_of(&outcome);
        cr_assert(core_capacity_parse(experiment.capacity ? experiment.capacity : "homo", processors, processors,
                                      experiment.seed, (struct ek_reader){0}, &share, &drawn, &error));
        for (uint32_t p = 0; p < processors; p++) {
            capacity += share ? share[p] : 1.0;
        }
        for (uint32_t p = 0; outcome.report.converged && p < processors; p++) {
            double balanced = (share ? share[p] : 1.0) * outcome.report.total_initial / capacity;
            cr_expect(fabs(outcome.report.final[p] - balanced) <= 0.011, "%s: final[%u] is %.17g, not %.17g", title, p,
                      outcome.report.final[p], balanced);
        }
        tried += outcome.report.converged;
        free(share);
        tests_outcome_destroy(&outcome);
    }
    cr_expect_gt(tried, 100);
}

// The delay paper: a sender that gives at most 1/degree of each difference, c_i <= 1/deg_i, never has a negative
// load, whatever the delays; and the sum of held load and load in flight stays constant.
Test(method_laws, sender_never_goes_below_0)
{
    static const char *const delays[] = {NULL, "fixed:3", "uniform:0:9", "exponential:3"};
    static const char *const timings[] = {NULL, "turns", "turns:random"};
    for (unsigned number = 0; number < tests_part(300); number++) {
        char text[512];
        size_t length = 0;
        struct base_random random = base_random_start(11, number, BASE_STREAM_LOAD);
        unsigned processors = 4 + 2 * (unsigned)base_random_below(&random, 8);
        unsigned degree = 2 + (unsigned)base_random_below(&random, processors - 3);
        char topology[32];
        snprintf(topology, sizeof topology, "random:%u:%u", processors, degree);
        for (unsigned p = 0; p < processors; p++) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%.6f\n",
                                       floor(1e6 * base_random_unit(&random) / degree) / 1e6);
        }
        struct tests_memory memory = {.text = text, .length = length};
        struct ek_experiment experiment = {.topology = topology,
                                           .method = "sender:file:c",
                                           .carrier = "pool:1",
                                           .load = number % 2 ? "peak:1600" : "uniform:0:9",
                                           .stop = "never",
                                           .steps_max = 60,
                                           .seed = number,
                                           .reader = tests_memory_reader(&memory)};
        experiment.delay = delays[base_random_below(&random, 4)];
        experiment.timing = timings[base_random_below(&random, 3)];
        experiment.units = number % 3 ? NULL : "tokens";
        experiment.link_limit = number % 5 ? NULL : "7";
        struct tests_outcome outcome;
        set_title(&experiment);
        try_supported(&experiment, &outcome);
        const struct ek_report *report = &outcome.report;
        double gap = report->total_initial - report->held_final - report->in_flight;
        cr_expect_geq(report->minimum_ever, -1e-9, "%s: %g", title, report->minimum_ever);
        cr_expect_leq(fabs(gap), 1e-12 * (report->total_initial + report->moved), "%s: %g", title, gap);
        tests_outcome_destroy(&outcome);
    }
}
