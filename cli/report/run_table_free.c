// SPDX-License-Identifier: MIT
// What free timing adds to the table of a run, in plain words: how fast, whether the ledger agreed, how operations
// overlapped and what they did, how messages fared, and what the processors waited for. What was not measured is not
// shown.
#include <math.h>
#include <string.h>

#include "cli/report/run_table.h"
#include "cli/report/table_lines.h"
#include "cli/terminal/terminal.h"

// "12.3 %" of a whole; "-" of nothing.
static struct cli_text share(double part, double whole)
{
    struct cli_text text = {"-"};
    if (whole > 0.0) {
        snprintf(text.of, sizeof text.of, "%.3g %%", 100.0 * part / whole);
    }
    return text;
}

// "6.21 million a second".
static struct cli_text rate(double count, double seconds)
{
    double each = count / seconds;
    struct cli_text text;
    if (each >= 1e6) {
        snprintf(text.of, sizeof text.of, "%.3g million a second", each / 1e6);
    } else {
        snprintf(text.of, sizeof text.of, "%.50s a second", cli_text_count((uint64_t)lround(each)).of);
    }
    return text;
}

// "median 12 us, 99 % within 340 us, at most 1.2 ms".
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
    report_say(out, terminal, "speed", "operations: %s; messages: %s",
               rate((double)report->operations, report->elapsed_s).of,
               rate((double)report->messages, report->elapsed_s).of);
    struct cli_line line = {0};
    cli_line_add(&line, "%s", cli_text_plural(running->audits, "audit").of);
    if (!isnan(running->audit_interval)) {
        cli_line_add(&line, " every %s", cli_text_seconds(running->audit_interval).of);
    }
    report_say(out, terminal, "ledger", "%s%s", line.of, running->audits > 0 ? ", exact" : "");
}

static void print_reached(FILE *out, const struct cli_terminal *terminal, const struct ek_free_report *running)
{
    if (!isnan(running->reached_s)) {
        report_say(out, terminal, "criterion", "held after %s and %s operations, and not yet %s before",
                   cli_text_seconds(running->reached_s).of, cli_text_count((uint64_t)running->reached_operations).of,
                   cli_text_seconds(running->reached_window_s).of);
    }
}

