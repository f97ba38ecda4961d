// SPDX-License-Identifier: MIT
// What a table says of runs whose load consists of objects.
#include "cli/tables/run_table_objects.h"

#include <string.h>

#include "lab/record/fields.h"
#include "threads/api/report.h"

// Returns a number of bytes as text.
static struct cli_text bytes_of(uint64_t bytes)
{
    return cli_text_plural(bytes, "byte");
}

// Returns an imbalance as text: 0.123, which is 12.3 %.
static struct cli_text imbalance_of(double imbalance)
{
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "%.4g", imbalance);
    return text;
}

void report_run_table_objects(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    const struct ek_objects_report *objects = &report->objects;
    report_say(out, terminal, "imbalance", "%s at the start, %s at the end",
               imbalance_of(objects->imbalance_initial).of, imbalance_of(objects->imbalance).of);
    report_say(out, terminal, "loads", "%s to %s at the end, total %s", cli_text_amount(report->minimum).of,
               cli_text_amount(report->maximum).of, cli_text_amount(report->total_final).of);
    report_say(out, terminal, "objects", "%s in all, %s never left their processor, %.1f %% moved at most once",
               cli_text_count(objects->object_count).of, cli_text_amount(report->stayed).of,
               100.0 * objects->moved_once);
    report_say(out, terminal, "moves", "%s of objects, %s, at most %s from a processor",
               cli_text_plural(objects->objects_moved, "move").of, bytes_of(objects->bytes_moved).of,
               bytes_of(objects->most_bytes).of);
    if (objects->edge_cut_initial > 0.0 || objects->edge_cut > 0.0) {
        report_say(out, terminal, "edge cut", "%s bytes between processors at the start, %s at the end",
                   cli_text_amount(objects->edge_cut_initial).of, cli_text_amount(objects->edge_cut).of);
    }
    report_say(out, terminal, "traffic", "%s, %s, %s of load sent over links",
               cli_text_plural(report->messages, "message").of, cli_text_plural(report->parcels, "parcel").of,
               cli_text_amount(report->moved).of);
}

// Adds the sentence about one run.
static void add_one(struct cli_line *line, const struct ek_report *report)
{
    const struct ek_objects_report *objects = &report->objects;
    bool fell = objects->imbalance < objects->imbalance_initial;
    cli_line_add(line, "the imbalance %s from %s to %s", fell ? "fell" : "went",
                 imbalance_of(objects->imbalance_initial).of, imbalance_of(objects->imbalance).of);
    cli_line_add(line, ", with %s of objects and %s", cli_text_plural(objects->objects_moved, "move").of,
                 bytes_of(objects->bytes_moved).of);
}

static void add_range(struct cli_line *line, const struct lab_record *record, const char *field, const char *unit)
{
    struct lab_summary summary = lab_record_summarise(record, lab_field_named(field));
    cli_line_add(line, "%s", cli_text_real(summary.minimum).of);
    if (summary.minimum < summary.maximum) {
        cli_line_add(line, " to %s", cli_text_real(summary.maximum).of);
    }
    cli_line_add(line, "%s", unit);
}

// Adds the sentence about several runs.
static void add_several(struct cli_line *line, const struct lab_record *record)
{
    cli_line_add(line, "in %s the imbalance was ", cli_text_plural(record->count, "run").of);
    add_range(line, record, "imbalance_initial", " at the start and ");
    add_range(line, record, "imbalance", " at the end, with ");
    add_range(line, record, "objects_moved", " moves of objects and ");
    add_range(line, record, "bytes_moved", " bytes");
}

// Returns what the user can try, or NULL.
static const char *advice_of(const struct lab_record *record)
{
    const struct ek_report *first = &record->runs[0];
    bool restless = first->ended == EK_ENDED_GIVEN_UP && strcmp(lab_record_axis(record, "stop"), "rest") == 0;
    return restless ? "with --stop imbalance:0.1 a run ends when the loads are that near"
           : first->ended == EK_ENDED_GIVEN_UP || first->ended == EK_ENDED_FROZEN
               ? "a weaker --stop may be reached, and --choose nearest can come nearer"
           : first->objects.imbalance_initial == 0.0 ? "the objects were balanced at the start"
                                                     : NULL;
}

void report_objects_verdict(struct cli_line *line, const struct lab_record *record)
{
    const struct ek_report *first = &record->runs[0];
    if (record->count == 1) {
        add_one(line, first);
    } else {
        add_several(line, record);
    }
    const char *advice = advice_of(record);
    if (advice) {
        cli_line_add(line, "; %s", advice);
    }
}
