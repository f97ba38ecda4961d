// SPDX-License-Identifier: MIT
#include "cli/report/rank_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tables/costs_line.h"
#include "cli/tables/csv.h"
#include "cli/tables/paste.h"
#include "cli/tables/table_columns.h"
#include "cli/tables/table_lines.h"
#include "cli/terminal/terminal.h"
#include "lab/record/json.h"
#include "lab/text/memory_stream.h"
#include "threads/api/report.h"

// The fields that are shown beside the one that orders the methods. The seconds of this computer are not shown beside
// virtual ones.
enum { BESIDE = 5 };
static const char *const beside_numbers[BESIDE] = {"operations", "steps", "messages", "moved", "elapsed_s"};
static const char *const beside_objects[BESIDE] = {"imbalance", "bytes_moved", "objects_moved", "edge_cut", "steps"};

static bool has_objects(const struct lab_rank *rank)
{
    return rank->ran > 0 && rank->rows[0].record.runs[0].has_objects;
}

static const char *const *beside_of(const struct lab_rank *rank)
{
    return has_objects(rank) ? beside_objects : beside_numbers;
}

static double mean_of(const struct lab_ranked *row, const char *name)
{
    const struct lab_field *field = lab_field_named(name);
    bool there = row->record.count > 0 && lab_field_present(field, &row->record.runs[0]);
    return there ? lab_record_summarise(&row->record, field).mean : NAN;
}

static bool is_virtual(const struct lab_field *field)
{
    return strcmp(field->name, "virtual_s") == 0;
}

static bool is_time(const struct lab_field *field)
{
    return is_virtual(field) || strcmp(field->name, "elapsed_s") == 0;
}

static bool is_beside(const struct lab_rank *rank, const char *name)
{
    const struct lab_field *field = lab_field_named(name);
    return field != rank->by && !(is_virtual(rank->by) && is_time(field));
}

static struct cli_text number(const struct lab_field *field, double value)
{
    struct cli_text text = {"-"};
    if (isfinite(value) && is_time(field)) { // the interval of a few runs can begin below 0
        snprintf(text.of, sizeof text.of, "%s%.60s", value < 0.0 ? "-" : "", cli_text_seconds(fabs(value)).of);
    } else if (isfinite(value)) {
        text = cli_text_real(value);
    }
    return text;
}

// Returns whether runs ended before their criterion, so that their values are lower bounds.
static bool was_cut(const struct lab_ranked *row)
{
    return row->reached < row->record.count;
}

// Returns a lower bound as text: ">= 800".
static struct cli_text at_least(struct cli_text value)
{
    struct cli_text text = value;
    if (strcmp(value.of, "-") != 0) {
        snprintf(text.of, sizeof text.of, ">= %.60s", value.of);
    }
    return text;
}

// Returns "24 to 31", or "-" for a single run.
static struct cli_text range_of(const struct lab_rank *rank, const struct lab_interval *mean)
{
    struct cli_text text = {"-"};
    if (isfinite(mean->low)) {
        snprintf(text.of, sizeof text.of, "%.30s to %.30s", number(rank->by, mean->low).of,
                 number(rank->by, mean->high).of);
    }
    return text;
}

// The most important columns come first.
enum { PLACE, METHOD, MEAN, RANGE, THEORY, REST, COLUMNS = REST + BESIDE - 1 };

// Returns the field of one of the other columns. The field that orders the methods is not among them.
static const char *rest_name(const struct lab_rank *rank, int column)
{
    for (size_t i = 0; i < BESIDE; i++) {
        column -= is_beside(rank, beside_of(rank)[i]);
        if (column < REST) {
            return beside_of(rank)[i];
        }
    }
    return NULL; // another field orders the methods: all fields are shown
}

