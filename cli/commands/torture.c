// SPDX-License-Identifier: MIT
// `evenkeel torture`: reads the options, and prints what lab/studies/torture.h finds.
#include <stdio.h>

#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/line/complain.h"
#include "cli/line/shared_options.h"
#include "cli/report/torture_report.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/read_file.h"
#include "lab/studies/torture.h"
#include "threads/api/report.h"

enum { WIDTH = 100, ONE_LINE = 1000 };

struct options {
    double for_s;
    uint64_t runs, seed;
    const char *failures; // NULL if not given
    enum cli_format format;
    bool quiet;
};

#define PLACE(field) offsetof(struct options, field)

static const struct cli_option own[] = {
    CLI_OPTION_FOR("1m", "the time for all runs, as in 200ms, 5s, 2m or 1h", PLACE(for_s)),
    CLI_OPTION_RUNS("1000000", "at most this many runs; --for limits their time", PLACE(runs)),
    CLI_OPTION_SEED("the seed of the first run; each run has the next seed", PLACE(seed)),
    CLI_OPTION_RECORD_FAILURES(PLACE(failures)),
    CLI_OPTION_FORMAT_WITHOUT_CSV(PLACE(format)),
    CLI_OPTION_QUIET(PLACE(quiet)),
    {0}};

struct torture {
    const struct options *options;
    struct cli_progress progress;
};

// Shows the progress before each run: after a crash the line that stays on the terminal names the run.
static void show_progress(void *context, uint64_t seed, const struct lab_torture_tally *tally)
{
    struct torture *torture = context;
    cli_progress_show(&torture->progress, tally->elapsed_s, "seed %llu: %s, %s failed, %.0f s",
                      (unsigned long long)seed, cli_text_plural(tally->done, "run").of,
                      cli_text_count(tally->failed).of, tally->elapsed_s);
}

// Prints what failed, the command that runs it again, the recording, and what the machine found.
static void complain(struct torture *torture, const struct lab_torture_run *run)
{
    cli_progress_clear(&torture->progress);
    fflush(stdout);
    fprintf(stderr, "evenkeel: status %d: %s\n  %s\n", (int)run->status, run->error->sentence, run->command);
    cli_complain_replay(run->recording);
    fputs(run->report && run->report->free.dump ? run->report->free.dump : "", stderr);
}

static bool show_run(void *context, const struct lab_torture_run *run, const struct lab_torture_tally *tally)
{
    struct torture *torture = context;
    if (run->status == EK_VIOLATION || run->status == EK_STUCK) {
        complain(torture, run);
    }
    if (torture->options->format == CLI_JSON) {
        lab_torture_write_run(stdout, run, tally->done == 1);
    }
    return !ferror(stdout);
}

static struct cli_text miss_text(const struct lab_near_miss *miss, double value)
{
    return miss->time ? cli_text_seconds(value) : cli_text_count((uint64_t)value);
}

static void print_misses(const struct lab_torture_tally *tally)
{
    cli_text_wrap(stdout, "near misses: the largest value of a run, and how many runs had a value up to each bound", 0,
                  WIDTH);
    for (size_t i = 0; i < LAB_NEAR_MISSES; i++) {
        const struct lab_near_miss *miss = &tally->misses[i];
        printf("\n  %s: ", miss->name);
        if (miss->most > 0.0) {
            printf("%s, seed %llu\n    ", miss_text(miss, miss->most).of, (unsigned long long)miss->seed);
        } else {
            fputs("none\n    ", stdout);
        }
        double end = miss->first;
        for (size_t bin = 0; bin + 1 < LAB_NEAR_MISS_BINS; bin++, end *= miss->base) {
            printf("%9s", miss_text(miss, end).of);
        }
        printf("%9s\n    ", "more");
        for (size_t bin = 0; bin < LAB_NEAR_MISS_BINS; bin++) {
            printf("%9s", miss->runs[bin] > 0 ? cli_text_count(miss->runs[bin]).of : ".");
        }
        putchar('\n');
    }
    putchar('\n');
}

