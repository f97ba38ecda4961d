// SPDX-License-Identifier: MIT
#include "cli/report/contention_report.h"

#include <math.h>
#include <string.h>

#include "cli/tables/csv.h"
#include "cli/terminal/text.h"
#include "lab/statistics/samples.h"
#include "lab/text/clean_text.h"

enum { WIDTH = 100, NAME = 22 };

// Returns "6.21M", "340k".
static struct cli_text short_number(double value)
{
    struct cli_text text = {"-"};
    if (isfinite(value)) {
        double part = value >= 1e9 ? 1e9 : value >= 1e6 ? 1e6 : value >= 1e3 ? 1e3 : 1.0;
        const char *unit = value >= 1e9 ? "G" : value >= 1e6 ? "M" : value >= 1e3 ? "k" : "";
        snprintf(text.of, sizeof text.of, "%.3g%s", value / part, unit);
    }
    return text;
}

static struct cli_text time_text(double seconds)
{
    return isfinite(seconds) ? cli_text_seconds(seconds) : (struct cli_text){"-"};
}

static struct cli_text percent(double part)
{
    struct cli_text text = {"-"};
    if (isfinite(part)) {
        snprintf(text.of, sizeof text.of, "%.1f %%", 100.0 * part);
    }
    return text;
}

// Returns "5.87M to 6.55M", or "" with too few runs.
static struct cli_text range_text(const struct lab_interval *interval)
{
    struct cli_text text = {""};
    if (isfinite(interval->low) && isfinite(interval->high)) {
        snprintf(text.of, sizeof text.of, "%.30s to %.30s", short_number(fmax(interval->low, 0.0)).of,
                 short_number(interval->high).of);
    }
    return text;
}

// Returns "x0.31 (0.28 to 0.35)" or "no difference seen (0.90 to 1.04)"; with too few runs "x0.31".
static struct cli_text ratio_text(const struct lab_interval *ratio)
{
    struct cli_text text = {"-"};
    const char *difference = lab_contention_difference(ratio);
    char value[40] = "no difference seen";
    if (!difference || strcmp(difference, "none") != 0) {
        snprintf(value, sizeof value, "x%.3g", ratio->value);
    }
    if (difference) {
        snprintf(text.of, sizeof text.of, "%.30s (%.3g to %.3g)", value, ratio->low, ratio->high);
    } else if (isfinite(ratio->value)) {
        snprintf(text.of, sizeof text.of, "%.30s", value);
    }
    return text;
}

static const char *value_of(const struct lab_point *point)
{
    bool pinning = strcmp(point->axis, "unpinned") == 0;
    return !*point->axis ? "base" : !pinning ? point->value : strcmp(point->value, "true") == 0 ? "yes" : "no";
}

static bool is_first_of_axis(const struct lab_contention *contention, size_t index)
{
    return index > 0 && strcmp(contention->point[index].axis, contention->point[index - 1].axis) != 0;
}

static void print_axis(FILE *out, const struct lab_contention *contention, size_t index)
{
    const struct lab_point *point = &contention->point[index];
    if (is_first_of_axis(contention, index)) {
        fprintf(out, "  %s%s\n", point->axis, point->base == index ? " (in rounds, compared with the first)" : "");
    }
}

static void print_speed(FILE *out, const struct lab_contention *contention, const struct lab_point *point)
{
    struct lab_interval messages = lab_contention_mean(point, LAB_COST_MESSAGES);
    struct lab_interval operations = lab_contention_mean(point, LAB_COST_OPERATIONS);
    const struct lab_point *base = &contention->point[point->base];
    struct lab_interval ratio = lab_contention_ratio(point, base, LAB_COST_MESSAGES);
    fprintf(out, "    %-*s %8s  %-18s %8s  %s\n", NAME, value_of(point), short_number(messages.value).of,
            range_text(&messages).of, short_number(operations.value).of, point == base ? "" : ratio_text(&ratio).of);
}

static void print_speeds(FILE *out, const struct lab_contention *contention)
{
    fprintf(out, "\n    %-*s %8s  %-18s %8s  %s\n", NAME, "", "mess./s", "interval", "oper./s",
            "messages, relative to the base");
    for (size_t i = 0; i < contention->count; i++) {
        const struct lab_point *point = &contention->point[i];
        print_axis(out, contention, i);
        if (point->refusal[0]) {
            int column = fprintf(out, "    %s", value_of(point));
            cli_text_after(out, column, point->refusal, NAME + 5, WIDTH);
        } else {
            print_speed(out, contention, point);
        }
    }
}

static double mean_of(const struct lab_point *point, enum lab_cost cost)
{
    return lab_contention_mean(point, cost).value;
}

