// SPDX-License-Identifier: MIT
// The report as one JSON object (docs/report.md): its head, then a line for each run, then the summary. Runs are built
// and written one by one, so a million of them need no more memory than their reports.
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/report/results.h"
#include "cli/text.h"

static const size_t FLAGS = JSON_REAL_PRECISION(17);

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

// Text that is not UTF-8 (a path may be) has no place in JSON: its other bytes become '?'.
static json_t *text(const char *value)
{
    if (cli_text_valid(value)) {
        return json_string(value);
    }
    char clean[4096];
    size_t length = strlen(value) < sizeof clean ? strlen(value) : sizeof clean - 1;
    for (size_t i = 0; i < length; i++) {
        clean[i] = (unsigned char)value[i] < 0x80 ? value[i] : '?';
    }
    return json_stringn(clean, length);
}

static json_t *topology_object(const struct ek_topology *topology)
{
    json_t *object = json_object();
    json_object_set_new(object, "spec", text(topology->spec));
    json_object_set_new(object, "processors", json_integer(topology->processors));
    json_object_set_new(object, "links", json_integer(topology->links));
    json_object_set_new(object, "colours", json_integer(topology->colours));
    json_object_set_new(object, "degree_max", json_integer(topology->degree_max));
    json_object_set_new(object, "diameter", topology->diameter < 0 ? json_null() : json_integer(topology->diameter));
    return object;
}

static json_t *head_object(const struct report_results *results)
{
    json_t *method = json_object();
    json_object_set_new(method, "name", json_string(ek_machine_method(results->machine)->name));
    json_object_set_new(method, "spec", text(cli_options_text(results->options, "method")));
    json_object_set_new(method, "parameter", real(ek_machine_parameter(results->machine)));
    json_t *head = json_object();
    json_object_set_new(head, "schema", json_string("evenkeel.run/1"));
    json_object_set_new(head, "command", text(results->command));
    json_object_set_new(head, "version", json_string(EK_VERSION));
    json_object_set_new(head, "topology", topology_object(ek_machine_topology(results->machine)));
    json_object_set_new(head, "method", method);
    for (size_t i = 0; report_axis_name(i); i++) {
        json_object_set_new(head, report_axis_name(i), text(report_axis_value(results, i)));
    }
    return head;
}

static json_t *trace_array(const struct ek_report *report)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->trace_count; i++) {
        const struct ek_trace_row *row = &report->trace[i];
        json_t *object = json_object();
        if (report->has_async) {
            json_object_set_new(object, "time", real(row->time));
            json_object_set_new(object, "in_flight", real(row->in_flight));
        } else {
            json_object_set_new(object, "step", json_integer((json_int_t)row->step));
        }
        json_object_set_new(object, "variance", real(row->variance));
        json_object_set_new(object, "spread", real(row->spread));
        json_object_set_new(object, "invokers", json_integer((json_int_t)row->invokers));
        json_object_set_new(object, "minimum", real(row->minimum));
        json_object_set_new(object, "maximum", real(row->maximum));
        json_object_set_new(object, "moved", real(row->moved));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *field_value(const struct report_field *field, const struct ek_report *report)
{
    if (!report_field_measured(field, report)) {
        return json_null();
    }
    if (field->kind == REPORT_FIELD_WHOLE) {
        return json_integer((json_int_t)report_field_whole(field, report));
    }
    double value = report_field_value(field, report);
    return field->kind == REPORT_FIELD_SWITCH ? json_boolean(value != 0.0) : real(value);
}

static json_t *number_value(const struct report_free_number *number)
{
    return number->whole ? json_integer((json_int_t)number->value) : real(number->value);
}

// A field of free timing: a number, an object of numbers or, of depths, an array of them.
static json_t *free_value(const struct report_free_field *field, const struct ek_async_report *async)
{
    struct report_free_number number;
    json_t *value = field->kind == REPORT_FREE_DEPTH ? json_array() : json_object();
    for (size_t i = 0; report_free_number_at(field, async, i, &number); i++) {
        if (!*number.name) {
            json_decref(value);
            return number_value(&number);
        }
        if (field->kind == REPORT_FREE_DEPTH) {
            json_array_append_new(value, number_value(&number));
        } else {
            json_object_set_new(value, number.name, number_value(&number));
        }
    }
    return value;
}

static json_t *quantiles_object(const struct ek_quantiles *quantiles)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "count", (json_int_t)quantiles->count, "mean",
                     real(quantiles->mean), "median", real(quantiles->median), "p90", real(quantiles->p90), "p99",
                     real(quantiles->p99), "maximum", real(quantiles->maximum));
}

// What each direction of each link did.
static json_t *links_array(const struct ek_async_report *async)
{
    json_t *links = json_array();
    for (size_t i = 0; i < async->link_count; i++) {
        const struct ek_link_report *link = &async->link[i];
        json_array_append_new(links,
                              json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "from", (json_int_t)link->from, "to",
                                        (json_int_t)link->to, "messages", (json_int_t)link->messages, "stalls",
                                        (json_int_t)link->stalls, "depth_most", (json_int_t)link->depth_most, "load",
                                        real(link->load), "latency", quantiles_object(&link->latency)));
    }
    return links;
}

