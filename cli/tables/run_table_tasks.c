// SPDX-License-Identifier: MIT
// What a table says of runs whose load consists of tasks.
#include "cli/tables/run_table_tasks.h"

#include <math.h>
#include <string.h>

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

static void print_idle(FILE *out, const struct cli_terminal *terminal, const struct ek_tasks_report *tasks)
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

void report_run_table_tasks(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    const struct ek_tasks_report *tasks = &report->tasks;
    print_executed(out, terminal, tasks);
    print_speedup(out, terminal, report);
    print_idle(out, terminal, tasks);
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

void report_tasks_verdict(struct cli_line *line, const struct lab_record *record)
{
    const struct ek_report *first = &record->runs[0];
    size_t done = count_done(record);
    bool balances = strcmp(record->method.spec, "none") != 0;
    if (record->count == 1 && done == 1) {
        const struct ek_tasks_report *tasks = &first->tasks;
        cli_line_add(line, "all %s were executed in ", cli_text_plural(tasks->executed, "task").of);
        add_ticks(line, record);
        cli_line_add(line, ", %.3g times as fast as one processor%s, on %s", tasks->speedup,
                     lab_record_given(record, "capacity") ? " of capacity 1" : "",
                     cli_text_plural(record->topology.processors, "processor").of);
    } else if (done > 0) {
        cli_line_add(line, "%s of %s executed all tasks, in ", cli_text_count(done).of,
                     cli_text_plural(record->count, "run").of);
        add_ticks(line, record);
    } else {
        cli_line_add(line,
                     "tasks were left when the run%s ended, so speedup and efficiency say nothing of the whole "
                     "program",
                     record->count > 1 ? "s" : "");
    }
    cli_line_add(line, "; %s",
                 done < record->count ? "without --steps, --operations and --for a run goes on until no task is left"
                 : balances           ? "--method none shows the same tasks without balancing"
                                      : "--method liquid:c4 shows the same tasks with balancing");
}
