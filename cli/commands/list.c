// SPDX-License-Identifier: MIT
// `evenkeel list`: the values of every axis, and what supports what; or the links of a topology.
#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/list_links.h"
#include "cli/line/complain.h"
#include "cli/line/lookup.h"
#include "cli/terminal/text.h"
#include "core/method.h"
#include "lab/record/json.h"

struct options {
    const char *topology;
    uint64_t seed;
    bool links;
    enum cli_format format;
};

#define PLACE(field) offsetof(struct options, field)

static const struct cli_option own[] = {{.name = "topology",
                                         .letter = 't',
                                         .form = "SPEC",
                                         .initial = "torus:8x8",
                                         .help = "with --links: the topology whose links are printed",
                                         .kind = EK_AXIS_TEXT,
                                         .place = PLACE(topology)},
                                        CLI_OPTION_SEED("with --links: the seed of a random topology", PLACE(seed)),
                                        {.name = "links",
                                         .help = "print the links of --topology, with their dimensions and colours",
                                         .kind = EK_AXIS_SWITCH,
                                         .place = PLACE(links)},
                                        CLI_OPTION_FORMAT(PLACE(format)),
                                        CLI_OPTION_PLUGIN,
                                        {0}};

enum { INDENT = 24, TITLE = 78, WIDTH = 118 };

static void print_entry(const char *form, const char *summary)
{
    printf("  %s", form);
    cli_text_after(stdout, 2 + (int)cli_text_width(form), summary, INDENT, 96);
}

static const char *mark(bool supported)
{
    return supported ? "yes" : "-";
}

// Prints the first column: the method's form, or if that is too wide its name with an ellipsis, which counts as one
// character. Returns the column's width.
static int print_method_name(const struct ek_method *method)
{
    enum { ROOM = 20 };
    struct cli_text form = cli_method_form(method);
    if (cli_text_width(form.of) >= ROOM) {
        snprintf(form.of, sizeof form.of, "%.*s:…", ROOM - 3, method->name);
    }
    printf("  %s%*s", form.of, ROOM - (int)cli_text_width(form.of), "");
    return 2 + ROOM;
}

// Prints the methods. Some methods allow --invoke: any processor can start an operation. In the other methods all
// processors take part.
static void print_methods(void)
{
    static const char ROW[] = "%-4s %-6s %-3s %-3s %-10s %-6s %-5s %-4s %s";
    int column = printf("%-22s", "--method");
    column += printf(ROW, "real", "tokens", "all", "one", "capacities", "delays", "turns", "free", "invoke");
    cli_text_after(stdout, column, "what it is", TITLE, WIDTH);
    for (size_t i = 0; ek_method_at(i); i++) {
        const struct ek_method *method = ek_method_at(i);
        column = print_method_name(method);
        column +=
            printf(ROW, mark(method->supports.units & EK_REAL), mark(method->supports.units & EK_TOKENS),
                   mark(method->supports.ports & EK_ALL_PORTS), mark(method->supports.ports & EK_ONE_PORT),
                   mark(method->supports.capacities), mark(method->supports.delays), mark(method->supports.turns),
                   mark(method->free || method->letters), mark(!method->rounds->act || method->rounds->reads_invokes));
        cli_text_after(stdout, column, method->texts->title, TITLE, WIDTH);
    }
}

static void print_axis(const struct ek_axis *axis)
{
    printf("--%s\n", axis->option);
    for (size_t i = 0; ek_axis_choice(axis, i); i++) {
        print_entry(ek_axis_choice(axis, i)->form, ek_axis_choice(axis, i)->summary);
    }
}

// The names of the timings, in the order of their bits.
static const char *const timing_names[] = {"rounds", "turns", "free", "virtual"};
enum { TIMINGS = sizeof timing_names / sizeof *timing_names };
_Static_assert((1 << TIMINGS) - 1 == EK_IN_ALL, "a name for each timing");

