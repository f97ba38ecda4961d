// SPDX-License-Identifier: MIT
// The functions that JavaScript calls (bindings/web/machine.js). There is one experiment at a time:
//
//   web_begin, web_set for each option, perhaps web_loads, web_prepare   reads it
//   web_describe                                                         the machine, its theory and its drawing
//   web_run, web_report, web_frame_count, web_frames, web_flows          runs it, and gives what the run left behind
//
// A text that is returned is valid until the next call. A function that can fail returns "" or the sentence of the
// error; web_wrong then returns the option that is wrong.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/web/json.h"
#include "cli/figures/drawing.h"
#include "core/method.h"
#include "lab/record/fields.h"
#include "threads/api/axis.h"
#include "threads/api/run.h"
#include "topologies/topology.h"

enum { TRACE_ROWS = 4096 };
static const size_t FRAME_BYTES = 1 << 26; // of all frames

static struct {
    struct ek_experiment experiment;
    char *text[EK_AXES_MAX]; // the values that were set
    double *loads;
    struct ek_machine *machine;
    struct ek_report report;
    struct ek_error error;
    char *json;
} web;

const char *web_choices(void);
const char *web_begin(uint32_t frames);
const char *web_set(const char *option, const char *value);
double *web_loads(uint32_t count);
const char *web_prepare(void);
const char *web_wrong(void);
const char *web_describe(void);
const char *web_run(void);
const char *web_report(void);
uint32_t web_frame_count(void);
const double *web_frames(void);
const double *web_flows(void);

static const char *give(bool good)
{
    return good && web.json ? web.json : "{}";
}

static void write_choice(struct web_json *json, const char *form, const char *summary)
{
    web_json_open(json, NULL, '[');
    web_json_text(json, NULL, form);
    web_json_text(json, NULL, summary);
    web_json_close(json, ']');
}

static void write_choices(struct web_json *json, const struct ek_axis *axis)
{
    web_json_open(json, "choices", '[');
    const struct ek_choice *choice;
    for (size_t i = 0; (choice = ek_axis_choice(axis, i)) != NULL; i++) {
        write_choice(json, choice->form, choice->summary);
    }
    const struct ek_method *method;
    for (size_t i = 0; strcmp(axis->option, "method") == 0 && (method = ek_method_at(i)) != NULL; i++) {
        write_choice(json, method->texts->example, method->texts->title);
    }
    web_json_close(json, ']');
}

// Returns the forms of the values of each axis as JSON, and its default.
const char *web_choices(void)
{
    struct web_json json;
    if (!web_json_begin(&json, &web.json)) {
        return "{}";
    }
    const struct ek_axis *axis;
    for (size_t i = 0; (axis = ek_axis_at(i)) != NULL; i++) {
        web_json_open(&json, axis->option, '{');
        web_json_text(&json, "help", axis->help);
        web_json_text(&json, "initial", axis->initial);
        web_json_switch(&json, "switch", axis->form == NULL);
        write_choices(&json, axis);
        web_json_close(&json, '}');
    }
    return give(web_json_end(&json));
}

// Begins an experiment of which a run keeps the loads at so many moments at most.
const char *web_begin(uint32_t frames)
{
    for (size_t i = 0; i < EK_AXES_MAX; i++) {
        free(web.text[i]);
        web.text[i] = NULL;
    }
    ek_machine_destroy(web.machine);
    ek_report_destroy(&web.report);
    free(web.loads);
    web.machine = NULL;
    web.loads = NULL;
    web.experiment = (struct ek_experiment){.carrier = "pool:1",
                                            .keep_loads = true,
                                            .keep_trace = true,
                                            .trace_rows = TRACE_ROWS,
                                            .frames = frames,
                                            .frame_flows = true};
    const struct ek_axis *seed = ek_axis_named("seed"); // 0 is a seed, too
    ek_axis_set(seed, &web.experiment, seed->initial, &web.error);
    return "";
}

