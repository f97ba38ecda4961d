// SPDX-License-Identifier: MIT
// What free and virtual timing add to the table of a run. Quantities that were not measured are left out. Virtual time
// has no threads, so there is nothing about sleeps, switches and snapshots.
#include <math.h>
#include <string.h>

#include "cli/tables/run_table.h"
#include "cli/tables/run_table_tasks.h"
#include "cli/tables/table_lines.h"
#include "cli/terminal/terminal.h"
#include "threads/api/report.h"

struct ek_quantiles;

// Returns "12.3 %", or "-" if the whole is 0.
static struct cli_text share(double part, double whole)
{
    struct cli_text text = {"-"};
    if (whole > 0.0) {
        snprintf(text.of, sizeof text.of, "%.3g %%", 100.0 * part / whole);
    }
    return text;
}

// Returns "6.21 million per second".
static struct cli_text rate(double count, double seconds)
{
    double each = count / seconds;
    struct cli_text text;
    if (each >= 1e6) {
        snprintf(text.of, sizeof text.of, "%.3g million per second", each / 1e6);
    } else {
        snprintf(text.of, sizeof text.of, "%.50s per second", cli_text_count((uint64_t)lround(each)).of);
    }
    return text;
}

// Returns "median 12 us, 99 % within 340 us, at most 1.2 ms".
static struct cli_text times(const struct ek_quantiles *times)
{
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "median %.16s, 99 %% within %.16s, at most %.16s",
             cli_text_seconds(times->median).of, cli_text_seconds(times->p99).of, cli_text_seconds(times->maximum).of);
    return text;
}

static void print_speed(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    const struct ek_free_report *running = &report->free;
    struct cli_line line = {0};
    if (!report_tasks_by_letters(report)) {
        cli_line_add(&line, "operations: %s; ", rate((double)report->operations, report->elapsed_s).of);
    }
    report_say(out, terminal, "speed", "%smessages: %s", line.of, rate((double)report->messages, report->elapsed_s).of);
    line = (struct cli_line){0};
    cli_line_add(&line, "%s", cli_text_plural(running->audits, "audit").of);
    if (!isnan(running->audit_interval)) {
        cli_line_add(&line, " every %s", cli_text_seconds(running->audit_interval).of);
    }
    report_say(out, terminal, "ledger", "%s%s", line.of, running->audits > 0 ? ", all exact" : "");
}

static void print_reached(FILE *out, const struct cli_terminal *terminal, const struct ek_free_report *running)
{
    if (!isnan(running->reached_s)) {
        report_say(out, terminal, "criterion", "held from %s and %s operations on; %s earlier it did not",
                   cli_text_seconds(running->reached_s).of, cli_text_count((uint64_t)running->reached_operations).of,
                   cli_text_seconds(running->reached_window_s).of);
    }
}

static void print_operations(FILE *out, const struct cli_terminal *terminal, const struct ek_free_report *running)
{
    if (running->operation_time.count > 0) {
        report_say(out, terminal, "operations", "%s; longest wait to begin one: %s", times(&running->operation_time).of,
                   cli_text_seconds(running->longest_wait).of);
    }
    if (running->refusals > 0) {
        report_say(out, terminal, "refused", "%s by neighbours; %s to begin an operation failed",
                   cli_text_plural(running->refusals, "request").of, cli_text_plural(running->abandoned, "attempt").of);
    }
    if (running->engagements > 0) {
        report_say(out, terminal, "overlap",
                   "%s of %s took a neighbour that was in another operation; at most %s at once",
                   share((double)running->overlaps, (double)running->engagements).of,
                   cli_text_plural(running->engagements, "engagement").of, cli_text_count(running->overlap_most).of);
    }
    if (running->spheres_sampled > 0 && running->sphere_operations.count > 0) {
        report_say(out, terminal, "spheres",
                   "%.3g at a time, with %.3g operations each (at most %.3g) and %.3g processors (at most %.3g)",
                   running->spheres, running->sphere_operations.mean, running->sphere_operations.maximum,
                   running->sphere_processors.mean, running->sphere_processors.maximum);
    }
}

static void print_mailboxes(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    const struct ek_free_report *running = &report->free;
    if (running->latency.count > 0) {
        report_say(out, terminal, "latency", "%s", times(&running->latency).of);
    }
    double emptied = 0.0;
    for (size_t i = 0; i < EK_DEPTHS; i++) {
        emptied += (double)running->depth[i];
    }
    struct cli_line line = {0};
    cli_line_add(&line, "at most %s messages in one, whose capacity is %u", cli_text_count(running->depth_most).of,
                 running->mailbox_capacity);
    if (emptied > 0.0) {
        cli_line_add(&line, "; %s of those emptied held one message", share((double)running->depth[0], emptied).of);
    }
    report_say(out, terminal, "mailboxes", "%s; %s of messages stalled", line.of,
               share((double)running->stalls, (double)report->messages).of);
    if (running->asked > 0.0) {
        line = (struct cli_line){0};
        cli_line_add(&line, "%s of the requested load was available", share(running->got, running->asked).of);
        if (running->stale > 0) {
            cli_line_add(&line, "; %s fell short; median age of their information %s",
                         cli_text_plural(running->stale, "request").of, cli_text_seconds(running->stale_age.median).of);
        }
        report_say(out, terminal, "requests", "%s", line.of);
    }
}

static void print_announced(FILE *out, const struct cli_terminal *terminal, const struct ek_free_report *running)
{
    if (running->announced_age.count > 0) {
        report_say(out, terminal, "announced", "age when load was sent upon it: %s", times(&running->announced_age).of);
    }
}

