// SPDX-License-Identifier: MIT
// `evenkeel draw GRAPH`: draws a topology, with its colours and perhaps with loads, as SVG.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/figures/drawing_svg.h"
#include "cli/line/complain.h"
#include "cli/line/output_clash.h"
#include "cli/line/shared_options.h"
#include "cli/terminal/read_file.h"
#include "cli/terminal/text.h"
#include "lab/files/atomic_file.h"
#include "lab/text/clean_text.h"
#include "threads/api/run.h"
#include "topologies/topology.h"

struct options {
    struct ek_experiment experiment;
    const char *out;
};

static const struct cli_option own[] = {
    {.name = "out",
     .letter = 'o',
     .form = "FILE",
     .help = "the SVG to write, or - for standard output [named after GRAPH]",
     .more = "Without this option torus:8x8 is written to torus-8x8.svg, in the current directory.",
     .kind = EK_AXIS_TEXT,
     .place = offsetof(struct options, out),
     .file = CLI_WRITES},
    CLI_OPTION_PLUGIN,
    {0}};

// The loads that a drawing shows, and what they are.
struct shown {
    struct ek_report report;
    const double *load; // NULL: none
    struct cli_line of_load;
};

// Runs the experiment. The drawing shows its loads at the end, or those at the start if there is no method.
static bool find_loads(const struct ek_experiment *experiment, struct ek_machine *machine, struct shown *shown,
                       struct ek_error *error)
{
    enum ek_status status = ek_run(machine, 0, &shown->report, NULL, NULL, error);
    if (status != EK_OK && status != EK_UNREACHED) {
        return false;
    }
    const char *load = experiment->load ? experiment->load : ek_axis_named("load")->initial;
    shown->load = experiment->method ? shown->report.final : shown->report.initial;
    if (experiment->method) {
        cli_line_add(&shown->of_load, "load after %s of %s, at first ", cli_text_plural(shown->report.steps, "step").of,
                     experiment->method);
    }
    cli_line_add(&shown->of_load, experiment->method ? "%s" : "load %s", load);
    lab_text_clean(shown->of_load.of);
    return true;
}

static bool write_svg(FILE *out, const struct ek_topology *topology, const struct shown *shown, struct ek_error *error)
{
    struct report_drawing drawing;
    bool good = report_drawing_make(&drawing, topology, error);
    char *title = good ? lab_text_clean_copy(topology->spec) : NULL;
    if (good && !title) {
        good = base_refuse(error, "there is no memory for a drawing: use a smaller topology");
    }
    if (good) {
        struct cli_line facts = {0};
        cli_line_add(&facts, "%s", cli_text_plural(topology->hosts, "processor").of);
        if (topology->hosts < topology->processors) {
            uint32_t switches = topology->processors - topology->hosts;
            cli_line_add(&facts, ", %s%s", cli_text_count(switches).of, switches == 1 ? " switch" : " switches");
        }
        cli_line_add(&facts, ", %s, %s", cli_text_plural(topology->links, "link").of,
                     cli_text_plural(topology->colours, "colour").of);
        if (topology->diameter >= 0) {
            cli_line_add(&facts, ", diameter %lld", (long long)topology->diameter);
        }
        report_drawing_svg(out, &drawing,
                           &(struct report_drawing_texts){
                               .title = title, .facts = facts.of, .load = shown->load, .of_load = shown->of_load.of});
    }
    free(title);
    report_drawing_destroy(&drawing);
    return good;
}

// Makes a name of a spec: torus-8x8.svg. Everything but letters and digits becomes a dash.
static void name_file(const char *spec, char *name, size_t size)
{
    static const char ending[] = ".svg";
    size_t length = 0;
    for (; *spec && length < size - sizeof ending; spec++) {
        if (isalnum((unsigned char)*spec)) {
            name[length++] = *spec;
        } else if (length > 0 && name[length - 1] != '-') {
            name[length++] = '-';
        }
    }
    while (length > 0 && name[length - 1] == '-') {
        length--;
    }
    strcpy(name + length, ending);
}

