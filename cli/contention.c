// SPDX-License-Identifier: MIT
// `evenkeel contention`: what threads, mailboxes, ports, pinning and barriers cost. From one experiment one thing at a
// time is changed; the runs go round and round over all points, so that what else the computer does meets them alike.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/report/figure.h"
#include "cli/text.h"
#include "lab/clean.h"
#include "lab/run.h"

enum { POINTS_MAX = 48, RUNS_MAX = 100, SPEC = 64, WIDTH = 110 };

enum metric { MESSAGES, OPERATIONS, LATENCY, LATENCY_P99, STALLS, EMPTY, SLEEPS, SWITCHES, METRICS };

// One experiment, and what its runs measured.
struct point {
    const char *axis; // what is changed from the base
    char label[32];
    char topology[SPEC], mailbox[SPEC];
    const char *ports, *barrier, *timing;
    bool unpinned;
    char refusal[200]; // why it cannot run, or ""
    double samples[METRICS][RUNS_MAX];
    size_t count;
};

struct contention {
    const struct cli_options *options;
    struct point points[POINTS_MAX]; // the first is the base
    size_t count;
};

static struct point *add_point(struct contention *contention, const char *axis, const char *label)
{
    if (contention->count == POINTS_MAX) {
        return NULL;
    }
    struct point *point = &contention->points[contention->count++];
    *point = (struct point){.axis = axis, .mailbox = "spsc:4", .ports = "all", .timing = "free"};
    snprintf(point->label, sizeof point->label, "%s", label);
    snprintf(point->topology, SPEC, "%s", cli_options_text(contention->options, "topology"));
    return point;
}

// A ring of so many processors, or a torus as square as can be where the base is one.
static void set_processors(struct point *point, unsigned processors)
{
    unsigned side = 1;
    for (unsigned k = 1; (uint64_t)k * k <= processors; k++) {
        side = processors % k == 0 ? k : side;
    }
    if (strncmp(point->topology, "torus", 5) == 0) {
        snprintf(point->topology, SPEC, "torus:%ux%u", side, processors / side);
    } else {
        snprintf(point->topology, SPEC, "ring:%u", processors);
    }
}

static void add_threads(struct contention *contention)
{
    struct ek_limits limits;
    ek_limits_read(&limits);
    unsigned cores = limits.cores > 0 ? limits.cores : 1;
    for (unsigned each = 1; each <= 1024; each *= 4) {
        char label[32];
        snprintf(label, sizeof label, "%u", each);
        uint64_t processors = (uint64_t)each * cores;
        if (processors >= 2 && processors < limits.threads_max) {
            struct point *point = add_point(contention, "threads per core", label);
            if (point) {
                set_processors(point, (unsigned)processors);
            }
        }
    }
}

static void add_mailboxes(struct contention *contention)
{
    static const char *const kinds[] = {"spsc", "wfcq", "mutex"};
    static const unsigned capacities[] = {1, 2, 4, 16};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct point *point = add_point(contention, "mailbox", kinds[i]);
        if (point) {
            snprintf(point->mailbox, SPEC, "%s:4", kinds[i]);
        }
    }
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        char label[32];
        snprintf(label, sizeof label, "%u", capacities[i]);
        struct point *point = add_point(contention, "mailbox capacity", label);
        if (point) {
            snprintf(point->mailbox, SPEC, "spsc:%u", capacities[i]);
        }
    }
}

