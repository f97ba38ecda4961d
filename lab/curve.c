// SPDX-License-Identifier: MIT
// Traces of several runs on one axis.
#include "lab/curve.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/clean.h"
#include "lab/fail.h"
#include "lab/statistics.h"

// In free timing snapshots come at different times in each run: their curves are read at so many moments.
enum { MOMENTS = 256, SPEC_LENGTH = 160 };

static double place(const struct ek_report *run, size_t row)
{
    return run->has_async ? run->trace[row].time : (double)run->trace[row].step;
}

static double last_place(const struct ek_report *run)
{
    return place(run, run->trace_count - 1);
}

// Between two points of a curve: straight where the variance is logarithmic, as far as it has a logarithm.
static double between(double x, double from, double to, double before, double after)
{
    double part = (x - from) / (to - from);
    return before > 0.0 && after > 0.0 ? before * pow(after / before, part) : before + part * (after - before);
}

// A run's curve at x: it begins with the loads at the start, which in free timing are before the first snapshot. `*row`
// is where the search goes on; x may not go back.
static double value_at(const struct ek_report *run, double x, size_t *row)
{
    double first = place(run, 0);
    if (x < first) {
        return between(x, 0.0, first, run->variance_initial, run->trace[0].variance);
    }
    while (*row + 1 < run->trace_count && place(run, *row + 1) <= x) {
        (*row)++;
    }
    double from = place(run, *row);
    double before = run->trace[*row].variance;
    return *row + 1 < run->trace_count && x > from
               ? between(x, from, place(run, *row + 1), before, run->trace[*row + 1].variance)
               : before;
}

// The runs that have a trace, the longest, and where the first and the last of them ends.
struct runs {
    const struct ek_report **run; // [count], in the record's order
    size_t *row;                  // [count]
    size_t count;
    const struct ek_report *longest;
    double first_end;
};

static bool begin_runs(struct runs *runs, const struct lab_record *record)
{
    *runs = (struct runs){.run = calloc(record->count + 1, sizeof *runs->run),
                          .row = calloc(record->count + 1, sizeof *runs->row),
                          .first_end = INFINITY};
    for (size_t r = 0; runs->run && r < record->count; r++) {
        const struct ek_report *run = &record->runs[r];
        if (run->trace_count > 0) {
            runs->run[runs->count++] = run;
            runs->first_end = fmin(runs->first_end, last_place(run));
            runs->longest = !runs->longest || last_place(run) > last_place(runs->longest) ? run : runs->longest;
        }
    }
    return runs->run && runs->row;
}

static void destroy_runs(struct runs *runs)
{
    free(runs->run);
    free(runs->row);
}

// Steps are the same in all runs. Snapshots are not: of one run they are shown, after its start; of several none is.
static size_t points_of(const struct runs *runs)
{
    const struct ek_report *longest = runs->longest;
    size_t rows = longest ? longest->trace_count : 0;
    return !longest || !longest->has_async ? rows : runs->count > 1 ? MOMENTS : 1 + rows;
}

static double point(const struct runs *runs, size_t index)
{
    const struct ek_report *longest = runs->longest;
    if (!longest->has_async) {
        return place(longest, index);
    }
    return runs->count > 1 ? last_place(longest) * (double)index / (MOMENTS - 1)
           : index > 0     ? place(longest, index - 1)
                           : 0.0;
}

// `values` has room for one of each run.
static void fill_measured(struct lab_series *series, struct runs *runs, double *values)
{
    for (size_t i = 0; i < series->count; i++) {
        series->x[i] = point(runs, i);
        for (size_t r = 0; r < runs->count; r++) {
            values[r] = value_at(runs->run[r], series->x[i], &runs->row[r]);
        }
        series->y[i] = lab_mean(values, runs->count);
        if (series->low) {
            lab_sort(values, runs->count);
            series->low[i] = lab_quantile(values, runs->count, 0.05);
            series->high[i] = lab_quantile(values, runs->count, 0.95);
        }
    }
}

static void say_runs(char *text, size_t size, const char *label, size_t count)
{
    const char *between = label ? ", " : "";
    if (count == 1) {
        snprintf(text, size, "%.140s%smeasured, 1 run", label ? label : "", between);
    } else {
        snprintf(text, size, "%.140s%smean of %zu runs", label ? label : "", between, count);
    }
}

static bool add_measured(struct lab_figure *figure, struct runs *runs, const char *label, struct ek_error *error)
{
    double *values = calloc(runs->count + 1, sizeof *values);
    struct lab_series *series =
        values ? lab_figure_add(figure, LAB_SERIES_LINE, points_of(runs), runs->count > 1, error) : NULL;
    if (series) {
        fill_measured(series, runs, values);
        say_runs(series->label, sizeof series->label, label, runs->count);
        if (series->low) {
            snprintf(figure->band, sizeof figure->band, "band: nine of ten runs (5 %% to 95 %% quantile)");
        }
    }
    free(values);
    return series || lab_fail(error, "no memory for the mean of so many runs: ask for fewer --runs");
}

// Six digits, or as many as it takes to tell it from 1.
static void say_factor(char *text, size_t size, double factor)
{
    int digits = 6;
    do {
        snprintf(text, size, "%.*g", digits++, factor);
    } while (factor != 1.0 && strtod(text, NULL) == 1.0);
}

