// SPDX-License-Identifier: MIT
#include "lab/results/group_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

// A run without a criterion is complete at its limit. A run that ended by itself without balance never reaches its
// criterion.
static const char ending[] =
    "CASE WHEN ended IN ('diverges', 'stuck', 'violation') THEN 3 WHEN converged OR ended = 'criterion' OR (stop = "
    "'never' AND ended IN ('itself', 'steps', 'operations', "
    "'time')) THEN 0 WHEN ended IN ('steps', 'operations', 'time', 'interrupt', 'given_up') THEN 1 ELSE 2 END";

bool lab_group_run_select_end(struct lab_rows *rows, struct ek_error *error)
{
    return lab_rows_select_sql(rows, ending, error);
}

bool lab_group_run_select(struct lab_rows *rows, struct ek_error *error)
{
    static const char *const columns[LAB_RUN_COLUMNS - 1] = {
        "seed",    "key",   "variance_initial", "total_initial", "variance_final",
        "maximum", "moved", "messages",         "operations"};
    bool good = lab_group_run_select_end(rows, error);
    for (size_t i = 0; good && i < LAB_RUN_COLUMNS - 1; i++) {
        good = lab_rows_select_sql(rows, columns[i], error);
    }
    return good;
}

enum lab_run_end lab_group_run_end(const struct lab_rows *rows, size_t at, struct lab_answer_notes *notes)
{
    const enum lab_run_end end = (enum lab_run_end)lab_rows_entry(rows, at).whole;
    notes->cut += end == LAB_RUN_CUT;
    notes->failed += end == LAB_RUN_FAILED || end == LAB_RUN_BROKEN;
    return end;
}

struct lab_group_run lab_group_run_read(const struct lab_rows *rows, size_t from, struct lab_answer_notes *notes)
{
    struct lab_group_run run = {.end = lab_group_run_end(rows, from, notes),
                                .seed = lab_rows_entry(rows, from + 1).whole};
    const struct lab_entry key = lab_rows_entry(rows, from + 2); // a hash in hexadecimal digits
    char digits[17];
    snprintf(digits, sizeof digits, "%s", key.kind == LAB_ENTRY_TEXT ? key.text : "");
    run.experiment = strtoull(digits, NULL, 16);
    for (size_t i = 0; i + 1 < LAB_RUN_OUTCOMES; i++) {
        const struct lab_entry entry = lab_rows_entry(rows, from + 3 + i);
        run.outcome[i] = entry.kind == LAB_ENTRY_WHOLE ? (double)entry.whole : entry.real;
    }
    return run;
}

static uint64_t outcome_of(const struct lab_group_run *run, double value)
{
    double outcome[LAB_RUN_OUTCOMES];
    memcpy(outcome, run->outcome, sizeof outcome);
    outcome[LAB_RUN_OUTCOMES - 1] = value;
    return lab_outcome(outcome, LAB_RUN_OUTCOMES);
}

struct lab_drawn lab_group_run_drawn(const struct lab_group_run *run, double value, const struct lab_group_run *partner,
                                     double partner_value)
{
    struct lab_drawn drawn = {
        .experiment = run->experiment, .seed = (uint64_t)run->seed, .outcome = outcome_of(run, value)};
    if (partner) {
        drawn.experiment = drawn.experiment * 31 + partner->experiment;
        drawn.outcome = drawn.outcome * 31 + outcome_of(partner, partner_value);
    }
    return drawn;
}

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the values: narrow --where, or choose fewer columns");
}

static bool hold(struct lab_rows *rows, struct lab_group_values *values, struct lab_drawn drawn, struct ek_error *error)
{
    if (rows->held == LAB_GROUP_VALUES_MAX) {
        return base_refuse(error, "one group has more than %d values: narrow --where, or add columns to --group",
                           LAB_GROUP_VALUES_MAX);
    }
    const size_t count = values->count + values->cut_count;
    struct lab_drawn *grown = base_grow(values->drawn, count, sizeof *grown);
    if (!grown) {
        return no_memory(error);
    }
    values->drawn = grown;
    values->drawn[count] = drawn;
    return true;
}

bool lab_run_has_value(enum lab_run_end end, const struct lab_heading *column)
{
    return end == LAB_RUN_BROKEN ? column->is_switch : end != LAB_RUN_FAILED || !column->grows;
}

