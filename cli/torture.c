// SPDX-License-Identifier: MIT
// `evenkeel torture`: runs the experiments that torture_draw.c draws, one after the other, until one breaks or the time
// is over, and shows how near they came to their limits: a test that never comes near proves little.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/interrupt.h"
#include "cli/text.h"
#include "cli/torture.h"
#include "lab/clean.h"
#include "lab/run.h"

enum { FAILURES_MAX = 10, MISSES = 4, BINS = 8, WIDTH = 110, ONE_LINE = 1000 };

// A near miss: the largest that a run came to, over all runs. Bins by powers of `base` from `first` on.
struct miss {
    const char *name;
    bool time;
    double first, base;
    double most;
    uint64_t seed; // of the run with the most
    uint64_t runs[BINS];
};

struct torture {
    struct cli_terminal terminal; // standard error's
    struct timespec began;
    struct miss misses[MISSES];
    uint64_t done, reached, failed, operations, messages, audits, faults;
    bool shown; // a progress line
};

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

static void note_miss(struct miss *miss, double value, uint64_t seed)
{
    if (!(value > 0.0)) { // or not measured
        return;
    }
    if (value > miss->most) {
        miss->most = value;
        miss->seed = seed;
    }
    int bin = 0;
    for (double end = miss->first; bin + 1 < BINS && value > end; end *= miss->base) {
        bin++;
    }
    miss->runs[bin]++;
}

static void note_run(struct torture *torture, const struct ek_report *report, enum ek_status status)
{
    const struct ek_async_report *async = &report->async;
    const double values[MISSES] = {(double)async->depth_most, async->stale_age.maximum, async->longest_wait,
                                   (double)async->overlap_most};
    for (size_t i = 0; i < MISSES; i++) {
        note_miss(&torture->misses[i], values[i], report->seed);
    }
    torture->reached += status == EK_OK;
    torture->operations += report->operations;
    torture->messages += report->messages;
    torture->audits += async->audits;
    torture->faults += async->faults.link_failures + async->faults.processor_failures;
}

static void clear_progress(struct torture *torture)
{
    if (torture->shown) {
        fputs("\r\033[K", stderr);
        torture->shown = false;
    }
}

// Before each run, so that the line that stays on the screen after a crash names it.
static void show_progress(struct torture *torture, uint64_t seed)
{
    if (torture->terminal.is_terminal) {
        struct cli_line line = {0};
        cli_line_add(&line, "seed %llu: %s, %s failed, %.0f s", (unsigned long long)seed,
                     cli_text_plural(torture->done, "run").of, cli_text_count(torture->failed).of,
                     seconds_since(&torture->began));
        fprintf(stderr, "\r%.*s\033[K", torture->terminal.columns - 1, line.of);
        torture->shown = true;
    }
}

// What went wrong, the command that does it again, and what the machine found.
static void complain(struct torture *torture, struct cli_torture *drawn, const struct ek_error *error, const char *dump)
{
    clear_progress(torture);
    fflush(stdout);
    torture->failed++;
    fprintf(stderr, "evenkeel: status %d: %s\n  evenkeel run", (int)error->status, error->sentence);
    for (int i = 0; i < drawn->count; i++) {
        fputc(' ', stderr);
        lab_quote(stderr, drawn->word[i]);
    }
    fprintf(stderr, "\n%s", dump ? dump : "");
}

static enum ek_status run_words(struct cli_torture *drawn, struct lab_record *record, struct ek_error *error)
{
    static const struct cli_command run = {.name = "run", .options = "*"};
    struct cli_options options;
    char *words[CLI_TORTURE_WORDS];
    for (int i = 0; i < drawn->count; i++) {
        words[i] = drawn->word[i];
    }
    if (!cli_options_read(&options, &run, drawn->count, words, error)) {
        return error->status;
    }
    struct lab_order order = {
        .experiment = options.experiment, .runs = 1, .command = "", .stopped = cli_interrupt_came};
    return lab_run(&order, record, error);
}

