// SPDX-License-Identifier: MIT
// The options. Specs are handed to the library as they are; numbers are read by it, with the same kind of complaint.
#include "cli/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/complain.h"

#define PLACE(field) offsetof(struct cli_options, field)

// The command's own, in rows like those of the axes.
static const struct ek_axis own[] = {
    {.option = "runs",
     .form = "N",
     .initial = "1",
     .help = "so many runs, one after the other, each with its seed",
     .more = "For `contention` of each kind; for `torture` as many as fit into --for, if not said.",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(runs),
     .minimum = 1,
     .maximum = 1000000},
    {.option = "format",
     .form = "NAME",
     .initial = "table",
     .help = "table, json or csv, on standard output",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(format_name)},
    {.option = "out",
     .form = "DIR",
     .help = "also write run.json, trace.csv and final.csv there",
     .more = "The directory is made; if it is there already, it must be empty.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(out)},
    {.option = "final", .help = "the JSON report has the final loads", .kind = EK_AXIS_SWITCH, .place = PLACE(final)},
    {.option = "trace",
     .help = "the JSON report has the measures at every step",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(trace)},
    {.option = "plot",
     .form = "FILE",
     .help = "draw the variance, or what was measured: FILE.svg or FILE.png",
     .more =
         "Needs gnuplot. For `run` the variance over the steps, in free timing over time, of the first 32 runs, with "
         "the theory's slope beside it; for `contention` the messages a second.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(plot)},
    {.option = "heat",
     .help = "show the load before and after as heat maps (two dimensions)",
     .more = "Of the first run, with the table, on a topology that is a product of two dimensions.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(heat)},
    {.option = "quiet",
     .help = "no table and no progress: files, errors and the exit status only",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(quiet)},
    {.option = "plugin",
     .form = "FILE.so",
     .help = "methods and topologies of one's own (docs/tutorial.md)",
     .more = "A shared object that exports a struct ek_plugin (evenkeel(3)); several are separated by commas.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(plugin)},
    {.option = "man", .help = "print the man page", .kind = EK_AXIS_SWITCH, .place = PLACE(man)},
    {.option = "completion",
     .form = "SHELL",
     .help = "print the completion for bash, zsh or fish",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(completion)},
    {.option = "help", .help = "show this help", .kind = EK_AXIS_SWITCH, .place = PLACE(help)},
};

enum { OWN = sizeof own / sizeof *own };
_Static_assert(EK_AXES_MAX + (int)OWN <= (int)CLI_OPTION_PLACES, "struct cli_options has a place for every option");

static size_t count_axes(void)
{
    size_t count = 0;
    while (ek_axis_at(count)) {
        count++;
    }
    return count;
}

const struct ek_axis *cli_option_at(size_t index)
{
    size_t axes = count_axes();
    return index < axes ? ek_axis_at(index) : index - axes < OWN ? &own[index - axes] : NULL;
}

static const char *option_name(size_t index)
{
    return cli_option_at(index) ? cli_option_at(index)->option : NULL;
}

// The place of the option with this name; past the last where there is none.
static size_t find(const char *name)
{
    size_t i = 0;
    while (option_name(i) && strcmp(name, option_name(i)) != 0) {
        i++;
    }
    return i;
}

bool cli_option_for(size_t index, const struct cli_command *command)
{
    const char *name = option_name(index);
    if (strcmp(name, "help") == 0 || (index < count_axes() && strchr(command->options, '*'))) {
        return true;
    }
    char word[64];
    int length = snprintf(word, sizeof word, " %s ", name);
    assert(length > 0 && (size_t)length < sizeof word);
    (void)length;
    return strstr(command->options, word) != NULL;
}

const char *cli_format_name(size_t index)
{
    static const char *const names[] = {[CLI_TABLE] = "table", [CLI_JSON] = "json", [CLI_CSV] = "csv"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static bool read_format(struct cli_options *options, struct ek_error *error)
{
    for (size_t i = 0; cli_format_name(i); i++) {
        if (strcmp(options->format_name, cli_format_name(i)) == 0) {
            options->format = (enum cli_format)i;
            return true;
        }
    }
    return cli_refuse(error, "format", 0, "--format takes table, json or csv");
}

static bool set(size_t index, struct cli_options *options, const char *value, struct ek_error *error)
{
    const struct ek_axis *option = cli_option_at(index);
    void *values = index < count_axes() ? (void *)&options->experiment : options;
    options->given[index] = value;
    return ek_axis_set(option, values, value, error) &&
           (strcmp(option->option, "format") != 0 || read_format(options, error));
}

// The option that `word` ("--steps" or "--steps=9") names, for this command; past the last and `error` where there is
// none.
static bool find_option(const char *word, const struct cli_command *command, size_t *index, struct ek_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    *index = find(name);
    if (option_name(*index)) {
        return cli_option_for(*index, command) ||
               cli_refuse(error, "", -1, "%s has no option --%s: see evenkeel %s --help", command->name, name,
                          command->name);
    }
    const char *near = ek_nearest(name, option_name);
    return near ? cli_refuse(error, "", -1, "there is no option --%s; the nearest is --%s", name, near)
                : cli_refuse(error, "", -1, "there is no option --%s: see evenkeel %s --help", name, command->name);
}

// The option's value: behind '=', else the next word, which is then used up. NULL and `error` where there is none.
static const char *find_value(const struct ek_axis *option, const char *word, const char *next, int *used,
                              struct ek_error *error)
{
    const char *equals = strchr(word, '=');
    if (!option->form) {
        if (equals) {
            cli_refuse(error, "", -1, "--%s takes no value", option->option);
            return NULL;
        }
        return "";
    }
    if (equals) {
        return equals + 1;
    }
    if (!next || strncmp(next, "--", 2) == 0) {
        cli_refuse(error, "", -1, "--%s needs a value: write --%s %s", option->option, option->option, option->form);
        return NULL;
    }
    (*used)++;
    return next;
}

static bool read_argument(struct cli_options *options, const struct cli_command *command, const char *word,
                          struct ek_error *error)
{
    if (word[0] == '-') {
        return cli_refuse(error, "", -1, "'%.60s' is no option: options begin with two dashes, as in --topology", word);
    }
    if (!command->argument) {
        return cli_refuse(error, "", -1, "%s takes options only, as in --topology torus:8x8, not '%.60s'",
                          command->name, word);
    }
    if (options->argument) {
        return cli_refuse(error, "", -1, "%s takes one %s, not also '%.60s'", command->name, command->argument, word);
    }
    options->argument = word;
    return true;
}

static bool read_option(struct cli_options *options, const struct cli_command *command, const char *word,
                        const char *next, int *used, struct ek_error *error)
{
    size_t index;
    if (!find_option(word, command, &index, error)) {
        return false;
    }
    const char *value = find_value(cli_option_at(index), word, next, used, error);
    if (!value) {
        return false;
    }
    if (options->given[index]) {
        return cli_refuse(error, "", -1, "--%s is given twice: give it once", option_name(index));
    }
    return set(index, options, value, error);
}

bool cli_options_read(struct cli_options *options, const struct cli_command *command, int count, char **words,
                      struct ek_error *error)
{
    *options = (struct cli_options){.runs = 1, .experiment = {.seed = 1, .every = 1}};
    for (int used = 0; used < count; used++) {
        const char *word = words[used];
        const char *next = used + 1 < count ? words[used + 1] : NULL;
        if (strcmp(word, "-h") == 0) {
            options->help = true;
        } else if (!(strncmp(word, "--", 2) == 0 ? read_option(options, command, word, next, &used, error)
                                                 : read_argument(options, command, word, error))) {
            return false;
        }
    }
    return true;
}

bool cli_options_suppose(struct cli_options *options, const char *name, const char *value, struct ek_error *error)
{
    size_t index = find(name);
    assert(option_name(index));
    return options->given[index] || set(index, options, value, error);
}

bool cli_options_differ(const struct cli_options *options, const char *name)
{
    const struct ek_axis *option = cli_option_at(find(name));
    const char *given = option ? options->given[find(name)] : NULL;
    return given && !(option->initial && strcmp(given, option->initial) == 0);
}

const char *cli_options_text(const struct cli_options *options, const char *name)
{
    size_t index = find(name);
    const struct ek_axis *option = cli_option_at(index);
    return !option ? NULL : options->given[index] ? options->given[index] : option->initial;
}
