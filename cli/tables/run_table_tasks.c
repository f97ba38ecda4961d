// SPDX-License-Identifier: MIT
// What a table says of runs whose load consists of tasks.
#include "cli/tables/run_table_tasks.h"
#include "threads/api/report.h"

#include <math.h>
#include <string.h>

struct ek_tasks_report;

static void print_executed(FILE *out, const struct cli_terminal *terminal, const struct ek_tasks_report *tasks)
{
    struct cli_line line = {0};
    cli_line_add(&line, "%s executed", cli_text_plural(tasks->executed, "task").of);
    if (tasks->nodes < tasks->executed) {
        cli_line_add(&line, ", %s of them dropped", cli_text_count(tasks->executed - tasks->nodes).of);
    }
    if (tasks->cost != tasks->executed) {
        cli_line_add(&line, ", %s units of cost", cli_text_count(tasks->cost).of);
    }
    if (tasks->has_result) {
        cli_line_add(&line, ", result %s", cli_text_count(tasks->result).of);
    }
    report_say(out, terminal, "tasks", "%s", line.of);
}

// Compares the nodes of the search with those that one processor searches.
static void print_search(FILE *out, const struct cli_terminal *terminal, const struct ek_tasks_report *tasks)
{
    const char *nodes = cli_text_plural(tasks->nodes, "node").of;
    if (tasks->serial_unknown) {
        report_say(out, terminal, "search", "%s; one processor executes more than %s, so the overhead is unknown",
                   nodes, cli_text_plural(tasks->serial_most, "task").of);
    } else {
        report_say(out, terminal, "search", "%s, %.4g times the %s of one processor", nodes, tasks->search_overhead,
                   cli_text_count(tasks->nodes_serial).of);
    }
}

static void print_idle_ticks(FILE *out, const struct cli_terminal *terminal, const struct ek_tasks_report *tasks)
{
    struct cli_line line = {0};
    cli_line_add(&line, "a processor does not work in %s ticks on average, at most in %s",
                 cli_text_amount(tasks->idle_ticks).of, cli_text_amount(tasks->idle_ticks_most).of);
    if (tasks->has_shared) {
        cli_line_add(&line, "; 95 %% work in tick %s", cli_text_count(tasks->shared_tick).of);
    } else {
        cli_line_add(&line, "; 95 %% work in no tick");
    }
    report_say(out, terminal, "idle", "%s", line.of);
}

static void print_idle_time(FILE *out, const struct cli_terminal *terminal, const struct ek_tasks_report *tasks)
{
    report_say(out, terminal, "idle", "until then a processor does not work for %s on average, at most for %s",
               cli_text_seconds(tasks->idle_s).of, cli_text_seconds(tasks->idle_most_s).of);
}

// Prints when the last task was executed, and when the run knew that. A run that was cut did not come so far.
static void print_done(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    const struct ek_tasks_report *tasks = &report->tasks;
    struct cli_line line = {0};
    if (!report->converged) {
        return;
    }
    cli_line_add(&line, "the last task was executed after %s", cli_text_seconds(tasks->done_s).of);
    if (isfinite(tasks->detection_s)) {
        cli_line_add(&line, "; the run detected this %s later, with %s", cli_text_seconds(tasks->detection_s).of,
                     cli_text_plural(tasks->detection_messages, "message").of);
    }
    report_say(out, terminal, "done", "%s", line.of);
}

// In free timing processors share cores, so the work is that of cores.
static void print_speedup_in_time(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    const struct ek_tasks_report *tasks = &report->tasks;
    struct cli_line line = {0};
    cli_line_add(&line, "%.4g, efficiency %.3g: %s of %s in %s", tasks->speedup, tasks->efficiency,
                 cli_text_seconds(tasks->work_s).of, tasks->has_bound ? "work" : "work on the cores",
                 cli_text_seconds(tasks->done_s).of);
    if (report->converged && tasks->has_bound) {
        cli_line_add(&line, "; no schedule takes less than %s", cli_text_seconds(tasks->bound_s).of);
    }
    report_say(out, terminal, "speedup", "%s", line.of);
}

// The bound holds for all tasks, so a run that was cut has none.
static void print_speedup(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    const struct ek_tasks_report *tasks = &report->tasks;
    struct cli_line line = {0};
    cli_line_add(&line, "%.4g, efficiency %.3g, in %s", tasks->speedup, tasks->efficiency,
                 cli_text_plural(tasks->ticks, "tick").of);
    if (report->converged) {
        cli_line_add(&line, "; no schedule takes fewer than %s", cli_text_amount(tasks->bound_ticks).of);
    }
    report_say(out, terminal, "speedup", "%s", line.of);
}

static void print_letters(FILE *out, const struct cli_terminal *terminal, const struct ek_tasks_report *tasks)
{
    struct cli_line line = {0};
    if (tasks->requests > 0) {
        cli_line_add(&line, "%s, %s of them refused; ", cli_text_plural(tasks->requests, "request").of,
                     cli_text_count(tasks->requests_failed).of);
    }
    report_say(out, terminal, "letters", "%sletters crossed %s", line.of,
               cli_text_plural(tasks->letter_hops, "link").of);
}

bool report_tasks_by_letters(const struct ek_report *report)
{
    return report->timed && report->has_tasks && report->tasks.has_letters;
}

