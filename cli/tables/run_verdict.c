// SPDX-License-Identifier: MIT
#include "cli/tables/run_verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tables/run_table_objects.h"
#include "cli/tables/run_table_tasks.h"
#include "threads/api/report.h"

// How a run ended, from best to gravest. Only OUT_OF_REACH proves that a run can never reach its aim.
enum outcome { BALANCED, ENDED, CUT, GIVEN_UP, OUT_OF_REACH, DIVERGED, WITHOUT_RESULT, OUTCOMES };

static bool has_no_criterion(const struct lab_record *record)
{
    return strcmp(lab_record_axis(record, "stop"), "never") == 0;
}

static enum outcome outcome_of(const struct lab_record *record, const struct ek_report *run)
{
    static const enum outcome missed[] = {[EK_ENDED_CRITERION] = CUT,
                                          [EK_ENDED_ITSELF] = OUT_OF_REACH,
                                          [EK_ENDED_STEPS] = CUT,
                                          [EK_ENDED_OPERATIONS] = CUT,
                                          [EK_ENDED_TIME] = CUT,
                                          [EK_ENDED_INTERRUPT] = CUT,
                                          [EK_ENDED_FROZEN] = OUT_OF_REACH,
                                          [EK_ENDED_REPEATS] = OUT_OF_REACH,
                                          [EK_ENDED_DIVERGES] = DIVERGED,
                                          [EK_ENDED_GIVEN_UP] = GIVEN_UP,
                                          [EK_ENDED_STUCK] = WITHOUT_RESULT,
                                          [EK_ENDED_VIOLATION] = WITHOUT_RESULT,
                                          [EK_ENDED_DONE] = CUT};
    enum outcome outcome = missed[run->ended];
    bool whole = outcome < DIVERGED && run->ended != EK_ENDED_INTERRUPT;
    return run->converged ? BALANCED : has_no_criterion(record) && whole ? ENDED : outcome;
}

// Returns the length of a run as tables count it: in steps, or in operations in free timing.
static uint64_t length_of(const struct ek_report *run)
{
    return run->timed ? run->operations : run->steps;
}

static bool is_computed(const struct lab_record *record)
{
    return record->runs[0].has_windows;
}

// In free timing a snapshot sees the criterion some time after it was reached. In virtual time the end of a window
// does.
static const char *reached_when(const struct lab_record *record)
{
    return record->runs[0].timed && !is_computed(record) ? "within" : "after";
}

static const char *unit_of(const struct lab_record *record)
{
    return record->runs[0].timed ? "operation" : "step";
}

static bool ends_by_itself(const struct lab_record *record)
{
    return strcmp(lab_record_axis(record, "stop"), "its own end") == 0;
}

// Returns the aim of the runs: the criterion, the balance that a direct method promises, or the end of another method
// that ends by itself.
static struct cli_text aim_of(const struct lab_record *record)
{
    const bool own = ends_by_itself(record);
    struct cli_text aim;
    snprintf(aim.of, sizeof aim.of,
             !own                                                      ? "%.60s"
             : record->method.direct && !record->runs[0].has_estimates ? "the balance that %.40s promises"
                                                                       : "the end of %.40s",
             own ? record->method.spec : lab_record_axis(record, "stop"));
    return aim;
}

// Adds how a single run ended.
static void add_outcome(struct cli_line *line, const struct lab_record *record, enum outcome outcome)
{
    const struct ek_report *run = &record->runs[0];
    const struct cli_text aim = aim_of(record);
    struct cli_text length = cli_text_plural(length_of(run), unit_of(record));
    if (lab_record_shows_virtual(record)) {
        snprintf(length.of, sizeof length.of, "%.40s (%.16s of virtual time)",
                 cli_text_plural(length_of(run), unit_of(record)).of, cli_text_seconds(run->virtual_s).of);
    }
    switch (outcome) {
    case BALANCED:
        cli_line_add(line, "%s was reached %s %s", aim.of, reached_when(record), length.of);
        break;
    case ENDED:
        cli_line_add(line, "the run ended after %s and had no criterion", length.of);
        break;
    case GIVEN_UP:
        cli_line_add(line, "%s was not reached within %s", aim.of, length.of);
        break;
    case OUT_OF_REACH:
        cli_line_add(line,
                     run->ended == EK_ENDED_ITSELF ? "%s was not reached: the method ended by itself after %s"
                                                   : "%s is out of reach: the run came as far as it can within %s",
                     aim.of, length.of);
        break;
    case DIVERGED:
        cli_line_add(line, "the loads diverged within %s, so the other numbers mean nothing", length.of);
        break;
    case WITHOUT_RESULT:
        cli_line_add(line, "the run failed after %s, so its numbers are no result", length.of);
        break;
    default:
        cli_line_add(line, "the run was %s after %s", run->ended == EK_ENDED_INTERRUPT ? "interrupted" : "cut",
                     length.of);
        if (!has_no_criterion(record)) {
            cli_line_add(line, ", before %s was reached", aim.of);
        }
    }
}

