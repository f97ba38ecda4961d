// SPDX-License-Identifier: MIT
// The report as a person wants to see it: the experiment, the theory beside the measurement, the runs, and on a
// terminal the variance over the steps.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/report/pictures.h"
#include "cli/report/results.h"
#include "cli/text.h"

enum { LABEL = 13, REMARK = LABEL + 2 * 14 + 3, WIDTH = 110, FEW_RUNS = 8 };

static void print_faint(FILE *out, const struct cli_terminal *terminal, const char *text)
{
    fprintf(out, "%s%s%s", cli_terminal_style(terminal, "2").of, text, cli_terminal_style(terminal, "0").of);
}

void report_table_label(FILE *out, const struct cli_terminal *terminal, const char *label)
{
    fputs("  ", out);
    print_faint(out, terminal, label);
    fprintf(out, "%*s", LABEL - 2 - (int)strlen(label), "");
}

void report_table_say(FILE *out, const struct cli_terminal *terminal, const char *label, const char *format, ...)
{
    struct method_line line = {0};
    va_list arguments;
    va_start(arguments, format);
    cli_line_add_list(&line, format, arguments);
    va_end(arguments);
    fputs("  ", out);
    print_faint(out, terminal, label);
    cli_text_after(out, 2 + (int)strlen(label), line.of, LABEL, WIDTH);
}

// "8x8: 64 processors, 128 links, 4 colours, diameter 8".
static void describe_topology(const struct ek_topology *topology, struct method_line *line)
{
    cli_line_add(line, "%s: %s, %s, %s", topology->spec, cli_text_plural(topology->processors, "processor").of,
                 cli_text_plural(topology->links, "link").of, cli_text_plural(topology->colours, "colour").of);
    if (topology->diameter >= 0) {
        cli_line_add(line, ", diameter %" PRId64, topology->diameter);
    }
}

void report_table_write_topology(FILE *out, const struct ek_topology *topology)
{
    struct method_line line = {0};
    describe_topology(topology, &line);
    cli_text_wrap(out, line.of, 0, WIDTH);
}

// The axes that make a run other than the theory's: its own loads and links only, everybody at once.
static const char *const settings[] = {"timing",    "domains",    "clock", "invoke", "work",   "tick",    "capacity",
                                       "weighting", "link-limit", "delay", "slow",   "faults", "perturb", "audit"};
enum { SETTINGS = sizeof settings / sizeof *settings };

// Those that were set, as in "capacity semi, delay fixed:3". Whether there were any.
static bool print_settings(FILE *out, const struct cli_terminal *terminal, const struct report_results *results)
{
    struct method_line line = {0};
    for (size_t i = 0; i < SETTINGS; i++) {
        if (cli_options_differ(results->options, settings[i])) {
            const char *value = cli_options_text(results->options, settings[i]);
            cli_line_add(&line, "%s%s%s%s", line.length > 0 ? ", " : "", settings[i], *value ? " " : "", value);
        }
    }
    if (line.length > 0) {
        report_table_say(out, terminal, "setting", "%s", line.of);
    }
    return line.length > 0;
}

static void print_machine(FILE *out, const struct cli_terminal *terminal, const struct report_results *results)
{
    const struct ek_report *first = &results->reports[0];
    struct method_line line = {0};
    cli_line_add(&line, "%s: %s, ", cli_options_text(results->options, "carrier"),
                 cli_text_plural(first->workers, "thread").of);
    if (first->has_async) {
        bool chosen = cli_options_differ(results->options, "mailbox");
        const char *mailbox = chosen ? cli_options_text(results->options, "mailbox") : "spsc";
        cli_line_add(&line, "no barrier, mailbox %.*s:%u", (int)strcspn(mailbox, ":"), mailbox,
                     first->async.mailbox_capacity);
    } else {
        cli_line_add(&line, "barrier %s, mailbox %s", first->barrier, cli_options_text(results->options, "mailbox"));
    }
    report_table_say(out, terminal, "machine", "%s%s", line.of,
                     results->options->experiment.unpinned ? ", unpinned" : "");
}

