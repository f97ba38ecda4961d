// SPDX-License-Identifier: MIT
// evenkeel: reads the command line, hands it to its command, and sees to it that what was printed has arrived.
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/line/output_clash.h"
#include "cli/line/commands.h"
#include "cli/line/complain.h"
#include "cli/line/completion.h"
#include "cli/line/help.h"
#include "cli/line/manual.h"
#include "cli/line/plugin.h"
#include "cli/commands/run_ranks.h"
#include "cli/terminal/text.h"
#include "cli/line/lookup.h"
#include "lab/text/clean_text.h"
#include "lab/text/memory_stream.h"

static cli_act help, version;

// Only run and sweep have ranks of MPI.
#define ONE_COMPUTER "threads: one each; pool:N: N worker threads"

static const struct cli_command commands[] = {
    {.name = "run",
     .summary = "run one experiment",
     .more = "Builds the emulated machine, lets its processors balance their loads in rounds until the stop criterion "
             "holds, and reports. With --timing free there are no rounds: processors go at their own pace and balance "
             "by messages, and every snapshot of them is held against a ledger of all load. Ctrl-C, "
             "or SIGTERM, ends a run and still reports it; a second one ends at once.",
     .options = "* runs format out final trace plot plot-script record record-failures heat live quiet plugin ",
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
     .initial = {{"carrier", NULL}},
     .said = {{"carrier", NULL, "pool:N, threads or mpi:N [pool:1, in free timing threads]"},
              {"final", NULL, "the records in the store have the final loads"},
              {"trace", NULL, "the records in the store have the measures at every step"},
              {"plot", NULL, "draw --y over --x, or --trace-of: .svg, .pdf or .png"}},
     .options =
         "* runs zip file print store plugin jobs timeout shard again dry-run trace final format plot plot-script x y "
         "trace-of group interval log quiet ",
     .act = cli_sweep},
    {.name = "show",
     .argument = "FILE",
     .summary = "show a record that run has written",
     .more = "FILE is a run.json of `run --out`, or what `run --format json` printed. It prints what `run` printed; "
             "--format, --plot and --heat as there.",
     .options = " format plot plot-script heat quiet ",
     .act = cli_show},
    {.name = "report",
     .argument = "FILE...",
     .several = true,
     .summary = "make a page of HTML from records, stores, recordings: curves, maps, tables",
     .more = "Each FILE is a record, as for `show`; a store of `sweep`, whose runs come together by experiment; a "
             "recording of `run --record`; or what `contention --format json` printed. The page that --out names needs "
             "nothing else and no network: it shows means and curves beside theory, the loads over the topology, "
             "moment by moment if the run had --frames, what the links carried if it had --links, waits and latencies "
             "of free timing, of a recording operations, how they overlap, and parcels on a time line, of contention "
             "costs with their intervals, and all numbers as tables and CSV.",
     .options = " out plugin ",
     .said = {{"out", "FILE", "the page of HTML that is made"}},
     .act = cli_report},
    {.name = "replay",
     .argument = "FILE",
     .summary = "make a recorded run again, turn by turn",
     .more =
         "FILE is what `run --record` has written. The run is made again on one thread, to the last bit, held against "
         "its record, and printed as `run` did. With --from, --to or --show it prints in words what happens in each "
         "turn; with --until how the loads are after a turn; with --every N the measures after each so many-th turn, "
         "in JSON and CSV; with --overlaps how operations overlapped, and what each sphere of them did to the "
         "variance; with --then the run goes on otherwise. A turn is one processor's: it takes what has come, and "
         "acts. Status 0, also where the "
         "recording is cut off; 1 where the run violates an invariant, 2 where it cannot be made again.",
     .options = " from to show until then turns record every overlaps timeline format final trace heat quiet plugin ",
     .initial = {{"every", NULL}},
     .said = {{"every", NULL, "the measures after each K-th turn, in JSON and CSV"},
              {"overlaps", NULL, "how operations overlapped, and what that did to the variance"},
              {"record", NULL, "with --then: write down the whole of it, from the first turn on"},
              {"turns", NULL, "with --then: it is told to end after so many turns [10000]"}},
     .act = cli_replay},
    {.name = "explore",
     .summary = "make many schedules of a free run, each checked at every turn",
     .more =
         "Runs the engine of free timing on one thread and in virtual time: the strategy says who has its next turn, "
         "and which messages it sees, --schedules times. After every turn it is held against the run that nothing "
         "is lost, made or overtaken, that nobody holds less than nothing or waits for what cannot come, and that "
         "the protocol is kept; and that every schedule ends. A schedule that fails is made smaller (processors, "
         "loads, turns) and recorded in --record, for `replay`; where none fails, the first that got too long is. "
         "Everything follows from the seed: the same seed has "
         "the same log, of which the SHA-256 is printed. It says which pairs of a port's state and a message that "
         "came were met, and which never. Status 1 where a schedule fails, 3 where none was made in time.",
     .timings = EK_IN_FREE,
     .options = "* strategy schedules turns jobs record format quiet plugin ",
     .initial = {{"timing", "free"}, {"topology", "ring:8"}, {"record", "explore.ek"}},
     .said = {{"timing", NULL, "free alone has schedules"},
              {"for", NULL, "as many schedules as fit into 200ms, 5s, 2m or 1h"},
              {"carrier", NULL, ONE_COMPUTER},
              {"record", NULL, "where the schedule that fails is recorded, or else the first that got too long"}},
     .act = cli_explore},
    {.name = "list",
     .argument = "OPTION",
     .optional = true,
     .summary = "list topologies, methods, loads, ... and what supports what",
     .more = "OPTION restricts it to the values of one, as in `list methods`. With --links the links of one topology, "
             "each with its ends, its dimension and its colour: no two links of "
             "a colour meet at a processor, and dimension exchange goes through the colours in this order.",
     .options = " topology seed links format plugin ",
     .said = {{"topology", NULL, "with --links: of which topology"},
              {"links", NULL, "print the links of --topology, with their dimensions and colours"},
              {"seed", NULL, "with --links: of a random topology"}},
     .act = cli_list},
    {.name = "explain",
     .argument = "WORD",
     .explains = true,
     .summary = "explain a method: equation, parameter, paper; or an option, or a value",
     .more = "WORD is a method (ade), an option (topology) or one of its values (torus, slot, peak:6400).",
     .options = " plugin ",
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
                "steps operations seed format plugin ",
     .initial = {{"method", NULL}},
     .act = cli_theory},
    {.name = "torture",
     .summary = "run free-running experiments at random until something breaks",
     .more = "Draws experiments from the seed, over methods, topologies, ports, domains, invocations, mailboxes, "
             "delays, faults, stragglers, workloads and carriers, and runs each for less than a second. Nothing may be "
             "lost, nothing may come from nowhere, and each must end by itself: whatever does not is printed with the "
             "command that runs it again, and the exit status is 1. Run r of seed s is run 0 of seed s + r. At the end "
             "it shows how near the runs came to their limits. An option that names an axis restricts the draws to its "
             "values, as in --method ade,odf --carrier pool:2; what then does not go together is refused and counted. "
             "--format json says what each seed ran.",
     .options = " for seed runs quiet format record-failures topology method units ports domains announce invoke load "
                "capacity weighting delay faults slow carrier mailbox ",
     .initial = {{"for", "1m"}, {"runs", "1000000"}},
     .said = {{"for", NULL, "so long in all, as in 200ms, 5s, 2m or 1h"},
              {"runs", NULL, "so many runs, or as many as fit into --for"},
              {"carrier", NULL, ONE_COMPUTER}},
     .drawn = true,
     .act = cli_torture},
    {.name = "rank",
     .summary = "run all methods on one graph and load, and say which is best",
     .more =
         "Runs every method that applies, or those of --method, with the same seeds until the same --stop, and puts "
         "them in the order of what --by names. Beside it stand an interval over the --runs, what theory predicts, "
         "and why the first is first. If --stop is not said it is variance:1, in tokens neighbours:1. Methods with "
         "a parameter have that of their example; others are named, as in --method ode,gde:{0.5..0.9+0.1}.",
     .options = "* runs by format plugin quiet ",
     .initial = {{"method", NULL}, {"stop", NULL}, {"units", NULL}, {"carrier", "pool"}},
     .said = {{"carrier", NULL, ONE_COMPUTER}},
     .act = cli_rank},
    {.name = "contention",
     .summary = "measure what threads, mailboxes, barriers, ports and pinning cost",
     .more = "Runs one free-running experiment again and again, changing one thing at a time: threads for each core, "
             "mailbox and its capacity, ports, pinning, carrier; and in rounds the barrier. --topology, --method, "
             "--mailbox, --ports and --carrier take lists, as in --carrier threads,pool:2: the first value is the "
             "base's, and only what has a list is varied. All runs go in turn, back and forth, and between them the "
             "computer's own limits are measured. Each number is a mean, with the interval that it is in; where the "
             "ratio to the base may as well be 1 there is no difference to be seen. Of twenty that differ in nothing "
             "one shows a difference all the same.",
     .options = " topology method mailbox ports carrier for seed runs format plot plot-script vary baseline plugin ",
     .initial =
         {{"method", "adf"}, {"topology", "torus:16x16"}, {"mailbox", "spsc:4"}, {"for", "500ms"}, {"runs", "5"}},
     .said = {{"for", NULL, "each run so long, as in 200ms, 5s, 2m or 1h"},
              {"runs", NULL, "so many runs of each kind"},
              {"carrier", NULL, ONE_COMPUTER},
              {"plot", NULL, "draw the messages a second: .svg, .pdf or .png"}},
     .act = cli_contention},
    {.name = "results",
     .argument = "merge",
     .optional = true,
     .several = true,
     .summary = "ask a store of runs: lists, means, comparisons, averaged traces, pictures",
     .more =
         "Lists the runs of --store that --where holds of; with --group it shows the mean of each column in each "
         "group, with how far it may be off; with --compare what a second set of runs does to each column, seed by "
         "seed; with --trace-of the traces' average. --format csv has the columns of `run --format csv`, json an "
         "object a line. `results merge INTO FROM...` adds the runs of other stores to INTO: of one that both have, "
         "the later stays.",
     .options = " store where columns group compare trace-of interval x y log format plot plot-script quiet ",
     .said = {{"plot", NULL, "draw --y over --x, or --trace-of: .svg, .pdf or .png"}},
     .act = cli_results},
    {.name = "papers",
     .argument = "CLAIM",
     .several = true,
     .summary = "try what the papers claim: every system, equation, theorem, figure, table",
     .more =
         "CLAIM is a claim (xu-52), a paper (xu, dde, liquid, otis, delays) or a kind (figure); --all is all of "
         "them, --list says what there is. Each claim is tried by runs that anybody could make, which --store "
         "keeps: so what was interrupted goes on. From the runs follows whether it holds, holds when mended, fails, "
         "or cannot be decided, and why; --seed takes other seeds. docs/papers.md says how claims are written.",
     .options = " all list quick again seed store jobs format report quiet ",
     .initial = {{"store", "papers.sqlite"}},
     .said = {{"seed", NULL, "other seeds than those of the claims, for all of them"}},
     .act = cli_papers},
    {.name = "doctor",
     .summary = "say what this computer allows: cores, threads, memory, programs",
     .options = " format ",
     .act = cli_doctor},
    {.name = "help",
     .argument = "WORD",
     .optional = true,
     .explains = true,
     .summary = "show help for a command, or what explain says",
     .options = " man completion ",
     .act = help},
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

static const struct cli_command *command_named(const char *name)
{
    size_t i = 0;
    while (command_at(i) && strcmp(name, command_at(i)->name) != 0) {
        i++;
    }
    return command_at(i);
}

static const struct cli_command *find_command(const char *name, struct ek_error *error)
{
    const struct cli_command *command = command_named(name);
    if (!command) {
        const char *near = ek_nearest(name, command_name);
        base_refuse(error, "there is no command '%.60s'%s%s%s", name, near ? "; the nearest is '" : "",
                    near ? near : ": evenkeel help lists them", near ? "'" : "");
    }
    return command;
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
    const struct cli_command *command = options->argument ? command_named(options->argument) : NULL;
    if (options->completion) {
        return cli_completion(options->completion, commands, COMMANDS, &error) ? EK_OK : cli_complain(&error);
    }
    if (options->man) {
        cli_manual(commands, COMMANDS);
    } else if (command) {
        cli_help_command(command);
    } else if (!options->argument) {
        cli_help_overview(commands, COMMANDS);
    } else if (!cli_word_explain(options->argument, &error)) {
        if (ek_nearest(options->argument, command_name)) { // rather a slip in a command's name
            find_command(options->argument, &error);
        }
        return cli_complain(&error);
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
    struct lab_stream line;
    bool begun = lab_stream_begin(&line);
    if (begun) {
        fputs("evenkeel", line.out);
    }
    for (int i = 1; begun && i < count; i++) {
        fputc(' ', line.out);
        lab_shell_quote(line.out, words[i]);
    }
    return lab_stream_end(&line);
}

static enum ek_status act(const struct cli_command *command, int count, char **words)
{
    struct ek_error error = {.at = -1};
    struct cli_options options;
    if (!cli_options_read(&options, command, count - 2, words + 2, &error)) {
        return cli_complain(&error);
    }
    if (options.help) {
        cli_help_command(command);
        return EK_OK;
    }
    if (!cli_plugin_load(options.plugin, &error)) {
        return cli_complain(&error);
    }
    for (size_t i = 0; i < CLI_COMMAND_INITIALS && command->initial[i].option; i++) {
        if (command->initial[i].value &&
            !cli_options_suppose(&options, command->initial[i].option, command->initial[i].value, &error)) {
            return cli_complain(&error);
        }
    }
    if (!cli_apart(&options, command, &error)) {
        return cli_complain(&error);
    }
    char *typed = quote_line(count, words);
    if (!typed) {
        base_refuse(&error, "there is no memory for the command line");
        return cli_complain(&error);
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
        base_refuse(&error, "give a command, as in evenkeel run; evenkeel help lists them");
        return (int)cli_complain(&error);
    }
    bool hushed = cli_ranks_hush(count, words);
    const char *name = words[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        name = "help";
    } else if (strcmp(name, "--version") == 0) {
        name = "version";
    }
    const struct cli_command *command = find_command(name, &error);
    enum ek_status status = command ? act(command, count, words) : cli_complain(&error);
    if (hushed && !cli_ranks_joined()) {
        return (int)cli_ranks_stay_behind(status);
    }
    bool arrived = fflush(stdout) == 0 && !ferror(stdout);
    if (!arrived && status != EK_BAD_INPUT) { // else it has been said
        base_refuse(&error, "standard output could not be written (%s)", strerror(errno));
        status = cli_complain(&error);
    }
    return (int)status;
}
