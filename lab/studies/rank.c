// SPDX-License-Identifier: MIT
#include "lab/studies/rank.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/method.h"
#include "lab/statistics/samples.h"
#include "lab/studies/method_of_spec.h"
#include "lab/studies/rank_compare.h"
#include "lab/text/clean_text.h"
#include "threads/api/report.h"

static const struct lab_confidence CONFIDENCE = {.way = LAB_INTERVAL_T, .level = 0.95};

static const char *const names[] = {
    "steps",         "operations", "messages",        "moved",          "elapsed_s",   "parcels",      "invocations",
    "flow_l1",       "flow_l2",    "normalised_cost", "variance_final", "error_final", "spread_final", "variance_mean",
    "variance_most", "bound",      "shifts",          "idle",           "unmet",       "factor",       "virtual_s",
    "busy_s",        "overhead_s", "idle_s",          "events",         "ticks",       "executed",     "idle_ticks",
    "most_held",     "requests",   "requests_failed", "letter_hops",    "done_s",      "imbalance",    "bytes_moved",
    "most_bytes",    "edge_cut",   "objects_moved"};
enum { NAMES = sizeof names / sizeof *names };

static const char *name_at(size_t index)
{
    return index < NAMES ? names[index] : NULL;
}

const struct lab_field *lab_rank_field(size_t index)
{
    const char *name = name_at(index);
    return name ? lab_field_named(name) : NULL;
}

const struct lab_field *lab_rank_field_named(const char *name, bool virtual, struct ek_error *error)
{
    name = strcmp(name, "time") != 0 ? name : virtual ? "virtual_s" : "elapsed_s";
    for (size_t i = 0; i < NAMES; i++) {
        if (strcmp(names[i], name) == 0) {
            return lab_rank_field(i);
        }
    }
    const char *near = ek_nearest(name, name_at);
    char all[400] = "steps";
    for (size_t i = 1, length = strlen(all); i < NAMES; i++) {
        length += (size_t)snprintf(all + length, sizeof all - length, ", %s", names[i]);
    }
    base_refuse_text(error, "by", name, 0, "there is no ranking by '%.40s': %s%s", name,
                     near ? "the nearest is " : "choose one of time, ", near ? near : all);
    return NULL;
}

static bool reached(const struct lab_record *record, const struct ek_report *run)
{
    return run->converged || strcmp(lab_record_axis(record, "stop"), "never") == 0;
}

// Returns whether more steps would not have helped a run that missed its criterion.
static bool failed(const struct ek_report *run)
{
    return run->ended == EK_ENDED_FROZEN || run->ended == EK_ENDED_REPEATS || run->ended == EK_ENDED_ITSELF ||
           run->ended == EK_ENDED_CRITERION || // numbers did, and the objects that followed them did not
           (run->ended == EK_ENDED_GIVEN_UP && run->has_objects) || // they went to and fro
           run->ended == EK_ENDED_DIVERGES || run->ended == EK_ENDED_STUCK || run->ended == EK_ENDED_VIOLATION;
}

// Returns the value that theory predicts for the field, or NaN.
static double predict(const struct lab_record *record, const struct lab_field *by)
{
    return strcmp(by->name, "steps") == 0        ? record->theory.steps
           : strcmp(by->name, "operations") == 0 ? record->theory.operations
                                                 : NAN;
}

// Sets the mean of a method that reached the criterion in every run. For any other method sets a lower bound of the
// mean if the field grows, because the final value of a run that was cut would have been at least its value.
static void summarise(struct lab_ranked *row, const struct lab_field *by, const double *values)
{
    const size_t count = row->record.count;
    const struct lab_interval mean = lab_interval_mean(values, count, CONFIDENCE);
    if (isfinite(mean.value) && row->reached < count) {
        row->at_least = by->grows && row->failed == 0 ? mean.value : NAN;
    } else if (isfinite(mean.value)) {
        row->mean = row->samples < LAB_SAMPLES_MIN ? lab_interval_without_bounds(mean) : mean;
    }
}