// Adds the options that have a meaning in these timings only, as in "with free --audit, --watchdog".
static void add_only(struct cli_line *line, unsigned timings)
{
    const char *between = "with ";
    for (unsigned t = 0; t < TIMINGS; t++) {
        if (timings & 1u << t) {
            cli_line_add(line, "%s%s", between, timing_names[t]);
            between = " or ";
        }
    }
    between = " ";
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (ek_axis_at(i)->timings == timings) {
            cli_line_add(line, "%s--%s", between, ek_axis_at(i)->option);
            between = ", ";
        }
    }
}

// Adds all options that have no meaning in some timing. Those of the same timings stand together.
static void add_timings(struct cli_line *line)
{
    bool added[EK_IN_ALL + 1] = {[EK_IN_ALL] = true};
    const char *between = "";
    for (size_t i = 0; ek_axis_at(i); i++) {
        unsigned timings = ek_axis_at(i)->timings;
        if (!added[timings]) {
            cli_line_add(line, "%s", between);
            add_only(line, timings);
            between = "; ";
            added[timings] = true;
        }
    }
}

static void print_support(void)
{
    struct cli_line line = {0};
    cli_line_add(&line,
                 "Any value of an option goes with any value of another, except what the methods' columns above "
                 "exclude: units, ports, capacities that the method itself weighs, delays in rounds, turns, free and "
                 "virtual timing, and in rounds any --invoke but always. Every method for real loads supports "
                 "capacities with --weighting target. Turns need --ports all, --invoke always and --capacity homo. "
                 "Links can fail in rounds and turns only with methods that compare two loads and keep no state. dde, "
                 "twa, mwa and ded plan their transfers before an operation, so they have no --link-limit, and no "
                 "--work with --clock step. A method without real has --units tokens by default. Methods that write "
                 "letters (steal, place, central, gradient, cwn, initiated) move tasks only, and have no "
                 "--link-limit. partners and tempered balance objects only. Some options go with some "
                 "values of --timing only: ");
    add_timings(&line);
    cli_line_add(&line, ".");
    cli_text_wrap(stdout, line.of, 0, WIDTH);
}

static void print_one(const struct ek_axis *axis)
{
    if (strcmp(axis->option, "method") == 0) {
        print_methods();
    } else if (ek_axis_choice(axis, 0)) {
        print_axis(axis);
    } else {
        cli_text_wrap(stdout, axis->help, 0, WIDTH);
    }
}

static void print_all(void)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        if (strcmp(axis->option, "method") == 0 || ek_axis_choice(axis, 0)) {
            print_one(axis);
            putchar('\n');
        }
    }
    print_support();
}

// Returns the names of the bits that are set, in the order of the bits.
static json_t *names_of(unsigned bits, const char *const *names, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        if (bits & 1u << i) {
            json_array_append_new(array, json_string(names[i]));
        }
    }
    return array;
}

static json_t *methods_array(void)
{
    static const char *const units[] = {"real", "tokens"}, *const ports[] = {"all", "one"};
    json_t *array = json_array();
    for (size_t i = 0; ek_method_at(i); i++) {
        const struct ek_method *method = ek_method_at(i);
        unsigned in_units =
            (method->supports.units & EK_REAL ? 1u : 0u) | (method->supports.units & EK_TOKENS ? 2u : 0u);
        unsigned by_ports =
            (method->supports.ports & EK_ALL_PORTS ? 1u : 0u) | (method->supports.ports & EK_ONE_PORT ? 2u : 0u);
        json_array_append_new(
            array, json_pack("{s:s, s:s, s:s, s:o, s:o, s:b, s:b, s:b, s:b, s:b, s:s}", "name", method->name, "form",
                             cli_method_form(method).of, "title", method->texts->title, "units",
                             names_of(in_units, units, 2), "ports", names_of(by_ports, ports, 2), "capacities",
                             method->supports.capacities, "delays", method->supports.delays, "turns",
                             method->supports.turns, "free", method->free || method->letters, "invoke",
                             !method->rounds->act || method->rounds->reads_invokes, "source", method->texts->source));
    }
    return array;
}

