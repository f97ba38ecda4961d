// SPDX-License-Identifier: MIT
#include "lab/studies/contention.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/fields.h"
#include "lab/record/run_experiment.h"
#include "lab/statistics/samples.h"
#include "lab/text/clean_text.h"
#include "threads/api/report.h"

const char *const lab_cost_names[LAB_COSTS] = {
    [LAB_COST_MESSAGES] = "messages_per_s",   [LAB_COST_OPERATIONS] = "operations_per_s",
    [LAB_COST_LATENCY] = "latency_median_s",  [LAB_COST_LATENCY_P99] = "latency_p99_s",
    [LAB_COST_STALLS] = "stalls_per_message", [LAB_COST_EMPTY] = "empty_turns_share",
    [LAB_COST_SLEEPS] = "sleeps_per_s",       [LAB_COST_SWITCHES] = "switches_per_message"};

// By Student's t, because bootstrap intervals of so few runs are too narrow.
const struct lab_confidence lab_contention_confidence = {.way = LAB_INTERVAL_T, .level = 0.95};

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for so many measurements: give fewer --runs or shorter lists");
}

bool lab_contention_begin(struct lab_contention *contention, const char *command, uint64_t runs, struct ek_error *error)
{
    assert(runs <= LAB_CONTENTION_RUNS_MAX);
    *contention = (struct lab_contention){.command = lab_text_clean_copy(command), .runs = runs, .others = NAN};
    snprintf(contention->version, sizeof contention->version, "%s", ek_version());
    contention->host = *lab_host_this();
    return contention->command || no_memory(error);
}

static void destroy_point(struct lab_point *point)
{
    free(point->axis);
    free(point->value);
    free(point->command);
    free(point->sample);
}

void lab_contention_destroy(struct lab_contention *contention)
{
    for (size_t i = 0; i < contention->count; i++) {
        destroy_point(&contention->point[i]);
    }
    free(contention->point);
    free(contention->command);
    *contention = (struct lab_contention){0};
}

const struct lab_point *lab_contention_same(const struct lab_contention *in, const struct lab_point *point)
{
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(in->point[i].command, point->command) == 0) {
            return &in->point[i];
        }
    }
    return NULL;
}

bool lab_contention_add(struct lab_contention *contention, const struct lab_experiment_spec *spec, const char *axis,
                        const char *value, size_t base, struct ek_error *error)
{
    assert(base <= contention->count);
    struct lab_point *grown = realloc(contention->point, (contention->count + 1) * sizeof *grown);
    contention->point = grown ? grown : contention->point;
    const char *seed = lab_experiment_spec_axis(spec, "seed");
    struct lab_point point = {.axis = lab_text_clean_copy(axis),
                              .value = lab_text_clean_copy(value),
                              .command = lab_experiment_spec_command(spec, seed ? strtoull(seed, NULL, 10) : 1),
                              .base = base,
                              .sample = calloc(contention->runs, sizeof *point.sample),
                              .spec = *spec};
    bool good = grown && point.axis && point.value && point.command && point.sample;
    if (good) {
        lab_text_clean(point.command);
    }
    if (!good || lab_contention_same(contention, &point)) {
        destroy_point(&point);
        return good || no_memory(error);
    }
    contention->point[contention->count++] = point;
    return true;
}

