// SPDX-License-Identifier: MIT
// The traces of each group's runs, averaged on a common axis. The mean ends where a run ends, if that run's loads would
// have changed further.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "lab/record/fields.h"
#include "lab/record/traces.h"
#include "lab/results/answers.h"
#include "lab/results/group_values.h"
#include "threads/api/report.h"

// The traces held at once may take as much memory as the values of a group.
enum { TRACE_ROWS_MAX = (1 << 27) / sizeof(struct ek_trace_row) };

struct averaging {
    struct lab_rows rows;
    const struct lab_field *field;
    struct ek_report *runs;  // [count] of the current group
    double *gamma;           // [count]: the theoretical factor, or NaN
    struct lab_drawn *drawn; // [count]
    struct lab_sampling sampling;
    size_t count, trace_rows;
    struct lab_confidence confidence;
    const struct lab_answer_sink *sink;
    struct lab_answer_notes *notes;
};

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error,
                       "there is no memory for the traces of so many runs: narrow --where, or add columns to --group");
}

// Moves what the average needs from the record to the group.
static bool keep_run(struct averaging *averaging, struct lab_record *record, const struct lab_group_run *row,
                     struct ek_error *error)
{
    struct ek_report *run = &record->runs[0];
    if (run->trace_count == 0) {
        averaging->notes->traceless++;
        return true;
    }
    if (averaging->count > 0 && lab_time_of(&averaging->runs[0]) != lab_time_of(run)) {
        return base_refuse(error, "one group holds runs with a trace over a %s and over a %s: add timing to --group",
                           lab_time_of(&averaging->runs[0])->unit, lab_time_of(run)->unit);
    }
    averaging->trace_rows += run->trace_count;
    if (averaging->trace_rows > TRACE_ROWS_MAX) {
        return base_refuse(error,
                           "the traces of one group have more than %d rows: narrow --where, or add columns to --group",
                           (int)TRACE_ROWS_MAX);
    }
    struct ek_report *runs = base_grow(averaging->runs, averaging->count, sizeof *runs);
    averaging->runs = runs ? runs : averaging->runs;
    double *gamma = base_grow(averaging->gamma, averaging->count, sizeof *gamma);
    averaging->gamma = gamma ? gamma : averaging->gamma;
    struct lab_drawn *drawn = base_grow(averaging->drawn, averaging->count, sizeof *drawn);
    averaging->drawn = drawn ? drawn : averaging->drawn;
    if (!runs || !gamma || !drawn) {
        return no_memory(error);
    }
    averaging->drawn[averaging->count] = lab_group_run_drawn(row, 0.0, NULL, NAN);
    averaging->gamma[averaging->count] = record->theory.has_exact ? record->theory.gamma_exact : NAN;
    averaging->runs[averaging->count++] = (struct ek_report){.timed = run->timed,
                                                             .has_windows = run->has_windows,
                                                             .ended = run->ended,
                                                             .generated = run->generated,
                                                             .consumed = run->consumed,
                                                             .operations = run->operations,
                                                             .steps = run->steps,
                                                             .variance_initial = run->variance_initial,
                                                             .trace = run->trace,
                                                             .trace_count = run->trace_count};
    run->trace = NULL;
    run->trace_count = 0;
    averaging->notes->runs++;
    return true;
}

static bool take_run(void *context, struct ek_error *error)
{
    struct averaging *averaging = context;
    const size_t from = averaging->rows.grouped;
    const struct lab_group_run row = lab_group_run_read(&averaging->rows, from, averaging->notes);
    const int64_t id = lab_rows_entry(&averaging->rows, from + LAB_RUN_COLUMNS).whole;
    struct lab_record record;
    if (!lab_store_record(averaging->rows.query.store, id, &record, error)) {
        return false;
    }
    bool good = keep_run(averaging, &record, &row, error);
    lab_record_destroy(&record);
    return good;
}

// Returns the theoretical mean variance at step x: each operation multiplies a run's variance by gamma^2. NaN if theory
// does not cover one of the runs.
static double theory_at(const struct averaging *averaging, double x)
{
    const struct lab_field *steps = lab_field_named("steps"); // NaN in free timing
    double sum = 0.0;
    for (size_t r = 0; r < averaging->count; r++) {
        const struct ek_report *run = &averaging->runs[r];
        const double operations = x * (double)run->operations / lab_field_value(steps, run);
        sum += run->variance_initial * pow(averaging->gamma[r], 2.0 * operations);
    }
    return sum / (double)averaging->count;
}

enum { ENTRIES = 4 }; // of a line, after the group's: place, runs, the field, theory

