// SPDX-License-Identifier: MIT
// Combinations of axes: every combination of some values conserves load and gives the same on every carrier,
// impossible combinations are refused, and `list` shows the values.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "core/method.h"
#include "core/register.h"
#include "threads/api/axis.h"
#include "threads/api/run.h"

struct ek_moment;
struct ek_plan;
struct ek_step;
struct ek_turn;

static enum ek_status try(const struct ek_experiment *experiment, struct ek_report *report, struct ek_error *error)
{
    struct ek_machine *machine = ek_prepare(experiment, error);
    *report = (struct ek_report){0};
    enum ek_status status = machine ? ek_run(machine, 0, report, NULL, NULL, error) : error->status;
    ek_machine_destroy(machine);
    return status;
}

// Takes one of a few values, by a digit of `number`, which loses this digit.
static const char *pick(unsigned *number, const char *const *values, unsigned count)
{
    const char *value = values[*number % count];
    *number /= count;
    return value;
}

// Load at the start and generated load are held, in flight or consumed at the end; and all carriers give the same.
Test(axes, load_is_conserved_and_carriers_are_alike_under_every_combination)
{
    static const char *const methods[] = {"ade", "adf", "sender:1/deg"};
    static const char *const delays[] = {"none", "fixed:1", "uniform:0:4", "exponential:1.5"};
    static const char *const works[] = {"none", "normal:20:9:20", "constant:0=7,5=-3", "pareto:1.1:3:20"};
    static const char *const invokes[] = {"always", "outside:200:800", "probability:0.3"};
    static const char *const units[] = {"real", "tokens"};
    static const char *const clocks[] = {"operation", "step"};
    static const char *const ports[] = {"all", "one"};
    static const char *const limits[] = {"none", "25"};
    static const char *const roundings[] = {"down", "nearest", "random", "carry"};
    for (unsigned number = 0; number < 3 * 4 * 3 * 3 * 2 * 2 * 2 * 2; number++) {
        unsigned left = number;
        struct ek_experiment experiment = {.topology = "mesh:4x3",
                                           .carrier = "pool:1",
                                           .stop = "never",
                                           .steps_max = 23,
                                           .seed = number,
                                           .keep_loads = true};
        experiment.method = pick(&left, methods, 3);
        experiment.delay = pick(&left, delays, 4);
        experiment.work = pick(&left, works, 3);
        experiment.invoke = pick(&left, invokes, 3);
        experiment.units = pick(&left, units, 2);
        experiment.clock = pick(&left, clocks, 2);
        experiment.ports = pick(&left, ports, 2);
        experiment.link_limit = pick(&left, limits, 2);
        bool rounds = strcmp(experiment.units, "tokens") == 0 && number % 5 > 0;
        experiment.rounding = rounds ? roundings[number % 5 - 1] : NULL;
        struct ek_report report;
        struct ek_error error;
        cr_assert_eq(try(&experiment, &report, &error), EK_OK, "%u: %s", number, error.sentence);
        double came = report.total_initial + report.generated;
        double is = report.held_final + report.in_flight + report.consumed;
        double allowed = strcmp(experiment.units, "tokens") == 0 ? 0.0 : 1e-12 * (came + report.moved);
        cr_expect(fabs(came - is) <= allowed, "%u: %.17g, %.17g", number, came, is);
        bool bounded = rounds && strcmp(experiment.rounding, "down") != 0;
        cr_expect(!bounded || report.minimum_ever >= 0.0, "%u: %g", number, report.minimum_ever);
        double whole = 0.0; // the most that can have stayed
        for (uint32_t p = 0; p < 12; p++) {
            whole += fmax(0.0, report.final[p]);
        }
        whole += report.consumed;
        cr_expect(report.stayed >= 0.0 && report.stayed <= whole, "%u: %g of %g", number, report.stayed, whole);
        cr_expect_eq(report.generated > 0.0, strcmp(experiment.work, "none") != 0, "%u", number);
        if (number % 16 == 0) {
            struct ek_report other;
            experiment.carrier = "pool:3";
            cr_assert_eq(try(&experiment, &other, &error), EK_OK);
            cr_expect(memcmp(report.final, other.final, 12 * sizeof *report.final) == 0, "%u", number);
            cr_expect_eq(report.in_flight, other.in_flight, "%u", number);
            ek_report_destroy(&other);
        }
        ek_report_destroy(&report);
    }
}

// No load becomes negative if a sender gives at most 1/degree of each difference, whatever the delays.
Test(axes, sender_never_goes_below_0)
{
    static const char *const delays[] = {"none", "fixed:3", "uniform:0:9", "exponential:3"};
    for (unsigned number = 0; number < 40; number++) {
        struct ek_experiment experiment = {.topology = "random:12:4",
                                           .method = "sender:1/deg",
                                           .carrier = "pool:1",
                                           .load = number % 2 ? "peak:1600" : NULL,
                                           .stop = "never",
                                           .steps_max = 60,
                                           .delay = delays[number % 4],
                                           .seed = number};
        struct ek_report report;
        struct ek_error error;
        cr_assert_eq(try(&experiment, &report, &error), EK_OK, "%s", error.sentence);
        cr_expect(report.minimum_ever >= -1e-9, "%u: %g", number, report.minimum_ever);
        ek_report_destroy(&report);
    }
}

