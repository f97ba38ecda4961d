// SPDX-License-Identifier: MIT
// The options. One table makes the parser, `--help` and the man page. Specs are handed to the library as they are; the
// numbers of the command line itself are read here, with the same kind of complaint.
#include "cli/options.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/text.h"

typedef bool setter(const struct cli_option *option, struct cli_options *options, const char *value,
                    struct ek_error *error);

static setter set_text, set_switch, set_whole, set_duration, set_share, set_format;

#define PLACE(field) offsetof(struct cli_options, field)

static const struct cli_option table[] = {
    {.name = "topology",
     .form = "SPEC",
     .initial = "torus:8x8",
     .help = "which processors are linked",
     .more =
         "For example ring:64, mesh:4x4x4, torus:16x16, hypercube:6, random:100:4 or file:PATH. `evenkeel list` has "
         "them all.",
     .commands = CLI_FOR_RUN | CLI_FOR_THEORY | CLI_FOR_CONTENTION,
     .set = set_text,
     .offset = PLACE(experiment.topology)},
    {.name = "method",
     .form = "NAME[:X]",
     .initial = "ade",
     .help = "the balancing method",
     .more = "`evenkeel list` names them, `evenkeel explain NAME` describes one. `theory` has its own.",
     .commands = CLI_FOR_RUN | CLI_FOR_THEORY | CLI_FOR_CONTENTION,
     .set = set_text,
     .offset = PLACE(experiment.method)},
    {.name = "units",
     .form = "NAME",
     .initial = "real",
     .help = "real: any amounts; tokens: whole loads and transfers",
     .commands = CLI_FOR_RUN | CLI_FOR_THEORY,
     .set = set_text,
     .offset = PLACE(experiment.units)},
    {.name = "ports",
     .form = "NAME",
     .initial = "all",
     .help = "links a processor may use in a step: all, or one",
     .commands = CLI_FOR_RUN | CLI_FOR_THEORY,
     .set = set_text,
     .offset = PLACE(experiment.ports)},
    {.name = "timing",
     .form = "NAME",
     .initial = "rounds",
     .help = "rounds: all at once; turns: one by one; free: no barrier",
     .more = "turns goes through the processors in the order of their numbers, turns:random in a fresh order each "
             "step. In free timing there is no barrier: every processor goes at its own pace and balances with its "
             "neighbours by messages alone. For methods whose `evenkeel list` row says so.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.timing)},
    {.name = "clock",
     .form = "NAME",
     .initial = "operation",
     .help = "a tick of the workload: an operation, or a step",
     .more =
         "With operation, the workload comes after each operation; with step, after each step. With either, --steps "
         "may end a run in the middle of an operation.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.clock)},
    {.name = "invoke",
     .form = "SPEC",
     .initial = "always",
     .help = "who starts an operation",
     .more = "For example below:200, outside:200:800 or probability:0.1: tested at the start of each operation, in "
             "free timing at each turn. In rounds a link takes part if either end invokes. In free timing also "
             "gradient:D: its load differs by more than D from what it last heard of a neighbour.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.invoke)},
    {.name = "load",
     .form = "SPEC",
     .initial = "uniform:0:1000",
     .help = "the loads that a run begins with",
     .more = "For example peak:6400, constant:5, modulo:7919:1001 or file:PATH, a number a line.",
     .commands = CLI_FOR_RUN | CLI_FOR_THEORY,
     .set = set_text,
     .offset = PLACE(experiment.load)},
    {.name = "work",
     .form = "SPEC",
     .initial = "none",
     .help = "the load generated and consumed during a run",
     .more = "For example normal:100:30:100 (mean, variance, consumption), constant:0=2,8=-2 or file:PATH, a line a "
             "tick. It comes after "
             "the balancing of its tick.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.work)},
    {.name = "capacity",
     .form = "SPEC",
     .initial = "homo",
     .help = "the share of the load that each processor ought to hold",
     .more = "For example semi, cs, uniform:1:64 or file:PATH, a number a line.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.capacity)},
    {.name = "weighting",
     .form = "NAME",
     .initial = "capacity",
     .help = "how capacities are met: capacity, or target",
     .more = "capacity balances loads divided by capacities; target balances the distances from each processor's "
             "share, with any method "
             "for real loads.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.weighting)},
    {.name = "link-limit",
     .form = "AMOUNT",
     .initial = "none",
     .help = "the most that a link carries one way in a step",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.link_limit)},
    {.name = "delay",
     .form = "SPEC",
     .initial = "none",
     .help = "how much later messages come: steps, or times (free)",
     .more = "For example fixed:3, uniform:0:5, exponential:2 or file:PATH, `i j steps` a line. An announcement is as "
             "many steps old when it is read, a parcel arrives as many steps after it was sent, and at least one. In "
             "free timing these are times, as in fixed:20us or uniform:0us:50us, and the report has the delay that "
             "was asked for beside the delay that there was.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.delay)},
    {.name = "domains",
     .form = "NAME",
     .initial = "overlap",
     .help = "free timing: overlap, or exclusive: one operation at a time",
     .more = "With exclusive, a processor that is in an operation refuses to take part in another.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.domains)},
    {.name = "tick",
     .form = "DURATION",
     .help = "free timing: the workload's tick, as in 100us, else every turn",
     .commands = CLI_FOR_RUN,
     .set = set_duration,
     .offset = PLACE(experiment.tick_s)},
    {.name = "slow",
     .form = "SPEC",
     .initial = "none",
     .help = "free timing: stragglers, P:FACTOR,P:FACTOR,...",
     .more = "Processor P takes every FACTOR-th turn only.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.slow)},
    {.name = "perturb",
     .form = "PROBABILITY",
     .help = "free timing: of a yield at every step of the protocol",
     .more = "Brings rare interleavings out.",
     .commands = CLI_FOR_RUN,
     .set = set_share,
     .offset = PLACE(experiment.perturb)},
    {.name = "faults",
     .form = "SPEC",
     .initial = "none",
     .help = "free timing: links and processors that fail and come back",
     .more = "link:RATE,processor:RATE,repair:MEAN with failures a second of the whole machine and the mean time that "
             "they last, or file:PATH with a line for each event, as in `20ms fail link 3 4` or `50ms repair "
             "processor 7`.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.faults)},
    {.name = "audit",
     .form = "DURATION",
     .initial = "10ms",
     .help = "free timing: at least so long between snapshots of all load",
     .more = "Each snapshot is held against the ledger: nothing may be lost and nothing may come from nowhere.",
     .commands = CLI_FOR_RUN,
     .set = set_duration,
     .offset = PLACE(experiment.audit_s)},
    {.name = "watchdog",
     .form = "DURATION",
     .initial = "10s",
     .help = "free timing: ends a run without progress for so long",
     .more = "It prints where each processor is and what it waits for; the exit status is 4.",
     .commands = CLI_FOR_RUN,
     .set = set_duration,
     .offset = PLACE(experiment.watchdog_s)},
    {.name = "stop",
     .form = "SPEC",
     .initial = "variance:1",
     .help = "when to end (tokens: spread:1; capacities: error:0.01)",
     .more =
         "Tested before each operation. variance:V is the sum of squared distances from the mean, not divided. A run "
         "that ends without it has the exit status 3, except with never.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.stop)},
    {.name = "steps",
     .form = "N",
     .help = "at most so many communication steps",
     .more = "Not in free timing, which has none. An all-port diffusion operation is one step; a dimension exchange "
             "operation, and a one-port diffusion "
             "operation, is a step for each colour of the links.",
     .commands = CLI_FOR_RUN,
     .set = set_whole,
     .offset = PLACE(experiment.steps_max),
     .minimum = 1,
     .maximum = 1000000000000000000},
    {.name = "operations",
     .form = "N",
     .help = "at most so many operations",
     .more = "In free timing those of all processors together.",
     .commands = CLI_FOR_RUN,
     .set = set_whole,
     .offset = PLACE(experiment.operations_max),
     .minimum = 1,
     .maximum = 1000000000000000000},
    {.name = "for",
     .form = "DURATION",
     .help = "at most so long, as in 200ms, 5s, 2m or 1h",
     .more = "Where it cuts a run, the result depends on the machine's speed. For `contention` the time of each run, "
             "for `torture` of all.",
     .commands = CLI_FOR_RUN | CLI_FOR_TORTURE | CLI_FOR_CONTENTION,
     .set = set_duration,
     .offset = PLACE(experiment.seconds_max)},
    {.name = "carrier",
     .form = "NAME[:N]",
     .initial = "threads",
     .help = "threads: one each; pool:N: N worker threads",
     .more = "In rounds and turns the final loads are the same to the last bit on every carrier.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.carrier)},
    {.name = "mailbox",
     .form = "NAME[:N]",
     .initial = "slot",
     .help = "what carries a link's messages (free timing: spsc)",
     .more = "For measuring one kind against another. In free timing N is its capacity, as in spsc:4; the report says "
             "which was chosen.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.mailbox)},
    {.name = "barrier",
     .form = "NAME",
     .initial = "auto",
     .help = "how the threads meet between phases",
     .more = "For measuring; auto chooses by threads per core.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(experiment.barrier)},
    {.name = "unpinned",
     .help = "let the system move threads between cores",
     .more = "If not said, threads stay on their core, in blocks of neighbours.",
     .commands = CLI_FOR_RUN,
     .set = set_switch,
     .offset = PLACE(experiment.unpinned)},
    {.name = "seed",
     .form = "N",
     .initial = "1",
     .help = "for everything random; run r of seed s is run 0 of s + r",
     .more = "So runs 0 to 9 of seed 1 and of seed 5 overlap.",
     .commands = CLI_FOR_RUN | CLI_FOR_THEORY | CLI_FOR_TORTURE | CLI_FOR_CONTENTION,
     .set = set_whole,
     .offset = PLACE(experiment.seed),
     .minimum = 0,
     .maximum = 9000000000000000000},
    {.name = "runs",
     .form = "N",
     .initial = "1",
     .help = "so many runs, one after the other, each with its seed",
     .more = "For `contention` of each kind; for `torture` as many as fit into --for, if not said.",
     .commands = CLI_FOR_RUN | CLI_FOR_TORTURE | CLI_FOR_CONTENTION,
     .set = set_whole,
     .offset = PLACE(runs),
     .minimum = 1,
     .maximum = 1000000},
    {.name = "every",
     .form = "K",
     .initial = "1",
     .help = "the trace has every K-th step",
     .more = "In free timing every K-th snapshot. Measuring costs time; the stop criterion is tested before every "
             "operation all the same.",
     .commands = CLI_FOR_RUN,
     .set = set_whole,
     .offset = PLACE(experiment.every),
     .minimum = 1,
     .maximum = 1000000000000000000},
    {.name = "links",
     .help = "free timing: the JSON report has what each link did",
     .more =
         "For each direction of each link its messages, stalls, load, deepest mailbox and times under way. It takes "
         "18 KB for each.",
     .commands = CLI_FOR_RUN,
     .set = set_switch,
     .offset = PLACE(experiment.keep_links)},
    {.name = "no-flows",
     .help = "leave out the net flow over each link: faster",
     .commands = CLI_FOR_RUN,
     .set = set_switch,
     .offset = PLACE(experiment.no_flows)},
    {.name = "format",
     .form = "NAME",
     .initial = "table",
     .help = "table, json or csv, on standard output",
     .commands = CLI_FOR_RUN | CLI_FOR_THEORY,
     .set = set_format,
     .offset = PLACE(format)},
    {.name = "out",
     .form = "DIR",
     .help = "also write run.json, trace.csv and final.csv there",
     .more = "The directory is made; if it is there already, it must be empty.",
     .commands = CLI_FOR_RUN,
     .set = set_text,
     .offset = PLACE(out)},
    {.name = "final",
     .help = "the JSON report has the final loads",
     .commands = CLI_FOR_RUN,
     .set = set_switch,
     .offset = PLACE(final)},
    {.name = "trace",
     .help = "the JSON report has the measures at every step",
     .commands = CLI_FOR_RUN,
     .set = set_switch,
     .offset = PLACE(trace)},
    {.name = "plot",
     .form = "FILE",
     .help = "draw the variance, or what was measured: FILE.svg or FILE.png",
     .more =
         "Needs gnuplot. For `run` the variance over the steps, in free timing over time, of the first 32 runs, with "
         "the theory's slope beside it; for `contention` the messages a second.",
     .commands = CLI_FOR_RUN | CLI_FOR_CONTENTION,
     .set = set_text,
     .offset = PLACE(plot)},
    {.name = "heat",
     .help = "show the load before and after as heat maps (two dimensions)",
     .more = "Of the first run, with the table, on a topology that is a product of two dimensions.",
     .commands = CLI_FOR_RUN,
     .set = set_switch,
     .offset = PLACE(heat)},
    {.name = "quiet",
     .help = "no table and no progress: files, errors and the exit status only",
     .commands = CLI_FOR_RUN | CLI_FOR_TORTURE,
     .set = set_switch,
     .offset = PLACE(quiet)},
    {.name = "man", .help = "print the man page", .commands = CLI_FOR_HELP, .set = set_switch, .offset = PLACE(man)},
    {.name = "help", .help = "show this help", .commands = ~0u, .set = set_switch, .offset = PLACE(help)},
};

enum { OPTIONS = sizeof table / sizeof *table };
_Static_assert((int)OPTIONS <= (int)CLI_OPTION_PLACES, "struct cli_options has a place for every option");

const struct cli_option *cli_option_at(size_t index)
{
    return index < OPTIONS ? &table[index] : NULL;
}

static const char *option_name(size_t index)
{
    return index < OPTIONS ? table[index].name : NULL;
}

static void *place_of(const struct cli_option *option, struct cli_options *options)
{
    assert(option->offset < sizeof *options);
    return (char *)options + option->offset;
}

static bool set_text(const struct cli_option *option, struct cli_options *options, const char *value,
                     struct ek_error *error)
{
    if (!*value) {
        return cli_refuse(error, option->name, 0, "--%s needs a value: write --%s %s", option->name, option->name,
                          option->form);
    }
    *(const char **)place_of(option, options) = value;
    return true;
}

static bool set_switch(const struct cli_option *option, struct cli_options *options, const char *value,
                       struct ek_error *error)
{
    (void)value;
    (void)error;
    *(bool *)place_of(option, options) = true;
    return true;
}

static bool set_whole(const struct cli_option *option, struct cli_options *options, const char *value,
                      struct ek_error *error)
{
    uint64_t number = 0;
    size_t at = 0;
    bool fits = true;
    while (isdigit((unsigned char)value[at])) {
        uint64_t digit = (uint64_t)(value[at] - '0');
        fits = fits && number <= (option->maximum - digit) / 10;
        number = fits ? number * 10 + digit : 0;
        at++;
    }
    bool whole = at > 0 && !value[at];
    if (!whole || !fits || number < option->minimum) {
        return cli_refuse(error, option->name, whole ? 0 : (int)at, "--%s takes a whole number from %llu to %s",
                          option->name, (unsigned long long)option->minimum, cli_text_count(option->maximum).of);
    }
    *(uint64_t *)place_of(option, options) = number;
    return true;
}

static bool set_duration(const struct cli_option *option, struct cli_options *options, const char *value,
                         struct ek_error *error)
{
    double *seconds = place_of(option, options);
    return ek_duration_read(option->name, value, seconds, error) &&
           (*seconds > 0.0 || cli_refuse(error, option->name, 0, "--%s needs a time above 0", option->name));
}

// A number from 0 to 1.
static bool set_share(const struct cli_option *option, struct cli_options *options, const char *value,
                      struct ek_error *error)
{
    size_t length = strspn(value, "0123456789");
    length += value[length] == '.' ? 1 + strspn(value + length + 1, "0123456789") : 0;
    double share = strtod(value, NULL);
    if (length == 0 || value[length] || !isdigit((unsigned char)value[0]) || share > 1.0) {
        return cli_refuse(error, option->name, 0, "--%s takes a number from 0 to 1, as in 0.01", option->name);
    }
    *(double *)place_of(option, options) = share;
    return true;
}

static const char *format_name(size_t index)
{
    static const char *const names[] = {[CLI_TABLE] = "table", [CLI_JSON] = "json", [CLI_CSV] = "csv"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static bool set_format(const struct cli_option *option, struct cli_options *options, const char *value,
                       struct ek_error *error)
{
    for (size_t i = 0; format_name(i); i++) {
        if (strcmp(value, format_name(i)) == 0) {
            *(enum cli_format *)place_of(option, options) = (enum cli_format)i;
            return true;
        }
    }
    return cli_refuse(error, option->name, 0, "--%s takes table, json or csv", option->name);
}

// The option that `word` ("--steps" or "--steps=9") names, for this command.
static const struct cli_option *find_option(const char *word, const char *command, unsigned bit, struct ek_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (size_t i = 0; i < OPTIONS; i++) {
        if (strcmp(name, table[i].name) == 0) {
            if (!(table[i].commands & bit)) {
                cli_refuse(error, "", -1, "%s has no option --%s: see evenkeel %s --help", command, name, command);
                return NULL;
            }
            return &table[i];
        }
    }
    const char *near = ek_nearest(name, option_name);
    if (near) {
        cli_refuse(error, "", -1, "there is no option --%s; the nearest is --%s", name, near);
    } else {
        cli_refuse(error, "", -1, "there is no option --%s: see evenkeel %s --help", name, command);
    }
    return NULL;
}

// The option's value: behind '=', else the next word, which is then used up. NULL and `error` where there is none.
static const char *find_value(const struct cli_option *option, const char *word, const char *next, int *used,
                              struct ek_error *error)
{
    const char *equals = strchr(word, '=');
    if (!option->form) {
        if (equals) {
            cli_refuse(error, "", -1, "--%s takes no value", option->name);
            return NULL;
        }
        return "";
    }
    if (equals) {
        return equals + 1;
    }
    if (!next || strncmp(next, "--", 2) == 0) {
        cli_refuse(error, "", -1, "--%s needs a value: write --%s %s", option->name, option->name, option->form);
        return NULL;
    }
    (*used)++;
    return next;
}

static bool read_argument(struct cli_options *options, const char *command, const char *argument, const char *word,
                          struct ek_error *error)
{
    if (word[0] == '-') {
        return cli_refuse(error, "", -1, "'%.60s' is no option: options begin with two dashes, as in --topology", word);
    }
    if (!argument) {
        return cli_refuse(error, "", -1, "%s takes options only, as in --topology torus:8x8, not '%.60s'", command,
                          word);
    }
    if (options->argument) {
        return cli_refuse(error, "", -1, "%s takes one %s, not also '%.60s'", command, argument, word);
    }
    options->argument = word;
    return true;
}

bool cli_options_read(struct cli_options *options, const char *command, unsigned bit, const char *argument, int count,
                      char **words, struct ek_error *error)
{
    *options = (struct cli_options){.runs = 1, .experiment = {.seed = 1, .every = 1}};
    for (int used = 0; used < count; used++) {
        const char *word = words[used];
        if (strcmp(word, "-h") == 0) {
            options->help = true;
        } else if (strncmp(word, "--", 2) != 0) {
            if (!read_argument(options, command, argument, word, error)) {
                return false;
            }
        } else {
            const struct cli_option *option = find_option(word, command, bit, error);
            const char *next = used + 1 < count ? words[used + 1] : NULL;
            const char *value = option ? find_value(option, word, next, &used, error) : NULL;
            if (!value) {
                return false;
            }
            if (options->given[option - table]) {
                return cli_refuse(error, "", -1, "--%s is given twice: give it once", option->name);
            }
            options->given[option - table] = value;
            if (!option->set(option, options, value, error)) {
                return false;
            }
        }
    }
    return true;
}

bool cli_options_suppose(struct cli_options *options, const char *name, const char *value, struct ek_error *error)
{
    size_t i = 0;
    while (i < OPTIONS && strcmp(name, table[i].name) != 0) {
        i++;
    }
    assert(i < OPTIONS);
    if (options->given[i]) {
        return true;
    }
    options->given[i] = value;
    return table[i].set(&table[i], options, value, error);
}

bool cli_options_differ(const struct cli_options *options, const char *name)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        if (strcmp(name, table[i].name) == 0) {
            const char *given = options->given[i];
            return given && !(table[i].initial && strcmp(given, table[i].initial) == 0);
        }
    }
    return false;
}

const char *cli_options_text(const struct cli_options *options, const char *name)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        if (strcmp(name, table[i].name) == 0) {
            return options->given[i] ? options->given[i] : table[i].initial;
        }
    }
    return NULL;
}