// Measures a method's runs. Returns false if memory is short.
static bool measure(struct lab_ranked *row, const struct lab_field *by)
{
    const struct lab_record *record = &row->record;
    double *values = calloc(record->count, sizeof *values);
    struct lab_drawn *drawn = calloc(record->count, sizeof *drawn);
    const bool good = values && drawn;
    for (size_t i = 0; good && i < record->count; i++) {
        row->reached += reached(record, &record->runs[i]);
        row->failed += !reached(record, &record->runs[i]) && failed(&record->runs[i]);
        values[i] = lab_rank_value(by, &record->runs[i]);
        drawn[i] = lab_rank_drawn(by, &record->runs[i], NULL);
    }
    if (good) {
        row->samples = lab_samples(drawn, record->count);
        row->theory = predict(record, by);
        summarise(row, by, values);
    }
    free(values);
    free(drawn);
    return good;
}

// Returns the part of a row, counted from 0, as in rank.h.
static int part_of(const struct lab_ranked *row)
{
    return row->record.count == 0 ? 2 : row->reached == row->record.runs_asked && isfinite(row->mean.value) ? 0 : 1;
}

static int compare(const struct lab_ranked *a, const struct lab_ranked *b)
{
    int parts = part_of(a) - part_of(b);
    if (parts != 0 || part_of(a) == 2) {
        return parts;
    }
    if (part_of(a) == 0) {
        return (a->mean.value > b->mean.value) - (a->mean.value < b->mean.value);
    }
    double share_a = (double)a->reached / (double)a->record.count;
    double share_b = (double)b->reached / (double)b->record.count;
    return (share_a < share_b) - (share_a > share_b);
}

// Sorts by insertion, which keeps equal methods in the order in which they were named.
static void sort_rows(struct lab_rank *rank)
{
    for (size_t i = 1; i < rank->count; i++) {
        struct lab_ranked row = rank->rows[i];
        size_t at = i;
        for (; at > 0 && compare(&row, &rank->rows[at - 1]) < 0; at--) {
            rank->rows[at] = rank->rows[at - 1];
        }
        rank->rows[at] = row;
    }
    for (size_t i = 0; i < rank->count; i++) {
        rank->ranked += part_of(&rank->rows[i]) == 0;
        rank->ran += part_of(&rank->rows[i]) <= 1;
    }
}

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for so many methods: name fewer");
}

static char *name_of(const struct lab_contender *contender)
{
    char name[200];
    snprintf(name, sizeof name, contender->timing ? "%.150s (%.40s)" : "%.150s", contender->method, contender->timing);
    return lab_text_clean_copy(name);
}

static bool begin_row(struct lab_ranked *row, const struct lab_contender *contender)
{
    *row = (struct lab_ranked){.method = lab_text_clean_copy(contender->method),
                               .timing = contender->timing ? lab_text_clean_copy(contender->timing) : NULL,
                               .name = name_of(contender),
                               .refusal = {.at = -1},
                               .mean = {NAN, NAN, NAN, 0, CONFIDENCE},
                               .at_least = NAN,
                               .theory = NAN,
                               .behind = {.more = {NAN, NAN, NAN, 0, CONFIDENCE}, .p = NAN, .superiority = NAN}};
    return row->method && row->name && (row->timing || !contender->timing);
}

static void destroy_row(struct lab_ranked *row)
{
    lab_record_destroy(&row->record);
    free(row->method);
    free(row->timing);
    free(row->name);
}

// Returns whether the system refused a run, for lack of memory or threads, and not the method. The ranking would then
// miss a method.
static bool system_refused(const struct ek_error *refusal)
{
    return errno == ENOMEM || !*refusal->axis || strcmp(refusal->axis, "carrier") == 0;
}