static bool write_file(const char *out, const struct ek_topology *topology, const struct shown *shown,
                       struct ek_error *error)
{
    if (strcmp(out, "-") == 0) {
        return write_svg(stdout, topology, shown, error);
    }
    struct lab_file file;
    if (!lab_file_open(&file, out, error)) {
        return false;
    }
    bool good = write_svg(file.file, topology, shown, error);
    return lab_file_close(&file, good, error);
}

static bool draw_experiment(const struct options *options, struct ek_error *error)
{
    struct ek_experiment experiment = options->experiment;
    experiment.keep_loads = true;
    experiment.no_flows = true;
    experiment.carrier = "pool:1";
    if (!experiment.method) {
        experiment.operations_max = 1; // only the initial loads are used
    }
    struct ek_machine *machine = ek_prepare(&experiment, error);
    struct shown shown = {0};
    const struct ek_topology *topology = machine ? ek_machine_topology(machine) : NULL;
    if (machine && !topology) {
        base_refuse(error, "there is no memory for the links of the topology: draw a smaller one");
    }
    bool good = topology && find_loads(&options->experiment, machine, &shown, error) &&
                write_file(options->out, topology, &shown, error);
    ek_report_destroy(&shown.report);
    ek_machine_destroy(machine);
    return good;
}

static bool draw_topology(const struct options *options, struct ek_error *error)
{
    struct ek_topology *topology =
        ek_topology_create(options->experiment.topology, options->experiment.seed, options->experiment.reader, error);
    bool good = topology && write_file(options->out, topology, &(struct shown){0}, error);
    ek_topology_destroy(topology);
    return good;
}

// Refuses options that have no meaning for what is drawn.
static bool fit_together(const struct cli_call *call, const struct options *options, struct ek_error *error)
{
    static const char *const of_runs[] = {"units", "stop", "steps", "operations", NULL};
    for (size_t i = 0; of_runs[i] && !options->experiment.method; i++) {
        if (cli_option_given(call, of_runs[i])) {
            return base_refuse(error, "--%s is for a run whose final loads are drawn: add --method", of_runs[i]);
        }
    }
    return call->words_count == 1 || base_refuse(error, "draw takes one GRAPH: draw the others on their own");
}

static enum ek_status draw(const struct cli_call *call, const void *values)
{
    struct options options = *(const struct options *)values;
    struct ek_error error = {.at = -1};
    char name[80];
    name_file(call->words[0], name, sizeof name);
    options.out = options.out ? options.out : name;
    options.experiment.topology = call->words[0];
    options.experiment.reader = cli_reader();
    bool loads = options.experiment.load || options.experiment.method;
    bool good = fit_together(call, &options, &error) &&
                (loads ? draw_experiment(&options, &error) : draw_topology(&options, &error));
    if (!good) {
        return cli_complain(&error);
    }
    cli_outputs_say(call, options.out);
    return EK_OK;
}

const struct cli_command cli_draw = {
    .name = "draw",
    .argument = "GRAPH",
    .summary = "draw a topology as SVG: its colours, and loads",
    .more = "GRAPH is a topology, as in torus:8x8. The processors stand as is usual for its family (docs/graphs.md); a "
            "graph of no known shape is drawn so that distances show how many links lie between processors. The colour "
            "of a link is the step of dimension exchange in which it is used. With --load the processors are shaded by "
            "their loads, with --method by the loads at the end of a run.",
    .axes = (const char *const[]){"method", "units", "load", "stop", "steps", "operations", "seed", NULL},
    .experiment = offsetof(struct options, experiment),
    .variants =
        (const struct cli_variant[]){
            {.axis = "method", .help = "run this method, and shade by the final loads", .initial = ""},
            {.axis = "load", .help = "shade by these loads", .initial = ""},
            {0}},
    .options = own,
    .size = sizeof(struct options),
    .act = draw};