static void run_one(struct torture *torture, uint64_t seed)
{
    struct cli_torture drawn;
    struct ek_error error = {.at = -1};
    struct lab_record record = {0};
    cli_torture_draw(seed, &drawn);
    show_progress(torture, seed);
    enum ek_status status = run_words(&drawn, &record, &error);
    if (record.count == 0 && status == EK_UNREACHED) { // interrupted before it began
        return;
    }
    torture->done++;
    if (status == EK_OK || status == EK_UNREACHED) {
        note_run(torture, &record.runs[0], status);
    } else {
        complain(torture, &drawn, &error, record.count > 0 ? record.runs[0].async.dump : NULL);
    }
    lab_record_destroy(&record);
}

static struct cli_text miss_text(const struct miss *miss, double value)
{
    return miss->time ? cli_text_seconds(value) : cli_text_count((uint64_t)value);
}

static void print_misses(const struct torture *torture)
{
    cli_text_wrap(stdout, "near misses: the most that a run came to, and how many runs came so far", 0, WIDTH);
    for (size_t i = 0; i < MISSES; i++) {
        const struct miss *miss = &torture->misses[i];
        printf("\n  %s: ", miss->name);
        if (miss->most > 0.0) {
            printf("%s, seed %llu\n    ", miss_text(miss, miss->most).of, (unsigned long long)miss->seed);
        } else {
            fputs("none\n    ", stdout);
        }
        double end = miss->first;
        for (size_t bin = 0; bin + 1 < BINS; bin++) {
            printf("%9s", miss_text(miss, end).of);
            end *= miss->base;
        }
        printf("%9s\n    ", "more");
        for (size_t bin = 0; bin < BINS; bin++) {
            printf("%9s", miss->runs[bin] > 0 ? cli_text_count(miss->runs[bin]).of : ".");
        }
        putchar('\n');
    }
    putchar('\n');
}

static void print_verdict(const struct torture *torture)
{
    struct cli_line line = {0};
    cli_line_add(&line, "torture: %s in %.0f s, %s failed: %s, %s, %s, %s, every ledger %s",
                 cli_text_plural(torture->done, "run").of, seconds_since(&torture->began),
                 cli_text_count(torture->failed).of, cli_text_plural(torture->operations, "operation").of,
                 cli_text_plural(torture->messages, "message").of, cli_text_plural(torture->faults, "fault").of,
                 cli_text_plural(torture->audits, "audit").of,
                 torture->failed > 0 ? "but of those that failed exact" : "exact");
    cli_text_wrap(stdout, line.of, 0, ONE_LINE); // but on a terminal
}

enum ek_status cli_torture(const struct cli_options *options, const char *typed)
{
    (void)typed;
    struct torture torture = {
        .terminal = cli_terminal_of(stderr),
        .misses = {{.name = "fullest mailbox, messages", .first = 1.0, .base = 2.0},
                   {.name = "oldest announcement", .time = true, .first = 1e-6, .base = 10.0},
                   {.name = "longest wait", .time = true, .first = 1e-6, .base = 10.0},
                   {.name = "most overlaps at once", .first = 1.0, .base = 2.0}},
    };
    torture.terminal.is_terminal = torture.terminal.is_terminal && !options->quiet;
    clock_gettime(CLOCK_MONOTONIC, &torture.began);
    cli_interrupt_catch();
    while (torture.done < options->runs && torture.failed < FAILURES_MAX && !cli_interrupt_came() &&
           seconds_since(&torture.began) < options->experiment.seconds_max) {
        run_one(&torture, options->experiment.seed + torture.done);
    }
    cli_interrupt_release();
    clear_progress(&torture);
    if (!options->quiet) {
        print_misses(&torture);
    }
    print_verdict(&torture);
    return torture.failed > 0 ? EK_VIOLATION : EK_OK;
}