static void print_experiment(FILE *out, const struct cli_terminal *terminal, const struct report_results *results)
{
    const struct cli_options *options = results->options;
    double parameter = ek_machine_parameter(results->machine);
    bool one = strcmp(cli_options_text(options, "ports"), "one") == 0;
    struct method_line topology = {0};
    struct method_line method = {0};
    describe_topology(ek_machine_topology(results->machine), &topology);
    report_table_say(out, terminal, "topology", "%s", topology.of);
    cli_line_add(&method, "%s: %s", cli_options_text(options, "method"), ek_machine_method(results->machine)->title);
    if (!isnan(parameter)) {
        cli_line_add(&method, ", parameter %s", cli_text_real(parameter).of);
    }
    report_table_say(out, terminal, "method", "%s, %s", method.of, one ? "one port" : "all ports");
    report_table_say(out, terminal, "load", "%s, %s, seed %" PRIu64, cli_options_text(options, "load"),
                     report_units(results), results->reports[0].seed);
    print_machine(out, terminal, results);
}

// The factor by which an operation shrank the distance from balance, on the mean over the run.
static double measured_factor(const struct ek_report *report)
{
    return pow(report->variance_final / report->variance_initial, 0.5 / (double)report->operations);
}

static double mean_over_runs(const struct report_results *results, double (*value)(const struct ek_report *report))
{
    double sum = 0.0;
    for (size_t i = 0; i < results->count; i++) {
        sum += value(&results->reports[i]);
    }
    return sum / (double)results->count;
}

static double operations_of(const struct ek_report *report)
{
    return (double)report->operations;
}

static double steps_of(const struct ek_report *report)
{
    return (double)report->steps;
}

// A row of two numbers, and where there is one a remark on them.
static void print_compared(FILE *out, const struct cli_terminal *terminal, const char *label, struct cli_text theory,
                           struct cli_text measured, const char *remark)
{
    report_table_label(out, terminal, label);
    int column = LABEL + fprintf(out, " %13s", theory.of);
    if (*measured.of) {
        column += fprintf(out, " %13s", measured.of);
    }
    if (*remark) {
        cli_text_after(out, column, remark, REMARK, WIDTH);
    } else {
        fputc('\n', out);
    }
}

static void print_theory(FILE *out, const struct cli_terminal *terminal, const struct report_results *results)
{
    struct ek_theory theory;
    report_theory(results, &theory);
    if (!theory.has_exact && !theory.has_closed) {
        return;
    }
    report_table_label(out, terminal, "");
    fprintf(out, " %13s %13s\n", "theory", "measured");
    print_compared(
        out, terminal, "factor", cli_text_factor(theory.has_exact ? theory.gamma_exact : theory.gamma_closed),
        cli_text_factor(mean_over_runs(results, measured_factor)), "of the distance from balance, per operation");
    if (theory.has_exact && theory.has_closed) {
        print_compared(out, terminal, "", cli_text_factor(theory.gamma_closed), (struct cli_text){""},
                       "the paper's closed form");
    }
    print_compared(out, terminal, "operations", cli_text_amount(theory.operations),
                   cli_text_amount(mean_over_runs(results, operations_of)), "");
    print_compared(out, terminal, "steps", cli_text_amount(theory.steps),
                   cli_text_amount(mean_over_runs(results, steps_of)), "");
    if (theory.note[0]) {
        cli_text_labelled(out, "note", LABEL, theory.note);
    }
    fputc('\n', out);
}

static double measured_beside(const struct ek_fact *fact, const struct ek_report *report)
{
    const struct report_field *field = fact->beside ? report_field_named(fact->beside) : NULL;
    return field && report_field_present(field, report) ? report_field_value(field, report) : NAN;
}

