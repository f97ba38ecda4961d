// SPDX-License-Identifier: MIT
#include "lab/store/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/record/fields.h"
#include "lab/text/clean_text.h"
#include "threads/api/report.h"

struct walk {
    const struct lab_record *record; // NULL: the columns have no values
    void (*visit)(void *context, const struct lab_column *column);
    void *context;
};

static void text(const struct walk *walk, const char *name, const char *value)
{
    struct lab_column column = {.group = "", .name = name, .type = LAB_COLUMN_TEXT, .null = !value, .text = value};
    walk->visit(walk->context, &column);
}

static void whole_if(bool known, const struct walk *walk, const char *name, int64_t value)
{
    struct lab_column column = {
        .group = "", .name = name, .type = LAB_COLUMN_INTEGER, .null = !walk->record || !known, .whole = value};
    walk->visit(walk->context, &column);
}

static void whole(const struct walk *walk, const char *name, int64_t value)
{
    whole_if(true, walk, name, value);
}

static void real(const struct walk *walk, const char *name, double value)
{
    struct lab_column column = {
        .group = "", .name = name, .type = LAB_COLUMN_REAL, .null = !walk->record || !isfinite(value), .real = value};
    walk->visit(walk->context, &column);
}

static void visit_origin(const struct walk *walk, const struct lab_stored_run *stored)
{
    static const struct lab_record none;
    static const struct lab_stored_run nothing;
    const struct lab_record *record = walk->record ? walk->record : &none;
    const struct lab_stored_run *origin = walk->record ? stored : &nothing;
    char node[256] = "";
    if (walk->record && gethostname(node, sizeof node - 1) == 0) {
        lab_text_clean(node);
    }
    text(walk, "key", origin->key);
    whole(walk, "status", origin->status);
    text(walk, "command", record->command);
    text(walk, "version", walk->record ? record->version : NULL);
    text(walk, "host", walk->record ? node : NULL);
    text(walk, "host_processor", walk->record ? record->host.processor : NULL);
    text(walk, "started", walk->record ? origin->started : NULL);
    real(walk, "duration_s", origin->duration_s);
    whole(walk, "kept", origin->parts);
    text(walk, "method_name", record->method.name);
    real(walk, "parameter", record->method.parameter);
    whole(walk, "processors", record->topology.processors);
    whole(walk, "links", record->topology.links);
    whole_if(lab_topology_is_coloured(&record->topology), walk, "colours", record->topology.colours);
    whole(walk, "degree_min", record->topology.degree_min);
    whole(walk, "degree_max", record->topology.degree_max);
    real(walk, "diameter", record->topology.diameter < 0 ? NAN : (double)record->topology.diameter);
}

static struct lab_column axis_column(const struct ek_axis *axis, const char *value)
{
    struct lab_column column = {.group = "", .name = axis->field, .null = !value || !*value};
    switch (axis->kind) {
    case EK_AXIS_TEXT:
        column.type = LAB_COLUMN_TEXT;
        column.text = value;
        break;
    case EK_AXIS_WHOLE:
        column.type = LAB_COLUMN_INTEGER;
        column.whole = column.null ? 0 : strtoll(value, NULL, 10);
        break;
    case EK_AXIS_SECONDS:
    case EK_AXIS_SHARE:
        column.type = LAB_COLUMN_REAL;
        column.real = column.null ? 0.0 : strtod(value, NULL);
        break;
    case EK_AXIS_SWITCH:
        column.type = LAB_COLUMN_INTEGER;
        column.whole = !column.null && strcmp(value, "true") == 0;
        break;
    }
    return column;
}

static void visit_axes(const struct walk *walk)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (ek_axis_at(i)->field) {
            struct lab_column column = axis_column(ek_axis_at(i), walk->record ? walk->record->axis[i].value : NULL);
            walk->visit(walk->context, &column);
        }
    }
}

static struct lab_column field_column(const struct lab_field *field, const void *of)
{
    bool there = of && lab_field_present(field, of) && lab_field_measured(field, of);
    struct lab_column column = {.name = field->name, .null = !there};
    if (field->kind == LAB_NAME || field->kind == LAB_TEXT) {
        column.type = LAB_COLUMN_TEXT;
        column.text = there ? lab_field_text(field, of) : NULL;
    } else if (field->kind == LAB_REAL) {
        column.type = LAB_COLUMN_REAL;
        column.real = there ? lab_field_value(field, of) : NAN;
        column.null = !isfinite(column.real);
    } else if (field->kind == LAB_SWITCH) {
        column.type = LAB_COLUMN_INTEGER;
        column.whole = there && lab_field_value(field, of) != 0.0;
    } else {
        column.type = LAB_COLUMN_INTEGER;
        column.whole = there ? (int64_t)lab_field_whole(field, of) : 0;
    }
    return column;
}

// The names are those of CSV: a group's name precedes its fields' names.
static void visit_fields(const struct walk *walk, const struct lab_field *fields, const char *group, const void *of)
{
    for (; fields->name; fields++) {
        if (!fields->parts) {
            struct lab_column column = field_column(fields, of);
            column.group = group;
            walk->visit(walk->context, &column);
            continue;
        }
        char inner[64];
        snprintf(inner, sizeof inner, "%s%s.", group, fields->name);
        bool there = of && lab_field_present(fields, of);
        visit_fields(walk, fields->parts, inner, there ? (const char *)of + fields->offset : NULL);
    }
}

static void visit_theory(const struct walk *walk)
{
    static const struct ek_theory none;
    const struct ek_theory *theory = walk->record ? &walk->record->theory : &none;
    real(walk, "theory_gamma_exact", theory->has_exact ? theory->gamma_exact : NAN);
    real(walk, "theory_gamma_closed", theory->has_closed ? theory->gamma_closed : NAN);
    real(walk, "theory_parameter_best", theory->parameter_best);
    real(walk, "theory_operations", theory->operations);
    real(walk, "theory_steps", theory->steps);
    text(walk, "theory_note", walk->record ? theory->note : NULL);
}

void lab_columns_visit(const struct lab_stored_run *stored, const struct lab_record *record,
                       void (*visit)(void *context, const struct lab_column *column), void *context)
{
    struct walk walk = {.record = record, .visit = visit, .context = context};
    visit_origin(&walk, stored);
    visit_axes(&walk);
    visit_fields(&walk, lab_report_fields, "", record ? &record->runs[0] : NULL);
    visit_theory(&walk);
    const struct lab_column checksum = {.group = "", .name = "checksum", .type = LAB_COLUMN_CHECKSUM};
    visit(context, &checksum);
}
