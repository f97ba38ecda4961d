// SPDX-License-Identifier: MIT
// Writes and reads records as one JSON object (docs/report.md): a head, a line for each run, the summary and the
// theory. Runs are converted one by one, so a million of them need no more memory than their reports.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/fields.h"
#include "lab/record/json.h"
#include "lab/record/profile.h"
#include "lab/record/record.h"
#include "lab/text/clean_text.h"
#include "threads/api/report.h"

struct ek_free_report;

static const char SCHEMA[] = "evenkeel.run/1";

// Returns an axis' value in its own type; null if it has none.
static json_t *axis_value(const struct ek_axis *axis, const char *value)
{
    switch (axis->kind) {
    case EK_AXIS_TEXT:
        return json_string(value);
    case EK_AXIS_WHOLE:
        return *value ? json_integer((json_int_t)strtoull(value, NULL, 10)) : json_null();
    case EK_AXIS_SECONDS:
    case EK_AXIS_SHARE:
        return *value ? json_real(strtod(value, NULL)) : json_null();
    case EK_AXIS_SWITCH:
        return json_boolean(strcmp(value, "true") == 0);
    }
    return NULL;
}

// Returns whether an axis has its own object in the head: topology and method do. Each other axis is a member.
static bool has_object(const struct ek_axis *axis)
{
    return strcmp(axis->option, "topology") == 0 || strcmp(axis->option, "method") == 0;
}

static json_t *head_object(const struct lab_record *record)
{
    const struct lab_method *method = &record->method;
    json_t *head =
        json_pack("{s:s, s:s, s:s, s:{s:s, s:I, s:I}, s:o, s:{s:s, s:s, s:o, s:s, s:b, s:b}}", "schema", SCHEMA,
                  "command", record->command, "version", record->version, "host", "processor", record->host.processor,
                  "cores", (json_int_t)record->host.cores, "memory_bytes", (json_int_t)record->host.memory_bytes,
                  "topology", lab_json_topology(&record->topology), "method", "name", method->name, "spec",
                  method->spec, "parameter", lab_json_real(method->parameter), "title", method->title, "direct",
                  method->direct, "exchange", method->exchange);
    json_t *given = json_array();
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        if (axis->field && !has_object(axis)) {
            json_object_set_new(head, axis->field, axis_value(axis, record->axis[i].value));
        }
        if (record->axis[i].given) {
            json_array_append_new(given, json_string(axis->option));
        }
    }
    json_object_set_new(head, "given", given);
    json_object_set_new(head, "runs_asked", json_integer((json_int_t)record->runs_asked));
    if (record->replayed) {
        json_object_set_new(head, "replayed", json_true());
    }
    return head;
}

// Returns the traffic of each direction of each link.
static json_t *links_array(const struct ek_free_report *running)
{
    json_t *links = json_array();
    for (size_t i = 0; i < running->link_count; i++) {
        json_array_append_new(links, lab_json_object(lab_link_fields, &running->link[i]));
    }
    return links;
}

static json_t *run_object(const struct ek_report *report)
{
    json_t *object = lab_json_object(lab_report_fields, report);
    if (report->free.link) {
        json_object_set_new(json_object_get(object, "free"), "links", links_array(&report->free));
    }
    if (report->free.dump) {
        json_object_set_new(json_object_get(object, "free"), "dump", json_string(report->free.dump));
    }
    return object;
}

// Writes a list of the run's element by element: as one JSON value, a long trace would take a thousand bytes a row.
static void write_rows(FILE *out, const char *name, const struct lab_field *fields, const void *rows, size_t count,
                       size_t size)
{
    fprintf(out, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", out);
        lab_json_write(out, lab_json_object(fields, (const char *)rows + i * size), 0);
    }
    fputc(']', out);
}

static void write_loads(FILE *out, const char *name, const double *load, uint32_t processors)
{
    fprintf(out, ", \"%s\": ", name);
    lab_json_write_reals(out, load, processors);
}

// Writes an object for each frame: its moment, as in the trace, and the loads.
static void write_frames(FILE *out, const struct ek_report *report, uint32_t processors)
{
    fputs(", \"frames\": [", out);
    for (size_t i = 0; i < report->frame_count; i++) {
        fputs(i > 0 ? ", {" : "{", out);
        lab_json_write(out, lab_json_object(lab_time_of(report)->frame, &report->frame[i]), JSON_EMBED);
        write_loads(out, "load", report->frame_load + i * processors, processors);
        fputc('}', out);
    }
    fputc(']', out);
}