// Adds the distance from balance before and after a single run, and the spread if all loads are to be equal.
static void add_left(struct cli_line *line, const struct lab_record *record)
{
    const struct ek_report *run = &record->runs[0];
    if (isnan(run->error_final)) { // a record of an early version
        return;
    }
    if (run->error_final == run->error_initial) {
        cli_line_add(line, "; the distance from balance is %.4g as at the start", run->error_final);
    } else {
        cli_line_add(line, "; the distance from balance %s from %.4g to %.4g",
                     run->error_final < run->error_initial ? "fell" : "rose", run->error_initial, run->error_final);
    }
    if (!lab_record_given(record, "capacity")) {
        cli_line_add(line, ", with a spread of %.4g", run->spread_final);
    }
}

static const char *limit_that_cut(const struct ek_report *run)
{
    return run->ended == EK_ENDED_TIME         ? "a longer --for"
           : run->ended == EK_ENDED_OPERATIONS ? "more --operations"
           : run->ended == EK_ENDED_INTERRUPT  ? "the same command to its end"
                                               : "more --steps";
}

// Returns whether a run that was cut gives reason to doubt that it would balance at all.
static bool may_not_balance(const struct lab_record *record, const struct ek_report *run)
{
    const struct ek_theory *theory = &record->theory;
    return run->hopeless || run->error_final >= run->error_initial || (theory->has_exact && theory->gamma_exact >= 1.0);
}

// Returns whether the loads fulfilled the criterion at the start of every run, so that nothing was balanced.
static bool began_balanced(const struct lab_record *record)
{
    bool began = true;
    for (size_t r = 0; r < record->count; r++) {
        began = began && record->runs[r].converged && length_of(&record->runs[r]) == 0;
    }
    return began;
}

// Adds whether the numbers depend on this computer, if they have a meaning.
static void add_repeatable(struct cli_line *line, const struct lab_record *record, enum outcome outcome,
                           const struct ek_report *run)
{
    if (is_computed(record) && outcome < WITHOUT_RESULT && run->ended != EK_ENDED_INTERRUPT) {
        cli_line_add(line, "; the same command repeats %s exactly", record->count > 1 ? "these runs" : "this run");
    } else if (run->timed && !is_computed(record) && outcome < DIVERGED) {
        cli_line_add(line, "; these loads and messages are real, but their order, number and times depend on this "
                           "computer");
    }
}

// Adds what the user can try next. `run` is a run with this outcome.
static void add_next(struct cli_line *line, const struct lab_record *record, enum outcome outcome,
                     const struct ek_report *run)
{
    static const char *const advice[OUTCOMES] = {
        [GIVEN_UP] = "this is no proof: give --steps, --operations or --for to go on",
        [OUT_OF_REACH] = "try another --method or parameter, or a --stop that this state fulfils",
        [DIVERGED] = "try a smaller parameter or another --method",
        [WITHOUT_RESULT] = "the message on standard error names the cause",
        [ENDED] = "give --stop to learn when it balances"};
    bool work = lab_record_given(record, "work");
    if (outcome == CUT && work && run->ended != EK_ENDED_INTERRUPT) {
        cli_line_add(line,
                     "; the workload goes on, so more steps alone may not help: a weaker --stop may, and --window "
                     "shows the bounds of the loads");
    } else if (outcome == CUT && may_not_balance(record, run)) {
        cli_line_add(line, "; more steps alone may not help: try another --method or parameter");
    } else if (outcome == CUT) {
        cli_line_add(line, "; try %s", limit_that_cut(run));
    } else if (outcome == BALANCED && run->has_estimates) {
        cli_line_add(line, "; its estimates balance, not the loads");
    } else if (outcome == BALANCED && ends_by_itself(record) && !record->method.direct) {
        cli_line_add(line, "; this method promises no balance: give --stop to learn whether it balances");
    } else if (outcome == BALANCED && began_balanced(record)) {
        cli_line_add(line, "; the loads fulfilled it at the start: choose another --load, or a stronger --stop");
    } else if (work && outcome == BALANCED) {
        cli_line_add(line, "; the workload goes on, so this is true of that moment only");
    } else if (work && outcome == ENDED) {
        cli_line_add(line, "; --window shows the bounds of the loads meanwhile");
    } else if (outcome == GIVEN_UP && run->timed) {
        cli_line_add(line, "; this is no proof: give --operations or --for to go on");
    } else if (outcome != BALANCED) {
        bool itself = outcome == OUT_OF_REACH && run->ended == EK_ENDED_ITSELF;
        cli_line_add(line, "; %s", advice[itself ? WITHOUT_RESULT : outcome]);
    }
    add_repeatable(line, record, outcome, run);
}