static void print_operations(FILE *out, const struct cli_terminal *terminal, const struct ek_free_report *running)
{
    if (running->operation_time.count > 0) {
        report_say(out, terminal, "operations", "%s; longest wait for one %s", times(&running->operation_time).of,
                   cli_text_seconds(running->longest_wait).of);
    }
    if (running->refusals > 0) {
        report_say(out, terminal, "refused", "%s of neighbours; %s at an operation came to nothing",
                   cli_text_plural(running->refusals, "ask").of, cli_text_plural(running->abandoned, "attempt").of);
    }
    if (running->engagements > 0) {
        report_say(out, terminal, "overlap", "%s of %s were in another operation too, at most %s at once",
                   share((double)running->overlaps, (double)running->engagements).of,
                   cli_text_plural(running->engagements, "engagement").of, cli_text_count(running->overlap_most).of);
    }
    if (running->spheres_sampled > 0 && running->sphere_operations.count > 0) {
        report_say(out, terminal, "spheres",
                   "%.3g at a time, each of %.3g operations (at most %.3g) and %.3g processors (at most %.3g)",
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
    cli_line_add(&line, "at most %s in one, of %u that it takes", cli_text_count(running->depth_most).of,
                 running->mailbox_capacity);
    if (emptied > 0.0) {
        cli_line_add(&line, "; %s held one", share((double)running->depth[0], emptied).of);
    }
    report_say(out, terminal, "mailboxes", "%s; %s stalled", line.of,
               share((double)running->stalls, (double)report->messages).of);
    if (running->asked > 0.0) {
        line = (struct cli_line){0};
        cli_line_add(&line, "%s of the load asked for was there", share(running->got, running->asked).of);
        if (running->stale > 0) {
            cli_line_add(&line, "; %s less, told %s before (median)", cli_text_plural(running->stale, "time").of,
                         cli_text_seconds(running->stale_age.median).of);
        }
        report_say(out, terminal, "stale", "%s", line.of);
    }
}

static void print_announced(FILE *out, const struct cli_terminal *terminal, const struct ek_free_report *running)
{
    if (running->announced_age.count > 0) {
        report_say(out, terminal, "announced", "before a gift upon it: %s", times(&running->announced_age).of);
    }
}

static void print_waiting(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record,
                          const struct ek_report *report)
{
    static const char *const causes[EK_WAITS] = {[EK_WAIT_ANSWER] = "for answers",
                                                 [EK_WAIT_PEER] = "for a neighbour's operation",
                                                 [EK_WAIT_ROOM] = "for room",
                                                 [EK_WAIT_TURNED] = "when refused",
                                                 [EK_WAIT_IDLE] = "idle"};
    const struct ek_free_report *running = &report->free;
    double all = report->elapsed_s * record->topology.processors;
    struct cli_line line = {0};
    for (size_t i = 0; i < EK_WAITS; i++) {
        if (running->waited[i] > 0.0) {
            cli_line_add(&line, "%s%s %s", line.length > 0 ? ", " : "", share(running->waited[i], all).of, causes[i]);
        }
    }
    report_say(out, terminal, "waiting", "%s%s", line.of, line.length > 0 ? " of the processors' time" : "none");
    report_say(out, terminal, "turns", "%s, %s empty; %s, %s woken by a neighbour", cli_text_count(running->turns).of,
               share((double)running->empty_turns, (double)running->turns).of,
               cli_text_plural(running->sleeps, "sleep").of, cli_text_count(running->wakes).of);
    if (running->has_recorder && running->recorder_waits > 0) {
        report_say(out, terminal, "recorder", "workers waited for the recording %s, %s in all",
                   cli_text_plural(running->recorder_waits, "time").of, cli_text_seconds(running->recorder_waited).of);
    }
    report_say(out, terminal, "switches", "%s voluntary, %s forced, %s", cli_text_count(running->switches_voluntary).of,
               cli_text_count(running->switches_forced).of, cli_text_plural(running->migrations, "migration").of);
}

// A fifth is more than the clock's grain and the buckets of the histogram make.
static void print_delay(FILE *out, const struct cli_terminal *terminal, const struct ek_free_report *running)
{
    double asked = running->delay_asked.median;
    double realised = running->delay_realised.median;
    if (running->delay_asked.count == 0 || isnan(realised)) {
        return;
    }
    report_say(out, terminal, "delay", "%s asked, %s realised (medians)", cli_text_seconds(asked).of,
               cli_text_seconds(realised).of);
    if (fabs(realised - asked) > 0.2 * asked) {
        report_say(out, terminal, "",
                   "%swarning:%s they part by more than 20 %%: processors had no turn when messages fell due",
                   cli_terminal_style(terminal, CLI_YELLOW), cli_terminal_style(terminal, CLI_PLAIN));
    }
}

// Each waits until all workers have let go of the links as they were: so long where a busy machine has no core for one.
static const double LATE_S = 0.05;

static void print_faults(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record,
                         const struct ek_free_report *running)
{
    if (lab_record_given(record, "faults")) {
        report_faults_write(out, terminal, &running->faults);
        if (running->fault_lag > LATE_S) {
            report_say(out, terminal, "",
                       "%swarning:%s they came up to %s late: faster than all workers get to see them",
                       cli_terminal_style(terminal, CLI_YELLOW), cli_terminal_style(terminal, CLI_PLAIN),
                       cli_text_seconds(running->fault_lag).of);
        }
    }
    if (running->has_counters && running->cycles > 0) {
        report_say(out, terminal, "hardware", "%s cycles, %.2f instructions each, %s cache misses",
                   cli_text_count(running->cycles).of, (double)running->instructions / (double)running->cycles,
                   cli_text_count(running->cache_misses).of);
    }
}

void report_run_table_free(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    const struct ek_report *report = &record->runs[0];
    const struct ek_free_report *running = &report->free;
    fputs(record->count > 1 ? "\n  of the first run\n" : "", out);
    print_reached(out, terminal, running);
    print_speed(out, terminal, report);
    print_operations(out, terminal, running);
    print_mailboxes(out, terminal, report);
    print_announced(out, terminal, running);
    print_waiting(out, terminal, record, report);
    print_delay(out, terminal, running);
    print_faults(out, terminal, record, running);
}