static void write_quotas(FILE *out, const struct ek_report *report, uint32_t processors)
{
    fputs(", \"quotas\": [", out);
    for (size_t d = 0; d < report->quota_dimensions; d++) {
        fputs(d > 0 ? ", " : "", out);
        lab_json_write_reals(out, report->quota + d * processors, processors);
    }
    fputc(']', out);
}

void lab_record_write_run(FILE *out, const struct lab_record *record, size_t run, unsigned parts)
{
    const struct ek_report *report = &record->runs[run];
    uint32_t processors = record->topology.processors;
    fputs(run > 0 ? ",\n  {" : "\n  {", out);
    lab_json_write(out, run_object(report), JSON_EMBED);
    if (report->flow) {
        write_rows(out, "links", lab_flow_fields, report->flow, report->flow_count, sizeof *report->flow);
    }
    if (report->quota) {
        write_quotas(out, report, processors);
    }
    if (report->frame) {
        write_frames(out, report, processors);
    }
    if (report->profile.interval) {
        lab_profile_write(out, &report->profile, processors);
    }
    if ((parts & LAB_WITH_INITIAL) && report->initial) {
        write_loads(out, "initial", report->initial, processors);
    }
    if ((parts & LAB_WITH_FINAL) && report->final) {
        write_loads(out, "final", report->final, processors);
    }
    if ((parts & LAB_WITH_TRACE) && report->trace) {
        write_rows(out, "trace", lab_time_of(report)->trace, report->trace, report->trace_count, sizeof *report->trace);
    }
    fputc('}', out);
}

static json_t *summary_object(const struct lab_record *record)
{
    json_t *object = json_object();
    for (const struct lab_field *field = lab_report_fields; record->count > 0 && field->name; field++) {
        if (field->summarised && lab_field_present(field, &record->runs[0])) {
            struct lab_summary summary = lab_record_summarise(record, field);
            json_object_set_new(object, field->name,
                                json_pack("{s:o, s:o, s:o, s:o}", "mean", lab_json_real(summary.mean), "sd",
                                          lab_json_real(summary.sd), "min", lab_json_real(summary.minimum), "max",
                                          lab_json_real(summary.maximum)));
        }
    }
    if (record->count > 0 && record->runs[0].has_effects) {
        struct ek_effects effects = ek_effects_pool(record->runs, record->count);
        json_object_set_new(object, "effects", lab_json_object(lab_effects_fields, &effects));
    }
    return object;
}

void lab_record_write_head(FILE *out, const struct lab_record *record)
{
    fputc('{', out);
    lab_json_write(out, head_object(record), JSON_EMBED);
    fputs(",\n \"runs\": [", out);
}

void lab_record_write_end(FILE *out, const struct lab_record *record, unsigned parts)
{
    fputc(']', out);
    if (!(parts & LAB_WITHOUT_SUMMARY)) {
        fputs(",\n \"summary\": ", out);
        lab_json_write(out, summary_object(record), 0);
    }
    fputs(",\n \"theory\": ", out);
    lab_json_write(out, lab_json_theory(&record->theory, record->facts, record->facts_count), 0);
    fputs("}\n", out);
}

void lab_record_write(FILE *out, const struct lab_record *record, unsigned parts)
{
    lab_record_write_head(out, record);
    for (size_t i = 0; i < record->count; i++) {
        lab_record_write_run(out, record, i, parts);
    }
    lab_record_write_end(out, record, parts);
}

static bool read_topology(const json_t *object, struct lab_topology *topology)
{
    const char *spec;
    json_int_t processors, links, degree_max, degree_min;
    const json_t *colours, *diameter, *sides;
    if (json_unpack((json_t *)object, "{s:s, s:I, s:I, s:o, s:I, s:I, s:o, s:o}", "spec", &spec, "processors",
                    &processors, "links", &links, "colours", &colours, "degree_max", &degree_max, "degree_min",
                    &degree_min, "diameter", &diameter, "sides", &sides) != 0 ||
        processors < 1 || processors > UINT32_MAX || json_array_size(sides) > LAB_SIDES_MAX) {
        return false;
    }
    *topology = (struct lab_topology){.spec = lab_text_clean_copy(spec),
                                      .processors = (uint32_t)processors,
                                      .links = (uint32_t)links,
                                      .colours = (uint32_t)json_integer_value(colours), // null: 0
                                      .degree_max = (uint32_t)degree_max,
                                      .degree_min = (uint32_t)degree_min,
                                      .diameter = json_is_integer(diameter) ? json_integer_value(diameter) : -1,
                                      .dimensions = (uint32_t)json_array_size(sides)};
    topology->drawn = json_is_true(json_object_get(object, "drawn"));
    const char *note = json_string_value(json_object_get(object, "note")); // NULL if there is no note
    snprintf(topology->note, sizeof topology->note, "%s", note ? note : "");
    lab_text_clean(topology->note);
    uint64_t product = 1;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        topology->side[d] = (uint32_t)json_integer_value(json_array_get(sides, d));
        product *= topology->side[d];
        if (product == 0 || product > topology->processors) {
            return false;
        }
    }
    return topology->spec && (topology->dimensions == 0 || product == topology->processors);
}

