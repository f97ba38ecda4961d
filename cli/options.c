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
     .more = "The directory is made if it is not there. What else is in it stays; where one of these files is there "
             "already, nothing is run.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(out)},
    {.option = "final", .help = "the JSON report has the final loads", .kind = EK_AXIS_SWITCH, .place = PLACE(final)},
    {.option = "trace",
     .help = "the JSON report has the measures at every step",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(trace)},
    {.option = "by",
     .form = "FIELD",
     .help = "rank by steps, operations, messages, moved or time, ...",
     .more = "Any field of a run's report of which less is better. If not said, by steps, in free timing by time.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(by)},
    {.option = "plot",
     .form = "FILE",
     .help = "draw the variance, or what was measured: .svg, .pdf or .png",
     .more =
         "Needs gnuplot. For `run` the mean variance of all runs over the steps, in free timing over time, with the "
         "band that nine runs of ten are in, and beside it what theory says; for `contention` the messages a "
         "second.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(plot)},
    {.option = "plot-script",
     .form = "FILE",
     .help = "keep gnuplot's script for --plot, with all its data",
     .more = "`gnuplot FILE` draws the same picture again, under the same name: so it can be changed by hand.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(plot_script)},
    {.option = "heat",
     .help = "show the load before and after as heat maps (two dimensions)",
     .more = "Of the first run, with the table, on a topology that is a product of two dimensions.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(heat)},
    {.option = "quiet",
     .help = "no table and no progress; what --format and --out ask for all the same",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(quiet)},
    {.option = "man", .help = "print the man page", .kind = EK_AXIS_SWITCH, .place = PLACE(man)},
    {.option = "help", .help = "show this help", .kind = EK_AXIS_SWITCH, .place = PLACE(help)},
};

enum { OWN = sizeof own / sizeof *own };
_Static_assert(EK_AXES_MAX + (int)OWN <= (int)CLI_OPTION_PLACES, "struct cli_options has a place for every option");

// Those that are typed most. -r is for runs as in hyperfine: -n stands for processes with MPI's tools.
static const struct {
    char letter;
    const char *option;
} letters[] = {{'t', "topology"}, {'m', "method"}, {'l', "load"},  {'r', "runs"}, {'s', "seed"},
               {'f', "format"},   {'o', "out"},    {'q', "quiet"}, {'h', "help"}};
enum { LETTERS = sizeof letters / sizeof *letters };

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

char cli_option_letter(size_t index)
{
    for (size_t i = 0; i < LETTERS; i++) {
        if (strcmp(letters[i].option, option_name(index)) == 0) {
            return letters[i].letter;
        }
    }
    return '\0';
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

static bool read_format(struct cli_options *options, struct ek_error *error)
{
    static const char *const names[] = {[CLI_TABLE] = "table", [CLI_JSON] = "json", [CLI_CSV] = "csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(options->format_name, names[i]) == 0) {
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

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A word that is an option: -t, or --steps with or without =9. All else that begins with a dash is none.
static bool is_option(const char *word)
{
    return word[0] == '-' && (word[1] == '-' || (is_letter(word[1]) && word[2] == '\0'));
}

// The place of the option that such a word names; past the last where there is none.
static size_t find_word(const char *word, char *name, size_t size)
{
    if (word[1] != '-') {
        size_t i = 0;
        while (i < LETTERS && letters[i].letter != word[1]) {
            i++;
        }
        snprintf(name, size, "%s", word);
        return find(i < LETTERS ? letters[i].option : word);
    }
    int length = (int)strcspn(word, "=");
    snprintf(name, size, "%.*s", length, word);
    return find(name + 2);
}

// The option that `word` names, for this command; past the last and `error` where there is none.
static bool find_option(const char *word, const struct cli_command *command, size_t *index, struct ek_error *error)
{
    char name[64];
    *index = find_word(word, name, sizeof name);
    if (option_name(*index)) {
        return cli_option_for(*index, command) ||
               cli_refuse(error, "", -1, "%s has no option %s: see evenkeel %s --help", command->name, name,
                          command->name);
    }
    const char *near = word[1] == '-' ? ek_nearest(name + 2, option_name) : NULL;
    return near ? cli_refuse(error, "", -1, "there is no option %s; the nearest is --%s", name, near)
                : cli_refuse(error, "", -1, "there is no option %s: see evenkeel %s --help", name, command->name);
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
    if (!next || is_option(next)) {
        cli_refuse(error, "", -1, "--%s needs a value: write --%s %s", option->option, option->option, option->form);
        return NULL;
    }
    (*used)++;
    return next;
}

static bool read_argument(struct cli_options *options, const struct cli_command *command, const char *word,
                          struct ek_error *error)
{
    if (word[0] == '-' && word[1] != '\0') {
        return cli_refuse(error, "", -1,
                          "'%.60s' is no option: those of several letters begin with two dashes, as in --topology",
                          word);
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
        if (!(is_option(word) ? read_option(options, command, word, next, &used, error)
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

const char *cli_options_given(const struct cli_options *options, const char *name)
{
    size_t index = find(name);
    return cli_option_at(index) ? options->given[index] : NULL;
}

bool cli_options_differ(const struct cli_options *options, const char *name)
{
    const struct ek_axis *option = cli_option_at(find(name));
    const char *given = cli_options_given(options, name);
    return given && !(option->initial && strcmp(given, option->initial) == 0);
}

const char *cli_options_text(const struct cli_options *options, const char *name)
{
    size_t index = find(name);
    const struct ek_axis *option = cli_option_at(index);
    return !option ? NULL : options->given[index] ? options->given[index] : option->initial;
}