bool lab_group_values_add(struct lab_rows *rows, struct lab_group_values *values, enum lab_run_end end,
                          const struct lab_heading *column, double value, struct lab_drawn drawn,
                          struct ek_error *error)
{
    if (!lab_run_has_value(end, column)) {
        values->failed++;
        return true;
    }
    if (isnan(value)) {
        return true;
    }
    const bool is_cut = column->grows && end == LAB_RUN_CUT;
    double **array = is_cut ? &values->cut : &values->of;
    size_t *count = is_cut ? &values->cut_count : &values->count;
    if (!hold(rows, values, drawn, error)) {
        return false;
    }
    double *grown = base_grow(*array, *count, sizeof *grown);
    if (!grown) {
        return no_memory(error);
    }
    *array = grown;
    grown[(*count)++] = value;
    rows->held++;
    return true;
}

void lab_group_values_clear(struct lab_rows *rows, struct lab_group_values *values)
{
    rows->held -= values->count + values->cut_count;
    values->count = values->cut_count = values->failed = 0;
}

void lab_group_values_destroy(struct lab_group_values *values)
{
    free(values->of);
    free(values->cut);
    free(values->drawn);
}

static int by_seed(const void *a, const void *b)
{
    const uint64_t first = ((const struct lab_drawn *)a)->seed, second = ((const struct lab_drawn *)b)->seed;
    return (first > second) - (first < second);
}

struct lab_sampling lab_sampling_of(struct lab_drawn *drawn, size_t count)
{
    struct lab_sampling sampling = {0};
    if (count > 0) {
        qsort(drawn, count, sizeof *drawn, by_seed);
    }
    for (size_t i = 1; i < count; i++) {
        sampling.shared = sampling.shared || drawn[i].seed == drawn[i - 1].seed;
    }
    sampling.samples = count > 0 ? lab_samples(drawn, count) : 0;
    return sampling;
}

bool lab_sampling_suffices(struct lab_sampling sampling)
{
    return sampling.samples >= LAB_SAMPLES_MIN && !sampling.shared;
}

void lab_sampling_note(struct lab_sampling sampling, struct lab_answer_notes *notes)
{
    const bool first = notes->samples_most == 0;
    notes->few += sampling.samples < LAB_SAMPLES_MIN;
    notes->shared += sampling.shared;
    notes->samples_least = first || sampling.samples < notes->samples_least ? sampling.samples : notes->samples_least;
    notes->samples_most = sampling.samples > notes->samples_most ? sampling.samples : notes->samples_most;
}

struct lab_censored lab_group_values_censored(const struct lab_group_values *values)
{
    return (struct lab_censored){{values->of, values->count}, {values->cut, values->cut_count}};
}

// Sets the statistics that are known if some values are lower bounds. The values must be sorted.
static void set_censored(struct lab_spread *spread, const struct lab_group_values *values)
{
    const size_t count = values->count + values->cut_count;
    spread->at_least = (lab_mean(values->cut, values->cut_count) * (double)values->cut_count +
                        (values->count > 0 ? lab_mean(values->of, values->count) * (double)values->count : 0.0)) /
                       (double)count;
    spread->mean = lab_interval_without_bounds(spread->mean);
    spread->mean.value = spread->deviation = spread->maximum = NAN;
    spread->mean.count = count;
    spread->minimum = values->count > 0 && values->of[0] <= values->cut[0] ? values->of[0] : NAN;
}

struct lab_spread lab_group_values_spread(struct lab_group_values *values, struct lab_sampling sampling,
                                          struct lab_confidence by)
{
    const size_t count = values->count;
    struct lab_spread spread = {.mean = lab_interval_mean(values->of, count, by),
                                .deviation = lab_deviation(values->of, count),
                                .cut = values->cut_count,
                                .failed = values->failed,
                                .samples = sampling.samples,
                                .shared = sampling.shared};
    lab_sort(values->of, count);
    lab_sort(values->cut, values->cut_count);
    spread.median = lab_survival_median(lab_group_values_censored(values), by);
    if (!lab_sampling_suffices(sampling)) {
        spread.mean = lab_interval_without_bounds(spread.mean);
        spread.median = lab_interval_without_bounds(spread.median);
    }
    spread.minimum = lab_quantile(values->of, count, 0.0);
    spread.maximum = lab_quantile(values->of, count, 1.0);
    spread.at_least = spread.mean.value;
    if (values->cut_count > 0) {
        set_censored(&spread, values);
    } else {
        spread.median.value = lab_quantile(values->of, count, 0.5);
    }
    return spread;
}
