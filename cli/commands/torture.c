// SPDX-License-Identifier: MIT
// `evenkeel torture`: runs the experiments that torture_draw.c draws, one after the other, until one breaks or the time
// is over, and shows how near they came to their limits: a test that never comes near proves little. What this machine
// cannot carry is skipped, and counted.
#include "cli/commands/torture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/commands/commands.h"
#include "cli/commands/failure.h"
#include "cli/line/complain.h"
#include "cli/line/parse.h"
#include "cli/line/shared_options.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/read_file.h"
#include "lab/record/run_experiment.h"
#include "lab/text/clean_text.h"

enum { FAILURES_MAX = 10, WIDTH = 100, ONE_LINE = 1000 };

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
    CLI_OPTION_RUNS("1000000", "so many runs, or as many as fit into --for", PLACE(runs)),
    CLI_OPTION_SEED("the seed of the first run; each run has the next seed", PLACE(seed)),
    CLI_OPTION_RECORD_FAILURES(PLACE(failures)),
    CLI_OPTION_FORMAT_WITHOUT_CSV(PLACE(format)),
    CLI_OPTION_QUIET(PLACE(quiet)),
    {0}};

struct torture {
    const struct options *options;
    struct cli_progress progress;
    struct cli_torture_bounds bounds;
    struct timespec began;
    struct cli_torture_tally tally;
    enum ek_status status;   // a violation's, if there was one, or that of whatever failed
    struct ek_error refusal; // the first
    uint64_t refused_seed;
    struct ek_error unwritten; // of the recordings, where its status says so
    bool unsaid;               // the JSON report could not be written
};

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

static void note_miss(struct cli_torture_miss *miss, double value, uint64_t seed)
{
    if (!(value > 0.0)) { // or not measured
        return;
    }
    if (value > miss->most) {
        miss->most = value;
        miss->seed = seed;
    }
    int bin = 0;
    for (double end = miss->first; bin + 1 < CLI_TORTURE_BINS && value > end; end *= miss->base) {
        bin++;
    }
    miss->runs[bin]++;
}

static void note_run(struct torture *torture, const struct ek_report *report)
{
    const struct ek_free_report *running = &report->free;
    const double values[CLI_TORTURE_MISSES] = {(double)running->depth_most, running->stale_age.maximum,
                                               running->longest_wait, (double)running->overlap_most};
    for (size_t i = 0; i < CLI_TORTURE_MISSES; i++) {
        note_miss(&torture->tally.misses[i], values[i], report->seed);
    }
    torture->tally.operations += report->operations;
    torture->tally.messages += report->messages;
    torture->tally.audits += running->audits;
    torture->tally.faults += running->faults.link_failures + running->faults.processor_failures;
}

// Shown before each run, so that the line that stays on the screen after a crash names its seed.
static void show_progress(struct torture *torture, uint64_t seed)
{
    double elapsed_s = seconds_since(&torture->began);
    cli_progress_show(&torture->progress, elapsed_s, "seed %llu: %s, %s failed, %.0f s", (unsigned long long)seed,
                      cli_text_plural(torture->tally.done, "run").of, cli_text_count(torture->tally.failed).of,
                      elapsed_s);
}

// What went wrong, the command that does it again, where it is recorded, and what the machine found.
static void complain(struct torture *torture, const struct cli_torture *drawn, const struct ek_error *error,
                     const struct cli_failure *failure, const char *dump)
{
    cli_progress_clear(&torture->progress);
    fflush(stdout);
    torture->tally.failed++;
    torture->status = torture->status == EK_VIOLATION ? EK_VIOLATION : error->status;
    char *line = cli_torture_line(drawn);
    fprintf(stderr, "evenkeel: status %d: %s\n  %s\n", (int)error->status, error->sentence, line ? line : "");
    cli_failure_say(failure);
    fputs(dump ? dump : "", stderr);
    free(line);
}

static bool accepts(void *context, const struct ek_machine *machine, struct ek_error *error)
{
    const struct cli_failure *failure = context;
    return !failure->recording || lab_recorder_begin(failure->recording, machine, error);
}

// Runs it, with --record-failures recorded. What could not be written ends the torture.
static enum ek_status run_recorded(struct torture *torture, struct cli_torture *drawn, struct lab_run_request *order,
                                   struct cli_failure *failure, struct lab_record *record, struct ek_error *error)
{
    const char *directory = torture->options->failures;
    char *line = cli_torture_line(drawn);
    order->experiment.keep_loads = order->experiment.keep_trace = directory; // the recording's record has them
    order->loads_kept = order->traces_kept = UINT64_MAX;
    if (directory && (!line || !cli_failure_begin(failure, directory, line, &order->experiment, &torture->unwritten))) {
        torture->unwritten.status = EK_BAD_INPUT;
        free(line);
        return EK_UNREACHED; // it has not begun
    }
    enum ek_status status = lab_run(order, record, error);
    struct ek_error unwritten;
    if (failure->recording && !cli_failure_end(failure, record, status, &unwritten)) {
        torture->unwritten = unwritten;
    }
    free(line);
    return status;
}