// Sets the axis with this option. Axes of threads are refused.
const char *web_set(const char *option, const char *value)
{
    const struct ek_axis *axis = ek_axis_named(option);
    size_t i = 0;
    if (!axis) {
        return "there is no such option";
    }
    if (axis->role == EK_ROLE_MACHINE) {
        return "a page has no threads, so this option means nothing here: leave it out";
    }
    if (strcmp(option, "timing") == 0 && ek_timing_named(value) == EK_IN_FREE) {
        return "free timing lets threads race, and a page has none: choose rounds, turns or virtual";
    }
    while (ek_axis_at(i) != axis) {
        i++;
    }
    free(web.text[i]);
    web.text[i] = strdup(value);
    if (!web.text[i]) {
        return "memory is short: close other pages";
    }
    return ek_axis_set(axis, &web.experiment, web.text[i], &web.error) ? "" : web.error.sentence;
}

// Returns room for the initial load of each processor, which replaces the axis `load`; NULL if memory is short.
double *web_loads(uint32_t count)
{
    free(web.loads);
    web.loads = calloc(count, sizeof *web.loads);
    web.experiment.loads = web.loads;
    web.experiment.loads_count = web.loads ? count : 0;
    return web.loads;
}

static void prepare(void)
{
    ek_machine_destroy(web.machine);
    web.machine = ek_prepare(&web.experiment, &web.error);
}

// Prepares the machine. If its frames would need more than FRAME_BYTES, there are fewer.
const char *web_prepare(void)
{
    prepare();
    if (web.machine && web.experiment.frames > 0) {
        const struct ek_topology *topology = ek_machine_topology(web.machine);
        size_t each = ((size_t)topology->processors + topology->links) * sizeof(double);
        uint64_t most = FRAME_BYTES / each > 3 ? FRAME_BYTES / each : 3;
        if (web.experiment.frames > most) {
            web.experiment.frames = most;
            prepare();
        }
    }
    return web.machine ? "" : web.error.sentence;
}

// Returns the option that the last error is about, or "".
const char *web_wrong(void)
{
    return ek_axis_named(web.error.axis) ? web.error.axis : "";
}

static void write_drawing(struct web_json *json, const struct ek_topology *topology)
{
    struct report_drawing drawing;
    struct ek_error error;
    if (report_drawing_make(&drawing, topology, &error)) {
        web_json_open(json, "drawing", '{');
        web_json_real(json, "width", drawing.width);
        web_json_real(json, "height", drawing.height);
        web_json_real(json, "radius", drawing.radius);
        web_json_open(json, "at", '[');
        for (uint32_t p = 0; p < drawing.processors; p++) {
            web_json_real(json, NULL, report_drawing_round(drawing.at[p].x));
            web_json_real(json, NULL, report_drawing_round(drawing.at[p].y));
        }
        web_json_close(json, ']');
        web_json_open(json, "lines", '[');
        for (uint32_t i = 0; i < drawing.links; i++) {
            const struct report_line *line = &drawing.line[i];
            web_json_open(json, NULL, '[');
            web_json_real(json, NULL, line->from);
            web_json_real(json, NULL, line->to);
            web_json_real(json, NULL, line->colour);
            fputs(", \"", json->out);
            report_drawing_path(json->out, &drawing, line);
            fputs("\"", json->out);
            web_json_close(json, ']');
        }
        web_json_close(json, ']');
        web_json_close(json, '}');
    } else {
        web_json_text(json, "drawing_refused", error.sentence);
    }
    report_drawing_destroy(&drawing);
}

static void write_topology(struct web_json *json, const struct ek_topology *topology)
{
    web_json_open(json, "topology", '{');
    web_json_text(json, "spec", topology->spec);
    web_json_real(json, "processors", topology->processors);
    web_json_real(json, "hosts", topology->hosts);
    web_json_real(json, "links", topology->links);
    web_json_real(json, "colours", topology->colours);
    web_json_real(json, "diameter", topology->diameter < 0 ? NAN : (double)topology->diameter);
    web_json_close(json, '}');
}

static void write_method(struct web_json *json, const struct ek_method *method)
{
    web_json_open(json, "method", '{');
    web_json_text(json, "name", method->name);
    web_json_text(json, "title", method->texts->title);
    web_json_text(json, "equation", method->texts->equation);
    web_json_text(json, "source", method->texts->source);
    web_json_switch(json, "exchange", method->matrix == EK_MATRIX_EXCHANGE);
    web_json_switch(json, "direct", ek_machine_direct(web.machine));
    web_json_real(json, "parameter", ek_machine_parameter(web.machine));
    web_json_close(json, '}');
}