// Returns the time of all processors together, in the time of the run.
static double processor_seconds(const struct lab_record *record, const struct ek_report *report)
{
    return (report->has_windows ? report->virtual_s : report->elapsed_s) * record->topology.processors;
}

static void print_waiting(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record,
                          const struct ek_report *report)
{
    static const char *const causes[EK_WAITS] = {[EK_WAIT_ANSWER] = "for answers",
                                                 [EK_WAIT_PEER] = "for a neighbour's operation",
                                                 [EK_WAIT_ROOM] = "for room in a mailbox",
                                                 [EK_WAIT_TURNED] = "after a refusal",
                                                 [EK_WAIT_IDLE] = "idle"};
    const struct ek_free_report *running = &report->free;
    double all = processor_seconds(record, report);
    struct cli_line line = {0};
    for (size_t i = 0; i < EK_WAITS; i++) {
        if (running->waited[i] > 0.0) {
            cli_line_add(&line, "%s%s %s", line.length > 0 ? ", " : "", share(running->waited[i], all).of, causes[i]);
        }
    }
    report_say(out, terminal, "waiting", "%s%s", line.of, line.length > 0 ? " of the processors' time" : "none");
}

static void print_threads(FILE *out, const struct cli_terminal *terminal, const struct ek_free_report *running)
{
    report_say(out, terminal, "turns", "%s, %s empty; %s, %s ended by a neighbour", cli_text_count(running->turns).of,
               share((double)running->empty_turns, (double)running->turns).of,
               cli_text_plural(running->sleeps, "sleep").of, cli_text_count(running->wakes).of);
    if (running->has_recorder && running->recorder_waits > 0) {
        report_say(out, terminal, "recorder", "workers waited %s for the recording, in total %s",
                   cli_text_plural(running->recorder_waits, "time").of, cli_text_seconds(running->recorder_waited).of);
    }
    report_say(out, terminal, "switches", "%s voluntary, %s forced, %s", cli_text_count(running->switches_voluntary).of,
               cli_text_count(running->switches_forced).of, cli_text_plural(running->migrations, "migration").of);
}

// Prints how the processors spent the virtual time, and how fast it was computed: the only number of this computer.
static void print_virtual(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record,
                          const struct ek_report *report)
{
    const struct ek_free_report *running = &report->free;
    double all = processor_seconds(record, report);
    report_say(out, terminal, "processors", "%s busy, of which %s sending and receiving; %s idle",
               share(report->busy_s, all).of, share(report->overhead_s, all).of, share(report->idle_s, all).of);
    report_say(out, terminal, "turns", "%s, %s empty", cli_text_count(running->turns).of,
               share((double)running->empty_turns, (double)running->turns).of);
    report_say(out, terminal, "events", "%s in %s of %s; computed in %s on this computer, %s",
               cli_text_count(report->events).of, cli_text_plural(report->windows, "window").of,
               cli_text_seconds(report->window_s).of, cli_text_seconds(report->elapsed_s).of,
               rate((double)report->events, report->elapsed_s).of);
}

// Prints the delays, and a warning if they differ by more than the grain of the clock and the histogram explain.
static void print_delay(FILE *out, const struct cli_terminal *terminal, const struct ek_free_report *running)
{
    double asked = running->delay_asked.median;
    double realised = running->delay_realised.median;
    if (running->delay_asked.count == 0 || isnan(realised)) {
        return;
    }
    report_say(out, terminal, "delay", "%s requested, %s realised (medians)", cli_text_seconds(asked).of,
               cli_text_seconds(realised).of);
    if (fabs(realised - asked) > 0.2 * asked) {
        report_say(out, terminal, "",
                   "%swarning:%s they differ by more than 20 %%: processors had no turn when messages were due",
                   cli_terminal_style(terminal, CLI_YELLOW), cli_terminal_style(terminal, CLI_PLAIN));
    }
}

// A fault waits until no worker uses the old links. On a busy machine, a worker without a core can delay the fault by
// this time.
static const double LATE_S = 0.05;

static void print_faults(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record,
                         const struct ek_free_report *running)
{
    if (lab_record_given(record, "faults")) {
        report_faults_write(out, terminal, &running->faults);
        if (running->fault_lag > LATE_S) {
            report_say(
                out, terminal, "",
                "%swarning:%s they came up to %s late: faults follow one another faster than workers notice them",
                cli_terminal_style(terminal, CLI_YELLOW), cli_terminal_style(terminal, CLI_PLAIN),
                cli_text_seconds(running->fault_lag).of);
        }
    }
    if (running->has_counters && running->cycles > 0) {
        report_say(out, terminal, "hardware", "%s cycles, %.2f instructions per cycle, %s cache misses",
                   cli_text_count(running->cycles).of, (double)running->instructions / (double)running->cycles,
                   cli_text_count(running->cache_misses).of);
    }
}

void report_run_table_free(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    const struct ek_report *report = &record->runs[0];
    const struct ek_free_report *running = &report->free;
    const bool threads = !report->has_windows;
    fputs(record->count > 1 ? "\n  first run\n" : "", out);
    print_reached(out, terminal, running);
    if (threads) {
        print_speed(out, terminal, report);
    } else {
        print_virtual(out, terminal, record, report);
    }
    print_operations(out, terminal, running);
    print_mailboxes(out, terminal, report);
    print_announced(out, terminal, running);
    print_waiting(out, terminal, record, report);
    if (threads) {
        print_threads(out, terminal, running);
        print_delay(out, terminal, running);
    }
    print_faults(out, terminal, record, running);
}
