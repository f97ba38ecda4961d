// SPDX-License-Identifier: MIT
// `evenkeel torture`: reads the options, and prints what lab/studies/torture.h finds.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/line/commands.h"
#include "cli/line/complain.h"
#include "cli/terminal/files.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/text.h"
#include "lab/studies/torture.h"

enum { WIDTH = 100, ONE_LINE = 1000 };

struct torture {
    const struct cli_options *options;
    struct cli_terminal terminal; // standard error's
    bool shown;                   // a progress line is on the terminal
};

static void clear_progress(struct torture *torture)
{
    if (torture->shown) {
        fputs("\r\033[K", stderr);
        torture->shown = false;
    }
}

// Shows the progress before each run: after a crash the line that stays on the terminal names the run.
static void show_progress(void *context, uint64_t seed, const struct lab_torture_tally *tally)
{
    struct torture *torture = context;
    if (torture->terminal.escapes) {
        struct cli_line line = {0};
        cli_line_add(&line, "seed %llu: %s, %s failed, %.0f s", (unsigned long long)seed,
                     cli_text_plural(tally->done, "run").of, cli_text_count(tally->failed).of, tally->elapsed_s);
        fprintf(stderr, "\r%.*s\033[K", torture->terminal.columns - 1, line.of);
        torture->shown = true;
    }
}

// Prints what failed, the command that runs it again, the recording, and what the machine found.
static void complain(struct torture *torture, const struct lab_torture_run *run)
{
    clear_progress(torture);
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

static void print_verdict(const struct lab_torture_tally *tally)
{
    struct cli_line line = {0};
    cli_line_add(&line, "torture: %s in %.0f s, %s failed", cli_text_plural(tally->done, "run").of, tally->elapsed_s,
                 cli_text_count(tally->failed).of);
    if (tally->refused > 0) {
        cli_line_add(&line, ", %s refused", cli_text_count(tally->refused).of);
    }
    cli_line_add(&line, ": %s, %s, %s, %s, every ledger %s", cli_text_plural(tally->operations, "operation").of,
                 cli_text_plural(tally->messages, "message").of, cli_text_plural(tally->faults, "fault").of,
                 cli_text_plural(tally->audits, "audit").of,
                 tally->failed > 0 ? "exact except in the runs that failed" : "exact");
    cli_text_wrap(stdout, line.of, 0, ONE_LINE); // wraps on a terminal only
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
    print_verdict(tally);
}

// Prints why runs are missing, and returns the exit status: that of runs that failed comes first.
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
        base_fail(&error, EK_UNREACHED, "", "no run was made: give a longer --for");
        return cli_complain(&error);
    }
    return EK_OK;
}

static bool read_bounds(const struct cli_options *options, struct lab_torture_bounds *bounds, struct ek_error *error)
{
    const char *given[EK_AXES_MAX] = {NULL};
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        given[i] = axis->kind == EK_AXIS_TEXT ? cli_options_given(options, axis->option) : NULL;
    }
    return lab_torture_bounds_read(bounds, given, error);
}

enum ek_status cli_torture(const struct cli_options *options, const char *typed)
{
    struct torture torture = {.options = options, .terminal = cli_terminal_of(stderr)};
    struct lab_torture_request request = {.reader = cli_files_reader(),
                                          .seed = options->experiment.seed,
                                          .runs = options->runs,
                                          .seconds = options->experiment.seconds_max,
                                          .failures = options->failures,
                                          .stopped = cli_interrupt_came,
                                          .on_begin = show_progress,
                                          .on_run = show_run,
                                          .context = &torture};
    struct lab_torture_tally tally;
    struct ek_error error = {.at = -1};
    bool good = options->format != CLI_CSV || base_refuse(&error, "torture prints a table or --format json");
    if (!good || !read_bounds(options, &request.bounds, &error)) {
        return cli_complain(&error);
    }
    torture.terminal.escapes = torture.terminal.escapes && !options->quiet;
    if (options->format == CLI_JSON) {
        lab_torture_write_head(stdout, options->experiment.seed, typed);
    }
    cli_interrupt_catch();
    lab_torture(&request, &tally);
    cli_interrupt_release();
    clear_progress(&torture);
    report(&torture, &tally);
    lab_torture_bounds_destroy(&request.bounds);
    return conclude(&tally);
}
