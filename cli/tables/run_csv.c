// SPDX-License-Identifier: MIT
#include "cli/tables/run_csv.h"

#include <inttypes.h>
#include <string.h>

#include "cli/tables/csv.h"
#include "lab/record/fields.h"
#include "lab/record/profile.h"
#include "threads/api/report.h"

static void write_value(FILE *out, const struct lab_field *field, const void *of)
{
    if (!lab_field_present(field, of) || !lab_field_measured(field, of)) {
        return;
    }
    if (field->kind == LAB_SWITCH) {
        fputs(lab_field_value(field, of) != 0.0 ? "true" : "false", out);
    } else if (field->kind == LAB_NAME || field->kind == LAB_TEXT) {
        report_csv_text(out, lab_field_text(field, of));
    } else if (field->kind == LAB_REAL) {
        report_csv_real(out, lab_field_value(field, of));
    } else {
        fprintf(out, "%" PRIu64, lab_field_whole(field, of));
    }
}

// Writes the names of columns. The name of a group precedes those of its fields, as in free.latency.median.
static void write_names(FILE *out, const struct lab_field *fields, const char *prefix, const void *of)
{
    for (; fields->name; fields++) {
        char name[80];
        snprintf(name, sizeof name, "%s%s", prefix, fields->name);
        if (!fields->parts) {
            fprintf(out, ",%s", name);
        } else if (lab_field_present(fields, of)) {
            strncat(name, ".", sizeof name - strlen(name) - 1);
            write_names(out, fields->parts, name, (const char *)of + fields->offset);
        }
    }
}

static void write_values(FILE *out, const struct lab_field *fields, const void *of)
{
    for (; fields->name; fields++) {
        if (!fields->parts) {
            fputc(',', out);
            write_value(out, fields, of);
        } else if (lab_field_present(fields, of)) {
            write_values(out, fields->parts, (const char *)of + fields->offset);
        }
    }
}

// Returns whether the axis has a column after the first three, which are topology, method and parameter.
static bool has_column(const struct ek_axis *axis)
{
    return axis->field && strcmp(axis->option, "topology") != 0 && strcmp(axis->option, "method") != 0;
}

static void write_head(FILE *out, const struct lab_record *record)
{
    fputs("topology,method,parameter", out);
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (has_column(ek_axis_at(i))) {
            fprintf(out, ",%s", ek_axis_at(i)->field);
        }
    }
    write_names(out, lab_report_fields, "", &record->runs[0]);
    fputc('\n', out);
}

void report_csv_write_run(FILE *out, const struct lab_record *record, size_t r)
{
    if (r == 0) {
        write_head(out, record);
    }
    report_csv_text(out, record->topology.spec);
    fputc(',', out);
    report_csv_text(out, record->method.spec);
    fputc(',', out);
    report_csv_real(out, record->method.parameter);
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (has_column(ek_axis_at(i))) {
            fputc(',', out);
            report_csv_text(out, record->axis[i].value);
        }
    }
    write_values(out, lab_report_fields, &record->runs[r]);
    fputc('\n', out);
}

void report_csv_write_trace(FILE *out, const struct lab_record *record)
{
    const struct lab_field *fields = lab_time_of(&record->runs[0])->trace;
    fputs("seed", out);
    write_names(out, fields, "", NULL);
    fputc('\n', out);
    for (size_t r = 0; r < record->count; r++) {
        const struct ek_report *run = &record->runs[r];
        for (size_t i = 0; i < run->trace_count; i++) {
            fprintf(out, "%" PRIu64, run->seed);
            write_values(out, fields, &run->trace[i]);
            fputc('\n', out);
        }
    }
}

void report_csv_write_final(FILE *out, const struct lab_record *record)
{
    fputs("seed,processor,load\n", out);
    for (size_t r = 0; r < record->count; r++) {
        const struct ek_report *run = &record->runs[r];
        for (uint32_t p = 0; run->final && p < record->topology.processors; p++) {
            fprintf(out, "%" PRIu64 ",%" PRIu32 ",", run->seed, p);
            report_csv_real(out, run->final[p]);
            fputc('\n', out);
        }
    }
}

// Writes the first `kinds` kinds of a profile, each after a comma; `stride` lies between two of them.
static void write_kinds(FILE *out, const double *real, unsigned kinds, size_t stride)
{
    for (unsigned kind = 0; kind < kinds; kind++) {
        fputc(',', out);
        report_csv_real(out, real[kind * stride]);
    }
}

static void write_kind_names(FILE *out, const char *before, unsigned kinds)
{
    fputs(before, out);
    for (unsigned kind = 0; kind < kinds; kind++) {
        fprintf(out, ",%s", lab_profile_kinds[kind]);
    }
    fputc('\n', out);
}

void report_csv_write_profile(FILE *out, const struct lab_record *record)
{
    write_kind_names(out, "seed,from,to,processor,processors", EK_PROFILE_TIMES);
    for (size_t r = 0; r < record->count; r++) {
        const struct ek_profile *profile = &record->runs[r].profile;
        for (size_t i = 0; i < profile->intervals * profile->groups; i++) {
            const struct ek_interval *interval = &profile->interval[i / profile->groups];
            size_t group = i % profile->groups, first = group * profile->group;
            size_t left = record->topology.processors - first;
            fprintf(out, "%" PRIu64, record->runs[r].seed);
            report_csv_reals(out, (const double[]){interval->from, interval->to}, 2);
            fprintf(out, ",%zu,%zu", first, left < profile->group ? left : profile->group);
            write_kinds(out, profile->time + i / profile->groups * EK_PROFILE_TIMES * profile->groups + group,
                        EK_PROFILE_TIMES, profile->groups);
            fputc('\n', out);
        }
    }
}

void report_csv_write_processors(FILE *out, const struct lab_record *record)
{
    uint32_t processors = record->topology.processors;
    write_kind_names(out, "seed,processor", EK_PROFILE_KINDS);
    for (size_t r = 0; r < record->count; r++) {
        const struct ek_report *run = &record->runs[r];
        for (uint32_t p = 0; run->profile.processor && p < processors; p++) {
            fprintf(out, "%" PRIu64 ",%" PRIu32, run->seed, p);
            write_kinds(out, run->profile.processor + p, EK_PROFILE_KINDS, processors);
            fputc('\n', out);
        }
    }
}