// Prints the waits of experiments in free timing. In rounds messages do not wait.
static void print_waits(FILE *out, const struct lab_contention *contention)
{
    fprintf(out, "\n    %-*s %9s %9s %8s %8s %8s %8s\n", NAME, "", "latency", "99 %", "stalls", "empty", "sleeps/s",
            "switches");
    for (size_t i = 0; i < contention->count; i++) {
        const struct lab_point *point = &contention->point[i];
        if (isfinite(mean_of(point, LAB_COST_EMPTY))) {
            print_axis(out, contention, i);
            fprintf(out, "    %-*s %9s %9s %8s %8s %8s %8s\n", NAME, value_of(point),
                    time_text(mean_of(point, LAB_COST_LATENCY)).of, time_text(mean_of(point, LAB_COST_LATENCY_P99)).of,
                    percent(mean_of(point, LAB_COST_STALLS)).of, percent(mean_of(point, LAB_COST_EMPTY)).of,
                    short_number(mean_of(point, LAB_COST_SLEEPS)).of,
                    short_number(mean_of(point, LAB_COST_SWITCHES)).of);
        }
    }
}

static void print_baseline(FILE *out, const struct lab_contention *contention, const struct lab_contention *baseline)
{
    fprintf(out, "\n    %-*s %8s %8s  %s\n", NAME, "since the baseline", "then", "now", "messages per second");
    for (size_t i = 0; i < contention->count; i++) {
        const struct lab_point *point = &contention->point[i];
        const struct lab_point *before = lab_contention_same(baseline, point);
        print_axis(out, contention, i);
        if (!before) {
            fprintf(out, "    %-*s not in the baseline\n", NAME, value_of(point));
            continue;
        }
        struct lab_interval ratio = lab_contention_ratio(point, before, LAB_COST_MESSAGES);
        fprintf(out, "    %-*s %8s %8s  %s\n", NAME, value_of(point),
                short_number(mean_of(before, LAB_COST_MESSAGES)).of, short_number(mean_of(point, LAB_COST_MESSAGES)).of,
                ratio_text(&ratio).of);
    }
}

static void print_limits(FILE *out, const struct lab_contention *contention)
{
    struct lab_interval yields = lab_contention_limit(contention, LAB_HOST_YIELDS);
    struct lab_interval transfer = lab_contention_limit(contention, LAB_HOST_TRANSFER);
    struct lab_interval memory = lab_contention_limit(contention, LAB_HOST_MEMORY);
    struct cli_line line = {0};
    cli_line_add(&line, "this computer, measured between the runs: %s yields per second (two threads per core); ",
                 short_number(yields.value).of);
    if (isfinite(transfer.value)) {
        cli_line_add(&line, "a cache line reaches another core in %.3g ns; ", 1e9 * transfer.value);
    }
    cli_line_add(&line,
                 "a thread that copies memory reads and writes %s bytes per second; other programs used %s of the time",
                 short_number(memory.value).of,
                 isfinite(contention->others) ? percent(contention->others).of : "an unknown share");
    fputc('\n', out);
    cli_text_wrap(out, line.of, 2, WIDTH);
}

bool report_contention_disturbed(const struct lab_contention *contention)
{
    return contention->others > 0.05;
}

// Adds one sentence: which experiments differ from their base, and what would make the measurement more certain.
static void say_verdict(struct cli_line *line, const struct lab_contention *contention)
{
    const struct lab_point *largest = NULL;
    double most = 1.0;
    size_t compared = 0, different = 0;
    for (size_t i = 0; i < contention->count; i++) {
        const struct lab_point *point = &contention->point[i];
        struct lab_interval ratio = lab_contention_ratio(point, &contention->point[point->base], LAB_COST_MESSAGES);
        const char *difference = point->base == i ? NULL : lab_contention_difference(&ratio);
        compared += difference != NULL;
        if (difference && strcmp(difference, "none") != 0) {
            different++;
            largest = fabs(log(ratio.value)) > fabs(log(most)) ? point : largest;
            most = largest == point ? ratio.value : most;
        }
    }
    if (compared == 0) {
        cli_line_add(line, "nothing can be compared: it needs %d --runs or more, and a list, as in --ports all,one",
                     (int)LAB_SAMPLES_MIN);
    } else if (different == 0) {
        cli_line_add(line, "no difference is seen in %s with the base; more --runs narrow the intervals",
                     cli_text_plural(compared, "comparison").of);
    } else {
        cli_line_add(line,
                     "a difference is seen in %zu of %s with the base, the largest for %s %s: %.3g times the messages "
                     "per second; of twenty comparisons of equal experiments about one shows a difference",
                     different, cli_text_plural(compared, "comparison").of, largest->axis, value_of(largest), most);
    }
    if (report_contention_disturbed(contention)) {
        cli_line_add(line, "; other programs took part of the time: repeat this on an idle computer");
    }
}

