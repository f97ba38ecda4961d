// SPDX-License-Identifier: MIT
// What `evenkeel torture` runs: experiments in free timing, drawn from a seed and written as the words of a command
// line, so that what is run and what is printed to run it again are the same. And what it counts of them.
#ifndef CLI_COMMANDS_TORTURE_H
#define CLI_COMMANDS_TORTURE_H

#include "cli/commands/failure.h"
#include "cli/line/command.h"
#include "lab/record/record.h"
#include "lab/sweep/values.h"

enum { CLI_TORTURE_WORDS = 80, CLI_TORTURE_LETTERS = 256, CLI_TORTURE_MISSES = 4, CLI_TORTURE_BINS = 8 };

// The words behind `evenkeel run`.
struct cli_torture {
    char word[CLI_TORTURE_WORDS][CLI_TORTURE_LETTERS];
    int count;
};

// To what the draws are restricted: by axis the values that it may have; none where it is free.
struct cli_torture_bounds {
    struct lab_values values[EK_AXES_MAX];
};

// Reads them from the options that were typed: lists as those of a sweep. False and `error`, and nothing to be
// destroyed, where a list is wrong.
bool cli_torture_bounds_read(struct cli_torture_bounds *bounds, const struct cli_call *call, struct ek_error *error);
void cli_torture_bounds_destroy(struct cli_torture_bounds *bounds);

// Draws the experiment of a seed. It is the same on every machine, for the same methods and bounds. What does not go
// with a bound is drawn all the same where that is not known beforehand: then the machine refuses it.
void cli_torture_draw(uint64_t seed, const struct cli_torture_bounds *bounds, struct cli_torture *drawn);

// The line that runs it again, allocated; NULL without memory.
char *cli_torture_line(const struct cli_torture *drawn);

// A near miss: the largest that a run came to, over all runs. Bins by powers of `base` from `first` on.
struct cli_torture_miss {
    const char *name;
    bool time;
    double first, base;
    double most;
    uint64_t seed; // of the run with the most
    uint64_t runs[CLI_TORTURE_BINS];
};

struct cli_torture_tally {
    struct cli_torture_miss misses[CLI_TORTURE_MISSES];
    uint64_t done, refused, failed, operations, messages, audits, faults;
    double elapsed_s;
};

// The JSON report, piece by piece: what comes before the runs, each of them, and what comes after all. `run` is NULL
// where the experiment was refused; `failure` has the recording that was kept, if any. False where memory is short.
bool cli_torture_write_head(const char *typed, uint64_t seed);
bool cli_torture_write_run(const struct cli_torture *drawn, uint64_t seed, const struct ek_report *run,
                           enum ek_status status, const struct ek_error *error, const struct cli_failure *failure,
                           bool first);
bool cli_torture_write_end(const struct cli_torture_tally *tally);

#endif