static bool read_method(const json_t *object, struct lab_method *method)
{
    const char *name, *spec, *title;
    const json_t *parameter;
    int direct, exchange;
    if (json_unpack((json_t *)object, "{s:s, s:s, s:o, s:s, s:b, s:b}", "name", &name, "spec", &spec, "parameter",
                    &parameter, "title", &title, "direct", &direct, "exchange", &exchange) != 0) {
        return false;
    }
    *method = (struct lab_method){.name = lab_text_clean_copy(name),
                                  .spec = lab_text_clean_copy(spec),
                                  .title = lab_text_clean_copy(title),
                                  .parameter = lab_json_number(parameter),
                                  .direct = direct,
                                  .exchange = exchange};
    return method->name && method->spec && method->title;
}

// Returns an axis' value as text, as ek_machine_axis returns it. The costs are missing in records of earlier versions,
// which had no virtual time. Other axes that are missing there had their defaults.
static char *axis_text(const struct ek_axis *axis, const json_t *value)
{
    char text[64] = "";
    if (!value && axis->role == EK_ROLE_COST) {
        return lab_text_clean_copy("");
    }
    if (!value && axis->later) {
        return lab_text_clean_copy(axis->initial);
    }
    switch (axis->kind) {
    case EK_AXIS_TEXT:
        return json_is_string(value) ? lab_text_clean_copy(json_string_value(value)) : NULL;
    case EK_AXIS_WHOLE:
        if (json_is_integer(value)) {
            snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
        }
        break;
    case EK_AXIS_SECONDS:
    case EK_AXIS_SHARE:
        if (json_is_number(value)) {
            snprintf(text, sizeof text, "%.17g", json_number_value(value));
        }
        break;
    case EK_AXIS_SWITCH:
        snprintf(text, sizeof text, "%s", json_is_true(value) ? "true" : "false");
        break;
    }
    return lab_text_clean_copy(text);
}

static bool read_axes(const json_t *head, struct lab_record *record)
{
    bool good = true;
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        bool topology = strcmp(axis->option, "topology") == 0;
        record->axis[i].value = has_object(axis)
                                    ? lab_text_clean_copy(topology ? record->topology.spec : record->method.spec)
                                : axis->field ? axis_text(axis, json_object_get(head, axis->field))
                                              : lab_text_clean_copy("");
        good = good && record->axis[i].value;
        size_t index;
        json_t *option;
        json_array_foreach(json_object_get(head, "given"), index, option)
        {
            const char *name = json_string_value(option);
            record->axis[i].given = record->axis[i].given || (name && strcmp(name, axis->option) == 0);
        }
    }
    return good;
}

static bool read_head(const json_t *head, struct lab_record *record)
{
    const char *command, *version, *processor;
    const json_t *topology, *method, *given;
    json_int_t cores, memory, runs_asked;
    if (json_unpack((json_t *)head, "{s:s, s:s, s:{s:s, s:I, s:I}, s:o, s:o, s:o, s:I}", "command", &command, "version",
                    &version, "host", "processor", &processor, "cores", &cores, "memory_bytes", &memory, "topology",
                    &topology, "method", &method, "given", &given, "runs_asked", &runs_asked) != 0) {
        return false;
    }
    record->command = lab_text_clean_copy(command);
    record->runs_asked = (uint64_t)runs_asked;
    record->replayed = json_is_true(json_object_get(head, "replayed"));
    snprintf(record->version, sizeof record->version, "%s", version);
    snprintf(record->host.processor, sizeof record->host.processor, "%s", processor);
    lab_text_clean(record->version);
    lab_text_clean(record->host.processor);
    record->host.cores = (unsigned)cores;
    record->host.memory_bytes = (uint64_t)memory;
    return record->command && json_is_array(given) && read_topology(topology, &record->topology) &&
           read_method(method, &record->method) && read_axes(head, record);
}

// Reads the loads of all processors; without an array *load is NULL.
static bool read_loads(const json_t *array, uint32_t processors, double **load)
{
    *load = array ? malloc(processors * sizeof **load) : NULL;
    return !array || (*load && lab_json_read_reals(array, *load, processors));
}