static json_t *axis_object(const struct ek_axis *axis)
{
    static const char *const kinds[] = {[EK_AXIS_TEXT] = "text",
                                        [EK_AXIS_WHOLE] = "whole",
                                        [EK_AXIS_SECONDS] = "seconds",
                                        [EK_AXIS_SHARE] = "share",
                                        [EK_AXIS_SWITCH] = "switch"};
    json_t *values = json_array();
    for (size_t i = 0; ek_axis_choice(axis, i); i++) {
        const struct ek_choice *choice = ek_axis_choice(axis, i);
        json_array_append_new(values, json_pack("{s:s, s:s}", "form", choice->form, "summary", choice->summary));
    }
    return json_pack("{s:s, s:s?, s:s, s:s?, s:s?, s:s, s:o, s:o}", "option", axis->option, "field", axis->field,
                     "kind", kinds[axis->kind], "form", axis->form, "initial", axis->initial, "help", axis->help,
                     "timings", names_of(axis->timings, timing_names, TIMINGS), "values", values);
}

// Prints all axes and methods, or a single axis.
static void print_json(const struct ek_axis *only)
{
    json_t *axes = json_array();
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (!only || only == ek_axis_at(i)) {
            json_array_append_new(axes, axis_object(ek_axis_at(i)));
        }
    }
    json_t *whole = json_pack("{s:s, s:s, s:o}", "schema", "evenkeel.list/1", "version", ek_version(), "options", axes);
    if (!only || strcmp(only->option, "method") == 0) {
        json_object_set_new(whole, "methods", methods_array());
    }
    lab_json_write(stdout, whole, JSON_INDENT(1));
    putchar('\n');
}

static const char *axis_name(size_t index)
{
    return ek_axis_at(index) ? ek_axis_at(index)->option : NULL;
}

static const char *argument_word(const struct cli_command *const *commands, size_t index)
{
    (void)commands;
    return axis_name(index);
}

static bool list_values(const struct cli_call *call, const struct options *options, struct ek_error *error)
{
    const char *word = call->words_count > 0 ? call->words[0] : NULL;
    const struct ek_axis *only = word ? cli_word_axis(word) : NULL;
    if (word && !only) {
        const char *near = ek_nearest(word, axis_name);
        return near ? base_refuse(error, "there is no option --%.60s to list the values of; the nearest is --%s", word,
                                  near)
                    : base_refuse(error,
                                  "there is no option --%.60s to list the values of: evenkeel list lists all, and "
                                  "evenkeel explain explains a value",
                                  word);
    }
    if (options->links || cli_option_given(call, "topology")) {
        return base_refuse(error, "the links of a topology are listed by evenkeel list --links --topology SPEC alone");
    }
    if (options->format == CLI_CSV) {
        return base_refuse(error, "list prints a table or --format json; --format csv goes with --links");
    }
    if (only) {
        call->found->kind = CLI_FOUND_WORD;
        snprintf(call->found->text, sizeof call->found->text, "%s", only->option);
    }
    options->format == CLI_JSON ? print_json(only) : only ? print_one(only) : print_all();
    return true;
}

static enum ek_status list(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    struct ek_error error = {.at = -1};
    bool good = options->links && call->words_count == 0
                    ? cli_list_links(options->topology, options->seed, options->format, &error)
                    : list_values(call, options, &error);
    return good ? EK_OK : cli_complain(&error);
}

const struct cli_command cli_list = {
    .name = "list",
    .theme = CLI_THEME_LEARN,
    .argument = "OPTION",
    .argument_word = argument_word,
    .optional = true,
    .summary = "list topologies, methods, loads, ... and what supports what",
    .more = "OPTION restricts the list to the values of one option, as in `list methods`. With --links the command "
            "lists the links of one topology, each with its ends, dimension and colour. No two links of a colour meet "
            "at a processor, and dimension exchange uses the colours in this order.",
    .options = own,
    .size = sizeof(struct options),
    .act = list};