void report_table_write_facts(FILE *out, const struct ek_fact *facts, size_t count, const struct ek_report *report)
{
    enum { NAME = 22, NUMBER = 14 };
    if (count > 0) {
        fprintf(out, "  %-*s%*s%*s\n", NAME, "known beforehand", NUMBER, "theory", report ? NUMBER : 0,
                report ? "run 0" : "");
    }
    for (size_t i = 0; i < count; i++) {
        int column = fprintf(out, "  %-*s %*s", NAME, facts[i].name, NUMBER - 1, cli_text_amount(facts[i].value).of);
        if (report) {
            column += fprintf(out, " %*s", NUMBER - 1, cli_text_amount(measured_beside(&facts[i], report)).of);
        }
        cli_text_after(out, column, facts[i].text, 2 + NAME + (report ? 2 : 1) * NUMBER + 2, WIDTH);
    }
}

static void print_facts(FILE *out, const struct report_results *results)
{
    struct ek_fact facts[EK_FACTS_MAX];
    size_t count = ek_facts_find(results->machine, facts, EK_FACTS_MAX);
    report_table_write_facts(out, facts, count, &results->reports[0]);
    fputs(count > 0 ? "\n" : "", out);
}

static void print_outcome(FILE *out, const struct cli_terminal *terminal, const struct report_results *results)
{
    const struct ek_report *first = &results->reports[0];
    const char *stop = report_stop(results);
    bool never = strcmp(stop, "never") == 0;
    const char *why = report_why(first);
    struct method_line line = {0};
    if (results->count > 1 && never) {
        report_table_say(out, terminal, "stop", "never, %s", cli_text_plural(results->count, "run").of);
        return;
    }
    if (results->count > 1) {
        report_table_say(out, terminal, "stop", "%s reached in %s of %s", stop,
                         cli_text_count(results->count - report_unreached(results)).of,
                         cli_text_plural(results->count, "run").of);
        return;
    }
    cli_line_add(&line, "%s%s%s%s after %s", stop, cli_terminal_style(terminal, first->converged ? "32" : "33").of,
                 never              ? ", ended"
                 : first->converged ? " reached"
                                    : " not reached",
                 cli_terminal_style(terminal, "0").of, cli_text_plural(first->operations, "operation").of);
    if (!first->has_async) {
        cli_line_add(&line, ", %s", cli_text_plural(first->steps, "step").of);
    }
    report_table_say(out, terminal, "stop", "%s, %s", line.of, cli_text_seconds(first->elapsed_s).of);
    if (*why && !first->converged) {
        report_table_say(out, terminal, "why", "%s", why);
    }
}

// What only some methods have.
static void print_counts(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    if (report->has_scan) {
        report_table_say(out, terminal, "steps", "%s of scan, %s of exchange", cli_text_count(report->scan_steps).of,
                         cli_text_count(report->exchange_steps).of);
    }
    if (report->has_reduction && report->reduction_steps > 0) {
        report_table_say(out, terminal, "reductions", "%s, not counted above",
                         cli_text_plural(report->reduction_steps, "step").of);
    }
    if (report->has_shifts) {
        report_table_say(out, terminal, "shifts", "%s", cli_text_amount(report->shifts).of);
    }
}

static void print_one_run(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    report_table_say(out, terminal, "variance", "%s at first, %s at the end",
                     cli_text_real(report->variance_initial).of, cli_text_real(report->variance_final).of);
    report_table_say(out, terminal, "loads", "%s to %s at the end, never below %s, %s in all",
                     cli_text_amount(report->minimum).of, cli_text_amount(report->maximum).of,
                     cli_text_amount(report->minimum_ever).of, cli_text_amount(report->total_final).of);
    bool flows = !isnan(report->flow_l1);
    report_table_say(out, terminal, "traffic", "%s, %s, %s of load over links%s%s%s",
                     cli_text_plural(report->messages, "message").of, cli_text_plural(report->parcels, "parcel").of,
                     cli_text_amount(report->moved).of, flows ? ", " : "",
                     flows ? cli_text_amount(report->flow_l1).of : "", flows ? " net" : "");
    print_counts(out, terminal, report);
    if (report->generated > 0.0 || report->consumed > 0.0) {
        report_table_say(out, terminal, "work", "%s generated, %s consumed", cli_text_amount(report->generated).of,
                         cli_text_amount(report->consumed).of);
    }
    if (report->in_flight > 0.0) {
        report_table_say(out, terminal, "in flight", "%s at the end", cli_text_amount(report->in_flight).of);
    }
    if (report->has_stayed) {
        report_table_say(out, terminal, "tokens", "%s never left their first processor",
                         cli_text_amount(report->stayed).of);
    }
}