// Returns an array of objects as structs of `size` bytes, which are to be freed; NULL if there are none. A failure is
// added to `good`.
static void *read_rows(const json_t *array, const struct lab_field *fields, size_t size, size_t *count, bool *good)
{
    size_t all = json_array_size(array);
    char *rows = all > 0 ? calloc(all, size) : NULL;
    *good = *good && (all == 0 || rows);
    for (*count = 0; *good && *count < all; ++*count) {
        *good = lab_json_into(json_array_get(array, *count), fields, rows + *count * size);
    }
    return rows;
}

static bool read_frames(const json_t *array, uint32_t processors, struct ek_report *report)
{
    bool good = true;
    report->frame = read_rows(array, lab_time_of(report)->frame, sizeof *report->frame, &report->frame_count, &good);
    size_t count = report->frame_count;
    report->frame_load = count > 0 ? calloc(count, processors * sizeof *report->frame_load) : NULL;
    good = good && (count == 0 || report->frame_load);
    for (size_t i = 0; good && i < count; i++) {
        good = lab_json_read_reals(json_object_get(json_array_get(array, i), "load"),
                                   report->frame_load + i * processors, processors);
    }
    return good;
}

static bool read_quotas(const json_t *array, uint32_t processors, struct ek_report *report)
{
    size_t count = json_array_size(array);
    report->quota = count > 0 ? calloc(count, processors * sizeof *report->quota) : NULL;
    bool good = count == 0 || report->quota;
    for (size_t d = 0; good && d < count; d++) {
        good = lab_json_read_reals(json_array_get(array, d), report->quota + d * processors, processors);
        report->quota_dimensions++;
    }
    return good;
}

static bool read_dump(const json_t *text, struct ek_free_report *running)
{
    running->dump = json_is_string(text) ? strdup(json_string_value(text)) : NULL;
    return !text || running->dump;
}

static bool read_run(const json_t *object, uint32_t processors, struct ek_report *report)
{
    const json_t *running = json_object_get(object, "free");
    bool good = lab_json_into(object, lab_report_fields, report);
    report->trace = read_rows(json_object_get(object, "trace"), lab_time_of(report)->trace, sizeof *report->trace,
                              &report->trace_count, &good);
    report->flow =
        read_rows(json_object_get(object, "links"), lab_flow_fields, sizeof *report->flow, &report->flow_count, &good);
    report->free.link = read_rows(json_object_get(running, "links"), lab_link_fields, sizeof *report->free.link,
                                  &report->free.link_count, &good);
    return good && read_loads(json_object_get(object, "initial"), processors, &report->initial) &&
           read_loads(json_object_get(object, "final"), processors, &report->final) &&
           read_frames(json_object_get(object, "frames"), processors, report) &&
           read_quotas(json_object_get(object, "quotas"), processors, report) &&
           lab_profile_read(json_object_get(object, "profile"), processors, &report->profile) &&
           read_dump(json_object_get(running, "dump"), &report->free);
}

static bool read_runs(const json_t *array, struct lab_record *record, struct ek_error *error)
{
    size_t index;
    json_t *object;
    if (!json_is_array(array) || json_array_size(array) == 0) {
        return false;
    }
    json_array_foreach(array, index, object)
    {
        struct ek_report report = {0};
        if (!read_run(object, record->topology.processors, &report) || !lab_record_add(record, &report, error)) {
            ek_report_destroy(&report);
            return false;
        }
    }
    return true;
}

static bool read_whole(const json_t *root, struct lab_record *record, struct ek_error *error)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strcmp(schema, SCHEMA) != 0) {
        return base_refuse(error, "this is not a record of runs (its schema is not %s): give a run.json", SCHEMA);
    }
    *error = (struct ek_error){.at = -1};
    bool good =
        read_head(root, record) && read_runs(json_object_get(root, "runs"), record, error) &&
        lab_json_into_theory(json_object_get(root, "theory"), &record->theory, record->facts, &record->facts_count);
    if (!good && error->status == EK_OK) {
        base_refuse(error, "this record is incomplete, or another version wrote it: run its experiment again");
    }
    return good;
}

bool lab_record_read(const char *text, size_t length, struct lab_record *record, struct ek_error *error)
{
    json_error_t fault;
    *record = (struct lab_record){0};
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault);
    if (!root) {
        return base_refuse(error, "this is not JSON (line %d: %s): give a run.json", fault.line, fault.text);
    }
    bool good = read_whole(root, record, error);
    json_decref(root);
    if (!good) {
        lab_record_destroy(record);
    }
    return good;
}