static void add_others(struct contention *contention)
{
    add_point(contention, "ports", "all");
    struct point *one = add_point(contention, "ports", "one");
    add_point(contention, "threads", "pinned");
    struct point *unpinned = add_point(contention, "threads", "unpinned");
    if (one && unpinned) {
        one->ports = "one";
        unpinned->unpinned = true;
    }
    const struct ek_axis *barrier = ek_axis_named("barrier");
    for (size_t i = 0; ek_axis_choice(barrier, i); i++) {
        const char *form = ek_axis_choice(barrier, i)->form;
        struct point *point = add_point(contention, "barrier, in rounds", form);
        if (point) {
            point->barrier = form;
            point->timing = "rounds";
            point->mailbox[0] = '\0';
        }
    }
}

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static void take_sample(struct point *point, const struct ek_report *report)
{
    const struct ek_async_report *async = &report->async;
    bool rounds = !report->has_async;
    const double values[METRICS] = {
        [MESSAGES] = (double)report->messages / report->elapsed_s,
        [OPERATIONS] = (double)(rounds ? report->steps : report->operations) / report->elapsed_s,
        [LATENCY] = rounds ? NAN : async->latency.median,
        [LATENCY_P99] = rounds ? NAN : async->latency.p99,
        [STALLS] = rounds ? NAN : share(async->stalls, report->messages),
        [EMPTY] = rounds ? NAN : share(async->empty_turns, async->turns),
        [SLEEPS] = rounds ? NAN : (double)async->sleeps / report->elapsed_s,
        [SWITCHES] = rounds ? NAN : share(async->switches_voluntary + async->switches_forced, report->messages),
    };
    for (size_t m = 0; m < METRICS; m++) {
        point->samples[m][point->count] = values[m];
    }
    point->count++;
}

// One run of one point. False and `error` where it was neither reported nor refused.
static bool run_point(const struct contention *contention, struct point *point, uint64_t run, struct ek_error *error)
{
    struct lab_order order = {
        .experiment = contention->options->experiment, .runs = 1, .command = "", .stopped = cli_interrupt_came};
    struct ek_experiment *experiment = &order.experiment;
    experiment->topology = point->topology;
    experiment->mailbox = point->mailbox[0] ? point->mailbox : NULL;
    experiment->ports = point->ports;
    experiment->barrier = point->barrier;
    experiment->timing = point->timing;
    experiment->unpinned = point->unpinned;
    experiment->stop = "never";
    experiment->no_flows = true;
    experiment->seed += run;
    experiment->reader = cli_files_reader();
    struct lab_record record = {0};
    enum ek_status status = lab_run(&order, &record, error);
    if (record.count == 0) {
        snprintf(point->refusal, sizeof point->refusal, "%.199s", error->sentence);
        lab_clean(point->refusal);
        return true;
    }
    const struct ek_report *report = &record.runs[0];
    bool good = status == EK_OK || status == EK_UNREACHED;
    if (good && report->ended != EK_ENDED_INTERRUPT) {
        take_sample(point, report);
    }
    fputs(report->async.dump ? report->async.dump : "", stderr);
    lab_record_destroy(&record);
    return good;
}

static bool run_all(struct contention *contention, struct ek_error *error)
{
    struct cli_terminal terminal = cli_terminal_of(stderr);
    uint64_t runs = contention->options->runs;
    bool good = true;
    for (uint64_t run = 0; good && run < runs; run++) {
        for (size_t i = 0; good && i < contention->count && !cli_interrupt_came(); i++) {
            struct point *point = &contention->points[i];
            if (terminal.is_terminal) {
                struct cli_line line = {0};
                cli_line_add(&line, "%zu of %zu: %s %s", (size_t)run * contention->count + i + 1,
                             (size_t)runs * contention->count, point->axis, point->label);
                fprintf(stderr, "\r%.*s\033[K", terminal.columns - 1, line.of);
            }
            good = point->refusal[0] || run_point(contention, point, run, error);
            good = good && !(i == 0 && point->refusal[0]);
        }
    }
    if (terminal.is_terminal) {
        fputs("\r\033[K", stderr);
    }
    return good;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

struct spread {
    double least, median, most;
};

static struct spread spread_of(const struct point *point, enum metric metric)
{
    double sorted[RUNS_MAX];
    size_t count = point->count;
    if (count == 0 || isnan(point->samples[metric][0])) {
        return (struct spread){NAN, NAN, NAN};
    }
    memcpy(sorted, point->samples[metric], count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    return (struct spread){sorted[0], 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]), sorted[count - 1]};
}

