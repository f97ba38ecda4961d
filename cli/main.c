// SPDX-License-Identifier: MIT
// evenkeel: reads the command line, hands it to its command, and sees to it that what was printed has arrived.
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/help.h"
#include "cli/text.h"
#include "lab/clean.h"

static cli_act help, version;

static const struct cli_command commands[] = {
    {.name = "run",
     .summary = "run one experiment",
     .more = "Builds the emulated machine, lets its processors balance their loads in rounds until the stop criterion "
             "holds, and reports. With --timing free there are no rounds: processors go at their own pace and balance "
             "by messages, and every snapshot of them is held against a ledger of all load. Ctrl-C, "
             "or SIGTERM, ends a run and still reports it; a second one ends at once.",
     .options = "* runs format out final trace plot heat quiet ",
     .act = cli_run},
    {.name = "sweep",
     .summary = "run many experiments into a store",
     .more =
         "Every axis takes a list: `--method ade,ode --topology ring:{8..64*2} --seed 1..20` is all combinations. A "
         "comma separates two values where what follows begins a value that `evenkeel list` knows, between numbers "
         "always; elsewhere it belongs to the value, as in list:1,2. Braces stand for several anywhere: {x,y}, or "
         "the numbers {a..b}, {a..b+s} by s, {a..b*f} each f times the one before; in quotes, for a shell has braces "
         "of its own. A run is known by its experiment "
         "and its seed, and one that the store has is not made again: a sweep that was killed goes on where it was "
         "when it is started again. What the machine refuses is listed. In rounds and turns the carrier is pool:1 "
         "if not said.",
     .lists = true,
     .options = "* runs zip file print store jobs timeout shard again dry-run trace final format quiet ",
     .act = cli_sweep},
    {.name = "show",
     .argument = "FILE",
     .summary = "show a record that run has written",
     .more = "FILE is a run.json of `run --out`, or what `run --format json` printed. It prints what `run` printed; "
             "--format, --plot and --heat as there.",
     .options = " format plot heat quiet ",
     .act = cli_show},
    {.name = "list",
     .summary = "list topologies, methods, loads, ... and what supports what",
     .more =
         "With --links the links of one topology, each with its ends, its dimension and its colour: no two links of "
         "a colour meet at a processor, and dimension exchange goes through the colours in this order.",
     .options = " topology seed links format ",
     .act = cli_list},
    {.name = "explain",
     .argument = "METHOD",
     .summary = "explain a method: equation, parameter, paper",
     .options = "",
     .act = cli_explain},
    {.name = "theory",
     .summary = "compare closed forms with exact convergence factors",
     .more =
         "The convergence factor gamma is what an operation leaves of the distance from balance in the long run; the "
         "variance shrinks by its square. Beside it: the best parameter, the operations and steps predicted until "
         "--stop "
         "holds, and the eigenvalues of the topology. Without --method it goes through ade, ode, adf, odf and fos; "
         "gde:L, diffusion:A and sender:C have a factor too, where all processors share their number. With one "
         "--method "
         "it adds what else is known beforehand, as with --work and --operations the expected variance.",
     .options = " topology method units ports timing clock invoke load work capacity weighting link-limit delay stop "
                "steps operations seed format ",
     .initial = {{"method", NULL}},
     .act = cli_theory},
    {.name = "torture",
     .summary = "run free-running experiments at random until something breaks",
     .more = "Draws experiments from the seed, over methods, topologies, ports, domains, invocations, mailboxes, "
             "delays, faults, stragglers, workloads and carriers, and runs each for less than a second. Nothing may be "
             "lost, nothing may come from nowhere, and each must end by itself: whatever does not is printed with the "
             "command that runs it again, and the exit status is 1. Run r of seed s is run 0 of seed s + r. At the end "
             "it shows how near the runs came to their limits.",
     .options = " for seed runs quiet ",
     .initial = {{"for", "1m"}, {"runs", "1000000"}},
     .act = cli_torture},
    {.name = "contention",
     .summary = "measure what threads, mailboxes, barriers, ports and pinning cost",
     .more = "Runs one free-running experiment again and again, changing one thing at a time: threads for each core, "
             "mailbox and its capacity, ports, pinning; and in rounds the barrier. Each number is the median of the "
             "runs, beside it its ratio to the first line's.",
     .options = " topology method for seed runs plot ",
     .initial = {{"method", "adf"}, {"topology", "torus:16x16"}, {"for", "1s"}, {"runs", "3"}},
     .act = cli_contention},
    {.name = "doctor",
     .summary = "say what this computer allows: cores, threads, memory, programs",
     .options = "",
     .act = cli_doctor},
    {.name = "help", .argument = "COMMAND", .summary = "show help for a command", .options = " man ", .act = help},
    {.name = "version", .summary = "print the version", .options = "", .act = version},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct cli_command *command_at(size_t index)
{
    return index < COMMANDS ? &commands[index] : NULL;
}

static const char *command_name(size_t index)
{
    return command_at(index) ? command_at(index)->name : NULL;
}

static const struct cli_command *find_command(const char *name, struct ek_error *error)
{
    for (size_t i = 0; command_at(i); i++) {
        if (strcmp(name, command_at(i)->name) == 0) {
            return command_at(i);
        }
    }
    const char *near = ek_nearest(name, command_name);
    if (near) {
        cli_refuse(error, "", -1, "there is no command '%.60s'; the nearest is '%s'", name, near);
    } else {
        cli_refuse(error, "", -1, "there is no command '%.60s': evenkeel help lists them", name);
    }
    return NULL;
}

static enum ek_status version(const struct cli_options *options, const char *typed)
{
    (void)options;
    (void)typed;
    printf("evenkeel %s\n", ek_version());
    return EK_OK;
}

static enum ek_status help(const struct cli_options *options, const char *typed)
{
    (void)typed;
    struct ek_error error = {.at = -1};
    const struct cli_command *command = options->argument ? find_command(options->argument, &error) : NULL;
    if (options->argument && !command) {
        return cli_complain(&error, NULL);
    }
    if (options->man) {
        cli_help_man(commands, COMMANDS);
    } else if (command) {
        cli_help_command(command);
    } else {
        cli_help_overview(commands, COMMANDS);
    }
    return EK_OK;
}

// A standard stream that is closed would be the next file that is opened: give its number to one that fails instead.
static void hold_standard_streams(void)
{
    for (int stream = 0; stream <= 2; stream++) {
        if (fcntl(stream, F_GETFD) < 0) {
            (void)!open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
        }
    }
}

// The command line as it has to be typed to run it again; allocated.
static char *quote_line(int count, char **words)
{
    char *line = NULL;
    size_t length;
    FILE *out = open_memstream(&line, &length);
    if (!out) {
        return NULL;
    }
    fputs("evenkeel", out);
    for (int i = 1; i < count; i++) {
        fputc(' ', out);
        lab_quote(out, words[i]);
    }
    return fclose(out) == 0 ? line : NULL;
}

static enum ek_status act(const struct cli_command *command, int count, char **words)
{
    struct ek_error error = {.at = -1};
    struct cli_options options;
    if (!cli_options_read(&options, command, count - 2, words + 2, &error)) {
        return cli_complain(&error, cli_options_text(&options, error.axis));
    }
    if (options.help) {
        cli_help_command(command);
        return EK_OK;
    }
    for (size_t i = 0; i < CLI_COMMAND_INITIALS && command->initial[i].option; i++) {
        if (command->initial[i].value &&
            !cli_options_suppose(&options, command->initial[i].option, command->initial[i].value, &error)) {
            return cli_complain(&error, command->initial[i].value);
        }
    }
    char *typed = quote_line(count, words);
    if (!typed) {
        cli_refuse(&error, "", -1, "there is no memory for the command line");
        return cli_complain(&error, NULL);
    }
    enum ek_status status = command->act(&options, typed);
    free(typed);
    return status;
}

int main(int count, char **words)
{
    hold_standard_streams();
    setlocale(LC_CTYPE, "");
    struct ek_error error = {.at = -1};
    if (count < 2) {
        cli_refuse(&error, "", -1, "give a command, as in evenkeel run; evenkeel help lists them");
        return (int)cli_complain(&error, NULL);
    }
    const char *name = words[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        name = "help";
    } else if (strcmp(name, "--version") == 0) {
        name = "version";
    }
    const struct cli_command *command = find_command(name, &error);
    enum ek_status status = command ? act(command, count, words) : cli_complain(&error, NULL);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_refuse(&error, "", -1, "standard output could not be written (%s)", strerror(errno));
        status = cli_complain(&error, NULL);
    }
    return (int)status;
}