// Theory's time counts operations; the axis counts steps, of which these runs needed so many for an operation.
static double steps_per_operation(const struct runs *runs)
{
    double steps = 0.0;
    double operations = 0.0;
    for (size_t r = 0; r < runs->count; r++) {
        steps += (double)runs->run[r]->steps;
        operations += (double)runs->run[r]->operations;
    }
    return operations > 0.0 ? steps / operations : NAN;
}

static bool add_theory(struct lab_figure *figure, const struct lab_record *record, const struct runs *runs,
                       const char *label, struct ek_error *error)
{
    double gamma = record->theory.gamma_exact;
    double steps = steps_per_operation(runs);
    size_t measured = figure->count - 1;
    double initial = runs->count > 0 ? figure->series[measured].y[0] : 0.0;
    if (!record->theory.has_exact || runs->count == 0 || runs->longest->has_async || !(steps > 0.0) ||
        !(initial > 0.0)) {
        return true;
    }
    struct lab_series *theory = lab_figure_add(figure, LAB_SERIES_THEORY, figure->series[measured].count, false, error);
    if (!theory) {
        return false;
    }
    for (size_t i = 0; i < theory->count; i++) {
        theory->x[i] = figure->series[measured].x[i];
        theory->y[i] = initial * pow(gamma, 2.0 * theory->x[i] / steps);
    }
    char factor[330]; // as long as any number can be
    say_factor(factor, sizeof factor, gamma * gamma);
    bool tokens = strcmp(lab_record_axis(record, "units"), "tokens") == 0;
    snprintf(theory->label, sizeof theory->label,
             "%.80s%stheory%s: times %.40s (gamma squared) an operation of %.4g step%s", label ? label : "",
             label ? ", " : "", tokens ? " of real loads" : "", factor, steps, steps == 1.0 ? "" : "s");
    return true;
}

bool lab_curve_add(struct lab_figure *figure, const struct lab_record *record, const char *label,
                   struct ek_error *error)
{
    struct runs runs;
    bool good = begin_runs(&runs, record) ? add_measured(figure, &runs, label, error)
                                          : lab_fail(error, "no memory for the picture: ask for fewer --runs");
    good = good && add_theory(figure, record, &runs, label, error);
    destroy_runs(&runs);
    return good;
}

// Adds text to a title; what is longer than any name of a file or family is shortened, and shows it.
static void add_text(char *title, size_t size, const char *before, const char *text)
{
    size_t used = strlen(title);
    size_t length = strlen(text);
    if (length > SPEC_LENGTH) {
        length = SPEC_LENGTH;
        while (((unsigned char)text[length] & 0xC0) == 0x80) { // not within a character
            length--;
        }
    }
    snprintf(title + used, size - used, "%s%.*s%s", before, (int)length, text, text[length] ? "..." : "");
}

void lab_curve_title(const struct lab_record *record, char *title, size_t size)
{
    title[0] = '\0';
    bool one = strcmp(lab_record_axis(record, "ports"), "one") == 0;
    bool tokens = strcmp(lab_record_axis(record, "units"), "tokens") == 0;
    add_text(title, size, "", record->method.spec);
    add_text(title, size, " on ", record->topology.spec);
    add_text(title, size, tokens ? ", tokens " : ", real loads ", lab_record_axis(record, "load"));
    add_text(title, size, ", ", one ? "one port" : "all ports");
    add_text(title, size, ", timing ", lab_record_axis(record, "timing"));
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        if (axis->role == EK_ROLE_SETTING && strcmp(axis->option, "timing") != 0 && record->axis[i].given) {
            char before[48];
            snprintf(before, sizeof before, ", %.40s ", axis->option);
            add_text(title, size, before, record->axis[i].value);
        }
    }
}

static bool never_varies(const struct runs *runs)
{
    bool varies = false;
    for (size_t r = 0; r < runs->count; r++) {
        for (size_t i = 0; i < runs->run[r]->trace_count; i++) {
            varies = varies || runs->run[r]->trace[i].variance != 0.0;
        }
    }
    return !varies;
}

static void say_note(char *note, size_t size, const struct lab_record *record)
{
    struct runs runs;
    int length = record->count == 1 ? snprintf(note, size, "Seed %" PRIu64 ".", record->runs[0].seed)
                                    : snprintf(note, size, "Seeds %" PRIu64 " to %" PRIu64 ".", record->runs[0].seed,
                                               record->runs[record->count - 1].seed);
    bool begun = begin_runs(&runs, record) && runs.count > 0;
    if (begun && never_varies(&runs)) {
        snprintf(note + length, size - (size_t)length, " The variance is 0 throughout: all loads are alike.");
    } else if (begun && runs.first_end < last_place(runs.longest)) {
        snprintf(note + length, size - (size_t)length,
                 " Runs ended between %s %.4g and %.4g; one that has ended counts with its last value.",
                 runs.longest->has_async ? "second" : "step", runs.first_end, last_place(runs.longest));
    }
    destroy_runs(&runs);
}

bool lab_curve_figure(struct lab_figure *figure, const struct lab_record *record, struct ek_error *error)
{
    assert(record->count > 0);
    *figure = (struct lab_figure){.y.logarithmic = true};
    lab_curve_title(record, figure->title, sizeof figure->title);
    say_note(figure->note, sizeof figure->note, record);
    snprintf(figure->x.label, sizeof figure->x.label, "%s",
             record->runs[0].has_async ? "time in seconds" : "communication steps");
    snprintf(figure->y.label, sizeof figure->y.label, "variance (sum of squared distances from the mean load)");
    if (lab_curve_add(figure, record, NULL, error)) {
        return true;
    }
    lab_figure_destroy(figure);
    return false;
}
