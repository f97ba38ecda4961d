// SPDX-License-Identifier: MIT
// Answers as CSV and JSON. Tables are in results_table.c.
#include "cli/report/results_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/tables/csv.h"
#include "lab/record/json.h"
#include "lab/text/clean_text.h"

bool report_results_begin(struct report_results *answer, const struct lab_heading *headings, size_t count,
                          struct ek_error *error)
{
    answer->headings = calloc(count, sizeof *headings);
    if (!answer->headings) {
        return base_refuse(error, "there is no memory for %zu columns: ask for fewer --columns", count);
    }
    memcpy(answer->headings, headings, count * sizeof *headings);
    answer->count = count;
    return true;
}

bool report_results_estimates(const struct report_results *answer)
{
    bool any = false;
    for (size_t i = 0; i < answer->count; i++) {
        any = any || answer->headings[i].kind != LAB_ENTRY_NONE;
    }
    return any;
}

// The numbers of a cell that has several. In CSV each has a column, whose name is the heading, a dot and this name.
enum { AT_LEAST = 10, PARTS_MAX = 14 }; // the parts after AT_LEAST are counts

struct parts {
    const char *name[PARTS_MAX];
    size_t count;
};

static struct parts parts_of(enum lab_entry_kind kind)
{
    switch (kind) {
    case LAB_ENTRY_SPREAD:
        return (struct parts){{"count", "mean", "low", "high", "sd", "median", "median_low", "median_high", "min",
                               "max", "at_least", "cut", "failed", "samples"},
                              PARTS_MAX};
    case LAB_ENTRY_INTERVAL:
        return (struct parts){{"value", "low", "high"}, 3};
    default:
        return (struct parts){.count = 0};
    }
}

static void part_values(const struct lab_entry *cell, double values[PARTS_MAX])
{
    const struct lab_spread *spread = &cell->spread;
    const struct lab_interval *interval = cell->kind == LAB_ENTRY_SPREAD ? &spread->mean : &cell->interval;
    if (cell->kind == LAB_ENTRY_SPREAD) {
        *values++ = (double)interval->count;
    }
    *values++ = interval->value;
    *values++ = interval->low;
    *values++ = interval->high;
    if (cell->kind == LAB_ENTRY_SPREAD) {
        *values++ = spread->deviation;
        *values++ = spread->median.value;
        *values++ = spread->median.low;
        *values++ = spread->median.high;
        *values++ = spread->minimum;
        *values++ = spread->maximum;
        *values++ = spread->at_least;
        *values++ = (double)spread->cut;
        *values++ = (double)spread->failed;
        *values++ = (double)spread->samples;
    }
}