static struct cli_text heading_of(const void *of, int column)
{
    const struct lab_rank *rank = of;
    struct cli_text text = {""};
    if (column == RANGE) {
        lab_confidence_write(&rank->rows[0].mean.by, text.of, sizeof text.of);
    } else if (column != PLACE) {
        const char *name = column == METHOD ? "method"
                           : column == MEAN ? rank->by->name
                           : column < REST  ? "theory"
                                            : rest_name(rank, column);
        snprintf(text.of, sizeof text.of, "%s",
                 strcmp(name, "elapsed_s") == 0   ? "time"
                 : strcmp(name, "virtual_s") == 0 ? "virtual time"
                                                  : name);
    }
    return text;
}

static struct cli_text cell_of(const void *of, size_t index, int column)
{
    const struct lab_rank *rank = of;
    const struct lab_ranked *row = &rank->rows[index];
    struct cli_text text = {"-"};
    switch (column) {
    case PLACE:
        if (index < rank->ranked) {
            snprintf(text.of, sizeof text.of, "%zu", lab_rank_place(rank, index));
        }
        return text;
    case METHOD:
        snprintf(text.of, sizeof text.of, "%s", row->name);
        return text;
    case MEAN:
        if (row->failed > 0 && has_objects(rank)) { // it is as balanced as it gets, and has moved so much
            return number(rank->by, mean_of(row, rank->by->name));
        }
        return isfinite(row->at_least) ? at_least(number(rank->by, row->at_least)) : number(rank->by, row->mean.value);
    case RANGE:
        return range_of(rank, &row->mean);
    case THEORY:
        return number(rank->by, row->theory);
    default:
        if (row->failed > 0 && !has_objects(rank)) { // such runs took a number of steps, but not to the criterion
            return text;
        }
        text = number(lab_field_named(rest_name(rank, column)), mean_of(row, rest_name(rank, column)));
        return was_cut(row) && row->failed == 0 ? at_least(text) : text;
    }
}

static struct cli_text below(const void *of, size_t index)
{
    const struct lab_rank *rank = of;
    const struct lab_ranked *row = &rank->rows[index];
    struct cli_text text = {""};
    if (index >= rank->ranked && row->reached == rank->runs_asked) {
        snprintf(text.of, sizeof text.of, "does not report %s", rank->by->name);
    } else if (index >= rank->ranked) {
        int length = snprintf(text.of, sizeof text.of, "reached in %zu of %" PRIu64, row->reached, rank->runs_asked);
        if (row->failed > 0) {
            snprintf(text.of + length, sizeof text.of - (size_t)length, "; %zu never will", row->failed);
        }
    }
    return text;
}

static struct report_columns columns_of(const struct lab_rank *rank)
{
    return (struct report_columns){.of = rank,
                                   .count = COLUMNS + (rest_name(rank, COLUMNS) != NULL),
                                   .least = MEAN + 1,
                                   .name = METHOD,
                                   .lines = rank->ran,
                                   .heading = heading_of,
                                   .cell = cell_of,
                                   .below = below};
}

// Returns a record with virtual seconds, in virtual time if there is one; NULL if they are not what is compared.
static const struct lab_record *computed_record(const struct lab_rank *rank)
{
    const struct lab_record *found = NULL;
    for (size_t i = 0; is_virtual(rank->by) && i < rank->ran; i++) {
        const struct lab_record *record = &rank->rows[i].record;
        if (record->runs[0].has_windows || (!found && record->runs[0].has_virtual)) {
            found = record;
        }
    }
    return found;
}

static void write_head(FILE *out, const struct lab_rank *rank)
{
    const struct lab_record *record = &rank->rows[0].record;
    struct cli_terminal terminal = cli_terminal_of(out);
    struct cli_line line = {0};
    report_topology_say(&line, &record->topology);
    report_say(out, &terminal, "topology", "%s", line.of);
    report_say(out, &terminal, "load", "%s, %s, %s ports, seed %" PRIu64, lab_record_axis(record, "load"),
               lab_record_axis(record, "units"), lab_record_axis(record, "ports"), record->runs[0].seed);
    report_say(out, &terminal, "stop", "%s, %s of each method, %s", lab_record_axis(record, "stop"),
               cli_text_plural(rank->runs_asked, "run").of, lab_record_axis(record, "carrier"));
    const struct lab_record *computed = computed_record(rank);
    if (computed) {
        report_costs_say(out, &terminal, computed);
    }
}