void report_run_table_tasks(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    const struct ek_tasks_report *tasks = &report->tasks;
    bool took_time = !isnan(tasks->speedup);
    print_executed(out, terminal, tasks);
    if (tasks->has_search && tasks->nodes > 0) {
        print_search(out, terminal, tasks);
    }
    if (tasks->has_ticks) {
        if (took_time) {
            print_speedup(out, terminal, report);
        }
        print_idle_ticks(out, terminal, tasks);
    } else {
        print_done(out, terminal, report);
        if (took_time) {
            print_speedup_in_time(out, terminal, report);
        }
    }
    if (tasks->has_bound) {
        print_idle_time(out, terminal, tasks);
    }
    report_say(out, terminal, "held", "at most %s by a processor", cli_text_plural(tasks->most_held, "task").of);
    if (tasks->executed > 0) {
        report_say(out, terminal, "native", "%.1f %% of the executed tasks were executed where they were created",
                   100.0 * tasks->native_fraction);
    }
    report_say(out, terminal, "traffic", "%s, %s, %s of tasks over links",
               cli_text_plural(report->messages, "message").of, cli_text_plural(report->parcels, "parcel").of,
               cli_text_plural((uint64_t)report->moved, "move").of);
    if (tasks->has_letters) {
        print_letters(out, terminal, tasks);
    }
}

// Returns the number of runs that executed all tasks.
static size_t count_done(const struct lab_record *record)
{
    size_t done = 0;
    for (size_t r = 0; r < record->count; r++) {
        done += record->runs[r].converged;
    }
    return done;
}

static void add_times(struct cli_line *line, const struct lab_record *record)
{
    double least = INFINITY, most = 0.0;
    for (size_t r = 0; r < record->count; r++) {
        const struct ek_report *run = &record->runs[r];
        least = run->converged ? fmin(least, run->tasks.done_s) : least;
        most = run->converged ? fmax(most, run->tasks.done_s) : most;
    }
    if (least < most) {
        cli_line_add(line, "%s to ", cli_text_seconds(least).of);
    }
    cli_line_add(line, "%s%s", cli_text_seconds(most).of, record->runs[0].has_windows ? " of virtual time" : "");
}

static void add_ticks(struct cli_line *line, const struct lab_record *record)
{
    uint64_t fewest = UINT64_MAX, most = 0;
    for (size_t r = 0; r < record->count; r++) {
        const struct ek_report *run = &record->runs[r];
        fewest = run->converged && run->tasks.ticks < fewest ? run->tasks.ticks : fewest;
        most = run->converged && run->tasks.ticks > most ? run->tasks.ticks : most;
    }
    if (fewest < most) {
        cli_line_add(line, "%s to ", cli_text_count(fewest).of);
    }
    cli_line_add(line, "%s", cli_text_plural(most, "tick").of);
}

static void add_length(struct cli_line *line, const struct lab_record *record)
{
    (record->runs[0].tasks.has_ticks ? add_ticks : add_times)(line, record);
}

// Says how much faster the run was than one processor. In free timing many processors share a core.
static void add_speedup(struct cli_line *line, const struct lab_record *record)
{
    const struct ek_tasks_report *tasks = &record->runs[0].tasks;
    if (tasks->has_times && !tasks->has_bound) {
        cli_line_add(line, ", in which %.3g cores worked on average, for %s", tasks->speedup,
                     cli_text_plural(record->topology.processors, "processor").of);
        return;
    }
    cli_line_add(line, ", %.3g times as fast as one processor%s, on %s", tasks->speedup,
                 lab_record_given(record, "capacity") ? " of capacity 1" : "",
                 cli_text_plural(record->topology.processors, "processor").of);
}

// Returns what lets a run go on to its end.
static const char *next_after_a_cut(const struct lab_record *record)
{
    const struct ek_report *last = &record->runs[record->count - 1];
    return last->ended == EK_ENDED_INTERRUPT ? "the same command, not interrupted, goes on until no task is left"
           : last->ended == EK_ENDED_FROZEN  ? "the processors that hold them are cut off for good"
           : last->timed                     ? "without --operations and --for a run goes on until no task is left"
                         : "without --steps, --operations and --for a run goes on until no task is left";
}

void report_tasks_verdict(struct cli_line *line, const struct lab_record *record)
{
    const struct ek_report *first = &record->runs[0];
    size_t done = count_done(record);
    bool balances = strcmp(record->method.spec, "none") != 0;
    if (record->count == 1 && done == 1) {
        const struct ek_tasks_report *tasks = &first->tasks;
        cli_line_add(line, "all %s were executed in ", cli_text_plural(tasks->executed, "task").of);
        add_length(line, record);
        add_speedup(line, record);
    } else if (done > 0) {
        cli_line_add(line, "%s of %s executed all tasks, in ", cli_text_count(done).of,
                     cli_text_plural(record->count, "run").of);
        add_length(line, record);
    } else {
        cli_line_add(line,
                     "tasks were left when the run%s ended, so speedup and efficiency say nothing of the whole "
                     "program",
                     record->count > 1 ? "s" : "");
    }
    cli_line_add(line, "; %s",
                 done < record->count ? next_after_a_cut(record)
                 : balances           ? "--method none shows the same tasks without balancing"
                                      : "--method liquid:c4 shows the same tasks with balancing");
}