// "6.21M", "340k".
static struct cli_text short_number(double value)
{
    struct cli_text text = {"-"};
    if (!isnan(value)) {
        double part = value >= 1e6 ? 1e6 : value >= 1e3 ? 1e3 : 1.0;
        snprintf(text.of, sizeof text.of, "%.3g%s", value / part, value >= 1e6 ? "M" : value >= 1e3 ? "k" : "");
    }
    return text;
}

// "x1.07" of the base's; "-" where either was not measured.
static struct cli_text ratio(const struct point *point, const struct point *base, enum metric metric)
{
    struct cli_text text = {"-"};
    double of = spread_of(point, metric).median / spread_of(base, metric).median;
    if (isfinite(of)) {
        snprintf(text.of, sizeof text.of, "x%.*f", of < 9.995 ? 2 : 0, of);
    }
    return text;
}

static struct cli_text time_text(double seconds)
{
    return isnan(seconds) ? (struct cli_text){"-"} : cli_text_seconds(seconds);
}

static struct cli_text percent(double part)
{
    struct cli_text text = {"-"};
    if (!isnan(part)) {
        snprintf(text.of, sizeof text.of, "%.1f %%", 100.0 * part);
    }
    return text;
}

static bool is_rounds(const struct point *point)
{
    return strcmp(point->timing, "rounds") == 0;
}

// What a point is compared with: the base, or in rounds the first barrier.
static const struct point *base_of(const struct contention *contention, const struct point *point)
{
    const struct point *base = &contention->points[0];
    if (is_rounds(point)) {
        while (!is_rounds(base)) {
            base++;
        }
    }
    return base;
}

static void print_speed(const struct point *point, const struct point *base)
{
    struct spread messages = spread_of(point, MESSAGES);
    char range[40];
    snprintf(range, sizeof range, "%.16s-%.16s", short_number(messages.least).of, short_number(messages.most).of);
    printf("  %-18s %7s %6s  %-15s", point->label, short_number(messages.median).of, ratio(point, base, MESSAGES).of,
           range);
    printf(" %9s %6s\n", short_number(spread_of(point, OPERATIONS).median).of, ratio(point, base, OPERATIONS).of);
}

// Of free timing: in rounds messages do not wait.
static void print_waiting(const struct point *point, const struct point *base)
{
    printf("  %-12s %8s %5s %8s %5s", point->label, time_text(spread_of(point, LATENCY).median).of,
           ratio(point, base, LATENCY).of, time_text(spread_of(point, LATENCY_P99).median).of,
           ratio(point, base, LATENCY_P99).of);
    printf(" %7s %7s %8s %8s\n", percent(spread_of(point, STALLS).median).of,
           percent(spread_of(point, EMPTY).median).of, short_number(spread_of(point, SLEEPS).median).of,
           short_number(spread_of(point, SWITCHES).median).of);
}

static void print_points(const struct contention *contention, bool speed)
{
    for (size_t i = 0; i < contention->count; i++) {
        const struct point *point = &contention->points[i];
        bool rounds = is_rounds(point);
        bool first = i == 0 || strcmp(point->axis, contention->points[i - 1].axis) != 0;
        if (rounds && !speed) {
            return;
        }
        if (speed && (i == 0 || (first && rounds))) {
            printf("\n  %-18s %7s %6s  %-15s %9s\n", point->axis, "mess./s", "", "least-most",
                   rounds ? "steps/s" : "oper./s");
        } else if (i == 0) {
            printf("\n  %-12s %8s %5s %8s %5s %7s %7s %8s %8s\n", "", "latency", "", "99 %", "", "stalls", "empty",
                   "sleeps/s", "switches");
        } else if (first) {
            printf("\n  %s\n", point->axis);
        }
        if (!point->refusal[0]) {
            (speed ? print_speed : print_waiting)(point, base_of(contention, point));
        } else if (speed) {
            printf("  %s", point->label);
            cli_text_after(stdout, 2 + (int)strlen(point->label), point->refusal, 21, WIDTH);
        }
    }
}