static enum ek_status run_words(struct torture *torture, struct cli_torture *drawn, struct cli_failure *failure,
                                struct lab_record *record, struct ek_error *error)
{
    struct cli_call call = {.command = &cli_experiment};
    struct ek_experiment experiment = {0};
    char *words[CLI_TORTURE_WORDS];
    for (int i = 0; i < drawn->count; i++) {
        words[i] = drawn->word[i];
    }
    if (!cli_parse(&call, &experiment, drawn->count, words, error)) {
        return error->status;
    }
    struct lab_run_request order = {.experiment = experiment,
                                    .runs = 1,
                                    .command = "",
                                    .stopped = cli_interrupt_came,
                                    .accepts = accepts,
                                    .context = failure};
    order.experiment.reader = cli_reader();
    return run_recorded(torture, drawn, &order, failure, record, error);
}

// What the machine cannot carry, or what does not go with a bound, says nothing against the machine.
static void note_refusal(struct torture *torture, const struct ek_error *error, uint64_t seed)
{
    if (torture->tally.refused++ == 0) {
        torture->refusal = *error;
        torture->refused_seed = seed;
    }
}

static void run_one(struct torture *torture, uint64_t seed)
{
    struct cli_torture drawn;
    struct ek_error error = {.at = -1};
    struct lab_record record = {0};
    struct cli_failure failure = {0};
    cli_torture_draw(seed, &torture->bounds, &drawn);
    show_progress(torture, seed);
    enum ek_status status = run_words(torture, &drawn, &failure, &record, &error);
    if (record.count == 0 && status == EK_UNREACHED) { // interrupted before it began
        cli_failure_destroy(&failure);
        return;
    }
    const struct ek_report *run = record.count > 0 ? &record.runs[0] : NULL;
    bool first = torture->tally.done++ == 0;
    if (status == EK_OK || status == EK_UNREACHED) {
        note_run(torture, run);
    } else if (status == EK_BAD_INPUT) {
        note_refusal(torture, &error, seed);
    } else {
        complain(torture, &drawn, &error, &failure, run ? run->free.dump : NULL);
    }
    if (torture->options->format == CLI_JSON) {
        bool bad = status != EK_OK && status != EK_UNREACHED;
        torture->unsaid = !cli_torture_write_run(&drawn, seed, run, status, bad ? &error : NULL, &failure, first);
    }
    cli_failure_destroy(&failure);
    lab_record_destroy(&record);
}

static struct cli_text miss_text(const struct cli_torture_miss *miss, double value)
{
    return miss->time ? cli_text_seconds(value) : cli_text_count((uint64_t)value);
}

static void print_misses(const struct torture *torture)
{
    cli_text_wrap(stdout, "near misses: the most that a run came to, and how many runs came so far", 0, WIDTH);
    for (size_t i = 0; i < CLI_TORTURE_MISSES; i++) {
        const struct cli_torture_miss *miss = &torture->tally.misses[i];
        printf("\n  %s: ", miss->name);
        if (miss->most > 0.0) {
            printf("%s, seed %llu\n    ", miss_text(miss, miss->most).of, (unsigned long long)miss->seed);
        } else {
            fputs("none\n    ", stdout);
        }
        double end = miss->first;
        for (size_t bin = 0; bin + 1 < CLI_TORTURE_BINS; bin++) {
            printf("%9s", miss_text(miss, end).of);
            end *= miss->base;
        }
        printf("%9s\n    ", "more");
        for (size_t bin = 0; bin < CLI_TORTURE_BINS; bin++) {
            printf("%9s", miss->runs[bin] > 0 ? cli_text_count(miss->runs[bin]).of : ".");
        }
        putchar('\n');
    }
    putchar('\n');
}

static void print_verdict(const struct torture *torture)
{
    const struct cli_torture_tally *tally = &torture->tally;
    struct cli_line line = {0};
    cli_line_add(&line, "torture: %s in %.0f s, %s failed", cli_text_plural(tally->done, "run").of, tally->elapsed_s,
                 cli_text_count(tally->failed).of);
    if (tally->refused > 0) {
        cli_line_add(&line, ", %s refused", cli_text_count(tally->refused).of);
    }
    cli_line_add(&line, ": %s, %s, %s, %s, every ledger %s", cli_text_plural(tally->operations, "operation").of,
                 cli_text_plural(tally->messages, "message").of, cli_text_plural(tally->faults, "fault").of,
                 cli_text_plural(tally->audits, "audit").of,
                 tally->failed > 0 ? "but of those that failed exact" : "exact");
    cli_text_wrap(stdout, line.of, 0, ONE_LINE); // but on a terminal
}