// Writes a paragraph and frees it. Returns false if there was no memory for it.
static bool write_sentences(FILE *out, char *text)
{
    if (text && *text) {
        fputc('\n', out);
        cli_text_wrap(out, text, 2, REPORT_WIDTH);
    }
    free(text);
    return text;
}

// Writes what follows the table. Returns false if memory is short.
static bool write_rest(FILE *out, const struct lab_rank *rank)
{
    if (rank->ranked > 1 && !write_sentences(out, lab_rank_why(rank))) { // else the verdict says the same
        return false;
    }
    if (rank->ran < rank->count) {
        fputs("\n  not applicable:\n", out);
    }
    for (size_t i = rank->ran; i < rank->count; i++) {
        cli_text_labelled(out, rank->rows[i].name, 24, rank->rows[i].refusal.sentence);
    }
    return write_sentences(out, lab_rank_verdict(rank));
}

bool report_rank_write(FILE *out, const struct lab_rank *rank)
{
    const struct report_columns columns = columns_of(rank);
    write_head(out, rank);
    report_columns_write(out, &columns);
    return write_rest(out, rank);
}

// Writes the texts that the table has below its lines, each with the name of its line.
static void write_below(FILE *out, const struct lab_rank *rank)
{
    for (size_t i = 0; i < rank->ran; i++) {
        const struct cli_text text = below(rank, i);
        if (*text.of) {
            fprintf(out, "  %s: %s\n", rank->rows[i].name, text.of);
        }
    }
}

bool report_rank_paste(FILE *out, enum cli_format format, const struct lab_rank *rank)
{
    const struct report_columns columns = columns_of(rank);
    struct lab_stream notes;
    bool good = lab_stream_begin(&notes);
    if (good) {
        write_head(notes.out, rank);
        write_below(notes.out, rank);
        good = write_rest(notes.out, rank);
    }
    char *text = lab_stream_end(&notes);
    good = good && text;
    if (good) {
        report_paste_columns(out, format, &columns);
        report_paste_notes(out, format, text);
    }
    free(text);
    return good;
}

// Returns the timing of a row's runs.
static const char *timing_of(const struct lab_rank *rank, const struct lab_ranked *row)
{
    return row->timing ? row->timing : lab_record_axis(&rank->rows[0].record, "timing");
}

void report_rank_write_csv(FILE *out, const struct lab_rank *rank)
{
    fputs("rank,method,by,mean,low,high,runs,reached,theory", out);
    for (size_t i = 0; i < BESIDE; i++) {
        fprintf(out, ",%s", beside_of(rank)[i]);
    }
    fputs(",refused,samples,at_least,more,more_low,more_high,p,superiority,timing,virtual_s\n", out);
    for (size_t i = 0; i < rank->count; i++) {
        const struct lab_ranked *row = &rank->rows[i];
        const double values[] = {row->mean.value, row->mean.low, row->mean.high};
        const double behind[] = {row->behind.more.value, row->behind.more.low, row->behind.more.high, row->behind.p,
                                 row->behind.superiority};
        if (i < rank->ranked) {
            fprintf(out, "%zu", lab_rank_place(rank, i));
        }
        fputc(',', out);
        report_csv_text(out, row->method);
        fprintf(out, ",%s", rank->by->name);
        report_csv_reals(out, values, 3);
        fprintf(out, ",%zu,%zu", row->record.count, row->reached);
        report_csv_reals(out, &row->theory, 1);
        for (size_t k = 0; k < BESIDE; k++) {
            double mean = mean_of(row, beside_of(rank)[k]);
            report_csv_reals(out, &mean, 1);
        }
        fputc(',', out);
        report_csv_text(out, i < rank->ran ? "" : row->refusal.sentence);
        fprintf(out, ",%zu", row->samples);
        report_csv_reals(out, &row->at_least, 1);
        report_csv_reals(out, behind, sizeof behind / sizeof *behind);
        fputc(',', out);
        report_csv_text(out, timing_of(rank, row));
        double virtual_s = mean_of(row, "virtual_s");
        report_csv_reals(out, &virtual_s, 1);
        fputc('\n', out);
    }
}