static json_t *free_object(const struct ek_async_report *async)
{
    json_t *object = json_object();
    for (size_t i = 0; report_free_field_at(i); i++) {
        const struct report_free_field *field = report_free_field_at(i);
        if (async->has_counters || !field->hardware) {
            json_object_set_new(object, field->name, free_value(field, async));
        }
    }
    if (async->link) {
        json_object_set_new(object, "links", links_array(async));
    }
    return object;
}

static json_t *run_object(const struct report_results *results, const struct ek_report *report)
{
    json_t *object = json_object();
    for (size_t i = 0; report_field_at(i); i++) {
        const struct report_field *field = report_field_at(i);
        if (report_field_present(field, report)) {
            json_object_set_new(object, field->name, field_value(field, report));
        }
    }
    if (report->has_async) {
        json_object_set_new(object, "free", free_object(&report->async));
    }
    if (results->options->final && report->final) {
        uint32_t processors = ek_machine_topology(results->machine)->processors;
        json_t *final = json_array();
        for (uint32_t p = 0; p < processors; p++) {
            json_array_append_new(final, real(report->final[p]));
        }
        json_object_set_new(object, "final", final);
    }
    if (results->options->trace) {
        json_object_set_new(object, "trace", trace_array(report));
    }
    return object;
}

static json_t *summary_object(const struct report_results *results)
{
    json_t *object = json_object();
    for (size_t i = 0; report_field_at(i); i++) {
        const struct report_field *field = report_field_at(i);
        if (field->summarised && report_field_present(field, &results->reports[0])) {
            struct report_summary summary = report_summarise(results, field);
            json_t *entry = json_object();
            json_object_set_new(entry, "mean", real(summary.mean));
            json_object_set_new(entry, "sd", real(summary.sd));
            json_object_set_new(entry, "min", real(summary.minimum));
            json_object_set_new(entry, "max", real(summary.maximum));
            json_object_set_new(object, field->name, entry);
        }
    }
    return object;
}

static json_t *facts_array(const struct ek_fact *facts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "name", json_string(facts[i].name));
        json_object_set_new(object, "value", real(facts[i].value));
        json_object_set_new(object, "beside", facts[i].beside ? json_string(facts[i].beside) : json_null());
        json_object_set_new(object, "text", text(facts[i].text));
        json_array_append_new(array, object);
    }
    return array;
}

// Adds the fields of a theory.
static void set_theory(json_t *object, const struct ek_theory *theory, const struct ek_fact *facts, size_t count)
{
    json_object_set_new(object, "parameter", real(theory->parameter));
    json_object_set_new(object, "parameter_best", real(theory->parameter_best));
    json_object_set_new(object, "gamma_exact", theory->has_exact ? real(theory->gamma_exact) : json_null());
    json_object_set_new(object, "gamma_closed", theory->has_closed ? real(theory->gamma_closed) : json_null());
    json_object_set_new(object, "operations", real(theory->operations));
    json_object_set_new(object, "steps", real(theory->steps));
    json_object_set_new(object, "note", text(theory->note));
    json_object_set_new(object, "facts", facts_array(facts, count));
}

static json_t *run_theory(const struct report_results *results)
{
    struct ek_theory theory;
    struct ek_fact facts[EK_FACTS_MAX];
    json_t *object = json_object();
    report_theory(results, &theory);
    set_theory(object, &theory, facts, ek_facts_find(results->machine, facts, EK_FACTS_MAX));
    return object;
}

// Writes a value and releases it. False where it could not be built or written.
static bool write_value(FILE *out, json_t *value, size_t flags)
{
    bool good = value && json_dumpf(value, out, FLAGS | flags) == 0;
    json_decref(value);
    return good;
}

bool report_json_write(FILE *out, const struct report_results *results)
{
    fputc('{', out);
    bool good = write_value(out, head_object(results), JSON_EMBED);
    fputs(",\n \"runs\": [", out);
    for (size_t i = 0; good && i < results->count; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", out);
        good = write_value(out, run_object(results, &results->reports[i]), 0);
    }
    fputs("],\n \"summary\": ", out);
    good = good && write_value(out, summary_object(results), 0);
    fputs(",\n \"theory\": ", out);
    good = good && write_value(out, run_theory(results), 0);
    fputs("}\n", out);
    return good;
}

bool report_json_write_theory(FILE *out, const struct ek_topology *topology, const struct report_theory_row *rows,
                              size_t count)
{
    json_t *methods = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "name", json_string(rows[i].method));
        set_theory(object, &rows[i].theory, rows[i].facts, rows[i].facts_count);
        json_array_append_new(methods, object);
    }
    json_t *whole = json_object();
    json_object_set_new(whole, "schema", json_string("evenkeel.theory/1"));
    json_object_set_new(whole, "version", json_string(EK_VERSION));
    json_object_set_new(whole, "topology", topology_object(topology));
    json_object_set_new(whole, "methods", methods);
    bool good = write_value(out, whole, JSON_INDENT(1));
    fputc('\n', out);
    return good;
}