static bool report_place(struct averaging *averaging, struct lab_traces *traces, double x, struct lab_entry *entries,
                         struct ek_error *error)
{
    struct lab_rows *rows = &averaging->rows;
    struct lab_group_values values = {0};
    const struct lab_heading traced = {.role = LAB_HEADING_VALUE};
    bool good = true;
    for (size_t r = 0; good && r < traces->count; r++) {
        good = lab_group_values_add(rows, &values, LAB_RUN_FINISHED, &traced,
                                    lab_traces_value(traces, r, x, averaging->field), (struct lab_drawn){0}, error);
    }
    if (good) {
        struct lab_entry *entry = entries + rows->grouped;
        *entry++ = (struct lab_entry){.kind = LAB_ENTRY_REAL, .real = x};
        *entry++ = (struct lab_entry){.kind = LAB_ENTRY_WHOLE, .whole = (int64_t)traces->count};
        *entry++ =
            (struct lab_entry){.kind = LAB_ENTRY_SPREAD,
                               .spread = lab_group_values_spread(&values, averaging->sampling, averaging->confidence)};
        *entry = (struct lab_entry){.kind = LAB_ENTRY_REAL, .real = theory_at(averaging, x)};
        good = averaging->sink->line(averaging->sink->context, entries, error);
        averaging->notes->lines++;
    }
    lab_group_values_clear(rows, &values);
    lab_group_values_destroy(&values);
    return good;
}

static void clear_runs(struct averaging *averaging)
{
    for (size_t r = 0; r < averaging->count; r++) {
        ek_report_destroy(&averaging->runs[r]);
    }
    averaging->count = 0;
    averaging->trace_rows = 0;
}

static bool end_group(void *context, struct ek_error *error)
{
    struct averaging *averaging = context;
    struct lab_traces traces;
    struct lab_entry *entries = lab_rows_line(&averaging->rows, ENTRIES, error);
    bool good = (lab_traces_begin(&traces, averaging->runs, averaging->count) || no_memory(error)) && entries;
    averaging->sampling = lab_sampling_of(averaging->drawn, averaging->count);
    if (averaging->count > 0) {
        lab_sampling_note(averaging->sampling, averaging->notes);
    }
    averaging->notes->ended_early += good && lab_traces_end_early(&traces);
    for (size_t i = 0; good && i < lab_traces_moments(&traces); i++) {
        good = report_place(averaging, &traces, lab_traces_moment(&traces, i), entries, error);
    }
    lab_traces_destroy(&traces);
    free(entries);
    clear_runs(averaging);
    return good;
}

static bool begin(struct averaging *averaging, struct ek_error *error)
{
    struct lab_heading own[ENTRIES] = {{.name = "place", .role = LAB_HEADING_PLACE},
                                       {.name = "runs", .role = LAB_HEADING_VALUE},
                                       {.role = LAB_HEADING_VALUE, .kind = LAB_ENTRY_SPREAD},
                                       {.name = "theory", .role = LAB_HEADING_VALUE}};
    snprintf(own[2].name, sizeof own[2].name, "%s", averaging->field->name);
    bool theory = strcmp(averaging->field->name, "variance") == 0;
    return lab_rows_begin(&averaging->rows, own, theory ? ENTRIES : ENTRIES - 1, averaging->sink, error);
}

static const char *traced_name(size_t index)
{
    const struct lab_field *field = lab_trace_field_at(index);
    return field ? field->name : NULL;
}

static bool find_field(struct averaging *averaging, const char *name, struct ek_error *error)
{
    averaging->field = lab_trace_field_named(name);
    const char *near = ek_nearest(name, traced_name);
    return averaging->field ||
           (near ? base_refuse(error, "a trace has no field '%.60s'; the nearest is '%s'", name, near)
                 : base_refuse(error, "a trace has no field '%.60s': docs/report.md lists the fields", name));
}

bool lab_answer_average(struct lab_store *store, const struct lab_question *question,
                        const struct lab_answer_sink *sink, struct lab_answer_notes *notes, struct ek_error *error)
{
    struct averaging averaging = {.confidence = question->confidence, .sink = sink, .notes = notes};
    struct lab_rows *rows = &averaging.rows;
    bool good = find_field(&averaging, question->trace, error) && lab_rows_open(rows, store, error) &&
                lab_rows_select(rows, "group", question->group, LAB_HEADING_GROUP, error) &&
                lab_group_run_select(rows, error) && lab_rows_select_sql(rows, "id", error) &&
                lab_rows_from(rows, question, "1", "seed, key", error) && begin(&averaging, error) &&
                lab_rows_go(rows, take_run, end_group, &averaging, error);
    if (good && notes->runs == 0 && notes->traceless > 0) {
        good = base_refuse(
            error, "none of these runs has its trace in the store: run them again with evenkeel sweep --trace --again");
    }
    clear_runs(&averaging);
    free(averaging.runs);
    free(averaging.gamma);
    free(averaging.drawn);
    lab_rows_close(rows);
    return good;
}