static const struct {
    const char *field, *head;
    int width;
} columns[] = {{"operations", "operations", 10}, {"steps", "steps", 9}, {"variance_final", "variance", 9},
               {"spread_final", "spread", 9},    {"moved", "moved", 9}, {"messages", "messages", 9},
               {"elapsed_s", "seconds", 9}};
enum { COLUMNS = sizeof columns / sizeof *columns, SEED = 7 };

// Fewer digits where there is no room for all.
static void print_cell(FILE *out, double value, int width)
{
    struct cli_text text = cli_text_amount(value);
    if ((int)strlen(text.of) > width) {
        snprintf(text.of, sizeof text.of, "%.4g", value);
    }
    fprintf(out, " %*s", width, text.of);
}

static void print_run_rows(FILE *out, const struct report_results *results)
{
    for (size_t r = 0; r < results->count; r++) {
        fprintf(out, "  %*" PRIu64, SEED, results->reports[r].seed);
        for (size_t c = 0; c < COLUMNS; c++) {
            const struct report_field *field = report_field_named(columns[c].field);
            print_cell(out, report_field_value(field, &results->reports[r]), columns[c].width);
        }
        fputc('\n', out);
    }
}

static void print_summary(FILE *out, const struct cli_terminal *terminal, const struct report_results *results)
{
    static const char *const names[] = {"mean", "sd", "min", "max"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        fprintf(out, "%*s", 2 + SEED - (int)strlen(names[n]), "");
        print_faint(out, terminal, names[n]);
        for (size_t c = 0; c < COLUMNS; c++) {
            struct report_summary summary = report_summarise(results, report_field_named(columns[c].field));
            const double values[] = {summary.mean, summary.sd, summary.minimum, summary.maximum};
            print_cell(out, values[n], columns[c].width);
        }
        fputc('\n', out);
    }
}

static void print_runs(FILE *out, const struct cli_terminal *terminal, const struct report_results *results)
{
    struct method_line heads = {0};
    cli_line_add(&heads, "  %*s", SEED, "seed");
    for (size_t c = 0; c < COLUMNS; c++) {
        cli_line_add(&heads, " %*s", columns[c].width, columns[c].head);
    }
    print_faint(out, terminal, heads.of);
    fputc('\n', out);
    if (results->count <= FEW_RUNS) {
        print_run_rows(out, results);
    }
    print_summary(out, terminal, results);
}

void report_table_write(FILE *out, const struct report_results *results)
{
    struct cli_terminal terminal = cli_terminal_of(out);
    const struct ek_report *first = &results->reports[0];
    print_experiment(out, &terminal, results);
    bool others = print_settings(out, &terminal, results);
    fputc('\n', out);
    if (!others) {
        print_theory(out, &terminal, results);
    }
    print_facts(out, results);
    print_outcome(out, &terminal, results);
    if (results->count > 1) {
        print_runs(out, &terminal, results);
    } else {
        print_one_run(out, &terminal, first);
    }
    if (first->has_async) {
        report_table_write_async(out, &terminal, results, first);
    }
    if (terminal.is_terminal && first->trace_count > 1) {
        fputc('\n', out);
        report_chart_draw(out, &terminal, first);
    }
    if (results->options->heat && first->initial) {
        fputc('\n', out);
        report_heat_draw(out, &terminal, ek_machine_topology(results->machine), first);
    }
}
