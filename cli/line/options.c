// SPDX-License-Identifier: MIT
// The options. Specs are handed to the library as they are; numbers are read by it, with the same kind of complaint.
#include "cli/line/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cli/line/command.h"
#include "base/error.h"

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
    {.option = "final",
     .help = "the JSON report has the final loads",
     .more = "For `sweep` the records in the store.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(final)},
    {.option = "trace",
     .help = "the JSON report has the measures at every step",
     .more = "For `sweep` the records in the store, with at most 1,024 rows each.",
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
         "second; for `results` --y over --x, or --trace-of.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(plot)},
    {.option = "record",
     .form = "FILE",
     .help = "free timing: write down what the workers see, for evenkeel replay",
     .more = "Of one run; for `explore` of the schedule that fails, or else of the first that got too long; for "
             "`replay --then` of the whole. The file "
             "grows as the run goes on; what a run that "
             "was killed leaves can be replayed as far as "
             "it goes.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(record)},
    {.option = "record-failures",
     .form = "DIR",
     .help = "free timing: keep recordings there of runs that fail",
     .more = "With status 1 or 4. Each run is recorded from its start, as seed-N-PID.ek in this directory, which is "
             "made if it is not there, and the recording goes when all was well. So there is one at a time beside "
             "those that are kept, which "
             "`torture` ends at ten; each is as large as what --record writes, some megabytes a second.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(failures)},
    {.option = "from",
     .form = "TURN",
     .help = "print what happens, in words, from this turn",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(from),
     .minimum = 1,
     .maximum = UINT64_MAX},
    {.option = "to",
     .form = "TURN",
     .help = "print what happens, in words, up to this turn",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(to),
     .minimum = 1,
     .maximum = UINT64_MAX},
    {.option = "show",
     .form = "P|P-Q",
     .help = "print what happens, in words, at processor P or over the link between P and Q",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(show)},
    {.option = "timeline",
     .form = "FILE",
     .help = "write operations and parcels on a time line, for Perfetto or chrome://tracing",
     .more = "The first million of them.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(timeline)},
    {.option = "until",
     .form = "TURN",
     .help = "stop after this turn, and say how the loads are then",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(until),
     .minimum = 1,
     .maximum = UINT64_MAX},
    {.option = "then",
     .form = "STRATEGY:SEED",
     .help = "go on otherwise after --until TURN, by a strategy of explore",
     .more =
         "As in random:7 or pct:3:7: the same processors go on in virtual time, each turn looked at, and what comes "
         "of it is printed as `explore` does of one schedule. The seed is the schedule's number. Without --until "
         "it goes on from the start.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(then)},
    {.option = "strategy",
     .form = "NAME",
     .initial = "random",
     .help = "random, pct:D, delay-first, round-robin or exhaustive:B",
     .more = "Who goes on, and what of that which has come it sees. `random` draws both. `pct:D` lets the first of a "
             "drawn order go on that can, and changes the order D-1 times. `delay-first` lets messages be seen as late "
             "as can be, and one by one. `exhaustive:B` makes all schedules of a small machine in which nobody who has "
             "something to do is passed over more than B times.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(strategy)},
    {.option = "schedules",
     .form = "N",
     .initial = "1000",
     .help = "so many schedules, or as many as fit into --for",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(schedules),
     .minimum = 1,
     .maximum = UINT64_MAX},
    {.option = "turns",
     .form = "MOST",
     .help = "a schedule is told to end after so many turns [10000]",
     .more = "As --for tells a run. One that has not ended after as many more, or 1024 a processor, fails. "
             "`exhaustive` goes so deep, and at most, if not said, 4096 turns.",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(turns),
     .minimum = 1,
     .maximum = 1000000000},
    {.option = "zip",
     .form = "AXES",
     .help = "axes whose lists go together, as in topology,load",
     .more = "The first values of all of them, then the second, and so on, where lists else are multiplied. Several "
             "such groups have a '/' between them: topology,load/method,delay.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(zip)},
    {.option = "file",
     .form = "FILE",
     .help = "take the experiments from this file: a [section] each",
     .more = "A line an option, as in `topology = ring:{8..64*2}`, without dashes: the axes, runs and zip. What is in "
             "[global] is in all sections after it. Axes on the command line are in all sections, in the place of "
             "what the file says.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(file)},
    {.option = "print",
     .form = "AS",
     .help = "make no runs, print the experiments: as line, or as file",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(print)},
    {.option = "store",
     .form = "FILE",
     .initial = "evenkeel.sqlite",
     .help = "the SQLite file that keeps every run",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(store)},
    {.option = "jobs",
     .form = "N",
     .help = "so many at once [one a core]",
     .more = "Threads of `explore`, of which each makes schedules; what comes of them is the same for any number. "
             "Processes of `sweep` and `papers`: if not said, runs that need more than one core, or whose times are "
             "what is "
             "measured (free timing, "
             "and every carrier but pool:1), are made one at a time.",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(jobs),
     .minimum = 1,
     .maximum = 1024},
    {.option = "timeout",
     .form = "DURATION",
     .help = "end a run that takes longer, and count it as failed",
     .kind = EK_AXIS_SECONDS,
     .place = PLACE(timeout_s)},
    {.option = "shard",
     .form = "K/N",
     .help = "make every N-th run only, from the K-th on: for job K of N",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(shard)},
    {.option = "again", .help = "also make the runs that the store has", .kind = EK_AXIS_SWITCH, .place = PLACE(again)},
    {.option = "all", .help = "try every claim", .kind = EK_AXIS_SWITCH, .place = PLACE(all)},
    {.option = "list", .help = "say what is claimed, make no runs", .kind = EK_AXIS_SWITCH, .place = PLACE(list)},
    {.option = "quick",
     .help = "with few seeds: wider intervals",
     .more = "A quarter of them, but twenty where there are as many.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(quick)},
    {.option = "report",
     .form = "FILE",
     .help = "write the verdicts as a book: a page of HTML",
     .more = "With a picture of each figure and table, for which it needs gnuplot.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(report)},
    {.option = "dry-run",
     .help = "say how many runs, how long, and how much disk",
     .more = "By some runs, for at most ten seconds or as long as one takes; nothing is kept.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(dry_run)},
    {.option = "plot-script",
     .form = "FILE",
     .help = "keep gnuplot's script for --plot, with all its data",
     .more = "`gnuplot FILE` draws the same picture again, under the same name: so it can be changed by hand.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(plot_script)},
    {.option = "where",
     .form = "CONDITION",
     .help = "only runs of which this holds: 'method=ode and processors>64'",
     .more = "Compares columns of the store (docs/store.md), or terms of them, by =, !=, <, <=, >, >=, and texts by ~, "
             "which has a part; with and, or, not and parentheses. No comparison holds of what was not measured.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(where)},
    {.option = "columns",
     .form = "LIST",
     .help = "what to show: columns, and terms like steps/theory_steps",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(columns)},
    {.option = "group",
     .form = "LIST",
     .help = "means: a line for each combination of these columns' values",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(group)},
    {.option = "compare",
     .form = "A vs B",
     .help = "two sets, seed by seed: 'method=ade vs method=ode'",
     .more = "Each is a condition as in --where. Runs of one seed in one group are partners; where no seed is in both, "
             "the sets are compared as wholes. Without --group runs are grouped by the axes that vary within either "
             "set.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(compare)},
    {.option = "trace-of",
     .form = "FIELD",
     .help = "the average of a field of the traces: variance, spread, moved, ...",
     .more =
         "On a common axis: steps, in free timing seconds. A run that has ended counts with its last value. Without "
         "--group runs are grouped by the axes that vary.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(trace_of)},
    {.option = "interval",
     .form = "WAY",
     .initial = "t:0.95",
     .help = "of means: t:LEVEL or bootstrap:LEVEL",
     .more = "By Student's t, or by the percentiles of 2000 resamples, which are the same each time.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(interval)},
    {.option = "x",
     .form = "COLUMN",
     .help = "for --plot: what --y is drawn over, a line for each group",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(x)},
    {.option = "y",
     .form = "COLUMN",
     .help = "for --plot: whose mean is drawn, with its interval as a band",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(y)},
    {.option = "log",
     .form = "AXES",
     .help = "for --plot: which axes are logarithmic: x, y, xy or none",
     .more = "Not said, y is where it is the variance of traces.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(log)},
    {.option = "vary",
     .form = "AXIS,...",
     .help = "vary these alone: topology, mailbox, ports, unpinned, ...",
     .more = "Without it those whose options have lists, or else all but the method.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(vary)},
    {.option = "baseline",
     .form = "FILE",
     .help = "compare with what --format json printed then",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(baseline)},
    {.option = "heat",
     .help = "show the load before and after as heat maps (two dimensions)",
     .more = "Of the first run, with the table, on a topology that is a product of two dimensions.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(heat)},
    {.option = "live",
     .help = "show the run in the terminal as it goes",
     .more = "The loads over the topology, the variance beside what theory says, and the messages a second, some ten "
             "times a second; standard output must be a terminal.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(live)},
    {.option = "quiet",
     .help = "no table and no progress; what --format and --out ask for all the same",
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
    if (strcmp(name, "help") == 0) {
        return true;
    }
    if (index < count_axes() && strchr(command->options, '*') &&
        (command->timings == 0 || command->timings & cli_option_at(index)->timings)) {
        return true;
    }
    char word[64];
    int length = snprintf(word, sizeof word, " %s ", name);
    assert(length > 0 && (size_t)length < sizeof word);
    (void)length;
    return strstr(command->options, word) != NULL;
}

static const char *initial_of(const struct cli_command *command, const struct ek_axis *option)
{
    for (size_t i = 0; i < CLI_COMMAND_INITIALS && command->initial[i].option; i++) {
        if (strcmp(command->initial[i].option, option->option) == 0) {
            return command->initial[i].value;
        }
    }
    return command->drawn && ek_axis_named(option->option) && strcmp(option->option, "seed") != 0 ? NULL
                                                                                                  : option->initial;
}

struct ek_axis cli_option_of(size_t index, const struct cli_command *command)
{
    struct ek_axis option = *cli_option_at(index);
    for (size_t i = 0; i < CLI_COMMAND_SAID && command->said[i].option; i++) {
        if (strcmp(command->said[i].option, option.option) == 0) {
            option.form = command->said[i].form ? command->said[i].form : option.form;
            option.help = command->said[i].help;
        }
    }
    option.initial = initial_of(command, &option);
    return option;
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
    return base_refuse_text(error, "format", options->format_name, 0, "--format takes table, json or csv");
}

// An axis of a command that takes lists is left to it.
static bool set(size_t index, struct cli_options *options, bool lists, const char *value, struct ek_error *error)
{
    const struct ek_axis *option = cli_option_at(index);
    bool is_axis = index < count_axes();
    void *values = is_axis ? (void *)&options->experiment : options;
    options->given[index] = value;
    return (is_axis && lists) || (ek_axis_set(option, values, value, error) &&
                                  (strcmp(option->option, "format") != 0 || read_format(options, error)));
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

size_t cli_option_named(const char *word)
{
    char name[64];
    return word[0] == '-' ? find_word(word, name, sizeof name) : find(word);
}

// The option that `word` names, for this command; past the last and `error` where there is none.
static bool find_option(const char *word, const struct cli_command *command, size_t *index, struct ek_error *error)
{
    char name[64];
    *index = find_word(word, name, sizeof name);
    if (option_name(*index)) {
        return cli_option_for(*index, command) ||
               base_refuse(error, "%s has no option %s: see evenkeel %s --help", command->name, name, command->name);
    }
    const char *near = word[1] == '-' ? ek_nearest(name + 2, option_name) : NULL;
    return near ? base_refuse(error, "there is no option %s; the nearest is --%s", name, near)
                : base_refuse(error, "there is no option %s: see evenkeel %s --help", name, command->name);
}

// The option's value: behind '=', else the next word, which is then used up. NULL and `error` where there is none.
static const char *find_value(const struct ek_axis *option, bool lists, const char *word, const char *next, int *used,
                              struct ek_error *error)
{
    const char *equals = strchr(word, '=');
    if (!option->form && !(equals && lists)) {
        if (equals) {
            base_refuse(error, "--%s takes no value", option->option);
            return NULL;
        }
        return lists ? "true" : "";
    }
    if (equals) {
        return equals + 1;
    }
    if (!next || is_option(next)) {
        base_refuse(error, "--%s needs a value: write --%s %s", option->option, option->option, option->form);
        return NULL;
    }
    (*used)++;
    return next;
}

static bool read_argument(struct cli_options *options, const struct cli_command *command, char *word,
                          struct ek_error *error)
{
    if (word[0] == '-' && word[1] != '\0' && !is_option(word)) {
        return base_refuse(
            error, "'%.60s' is no option: those of several letters begin with two dashes, as in --topology", word);
    }
    if (!command->argument) {
        return base_refuse(error, "%s takes options only%s, not '%.60s': see evenkeel %s --help", command->name,
                           cli_option_for(find("topology"), command) ? ", as in --topology torus:8x8" : "", word,
                           command->name);
    }
    if (options->argument && !command->several) {
        return base_refuse(error, "%s takes one %s, not also '%.60s'", command->name, command->argument, word);
    }
    if (!options->argument) {
        options->argument = word;
    }
    options->words[options->words_count++] = word;
    return true;
}

static bool read_option(struct cli_options *options, const struct cli_command *command, const char *word,
                        const char *next, int *used, struct ek_error *error)
{
    size_t index;
    if (!find_option(word, command, &index, error)) {
        return false;
    }
    const struct ek_axis option = cli_option_of(index, command);
    bool lists = command->lists && index < count_axes();
    const char *value = find_value(&option, lists, word, next, used, error);
    if (!value) {
        return false;
    }
    if (options->given[index]) {
        return base_refuse(error, "--%s is given twice: give it once", option_name(index));
    }
    return set(index, options, lists, value, error);
}

// An option of other commands, which this one says something of.
static bool is_asked_for(const struct cli_command *command, const char *word)
{
    size_t index = cli_option_named(word);
    return command->explains && cli_option_at(index) && !cli_option_for(index, command);
}

bool cli_options_read(struct cli_options *options, const struct cli_command *command, int count, char **words,
                      struct ek_error *error)
{
    *options = (struct cli_options){.runs = 1, .schedules = 1000, .experiment = {.seed = 1}, .words = words};
    for (int used = 0; used < count; used++) {
        char *word = words[used];
        const char *next = used + 1 < count ? words[used + 1] : NULL;
        if (!(is_option(word) && !is_asked_for(command, word) ? read_option(options, command, word, next, &used, error)
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
    return options->given[index] || set(index, options, false, value, error);
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
