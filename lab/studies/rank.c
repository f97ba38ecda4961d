// SPDX-License-Identifier: MIT
// Ranking: the runs, their order, and how sure it is.
#include "lab/studies/rank.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/text/clean_text.h"

static const struct lab_confidence CONFIDENCE = {.way = LAB_INTERVAL_T, .level = 0.95};

static const char *const names[] = {"steps",          "operations",  "messages",     "moved",         "elapsed_s",
                                    "parcels",        "invocations", "flow_l1",      "flow_l2",       "normalised_cost",
                                    "variance_final", "error_final", "spread_final", "variance_mean", "variance_most",
                                    "bound",          "shifts",      "idle",         "unmet",         "factor"};
enum { NAMES = sizeof names / sizeof *names };

const struct lab_field *lab_rank_field(size_t index)
{
    return index < NAMES ? lab_field_named(names[index]) : NULL;
}

static const char *name_at(size_t index)
{
    return index < NAMES ? names[index] : NULL;
}

const struct lab_field *lab_rank_field_named(const char *name, struct ek_error *error)
{
    name = strcmp(name, "time") == 0 ? "elapsed_s" : name;
    for (size_t i = 0; i < NAMES; i++) {
        if (strcmp(names[i], name) == 0) {
            return lab_rank_field(i);
        }
    }
    const char *near = ek_nearest(name, name_at);
    char all[300] = "steps";
    for (size_t i = 1, length = strlen(all); i < NAMES; i++) {
        length += (size_t)snprintf(all + length, sizeof all - length, ", %s", names[i]);
    }
    base_refuse_text(error, "by", name, 0, "nothing is ranked by '%.40s': %s%s", name,
                     near ? "the nearest is " : "choose one of time, ", near ? near : all);
    return NULL;
}

static bool counts(const struct lab_record *record, const struct ek_report *run)
{
    return run->converged || strcmp(lab_record_axis(record, "stop"), "never") == 0;
}

// What theory predicts of the field.
static double predicted(const struct lab_record *record, const struct lab_field *by)
{
    return strcmp(by->name, "steps") == 0        ? record->theory.steps
           : strcmp(by->name, "operations") == 0 ? record->theory.operations
                                                 : NAN;
}

static bool measure(struct lab_ranked *row, const struct lab_field *by)
{
    const struct lab_record *record = &row->record;
    double *values = calloc(record->count, sizeof *values);
    if (!values) {
        return false;
    }
    bool all = true;
    for (size_t i = 0; i < record->count; i++) {
        const struct ek_report *run = &record->runs[i];
        row->reached += counts(record, run);
        values[i] = lab_field_present(by, run) ? lab_field_value(by, run) : NAN;
        all = all && isfinite(values[i]);
    }
    if (all) {
        row->mean = lab_interval_mean(values, record->count, CONFIDENCE);
    }
    free(values);
    row->theory = predicted(record, by);
    return true;
}

// 0: it is ranked; 1: it ran; 2: it was refused.
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

// By insertion: methods that are alike stay in the order in which they were named.
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

static bool begin_row(struct lab_ranked *row, const char *method)
{
    *row = (struct lab_ranked){.method = lab_text_clean_copy(method),
                               .refusal = {.at = -1},
                               .mean = {NAN, NAN, NAN, 0, CONFIDENCE},
                               .theory = NAN};
    return row->method;
}

// Whether a refusal is none of the method's: memory or threads were short, and what was left out would be missed.
static bool systems_fault(const struct ek_error *refusal)
{
    return errno == ENOMEM || !*refusal->axis || strcmp(refusal->axis, "carrier") == 0;
}

// Runs one method. False where the system does not give what that takes.
static bool run_row(struct lab_rank *rank, struct lab_ranked *row, const struct lab_run_request *request,
                    const char *method, struct ek_error *error)
{
    struct lab_run_request own = *request;
    own.experiment.method = method;
    errno = 0;
    enum ek_status status = lab_run(&own, &row->record, &row->refusal);
    lab_text_clean(row->refusal.sentence);
    if (status == EK_VIOLATION || status == EK_STUCK) {
        rank->status = rank->status == EK_VIOLATION ? rank->status : status;
        rank->error = row->refusal;
    }
    if (status == EK_BAD_INPUT && systems_fault(&row->refusal)) {
        *error = row->refusal;
        return false;
    }
    return row->record.count == 0 || measure(row, rank->by) || base_refuse(error, "no memory for so many --runs");
}

static bool interrupted(const struct lab_run_request *request)
{
    return request->stopped && request->stopped();
}

// The method that was under way when it was interrupted has nothing to show if its first run had not ended.
static void leave_out_unbegun(struct lab_rank *rank, const struct lab_run_request *request)
{
    if (interrupted(request) && rank->count > 0 && rank->rows[rank->count - 1].record.count == 0) {
        free(rank->rows[--rank->count].method);
    }
}

// What all methods were refused for is no fault of theirs: it is the first one's sentence, and points at what was
// typed.
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
                  char *const *methods, size_t count, void (*begins)(void *context, size_t index, const char *method),
                  struct ek_error *error)
{
    assert(count > 0);
    *rank = (struct lab_rank){.by = by, .runs_asked = request->runs, .rows = calloc(count, sizeof *rank->rows)};
    bool good = rank->rows || base_refuse(error, "no memory for so many methods");
    for (size_t i = 0; good && i < count && !interrupted(request); i++) {
        struct lab_ranked *row = &rank->rows[rank->count++];
        good = begin_row(row, methods[i]) || base_refuse(error, "no memory for so many methods");
        if (good) {
            begins(request->context, i, row->method);
            good = run_row(rank, row, request, methods[i], error);
        }
    }
    if (good) {
        leave_out_unbegun(rank, request);
        sort_rows(rank);
        rank->status = rank->status == EK_OK && interrupted(request) ? EK_UNREACHED : rank->status;
        good = check_any(rank, error);
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
        lab_record_destroy(&rank->rows[i].record);
        free(rank->rows[i].method);
    }
    free(rank->rows);
    *rank = (struct lab_rank){0};
}