static void say_base(struct cli_line *line, const struct lab_contention *contention)
{
    const struct lab_experiment_spec *base = &contention->point[0].spec;
    cli_line_add(line, "%s on %s, carrier %s, mailbox %s, %s, free timing, all processors always invoke",
                 lab_experiment_spec_axis(base, "method"), lab_experiment_spec_axis(base, "topology"),
                 lab_experiment_spec_axis(base, "carrier"), lab_experiment_spec_axis(base, "mailbox"),
                 strcmp(lab_experiment_spec_axis(base, "ports"), "one") == 0 ? "one port" : "all ports");
    lab_text_clean(line->of);
}

static void say_runs(struct cli_line *line, const struct lab_contention *contention)
{
    cli_line_add(line, "%s of %s for each experiment, in turn, back and forth",
                 cli_text_plural(contention->runs, "run").of,
                 lab_experiment_spec_axis(&contention->point[0].spec, "for"));
}

void report_contention_table(FILE *out, const struct lab_contention *contention, const struct lab_contention *baseline)
{
    struct cli_line line = {0};
    cli_line_add(&line, "base: ");
    say_base(&line, contention);
    cli_line_add(&line, "; means of ");
    say_runs(&line, contention);
    char confidence[64];
    lab_confidence_write(&lab_contention_confidence, confidence, sizeof confidence);
    if (contention->runs >= LAB_SAMPLES_MIN) {
        cli_line_add(&line, "; intervals: %s", confidence);
    }
    cli_text_wrap(out, line.of, 2, WIDTH);
    print_speeds(out, contention);
    print_waits(out, contention);
    if (baseline) {
        print_baseline(out, contention, baseline);
    }
    print_limits(out, contention);
    line = (struct cli_line){0};
    say_verdict(&line, contention);
    fputc('\n', out);
    cli_text_wrap(out, line.of, 2, WIDTH);
}

static bool fill_series(struct lab_figure *figure, const struct lab_contention *contention, struct ek_error *error)
{
    struct lab_series *series = lab_figure_add(figure, LAB_SERIES_POINTS, contention->count, true, error);
    bool good = series != NULL;
    for (size_t i = 0; good && i < contention->count; i++) {
        const struct lab_point *point = &contention->point[i];
        if (is_first_of_axis(contention, i)) {
            good = lab_figure_add_name(figure, "", error);
        }
        struct cli_line name = {0};
        cli_line_add(&name, "%s%s%.60s", point->axis, *point->axis ? " " : "", value_of(point));
        struct lab_interval messages = lab_contention_mean(point, LAB_COST_MESSAGES);
        series->x[i] = (double)figure->names;
        series->y[i] = messages.value;
        series->low[i] = isfinite(messages.low) ? messages.low : messages.value;
        series->high[i] = isfinite(messages.high) ? messages.high : messages.value;
        good = good && lab_figure_add_name(figure, name.of, error);
    }
    return good;
}

bool report_contention_figure(struct lab_figure *figure, const struct lab_contention *contention,
                              struct ek_error *error)
{
    *figure = (struct lab_figure){.y = {.label = "messages per second", .logarithmic = true}};
    struct cli_line title = {0};
    struct cli_line note = {0};
    say_base(&title, contention);
    cli_line_add(&note,
                 "The base, and below it experiments that each differ from it in one thing; barriers in rounds. ");
    say_runs(&note, contention);
    snprintf(figure->title, sizeof figure->title, "%.1500s", title.of);
    snprintf(figure->note, sizeof figure->note, "%.500s.", note.of);
    if (!fill_series(figure, contention, error)) {
        lab_figure_destroy(figure);
        return false;
    }
    char confidence[64];
    lab_confidence_write(&lab_contention_confidence, confidence, sizeof confidence);
    char *label = figure->series[0].label;
    if (contention->runs >= LAB_SAMPLES_MIN) {
        snprintf(label, sizeof figure->series[0].label, "mean with its interval: %s", confidence);
    } else {
        snprintf(label, sizeof figure->series[0].label, "mean of %s: %d would have an interval",
                 cli_text_plural(contention->runs, "run").of, (int)LAB_SAMPLES_MIN);
    }
    return true;
}

void report_csv_write_contention(FILE *out, const struct lab_contention *contention)
{
    fputs("axis,value,run", out);
    for (size_t c = 0; c < LAB_COSTS; c++) {
        fprintf(out, ",%s", lab_cost_names[c]);
    }
    fputs(",command\n", out);
    for (size_t i = 0; i < contention->count; i++) {
        const struct lab_point *point = &contention->point[i];
        for (size_t r = 0; r < point->count; r++) {
            report_csv_text(out, point->axis);
            fputc(',', out);
            report_csv_text(out, point->value);
            fprintf(out, ",%zu", r);
            for (size_t c = 0; c < LAB_COSTS; c++) {
                fputc(',', out);
                report_csv_real(out, point->sample[r][c]);
            }
            fputc(',', out);
            report_csv_text(out, point->command);
            fputc('\n', out);
        }
    }
}