static bool report(struct torture *torture)
{
    if (torture->options->format == CLI_JSON) {
        return cli_torture_write_end(&torture->tally);
    }
    if (!torture->options->quiet) {
        print_misses(torture);
    }
    print_verdict(torture);
    return true;
}

static void run_all(struct torture *torture)
{
    const struct options *options = torture->options;
    cli_interrupt_catch();
    while (torture->tally.done < options->runs && torture->tally.failed < FAILURES_MAX && !torture->unsaid &&
           torture->unwritten.status == EK_OK && !cli_interrupt_came() &&
           seconds_since(&torture->began) < options->for_s) {
        run_one(torture, options->seed + torture->tally.done);
    }
    cli_interrupt_release();
    cli_progress_clear(&torture->progress);
    torture->tally.elapsed_s = seconds_since(&torture->began);
}

// Violations, else what kept all of it from running.
static enum ek_status conclude(struct torture *torture, bool said)
{
    struct ek_error error = {.at = -1};
    if (!said) {
        return EK_OK; // the command's end reports that standard output failed
    }
    if (torture->unwritten.status != EK_OK) {
        cli_complain(&torture->unwritten);
    }
    if (torture->tally.failed > 0 || torture->unwritten.status != EK_OK) {
        return torture->tally.failed > 0 ? torture->status : EK_BAD_INPUT;
    }
    if (torture->tally.refused > 0) {
        bool all = torture->tally.refused == torture->tally.done;
        base_refuse(&error, "%s of %s refused, first that of seed %llu: %.400s",
                    cli_text_count(torture->tally.refused).of, cli_text_plural(torture->tally.done, "run").of,
                    (unsigned long long)torture->refused_seed, torture->refusal.sentence);
        cli_complain(&error);
        return all ? EK_BAD_INPUT : EK_OK;
    }
    if (torture->tally.done == 0) {
        base_fail(&error, EK_UNREACHED, "", "the time was too short for a run: give a longer --for");
        return cli_complain(&error);
    }
    return EK_OK;
}

static enum ek_status torture(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    struct torture torture = {
        .options = options,
        .progress = cli_progress_begin(options->quiet, false),
        .tally.misses = {{.name = "fullest mailbox, messages", .first = 1.0, .base = 2.0},
                         {.name = "oldest announcement", .time = true, .first = 1e-6, .base = 10.0},
                         {.name = "longest wait", .time = true, .first = 1e-6, .base = 10.0},
                         {.name = "most overlaps at once", .first = 1.0, .base = 2.0}},
    };
    struct ek_error error = {.at = -1};
    if (!cli_torture_bounds_read(&torture.bounds, call, &error)) {
        return cli_complain(&error);
    }
    clock_gettime(CLOCK_MONOTONIC, &torture.began);
    torture.unsaid = options->format == CLI_JSON && !cli_torture_write_head(call->typed, options->seed);
    run_all(&torture);
    bool said = !torture.unsaid && report(&torture);
    cli_torture_bounds_destroy(&torture.bounds);
    return conclude(&torture, said);
}

const struct cli_command cli_torture = {
    .name = "torture",
    .summary = "run random experiments in free timing until something breaks",
    .more =
        "Draws experiments from the seed: methods, topologies, ports, domains, invocations, mailboxes, delays, faults, "
        "stragglers, workloads and carriers. Each runs for less than a second. No load may be lost or created, and "
        "each run must end. A run that fails is printed with the command that repeats it, and the exit status is 1. "
        "Run r of seed s is run 0 of seed s + r. At the end the command shows how near the runs came to their limits. "
        "An axis that is given restricts the draws to its values, as in --method ade,odf --carrier pool:2. "
        "Combinations that the machine refuses are counted. --format json lists what each seed ran.",
    .axes = (const char *const[]){"topology", "method", "units", "ports", "domains", "announce", "invoke", "load",
                                  "capacity", "weighting", "delay", "faults", "slow", "carrier", "mailbox", NULL},
    .lists = true,
    .drawn = true,
    .variants = (const struct cli_variant[]){{.axis = "carrier", .help = CLI_CARRIERS_WITHOUT_MPI}, {0}},
    .options = own,
    .size = sizeof(struct options),
    .act = torture};