Test(axes, the_trace_counts_invokers)
{
    struct ek_experiment experiment = {.topology = "ring:8",
                                       .method = "ade",
                                       .carrier = "pool:2",
                                       .load = "peak:800@3",
                                       .invoke = "outside:0:99",
                                       .stop = "never",
                                       .operations_max = 2,
                                       .keep_trace = true};
    struct ek_report report;
    struct ek_error error;
    cr_assert_eq(try(&experiment, &report, &error), EK_OK, "%s", error.sentence);
    cr_assert_eq(report.trace_count, 5);
    static const uint64_t wanted[] = {0, 1, 1, 3, 3}; // the peak; then itself and the two processors that it gave to
    for (size_t i = 0; i < 5; i++) {
        cr_expect_eq(report.trace[i].invokers, wanted[i], "row %zu: %u", i, (unsigned)report.trace[i].invokers);
    }
    ek_report_destroy(&report);
}

Test(axes, what_a_method_cannot_do_is_refused)
{
    static const struct ek_experiment experiments[] = {
        {.method = "ade", .capacity = "semi"},   {.method = "dem", .topology = "hypercube:3", .units = "real"},
        {.method = "dde", .invoke = "below:3"},  {.method = "dde", .delay = "fixed:1"},
        {.method = "ade", .timing = "turns"},    {.method = "adf", .timing = "turns", .ports = "one"},
        {.method = "liquid:c1", .ports = "one"},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        struct ek_error error;
        cr_expect_null(ek_prepare(&experiments[i], &error), "experiment %zu", i);
        cr_expect_eq(error.status, EK_BAD_INPUT);
        cr_expect_str_eq(error.axis, i == 5 ? "ports" : "method");
        cr_expect(strstr(error.sentence, ": use ") || strstr(error.sentence, "or a method"), "%s", error.sentence);
    }
}

static void deaf_act(struct ek_turn *turn, double *amounts)
{
    (void)turn, (void)amounts;
}

static enum ek_next deaf_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    (void)plan, (void)step;
    return moment->index == 0 ? EK_NEXT_STEP : EK_NEXT_OPERATION_ENDS;
}

static bool deaf_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                         struct ek_error *error)
{
    (void)parameter, (void)at, (void)setting, (void)error;
    plan->sleeps = true;
    return true;
}
static const struct ek_method deaf = {
    .name = "deaf",
    .texts = &(const struct ek_texts){.title = "a program that nobody wakes"},
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_SCHEDULED,
    .prepare = deaf_prepare,
    .rounds = &(const struct ek_rounds_part){.next = deaf_next, .act = deaf_act},
};

// A method that announces only its load would never wake a sleeping processor.
Test(axes, sleepers_need_words)
{
    struct ek_error error;
    cr_assert(ek_method_register(&deaf, &error), "%s", error.sentence);
    cr_assert_null(ek_prepare(&(struct ek_experiment){.method = "deaf"}, &error));
    cr_expect_str_eq(error.axis, "method");
    cr_expect(strstr(error.sentence, "`announce`"), "%s", error.sentence);
}

// Every run ends: endless work needs a limit.
Test(axes, endless_work_needs_a_limit)
{
    static const char *const works[] = {"normal:100:30:100", "constant:0=1"};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        struct ek_experiment experiment = {.work = works[i]};
        struct ek_error error;
        cr_assert_null(ek_prepare(&experiment, &error), "%s", works[i]);
        cr_expect_str_eq(error.axis, "work");
        experiment.operations_max = 10;
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_expect(machine, "%s: %s", works[i], error.sentence);
        ek_machine_destroy(machine);
    }
}

// `list` shows the default first. Every axis of the machine has one.
Test(axes, every_axis_lists_its_default_first)
{
    static const char *const first[][2] = {
        {"units", "real"},      {"ports", "all"},     {"timing", "rounds"}, {"clock", "operation"},
        {"invoke", "always"},   {"work", "none"},     {"capacity", "homo"}, {"weighting", "capacity"},
        {"link-limit", "none"}, {"delay", "none"},    {"mailbox", "slot"},  {"barrier", "auto"},
        {"carrier", "threads"}, {"slow", "none"},     {"faults", "none"},   {"domains", "overlap"},
        {"announce", "asked"},  {"rounding", "down"},
    };
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        const struct ek_axis *axis = ek_axis_named(first[i][0]);
        cr_assert(axis && ek_axis_choice(axis, 0), "%s", first[i][0]);
        cr_expect_str_eq(ek_axis_choice(axis, 0)->form, first[i][1]);
        cr_expect(*ek_axis_choice(axis, 0)->summary);
    }
    cr_expect_null(ek_axis_choice(ek_axis_named("weighting"), 2));
    cr_expect_null(ek_axis_named("no such axis"));
}

static size_t count_choices(const char *option)
{
    const struct ek_axis *axis = ek_axis_named(option);
    size_t count = 0;
    for (; ek_axis_choice(axis, count); count++) {
        const struct ek_choice *choice = ek_axis_choice(axis, count);
        cr_assert(choice->form && *choice->form && choice->summary && *choice->summary, "%s %zu", option, count);
    }
    return count;
}

Test(axes, choices_are_listed)
{
    cr_assert_eq(count_choices("load"), 10);
    cr_assert_eq(count_choices("tasks"), 9);
    cr_assert_eq(count_choices("objects"), 4);
    cr_assert_eq(count_choices("choose"), 4);
    cr_assert_eq(count_choices("stop"), 8);
    cr_assert_eq(count_choices("carrier"), 3);
    cr_assert_eq(count_choices("mailbox"), 4);
    cr_assert_eq(count_choices("barrier"), 5);
    cr_assert_eq(count_choices("seed"), 0, "seed takes numbers");
}