static bool csv_begin(void *context, const struct lab_heading *headings, size_t count, struct ek_error *error)
{
    struct report_results *answer = context;
    if (!report_results_begin(answer, headings, count, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct parts parts = parts_of(headings[i].kind);
        fputs(i > 0 ? "," : "", answer->out);
        if (parts.count == 0) {
            report_csv_text(answer->out, headings[i].name);
        }
        for (size_t part = 0; part < parts.count; part++) {
            fprintf(answer->out, "%s%s.%s", part > 0 ? "," : "", headings[i].name, parts.name[part]);
        }
    }
    fputs(report_results_estimates(answer) ? ",interval\n" : "\n", answer->out);
    return true;
}

// Returns how the line's intervals were computed: in a comparison this differs between lines.
static const struct lab_confidence *confidence_of(const struct report_results *answer, const struct lab_entry *cells)
{
    for (size_t i = 0; i < answer->count; i++) {
        if (cells[i].kind == LAB_ENTRY_INTERVAL) {
            return &cells[i].interval.by;
        }
    }
    return answer->confidence;
}

// Writes a text of the store, which can contain anything.
static bool write_text(FILE *out, const char *text, struct ek_error *error)
{
    char *clean = lab_text_clean_copy(text);
    if (!clean) {
        return base_refuse(error, "there is no memory for a text of the store");
    }
    report_csv_text(out, clean);
    free(clean);
    return true;
}

static bool csv_cell(FILE *out, const struct lab_heading *heading, const struct lab_entry *cell, struct ek_error *error)
{
    double values[PARTS_MAX];
    switch (cell->kind) {
    case LAB_ENTRY_NONE:
        break;
    case LAB_ENTRY_TEXT:
        return write_text(out, cell->text, error);
    case LAB_ENTRY_WHOLE:
        if (heading->is_switch) {
            fputs(cell->whole != 0 ? "true" : "false", out);
        } else {
            fprintf(out, "%" PRId64, cell->whole);
        }
        break;
    case LAB_ENTRY_REAL:
        report_csv_real(out, cell->real);
        break;
    case LAB_ENTRY_MEAN:
        report_csv_real(out, cell->spread.mean.value);
        break;
    case LAB_ENTRY_INTERVAL:
    case LAB_ENTRY_SPREAD:
        part_values(cell, values);
        for (size_t i = 0; i < parts_of(cell->kind).count; i++) {
            fputs(i > 0 ? "," : "", out);
            report_csv_real(out, values[i]);
        }
        break;
    }
    return true;
}

static bool csv_line(void *context, const struct lab_entry *cells, struct ek_error *error)
{
    struct report_results *answer = context;
    for (size_t i = 0; i < answer->count; i++) {
        fputs(i > 0 ? "," : "", answer->out);
        if (!csv_cell(answer->out, &answer->headings[i], &cells[i], error)) {
            return false;
        }
    }
    if (report_results_estimates(answer)) {
        char interval[64];
        lab_confidence_write(confidence_of(answer, cells), interval, sizeof interval);
        fputc(',', answer->out);
        report_csv_text(answer->out, interval);
    }
    fputc('\n', answer->out);
    return true;
}

struct lab_answer_sink report_results_csv(struct report_results *answer)
{
    return (struct lab_answer_sink){.context = answer, .begin = csv_begin, .line = csv_line};
}

static bool json_begin(void *context, const struct lab_heading *headings, size_t count, struct ek_error *error)
{
    return report_results_begin(context, headings, count, error);
}

static json_t *json_parts(const struct lab_entry *cell)
{
    const struct parts parts = parts_of(cell->kind);
    double values[PARTS_MAX];
    part_values(cell, values);
    json_t *object = json_object();
    for (size_t i = 0; i < parts.count; i++) {
        const bool whole = strcmp(parts.name[i], "count") == 0 || i > AT_LEAST;
        json_object_set_new(object, parts.name[i],
                            whole ? json_integer((json_int_t)values[i]) : lab_json_real(values[i]));
    }
    return object;
}

static json_t *json_text(const char *text)
{
    char *clean = lab_text_clean_copy(text);
    json_t *value = clean ? json_string(clean) : NULL;
    free(clean);
    return value;
}

static json_t *json_cell(const struct lab_heading *heading, const struct lab_entry *cell)
{
    switch (cell->kind) {
    case LAB_ENTRY_TEXT:
        return json_text(cell->text);
    case LAB_ENTRY_WHOLE:
        return heading->is_switch ? json_boolean(cell->whole != 0) : json_integer(cell->whole);
    case LAB_ENTRY_REAL:
        return lab_json_real(cell->real);
    case LAB_ENTRY_MEAN:
        return lab_json_real(cell->spread.mean.value);
    case LAB_ENTRY_INTERVAL:
    case LAB_ENTRY_SPREAD:
        return json_parts(cell);
    case LAB_ENTRY_NONE:
        break;
    }
    return json_null();
}

static bool json_line(void *context, const struct lab_entry *cells, struct ek_error *error)
{
    struct report_results *answer = context;
    json_t *line = json_object();
    (void)error;
    for (size_t i = 0; i < answer->count; i++) {
        json_object_set_new(line, answer->headings[i].name, json_cell(&answer->headings[i], &cells[i]));
    }
    if (report_results_estimates(answer)) {
        char interval[64];
        lab_confidence_write(confidence_of(answer, cells), interval, sizeof interval);
        json_object_set_new(line, "interval", json_string(interval));
    }
    lab_json_write(answer->out, line, JSON_COMPACT);
    fputc('\n', answer->out);
    return true;
}

struct lab_answer_sink report_results_json(struct report_results *answer)
{
    return (struct lab_answer_sink){.context = answer, .begin = json_begin, .line = json_line};
}