// The runs of a record, counted by outcome. The lengths are those of the runs that reached their aim.
struct tally {
    uint64_t count[OUTCOMES], shortest, longest;
    const struct ek_report *first[OUTCOMES]; // the first run with this outcome
    double error_most;                       // of the runs whose numbers have a meaning; NaN if there are none
};

static struct tally count_runs(const struct lab_record *record)
{
    struct tally tally = {.shortest = UINT64_MAX, .error_most = NAN};
    for (size_t r = 0; r < record->count; r++) {
        const struct ek_report *run = &record->runs[r];
        enum outcome outcome = outcome_of(record, run);
        tally.first[outcome] = tally.count[outcome]++ == 0 ? run : tally.first[outcome];
        if (outcome == BALANCED) {
            tally.shortest = length_of(run) < tally.shortest ? length_of(run) : tally.shortest;
            tally.longest = length_of(run) > tally.longest ? length_of(run) : tally.longest;
        }
        if (outcome < DIVERGED) {
            tally.error_most = fmax(tally.error_most, run->error_final);
        }
    }
    return tally;
}

// Adds how many of several runs reached their aim, and in how many steps.
static void add_reached(struct cli_line *line, const struct lab_record *record, const struct tally *tally)
{
    const char *unit = unit_of(record), *when = reached_when(record);
    const uint64_t reached = tally->count[BALANCED];
    if (record->count < record->runs_asked) {
        cli_line_add(line, "%s of %s began: ", cli_text_count(record->count).of,
                     cli_text_plural(record->runs_asked, "run").of);
    }
    if (has_no_criterion(record)) {
        cli_line_add(line, "%s ended and had no criterion", cli_text_plural(tally->count[ENDED], "run").of);
        return;
    }
    cli_line_add(line, "%s of %s reached %s", cli_text_count(reached).of, cli_text_plural(record->count, "run").of,
                 aim_of(record).of);
    if (reached > 0 && tally->shortest == tally->longest) {
        cli_line_add(line, ", %s%s %s", reached > 1 ? "each " : "", when, cli_text_plural(tally->longest, unit).of);
    } else if (reached > 0) {
        cli_line_add(line, ", %s %s to %s", when, cli_text_count(tally->shortest).of,
                     cli_text_plural(tally->longest, unit).of);
    }
}

static void add_others(struct cli_line *line, const struct tally *tally)
{
    static const char *const what[OUTCOMES] = {[CUT] = "cut",
                                               [GIVEN_UP] = "given up",
                                               [OUT_OF_REACH] = "at rest or in a cycle before",
                                               [DIVERGED] = "diverged",
                                               [WITHOUT_RESULT] = "failed"};
    for (enum outcome o = CUT; o < OUTCOMES; o++) {
        if (tally->count[o] > 0) {
            cli_line_add(line, ", %s %s", cli_text_count(tally->count[o]).of, what[o]);
        }
    }
}

static void add_several(struct cli_line *line, const struct lab_record *record)
{
    const struct tally tally = count_runs(record);
    enum outcome gravest = WITHOUT_RESULT;
    while (tally.count[gravest] == 0) {
        gravest--;
    }
    add_reached(line, record, &tally);
    add_others(line, &tally);
    if (!isnan(tally.error_most)) {
        cli_line_add(line, "; the largest distance from balance left is %.4g", tally.error_most);
    }
    if (tally.count[CUT] + tally.count[GIVEN_UP] > 0 && !has_no_criterion(record)) {
        cli_line_add(line, "; the means of operations and steps include cut runs, so they are too low");
    }
    add_next(line, record, gravest, tally.first[gravest]);
}

void report_run_verdict(struct cli_line *line, const struct lab_record *record)
{
    if (record->runs[0].has_tasks) {
        report_tasks_verdict(line, record);
        return;
    }
    if (record->runs[0].has_objects) {
        report_objects_verdict(line, record);
        return;
    }
    if (record->count > 1 || record->runs_asked > 1) {
        add_several(line, record);
        return;
    }
    enum outcome outcome = outcome_of(record, &record->runs[0]);
    add_outcome(line, record, outcome);
    if (outcome < DIVERGED) {
        add_left(line, record);
    }
    add_next(line, record, outcome, &record->runs[0]);
}