static void print_table(const struct contention *contention)
{
    const struct point *base = &contention->points[0];
    struct cli_line line = {0};
    cli_line_add(&line,
                 "base: %s on %s, a thread each, all ports, mailbox %s, pinned, free timing, everybody always invokes; "
                 "medians of %s of %s, each with its ratio to the base (of barriers: to the first)",
                 cli_options_text(contention->options, "method"), base->topology, base->mailbox,
                 cli_text_plural(contention->options->runs, "run").of,
                 cli_text_seconds(contention->options->experiment.seconds_max).of);
    lab_clean(line.of);
    cli_text_wrap(stdout, line.of, 2, WIDTH);
    print_points(contention, true);
    putchar('\n');
    cli_text_wrap(stdout,
                  "free timing alone: latency of messages, stalled messages, empty turns, context switches a message",
                  2, WIDTH);
    print_points(contention, false);
}

// All points one below the other on one scale, the axes apart: the median, and from the least to the most of all runs.
static bool fill_figure(struct lab_figure *figure, const struct contention *contention, struct ek_error *error)
{
    struct lab_series *series = lab_figure_add(figure, LAB_SERIES_POINTS, contention->count, true, error);
    bool good = series != NULL;
    for (size_t i = 0; good && i < contention->count; i++) {
        const struct point *point = &contention->points[i];
        if (i > 0 && strcmp(point->axis, contention->points[i - 1].axis) != 0) {
            good = lab_figure_add_name(figure, "", error);
        }
        char name[80];
        snprintf(name, sizeof name, "%s %s", point->axis, point->label);
        struct spread messages = spread_of(point, MESSAGES);
        series->x[i] = (double)figure->names;
        series->y[i] = messages.median;
        series->low[i] = messages.least;
        series->high[i] = messages.most;
        good = good && lab_figure_add_name(figure, name, error);
    }
    return good;
}

static bool draw(const struct contention *contention, struct ek_error *error)
{
    const struct cli_options *options = contention->options;
    struct lab_figure figure = {.y = {.label = "messages a second"}};
    snprintf(figure.title, sizeof figure.title, "%.200s on %.200s", cli_options_text(options, "method"),
             contention->points[0].topology);
    lab_clean(figure.title);
    bool good = fill_figure(&figure, contention, error);
    if (good) {
        snprintf(figure.series[0].label, sizeof figure.series[0].label, "median of %s, and from the least to the most",
                 cli_text_plural(options->runs, "run").of);
        good = report_figure_draw(&figure, options->plot, options->plot_script, error);
    }
    lab_figure_destroy(&figure);
    return good;
}

static enum ek_status measure(struct contention *contention)
{
    struct ek_error error = {.at = -1};
    add_point(contention, "", "base");
    add_threads(contention);
    add_mailboxes(contention);
    add_others(contention);
    cli_interrupt_catch();
    bool good = run_all(contention, &error);
    cli_interrupt_release();
    if (!good) {
        return cli_complain(&error, cli_options_text(contention->options, error.axis));
    }
    print_table(contention);
    if (contention->options->plot && !draw(contention, &error)) {
        return cli_complain(&error, NULL);
    }
    return cli_interrupt_came() ? EK_UNREACHED : EK_OK;
}

enum ek_status cli_contention(const struct cli_options *options, const char *typed)
{
    (void)typed;
    struct ek_error error = {.at = -1};
    if (options->runs > RUNS_MAX) {
        cli_refuse(&error, "runs", 0, "contention takes at most %d runs of each", RUNS_MAX);
        return cli_complain(&error, cli_options_text(options, "runs"));
    }
    if (!report_figure_ready(options->plot, options->plot_script, &error)) {
        return cli_complain(&error, cli_options_text(options, error.axis));
    }
    struct contention *contention = calloc(1, sizeof *contention);
    if (!contention) {
        cli_refuse(&error, "", -1, "no memory for what is measured: ask for fewer --runs");
        return cli_complain(&error, NULL);
    }
    contention->options = options;
    enum ek_status status = measure(contention);
    free(contention);
    return status;
}