static void report(const struct torture *torture, const struct lab_torture_tally *tally)
{
    if (torture->options->format == CLI_JSON) {
        lab_torture_write_end(stdout, tally);
        return;
    }
    if (!torture->options->quiet) {
        print_misses(tally);
    }
    struct cli_line verdict = {0};
    report_torture_verdict(&verdict, tally);
    cli_text_wrap(stdout, verdict.of, 0, ONE_LINE); // wraps on a terminal only
}

// Prints why runs are missing, and returns the exit status. The status of failed runs has priority.
static enum ek_status conclude(const struct lab_torture_tally *tally)
{
    struct ek_error error = {.at = -1};
    if (tally->unwritten.status != EK_OK) {
        cli_complain(&tally->unwritten);
        return tally->failed > 0 ? tally->status : EK_BAD_INPUT;
    }
    if (tally->failed > 0) {
        return tally->status;
    }
    if (tally->refused > 0) {
        base_refuse(&error, "%s of %s refused, first that of seed %llu: %.400s", cli_text_count(tally->refused).of,
                    cli_text_plural(tally->done, "run").of, (unsigned long long)tally->refused_seed,
                    tally->refusal.sentence);
        cli_complain(&error);
        return tally->refused == tally->done ? EK_BAD_INPUT : EK_OK;
    }
    if (tally->done == 0) {
        base_fail(&error, EK_UNREACHED, "", "the time was too short for a run: give a longer --for");
        return cli_complain(&error);
    }
    return EK_OK;
}

static bool read_bounds(const struct cli_call *call, struct lab_torture_bounds *bounds, struct ek_error *error)
{
    const char *given[EK_AXES_MAX] = {NULL};
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(call->command, i)).name; i++) {
        for (size_t axis = 0; option.axis && ek_axis_at(axis); axis++) {
            given[axis] = ek_axis_at(axis) == option.axis ? call->given[i] : given[axis];
        }
    }
    return lab_torture_bounds_read(bounds, given, error);
}

static enum ek_status torture(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    struct torture torture = {.options = options, .progress = cli_progress_begin(options->quiet, false)};
    struct lab_torture_request request = {.reader = cli_reader(),
                                          .seed = options->seed,
                                          .runs = options->runs,
                                          .seconds = options->for_s,
                                          .failures = options->failures,
                                          .stopped = cli_interrupt_came,
                                          .on_begin = show_progress,
                                          .on_run = show_run,
                                          .context = &torture};
    struct lab_torture_tally tally;
    struct ek_error error = {.at = -1};
    if (!read_bounds(call, &request.bounds, &error)) {
        return cli_complain(&error);
    }
    if (options->format == CLI_JSON) {
        lab_torture_write_head(stdout, options->seed, call->typed);
    }
    cli_interrupt_catch();
    lab_torture(&request, &tally);
    cli_interrupt_release();
    cli_progress_clear(&torture.progress);
    report(&torture, &tally);
    call->found->seed = options->seed + tally.done;
    lab_torture_bounds_destroy(&request.bounds);
    return conclude(&tally);
}

const struct cli_command cli_torture = {
    .name = "torture",
    .theme = CLI_THEME_TEST,
    .summary = "run random experiments until something breaks",
    .more =
        "Draws experiments from the seed: methods, topologies, ports, domains, invocations, mailboxes, delays, faults, "
        "stragglers, workloads and carriers. One in five has tasks, in any timing. Each runs for less than a second. "
        "No load may be lost or created, and "
        "each run must end. A run that fails is printed with the command that repeats it, and the exit status is 1. "
        "Run r of seed s is run 0 of seed s + r. At the end the command shows how near the runs came to their limits. "
        "An axis that is given restricts the draws to its values, as in --method ade,odf --carrier pool:2. "
        "Combinations that the machine refuses are counted. --format json lists what each seed ran.",
    .axes =
        (const char *const[]){"topology", "method", "units", "tasks", "ports", "domains", "announce", "invoke", "load",
                              "capacity", "weighting", "delay", "faults", "slow", "carrier", "mailbox", NULL},
    .lists = true,
    .drawn = true,
    .variants = (const struct cli_variant[]){{.axis = "carrier", .help = CLI_CARRIERS_WITHOUT_MPI}, {0}},
    .options = own,
    .size = sizeof(struct options),
    .act = torture};
