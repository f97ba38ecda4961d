// SPDX-License-Identifier: MIT
#include "lab/record/extract.h"

#include <ctype.h>
#include <string.h>

#include "lab/record/json.h"
#include "threads/api/report.h"

enum { COLUMNS_MAX = 20 }; // of a trace

static json_t *rows_of(const struct lab_field *fields, const void *rows, size_t count, size_t size)
{
    json_t *array = rows ? json_array() : NULL;
    for (size_t i = 0; rows && i < count; i++) {
        json_array_append_new(array, lab_json_object(fields, (const char *)rows + i * size));
    }
    return array;
}

static json_t *loads_of(const double *load, uint32_t processors)
{
    json_t *array = load ? json_array() : NULL;
    for (uint32_t p = 0; load && p < processors; p++) {
        json_array_append_new(array, lab_json_real(load[p]));
    }
    return array;
}

static json_t *topology_of(const struct lab_record *record, unsigned parts)
{
    (void)parts;
    return lab_json_topology(&record->topology);
}

static json_t *initial_of(const struct lab_record *record, unsigned parts)
{
    (void)parts;
    return loads_of(record->runs[0].initial, record->topology.processors);
}

static json_t *final_of(const struct lab_record *record, unsigned parts)
{
    (void)parts;
    return loads_of(record->runs[0].final, record->topology.processors);
}

static json_t *links_of(const struct lab_record *record, unsigned parts)
{
    const struct ek_report *report = &record->runs[0];
    (void)parts;
    return rows_of(lab_flow_fields, report->flow, report->flow_count, sizeof *report->flow);
}

static json_t *quotas_of(const struct lab_record *record, unsigned parts)
{
    const struct ek_report *report = &record->runs[0];
    json_t *array = report->quota ? json_array() : NULL;
    (void)parts;
    for (size_t d = 0; d < report->quota_dimensions; d++) {
        json_array_append_new(array,
                              loads_of(report->quota + d * record->topology.processors, record->topology.processors));
    }
    return array;
}

static json_t *frames_of(const struct lab_record *record, unsigned parts)
{
    const struct ek_report *report = &record->runs[0];
    json_t *array = rows_of(lab_time_of(report)->frame, report->frame, report->frame_count, sizeof *report->frame);
    (void)parts;
    for (size_t i = 0; report->frame && i < report->frame_count; i++) {
        json_object_set_new(
            json_array_get(array, i), "load",
            loads_of(report->frame_load + i * record->topology.processors, record->topology.processors));
    }
    return array;
}

static unsigned bit_of_column(const char *name)
{
    for (size_t i = 0; lab_trace_field_at(i); i++) {
        if (strcmp(lab_trace_field_at(i)->name, name) == 0) {
            return (unsigned)LAB_EXTRACT_COLUMN << i;
        }
    }
    return 0;
}

static json_t *trace_of(const struct lab_record *record, unsigned parts)
{
    const struct ek_report *report = &record->runs[0];
    const struct lab_field *column = lab_time_of(report)->trace;
    struct lab_field chosen[COLUMNS_MAX] = {column[0]}; // the moment
    for (size_t i = 1, count = 1; column[i].name && count + 1 < COLUMNS_MAX; i++) {
        if (parts & bit_of_column(column[i].name)) {
            chosen[count++] = column[i];
        }
    }
    return rows_of(chosen, report->trace, report->trace_count, sizeof *report->trace);
}

static json_t *facts_of(const struct lab_record *record, unsigned parts)
{
    json_t *object = json_object();
    (void)parts;
    for (size_t i = 0; i < record->facts_count; i++) {
        const struct ek_fact *fact = &record->facts[i];
        json_t *value = lab_json_real(fact->value);
        if (json_is_real(value) && !json_object_get(object, fact->name)) {
            json_object_set(object, fact->name, value);
        }
        json_decref(value);
    }
    return object;
}

static const struct part {
    const char *name;
    unsigned bit;
    json_t *(*make)(const struct lab_record *record, unsigned parts); // NULL if the run does not have the field
} all_parts[] = {{"topology", LAB_EXTRACT_TOPOLOGY, topology_of}, {"facts", LAB_EXTRACT_FACTS, facts_of},
                 {"links", LAB_EXTRACT_LINKS, links_of},          {"quotas", LAB_EXTRACT_QUOTAS, quotas_of},
                 {"initial", LAB_WITH_INITIAL, initial_of},       {"final", LAB_WITH_FINAL, final_of},
                 {"frames", LAB_EXTRACT_FRAMES, frames_of},       {"trace", LAB_WITH_TRACE, trace_of}};
enum { PARTS = sizeof all_parts / sizeof *all_parts };

unsigned lab_extract_part(const char *name, size_t length)
{
    for (size_t i = 0; i < PARTS; i++) {
        if (strlen(all_parts[i].name) == length && strncmp(all_parts[i].name, name, length) == 0) {
            return all_parts[i].bit;
        }
    }
    return 0;
}

unsigned lab_extract_columns(const char *sql)
{
    unsigned bits = 0;
    for (const char *at = sql; *at; at++) {
        if (*at == '\'' || *at == '.') {
            char word[32] = "";
            for (size_t i = 0; i + 1 < sizeof word && (isalnum((unsigned char)at[i + 1]) || at[i + 1] == '_'); i++) {
                word[i] = at[i + 1];
            }
            bits |= bit_of_column(word);
        }
    }
    return bits;
}

void lab_extract_write(FILE *out, const struct lab_record *record, unsigned parts)
{
    for (size_t i = 0; i < PARTS; i++) {
        json_t *value = parts & all_parts[i].bit ? all_parts[i].make(record, parts) : NULL;
        if (parts & all_parts[i].bit) {
            fputs(all_parts[i].name, out);
        }
        if (value) {
            fputc(' ', out);
            lab_json_write(out, value, JSON_COMPACT);
        }
        if (parts & all_parts[i].bit) {
            fputc('\n', out);
        }
    }
}

const char *lab_extract_find(const char *extract, const char *name, size_t *length)
{
    const size_t of_name = strlen(name);
    for (const char *line = extract, *end; (end = strchr(line, '\n')); line = end + 1) {
        const char *value = line + of_name;
        if ((size_t)(end - line) >= of_name && strncmp(line, name, of_name) == 0 && (*value == ' ' || value == end)) {
            value += value < end;
            *length = (size_t)(end - value);
            return value;
        }
    }
    return NULL;
}