static json_t *summary_of(const struct lab_ranked *row)
{
    const struct lab_record *record = &row->record;
    json_t *object = json_object();
    for (size_t i = 0; lab_rank_field(i); i++) {
        const struct lab_field *field = lab_rank_field(i);
        if (lab_field_present(field, &record->runs[0])) {
            struct lab_summary summary = lab_record_summarise(record, field);
            if (was_cut(row) && field->grows) {
                summary.mean = summary.sd = NAN; // of lower bounds
            }
            json_object_set_new(object, field->name,
                                json_pack("{s:o, s:o, s:o, s:o}", "mean", lab_json_real(summary.mean), "sd",
                                          lab_json_real(summary.sd), "min", lab_json_real(summary.minimum), "max",
                                          lab_json_real(summary.maximum)));
        }
    }
    return object;
}

static json_t *behind_object(const struct lab_behind *behind)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:o, s:o}", "more", lab_json_real(behind->more.value), "low",
                     lab_json_real(behind->more.low), "high", lab_json_real(behind->more.high), "samples",
                     (json_int_t)behind->samples, "p", lab_json_real(behind->p), "superiority",
                     lab_json_real(behind->superiority));
}

static json_t *row_object(const struct lab_rank *rank, size_t index)
{
    const struct lab_ranked *row = &rank->rows[index];
    if (index >= rank->ran) {
        return json_pack("{s:n, s:s, s:s, s:s}", "rank", "method", row->method, "refused", row->refusal.sentence,
                         "timing", timing_of(rank, row));
    }
    const struct lab_record *record = &row->record;
    return json_pack(
        "{s:o, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:I, s:o, s:o, s:s}", "rank",
        index < rank->ranked ? json_integer((json_int_t)lab_rank_place(rank, index)) : json_null(), "method",
        row->method, "title", record->method.title, "runs", (json_int_t)record->count, "reached",
        (json_int_t)row->reached, "mean", lab_json_real(row->mean.value), "low", lab_json_real(row->mean.low), "high",
        lab_json_real(row->mean.high), "theory", lab_json_real(row->theory), "gamma",
        lab_json_real(record->theory.has_exact ? record->theory.gamma_exact : NAN), "note", record->theory.note,
        "summary", summary_of(row), "samples", (json_int_t)row->samples, "at_least", lab_json_real(row->at_least),
        "behind", index > 0 && index < rank->ranked ? behind_object(&row->behind) : json_null(), "timing",
        timing_of(rank, row));
}

bool report_rank_write_json(FILE *out, const struct lab_rank *rank, const char *typed)
{
    const struct lab_record *record = &rank->rows[0].record;
    char how[64];
    char *why = lab_rank_why(rank), *verdict = lab_rank_verdict(rank);
    if (!why || !verdict) {
        free(why);
        free(verdict);
        return false;
    }
    lab_confidence_write(&rank->rows[0].mean.by, how, sizeof how);
    json_t *rows = json_array();
    for (size_t i = 0; i < rank->count; i++) {
        json_array_append_new(rows, row_object(rank, i));
    }
    json_t *whole = json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:s, s:s, s:o}",
                              "schema", "evenkeel.rank/1", "version", ek_version(), "command", typed, "topology",
                              lab_json_topology(&record->topology), "load", lab_record_axis(record, "load"), "units",
                              lab_record_axis(record, "units"), "ports", lab_record_axis(record, "ports"), "timing",
                              lab_record_axis(record, "timing"), "stop", lab_record_axis(record, "stop"), "carrier",
                              lab_record_axis(record, "carrier"), "runs_asked", (json_int_t)rank->runs_asked, "by",
                              rank->by->name, "interval", how, "why", why, "verdict", verdict, "methods", rows);
    free(why);
    free(verdict);
    lab_json_write(out, whole, JSON_INDENT(1));
    fputc('\n', out);
    return true;
}
