// SPDX-License-Identifier: MIT
#include "lab/record/curve.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/traces.h"
#include "lab/statistics/statistics.h"
#include "threads/api/report.h"

enum { SPEC_LENGTH = 160 };

static const struct lab_confidence confidence = {.way = LAB_INTERVAL_T, .level = 0.95};

// Fills the series with the measured curve. `values` has room for one value of each run.
static void fill_measured(struct lab_series *series, struct lab_traces *runs, double *values)
{
    const struct lab_field *variance = lab_trace_field_named("variance");
    for (size_t i = 0; i < series->count; i++) {
        series->x[i] = lab_traces_moment(runs, i);
        for (size_t r = 0; r < runs->count; r++) {
            values[r] = lab_traces_value(runs, r, series->x[i], variance);
        }
        series->y[i] = lab_mean(values, runs->count);
        if (series->low) {
            const struct lab_interval interval = lab_interval_mean(values, runs->count, confidence);
            series->low[i] = interval.low;
            series->high[i] = interval.high;
        }
    }
}

static void write_runs_label(char *text, size_t size, const char *label, size_t count)
{
    const char *between = label ? ", " : "";
    if (count == 1) {
        snprintf(text, size, "%.140s%smeasured, 1 run", label ? label : "", between);
    } else {
        snprintf(text, size, "%.140s%smean of %zu runs", label ? label : "", between, count);
    }
}

static bool add_measured(struct lab_figure *figure, struct lab_traces *runs, const char *label, struct ek_error *error)
{
    double *values = calloc(runs->count + 1, sizeof *values);
    struct lab_series *series =
        values ? lab_figure_add(figure, LAB_SERIES_LINE, lab_traces_moments(runs), runs->count > 1, error) : NULL;
    if (series) {
        fill_measured(series, runs, values);
        write_runs_label(series->label, sizeof series->label, label, runs->count);
        if (series->low) {
            lab_figure_name_band(figure, &confidence);
        }
    }
    free(values);
    return series || base_refuse(error, "there is no memory for the mean of so many runs: choose fewer runs");
}

// Writes the factor with six digits, or with as many more as distinguish it from 1.
static void write_factor(char *text, size_t size, double factor)
{
    int digits = 6;
    do {
        snprintf(text, size, "%.*g", digits++, factor);
    } while (factor != 1.0 && strtod(text, NULL) == 1.0);
}

// Returns the mean number of steps per operation. Theory counts operations, and the axis counts steps.
static double steps_per_operation(const struct lab_traces *runs)
{
    double steps = 0.0;
    double operations = 0.0;
    for (size_t r = 0; r < runs->count; r++) {
        steps += lab_field_value(lab_field_named("steps"), runs->run[r]); // NaN in free timing
        operations += (double)runs->run[r]->operations;
    }
    return operations > 0.0 ? steps / operations : NAN;
}

static bool add_theory(struct lab_figure *figure, const struct lab_record *record, const struct lab_traces *runs,
                       const char *label, struct ek_error *error)
{
    double gamma = record->theory.gamma_exact;
    double steps = steps_per_operation(runs);
    size_t measured = figure->count - 1;
    double initial = runs->count > 0 ? figure->series[measured].y[0] : 0.0;
    if (!record->theory.has_exact || runs->count == 0 || !(steps > 0.0) || !(initial > 0.0)) {
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
    char factor[330]; // long enough for any number
    write_factor(factor, sizeof factor, gamma * gamma);
    bool tokens = strcmp(lab_record_axis(record, "units"), "tokens") == 0;
    snprintf(theory->label, sizeof theory->label,
             "%.80s%stheory%s: times %.40s (gamma squared) an operation of %.4g step%s", label ? label : "",
             label ? ", " : "", tokens ? " of real loads" : "", factor, steps, steps == 1.0 ? "" : "s");
    return true;
}

bool lab_curve_add(struct lab_figure *figure, const struct lab_record *record, const char *label,
                   struct ek_error *error)
{
    struct lab_traces runs;
    bool good = lab_traces_begin(&runs, record->runs, record->count)
                    ? add_measured(figure, &runs, label, error)
                    : base_refuse(error, "there is no memory for the picture: choose fewer runs");
    good = good && add_theory(figure, record, &runs, label, error);
    lab_traces_destroy(&runs);
    return good;
}

// Appends text to a title. Text longer than any usual name of a file or family is cut, and ends in "...".
static void add_text(char *title, size_t size, const char *before, const char *text)
{
    size_t used = strlen(title);
    size_t length = strlen(text);
    if (length > SPEC_LENGTH) {
        length = SPEC_LENGTH;
        while (((unsigned char)text[length] & 0xC0) == 0x80) { // do not cut within a character
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

static bool never_varies(const struct lab_traces *runs)
{
    bool varies = false;
    for (size_t r = 0; r < runs->count; r++) {
        for (size_t i = 0; i < runs->run[r]->trace_count; i++) {
            varies = varies || runs->run[r]->trace[i].variance != 0.0;
        }
    }
    return !varies;
}

static void write_note(struct lab_figure *figure, const struct lab_record *record)
{
    struct lab_traces runs;
    size_t length = lab_figure_note_seeds(figure, record->runs[0].seed, record->runs[record->count - 1].seed);
    const size_t unreached = lab_record_unreached(record);
    if (unreached > 0 && strcmp(lab_record_axis(record, "stop"), "never") != 0) {
        length += (size_t)snprintf(figure->note + length, sizeof figure->note - length,
                                   " %zu of %zu run%s did not reach %.100s.", unreached, record->count,
                                   record->count == 1 ? "" : "s", lab_record_axis(record, "stop"));
    }
    char *rest = figure->note + length;
    size_t size = sizeof figure->note - length;
    bool begun = lab_traces_begin(&runs, record->runs, record->count) && runs.count > 0;
    if (begun && never_varies(&runs)) {
        snprintf(rest, size, " The variance is 0 throughout: all loads are equal.");
    } else if (begun && runs.first_end < lab_trace_end(runs.longest)) {
        snprintf(rest, size, " Runs ended between %s %.4g and %.4g; %s.", lab_time_of(runs.longest)->unit,
                 runs.first_end, lab_trace_end(runs.longest),
                 lab_traces_end_early(&runs) ? "the mean ends where the loads of a run that ended were still to change"
                                             : "a finished run counts with its last value");
    }
    lab_traces_destroy(&runs);
}

bool lab_curve_figure(struct lab_figure *figure, const struct lab_record *record, struct ek_error *error)
{
    assert(record->count > 0);
    *figure = (struct lab_figure){.y.logarithmic = true};
    lab_curve_title(record, figure->title, sizeof figure->title);
    write_note(figure, record);
    snprintf(figure->x.label, sizeof figure->x.label, "%s", lab_time_of(&record->runs[0])->label);
    snprintf(figure->y.label, sizeof figure->y.label, "variance (sum of squared distances from the mean load)");
    if (lab_curve_add(figure, record, NULL, error)) {
        if (lab_time_of(&record->runs[0])->fitted) {
            lab_figure_fit_seconds(figure, true);
        }
        return true;
    }
    lab_figure_destroy(figure);
    return false;
}