static void write_theory(struct web_json *json)
{
    struct ek_theory theory;
    ek_theory_find(web.machine, &theory);
    web_json_open(json, "theory", '{');
    web_json_real(json, "gamma_exact", theory.has_exact ? theory.gamma_exact : NAN);
    web_json_real(json, "gamma_closed", theory.has_closed ? theory.gamma_closed : NAN);
    web_json_real(json, "operations", theory.operations);
    web_json_real(json, "steps", theory.steps);
    web_json_text(json, "note", theory.note);
    web_json_open(json, "facts", '[');
    struct ek_fact facts[EK_FACTS_MAX];
    size_t count = ek_facts_find(web.machine, facts, EK_FACTS_MAX);
    for (size_t i = 0; i < count; i++) {
        web_json_open(json, NULL, '{');
        web_json_text(json, "name", facts[i].name);
        web_json_real(json, "value", facts[i].value);
        web_json_text(json, "beside", *facts[i].beside ? facts[i].beside : NULL);
        web_json_text(json, "text", facts[i].text);
        web_json_close(json, '}');
    }
    web_json_close(json, ']');
    web_json_close(json, '}');
}

// Returns the prepared machine as JSON: topology, method, the value of each axis, theory, drawing. "{}" without memory.
const char *web_describe(void)
{
    struct web_json json;
    const struct ek_topology *topology = web.machine ? ek_machine_topology(web.machine) : NULL;
    if (!topology || !web_json_begin(&json, &web.json)) {
        return "{}";
    }
    write_topology(&json, topology);
    write_method(&json, ek_machine_method(web.machine));
    web_json_open(&json, "axes", '{');
    for (size_t i = 0; ek_axis_at(i); i++) {
        web_json_text(&json, ek_axis_at(i)->option, ek_machine_axis(web.machine, i));
    }
    web_json_close(&json, '}');
    web_json_text(&json, "warning", ek_machine_warning(web.machine));
    write_theory(&json);
    write_drawing(&json, topology);
    return give(web_json_end(&json));
}

// Runs the prepared machine. Returns the sentence if it could not be run; a run that misses its criterion has run.
const char *web_run(void)
{
    ek_report_destroy(&web.report);
    enum ek_status status = web.machine ? ek_run(web.machine, 0, &web.report, NULL, NULL, &web.error) : EK_BAD_INPUT;
    return status == EK_BAD_INPUT ? web.error.sentence : "";
}

// A row of the trace with the messages so far, which records do not have.
static void write_trace(struct web_json *json, const struct lab_field *fields)
{
    web_json_open(json, "trace", '[');
    for (size_t i = 0; i < web.report.trace_count; i++) {
        web_json_open(json, NULL, '{');
        web_json_fields(json, fields, &web.report.trace[i]);
        web_json_real(json, "messages", (double)web.report.trace[i].messages);
        web_json_close(json, '}');
    }
    web_json_close(json, ']');
}

// Returns the report of the run as JSON, with the fields of docs/report.md, the trace, the loads, and the moment of
// each frame. "{}" without memory.
const char *web_report(void)
{
    struct web_json json;
    const struct ek_report *report = &web.report;
    if (!report->final || !web_json_begin(&json, &web.json)) {
        return "{}";
    }
    uint32_t processors = ek_machine_outline(web.machine)->processors;
    web_json_fields(&json, lab_report_fields, report);
    web_json_text(&json, "unit", lab_time_of(report)->unit);
    write_trace(&json, lab_time_of(report)->trace);
    web_json_open(&json, "frames", '[');
    for (size_t i = 0; i < report->frame_count; i++) {
        web_json_real(&json, NULL, report->timed ? report->frame[i].time : (double)report->frame[i].step);
    }
    web_json_close(&json, ']');
    web_json_reals(&json, "initial", report->initial, processors);
    web_json_reals(&json, "final", report->final, processors);
    return give(web_json_end(&json));
}

// The loads at each frame, [frames * processors].
uint32_t web_frame_count(void)
{
    return (uint32_t)web.report.frame_count;
}

const double *web_frames(void)
{
    return web.report.frame_load;
}

// The net flow over each link until each frame, [frames * links], in the order of the drawing's lines. NULL if no link
// counts what the method sends.
const double *web_flows(void)
{
    return web.report.frame_flow;
}