static double by(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static void take_sample(struct lab_point *point, const struct ek_report *report)
{
    const struct ek_free_report *running = &report->free;
    double *sample = point->sample[point->count++];
    for (size_t c = 0; c < LAB_COSTS; c++) {
        sample[c] = NAN;
    }
    sample[LAB_COST_MESSAGES] = (double)report->messages / report->elapsed_s;
    double steps = lab_field_value(lab_field_named("steps"), report);
    sample[LAB_COST_OPERATIONS] = (isnan(steps) ? (double)report->operations : steps) / report->elapsed_s;
    if (lab_field_present(lab_field_named("free"), report)) {
        sample[LAB_COST_LATENCY] = running->latency.median;
        sample[LAB_COST_LATENCY_P99] = running->latency.p99;
        sample[LAB_COST_STALLS] = by(running->stalls, report->messages);
        sample[LAB_COST_EMPTY] = by(running->empty_turns, running->turns);
        sample[LAB_COST_SLEEPS] = (double)running->sleeps / report->elapsed_s;
        sample[LAB_COST_SWITCHES] = by(running->switches_voluntary + running->switches_forced, report->messages);
    }
}

// Runs a point once. If the machine refuses the run, the point is refused. An interrupted run is not counted.
static enum ek_status run_point(struct lab_point *point, uint64_t run, const struct lab_contention_watch *watch,
                                struct ek_error *error)
{
    struct lab_run_request request = {.runs = 1, .command = "", .stopped = watch->stopped};
    struct lab_record record = {0};
    enum ek_status status = EK_BAD_INPUT;
    errno = 0;
    if (lab_experiment_spec_read(&point->spec, watch->reader, &request.experiment, error)) {
        request.experiment.seed += run;
        status = lab_run(&request, &record, error);
    }
    if (record.count == 0 && errno == ENOMEM) {
        return status; // a refusal would hide that only memory is short
    }
    if (record.count == 0) {
        if (status == EK_BAD_INPUT) {
            snprintf(point->refusal, sizeof point->refusal, "%.199s", error->sentence);
            lab_text_clean(point->refusal);
        }
        return EK_OK;
    }
    const struct ek_report *report = &record.runs[0];
    bool good = status == EK_OK || status == EK_UNREACHED;
    if (good && report->ended != EK_ENDED_INTERRUPT && report->elapsed_s > 0.0) {
        take_sample(point, report);
    }
    lab_record_destroy(&record);
    return good ? EK_OK : status;
}

static enum ek_status run_turn(struct lab_contention *contention, uint64_t turn,
                               const struct lab_contention_watch *watch, struct ek_error *error)
{
    double limit[LAB_HOST_LIMITS];
    lab_host_limits_measure(watch->host_limit_s, limit);
    for (size_t f = 0; f < LAB_HOST_LIMITS; f++) {
        contention->host_limit[f][contention->turns] = limit[f];
    }
    contention->turns++;
    for (size_t i = 0; i < contention->count; i++) {
        if (watch->stopped()) {
            return EK_UNREACHED;
        }
        struct lab_point *point = &contention->point[turn % 2 == 0 ? i : contention->count - 1 - i];
        if (point->refusal[0]) {
            continue;
        }
        if (watch->on_run) {
            watch->on_run(watch->context, point, turn * contention->count + i + 1,
                          contention->runs * contention->count);
        }
        enum ek_status status = run_point(point, turn, watch, error);
        if (status != EK_OK || contention->point[0].refusal[0]) {
            return status != EK_OK ? status : EK_BAD_INPUT;
        }
    }
    return watch->stopped() ? EK_UNREACHED : EK_OK;
}

enum ek_status lab_contention_run(struct lab_contention *contention, const struct lab_contention_watch *watch,
                                  struct ek_error *error)
{
    struct lab_other_programs others;
    lab_other_programs_begin(&others);
    enum ek_status status = EK_OK;
    for (uint64_t turn = 0; status == EK_OK && turn < contention->runs; turn++) {
        status = run_turn(contention, turn, watch, error);
    }
    contention->others = lab_other_programs_end(&others);
    return status;
}

static const struct lab_interval unknown = {.value = NAN, .low = NAN, .high = NAN};

// Copies the first `count` samples of a cost. Returns false if one of them was not measured.
static bool copy_samples(const struct lab_point *point, enum lab_cost cost, size_t count, double *values)
{
    bool measured = count > 0 && count <= point->count;
    for (size_t i = 0; measured && i < count; i++) {
        values[i] = point->sample[i][cost];
        measured = isfinite(values[i]);
    }
    return measured;
}

static struct lab_interval mean_of(const double *values, size_t count)
{
    struct lab_interval mean = lab_interval_mean(values, count, lab_contention_confidence);
    return count < LAB_SAMPLES_MIN ? lab_interval_without_bounds(mean) : mean;
}

struct lab_interval lab_contention_mean(const struct lab_point *point, enum lab_cost cost)
{
    double values[LAB_CONTENTION_RUNS_MAX];
    return copy_samples(point, cost, point->count, values) ? mean_of(values, point->count) : unknown;
}

// Averages the logarithms of the ratios. So the ratios 1/2 and 2 are equally far from 1, and no interval goes below 0.
struct lab_interval lab_contention_ratio(const struct lab_point *point, const struct lab_point *to, enum lab_cost cost)
{
    double first[LAB_CONTENTION_RUNS_MAX], second[LAB_CONTENTION_RUNS_MAX];
    size_t count = point->count < to->count ? point->count : to->count;
    bool measured = copy_samples(point, cost, count, first) && copy_samples(to, cost, count, second);
    for (size_t i = 0; measured && i < count; i++) {
        measured = first[i] > 0.0 && second[i] > 0.0;
        first[i] = log(first[i]) - log(second[i]);
    }
    if (!measured) {
        return unknown;
    }
    struct lab_interval ratio = mean_of(first, count);
    ratio.value = exp(ratio.value);
    ratio.low = exp(ratio.low);
    ratio.high = exp(ratio.high);
    return ratio;
}

struct lab_interval lab_contention_limit(const struct lab_contention *contention, enum lab_host_limit limit)
{
    double values[LAB_CONTENTION_RUNS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < contention->turns; i++) {
        if (isfinite(contention->host_limit[limit][i])) {
            values[count++] = contention->host_limit[limit][i];
        }
    }
    return mean_of(values, count);
}

const char *lab_contention_difference(const struct lab_interval *ratio)
{
    bool known = isfinite(ratio->low) && isfinite(ratio->high);
    return !known ? NULL : ratio->low > 1.0 ? "more" : ratio->high < 1.0 ? "less" : "none";
}