// Refuses a method that computes the mean load and does not balance loads: it ends after its own number of steps, and a
// ranking would compare this number with the steps that other methods need to reach the criterion.
static bool refuse_estimates(struct lab_ranked *row)
{
    const struct ek_method *method = lab_method_of(row->method);
    if (!method || !method->rounds || !method->rounds->estimate) {
        return false;
    }
    base_fail(&row->refusal, EK_BAD_INPUT, "method",
              "%s computes estimates of the mean load and does not balance the loads, so it has no place among methods "
              "that do: evenkeel run reports its estimate_error",
              method->name);
    return true;
}

// Runs one contender. Returns false and `error` if the system lacks memory or threads.
static bool run_row(struct lab_rank *rank, struct lab_ranked *row, const struct lab_run_request *request,
                    const struct lab_contender *contender, struct ek_error *error)
{
    if (refuse_estimates(row)) {
        return true;
    }
    struct lab_run_request own = *request;
    own.experiment.method = contender->method;
    own.experiment.timing = contender->timing ? contender->timing : own.experiment.timing;
    errno = 0;
    enum ek_status status = lab_run(&own, &row->record, &row->refusal);
    lab_text_clean(row->refusal.sentence);
    if (status == EK_VIOLATION || status == EK_STUCK) {
        rank->status = rank->status == EK_VIOLATION ? rank->status : status;
        rank->error = row->refusal;
    }
    if (status == EK_BAD_INPUT && system_refused(&row->refusal)) {
        *error = row->refusal;
        return false;
    }
    return row->record.count == 0 || measure(row, rank->by) ||
           base_refuse(error, "there is no memory for so many runs: give fewer --runs");
}

static bool interrupted(const struct lab_run_request *request)
{
    return request->stopped && request->stopped();
}

// Removes the last contender if the ranking was interrupted before its first run ended.
static void leave_out_unbegun(struct lab_rank *rank, const struct lab_run_request *request)
{
    if (interrupted(request) && rank->count > 0 && rank->rows[rank->count - 1].record.count == 0) {
        destroy_row(&rank->rows[--rank->count]);
    }
}

// Returns false and `error` if none ran. If all were refused, the experiment is wrong: `error` is the first
// refusal.
static bool check_any(const struct lab_rank *rank, struct ek_error *error)
{
    if (rank->ran > 0) {
        return true;
    }
    *error = rank->rows[0].refusal;
    if (rank->status == EK_UNREACHED) {
        base_refuse(error, "interrupted before the first run");
        error->status = EK_UNREACHED;
    }
    return false;
}

bool lab_rank_run(struct lab_rank *rank, const struct lab_run_request *request, const struct lab_field *by,
                  const struct lab_contender *contenders, size_t count,
                  void (*begins)(void *context, size_t index, const char *name), struct ek_error *error)
{
    assert(count > 0);
    *rank = (struct lab_rank){.by = by, .runs_asked = request->runs, .rows = calloc(count, sizeof *rank->rows)};
    bool good = rank->rows || no_memory(error);
    for (size_t i = 0; good && i < count && !interrupted(request); i++) {
        struct lab_ranked *row = &rank->rows[rank->count++];
        good = begin_row(row, &contenders[i]) || no_memory(error);
        if (good) {
            begins(request->context, i, row->name);
            good = run_row(rank, row, request, &contenders[i], error);
        }
    }
    if (good) {
        leave_out_unbegun(rank, request);
        sort_rows(rank);
        rank->status = rank->status == EK_OK && interrupted(request) ? EK_UNREACHED : rank->status;
        good = check_any(rank, error) && (lab_rank_compare(rank) || no_memory(error));
    }
    if (!good) {
        lab_rank_destroy(rank);
    }
    return good;
}

size_t lab_rank_place(const struct lab_rank *rank, size_t index)
{
    if (index >= rank->ranked) {
        return 0;
    }
    while (index > 0 && rank->rows[index - 1].mean.value == rank->rows[index].mean.value) {
        index--;
    }
    return index + 1;
}

void lab_rank_destroy(struct lab_rank *rank)
{
    for (size_t i = 0; i < rank->count; i++) {
        destroy_row(&rank->rows[i]);
    }
    free(rank->rows);
    *rank = (struct lab_rank){0};
}
