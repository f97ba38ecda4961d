// SPDX-License-Identifier: MIT
// The report as a person wants to see it: the experiment, the theory beside the measurement, the runs, and on a
// terminal the variance over the steps.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/pictures.h"
#include "cli/results.h"
#include "cli/text.h"

enum { LABEL = 13, REMARK = LABEL + 2 * 14 + 3, WIDTH = 110, FEW_RUNS = 8 };

static void print_faint(FILE *out, const struct ek_terminal *terminal, const char *text)
{
    fprintf(out, "%s%s%s", ek_terminal_style(terminal, "2").of, text, ek_terminal_style(terminal, "0").of);
}

void ek_table_label(FILE *out, const struct ek_terminal *terminal, const char *label)
{
    fputs("  ", out);
    print_faint(out, terminal, label);
    fprintf(out, "%*s", LABEL - 2 - (int)strlen(label), "");
}

void ek_table_say(FILE *out, const struct ek_terminal *terminal, const char *label, const char *format, ...)
{
    struct ek_line line = {0};
    va_list arguments;
    va_start(arguments, format);
    ek_line_add_list(&line, format, arguments);
    va_end(arguments);
    fputs("  ", out);
    print_faint(out, terminal, label);
    ek_text_after(out, 2 + (int)strlen(label), line.of, LABEL, WIDTH);
}

// "8x8: 64 processors, 128 links, 4 colours, diameter 8".
static void describe_topology(const struct ek_topology *topology, struct ek_line *line)
{
    ek_line_add(line, "%s: %s, %s, %s", topology->spec, ek_text_plural(topology->processors, "processor").of,
                ek_text_plural(topology->links, "link").of, ek_text_plural(topology->colours, "colour").of);
    if (topology->diameter >= 0) {
        ek_line_add(line, ", diameter %" PRId64, topology->diameter);
    }
}

void ek_table_write_topology(FILE *out, const struct ek_topology *topology)
{
    struct ek_line line = {0};
    describe_topology(topology, &line);
    ek_text_wrap(out, line.of, 0, WIDTH);
}

// The axes that make a run other than the theory's: its own loads and links only, everybody at once.
static const char *const settings[] = {"timing",    "domains",    "clock", "invoke", "work",   "tick",    "capacity",
                                       "weighting", "link-limit", "delay", "slow",   "faults", "perturb", "audit"};
enum { SETTINGS = sizeof settings / sizeof *settings };

// Those that were set, as in "capacity semi, delay fixed:3". Whether there were any.
static bool print_settings(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    struct ek_line line = {0};
    for (size_t i = 0; i < SETTINGS; i++) {
        if (ek_options_differ(results->options, settings[i])) {
            const char *value = ek_options_text(results->options, settings[i]);
            ek_line_add(&line, "%s%s%s%s", line.length > 0 ? ", " : "", settings[i], *value ? " " : "", value);
        }
    }
    if (line.length > 0) {
        ek_table_say(out, terminal, "setting", "%s", line.of);
    }
    return line.length > 0;
}

static void print_machine(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    const struct ek_report *first = &results->reports[0];
    struct ek_line line = {0};
    ek_line_add(&line, "%s: %s, ", ek_options_text(results->options, "carrier"),
                ek_text_plural(first->workers, "thread").of);
    if (first->has_free) {
        bool chosen = ek_options_differ(results->options, "mailbox");
        const char *mailbox = chosen ? ek_options_text(results->options, "mailbox") : "spsc";
        ek_line_add(&line, "no barrier, mailbox %.*s:%u", (int)strcspn(mailbox, ":"), mailbox,
                    first->free.mailbox_capacity);
    } else {
        ek_line_add(&line, "barrier %s, mailbox %s", first->barrier, ek_options_text(results->options, "mailbox"));
    }
    ek_table_say(out, terminal, "machine", "%s%s", line.of, results->options->experiment.unpinned ? ", unpinned" : "");
}

static void print_experiment(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    const struct ek_options *options = results->options;
    double parameter = ek_machine_parameter(results->machine);
    bool one = strcmp(ek_options_text(options, "ports"), "one") == 0;
    struct ek_line topology = {0};
    struct ek_line method = {0};
    describe_topology(ek_machine_topology(results->machine), &topology);
    ek_table_say(out, terminal, "topology", "%s", topology.of);
    ek_line_add(&method, "%s: %s", ek_options_text(options, "method"), ek_machine_method(results->machine)->title);
    if (!isnan(parameter)) {
        ek_line_add(&method, ", parameter %s", ek_text_real(parameter).of);
    }
    ek_table_say(out, terminal, "method", "%s, %s", method.of, one ? "one port" : "all ports");
    ek_table_say(out, terminal, "load", "%s, %s, seed %" PRIu64, ek_options_text(options, "load"),
                 ek_results_units(results), results->reports[0].seed);
    print_machine(out, terminal, results);
}

// The factor by which an operation shrank the distance from balance, on the mean over the run.
static double measured_factor(const struct ek_report *report)
{
    return pow(report->variance_final / report->variance_initial, 0.5 / (double)report->operations);
}

static double mean_over_runs(const struct ek_results *results, double (*value)(const struct ek_report *report))
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
static void print_compared(FILE *out, const struct ek_terminal *terminal, const char *label, struct ek_text theory,
                           struct ek_text measured, const char *remark)
{
    ek_table_label(out, terminal, label);
    int column = LABEL + fprintf(out, " %13s", theory.of);
    if (*measured.of) {
        column += fprintf(out, " %13s", measured.of);
    }
    if (*remark) {
        ek_text_after(out, column, remark, REMARK, WIDTH);
    } else {
        fputc('\n', out);
    }
}

static void print_theory(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    struct ek_theory theory;
    ek_results_theory(results, &theory);
    if (!theory.has_exact && !theory.has_closed) {
        return;
    }
    ek_table_label(out, terminal, "");
    fprintf(out, " %13s %13s\n", "theory", "measured");
    print_compared(out, terminal, "factor", ek_text_factor(theory.has_exact ? theory.gamma_exact : theory.gamma_closed),
                   ek_text_factor(mean_over_runs(results, measured_factor)),
                   "of the distance from balance, per operation");
    if (theory.has_exact && theory.has_closed) {
        print_compared(out, terminal, "", ek_text_factor(theory.gamma_closed), (struct ek_text){""},
                       "the paper's closed form");
    }
    print_compared(out, terminal, "operations", ek_text_amount(theory.operations),
                   ek_text_amount(mean_over_runs(results, operations_of)), "");
    print_compared(out, terminal, "steps", ek_text_amount(theory.steps),
                   ek_text_amount(mean_over_runs(results, steps_of)), "");
    if (theory.note[0]) {
        ek_text_labelled(out, "note", LABEL, theory.note);
    }
    fputc('\n', out);
}

static double measured_beside(const struct ek_fact *fact, const struct ek_report *report)
{
    const struct ek_field *field = fact->beside ? ek_field_named(fact->beside) : NULL;
    return field && ek_field_present(field, report) ? ek_field_value(field, report) : NAN;
}

void ek_table_write_facts(FILE *out, const struct ek_fact *facts, size_t count, const struct ek_report *report)
{
    enum { NAME = 22, NUMBER = 14 };
    if (count > 0) {
        fprintf(out, "  %-*s%*s%*s\n", NAME, "known beforehand", NUMBER, "theory", report ? NUMBER : 0,
                report ? "run 0" : "");
    }
    for (size_t i = 0; i < count; i++) {
        int column = fprintf(out, "  %-*s %*s", NAME, facts[i].name, NUMBER - 1, ek_text_amount(facts[i].value).of);
        if (report) {
            column += fprintf(out, " %*s", NUMBER - 1, ek_text_amount(measured_beside(&facts[i], report)).of);
        }
        ek_text_after(out, column, facts[i].text, 2 + NAME + (report ? 2 : 1) * NUMBER + 2, WIDTH);
    }
}

static void print_facts(FILE *out, const struct ek_results *results)
{
    struct ek_fact facts[EK_FACTS_MAX];
    size_t count = ek_facts_find(results->machine, facts, EK_FACTS_MAX);
    ek_table_write_facts(out, facts, count, &results->reports[0]);
    fputs(count > 0 ? "\n" : "", out);
}

static void print_outcome(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    const struct ek_report *first = &results->reports[0];
    const char *stop = ek_results_stop(results);
    bool never = strcmp(stop, "never") == 0;
    const char *why = ek_results_why(first);
    struct ek_line line = {0};
    if (results->count > 1 && never) {
        ek_table_say(out, terminal, "stop", "never, %s", ek_text_plural(results->count, "run").of);
        return;
    }
    if (results->count > 1) {
        ek_table_say(out, terminal, "stop", "%s reached in %s of %s", stop,
                     ek_text_count(results->count - ek_results_unreached(results)).of,
                     ek_text_plural(results->count, "run").of);
        return;
    }
    ek_line_add(&line, "%s%s%s%s after %s", stop, ek_terminal_style(terminal, first->converged ? "32" : "33").of,
                never              ? ", ended"
                : first->converged ? " reached"
                                   : " not reached",
                ek_terminal_style(terminal, "0").of, ek_text_plural(first->operations, "operation").of);
    if (!first->has_free) {
        ek_line_add(&line, ", %s", ek_text_plural(first->steps, "step").of);
    }
    ek_table_say(out, terminal, "stop", "%s, %s", line.of, ek_text_seconds(first->elapsed_s).of);
    if (*why && !first->converged) {
        ek_table_say(out, terminal, "why", "%s", why);
    }
}

// What only some methods have.
static void print_counts(FILE *out, const struct ek_terminal *terminal, const struct ek_report *report)
{
    if (report->has_scan) {
        ek_table_say(out, terminal, "steps", "%s of scan, %s of exchange", ek_text_count(report->scan_steps).of,
                     ek_text_count(report->exchange_steps).of);
    }
    if (report->has_reduction && report->reduction_steps > 0) {
        ek_table_say(out, terminal, "reductions", "%s, not counted above",
                     ek_text_plural(report->reduction_steps, "step").of);
    }
    if (report->has_shifts) {
        ek_table_say(out, terminal, "shifts", "%s", ek_text_amount(report->shifts).of);
    }
}

static void print_one_run(FILE *out, const struct ek_terminal *terminal, const struct ek_report *report)
{
    ek_table_say(out, terminal, "variance", "%s at first, %s at the end", ek_text_real(report->variance_initial).of,
                 ek_text_real(report->variance_final).of);
    ek_table_say(out, terminal, "loads", "%s to %s at the end, never below %s, %s in all",
                 ek_text_amount(report->minimum).of, ek_text_amount(report->maximum).of,
                 ek_text_amount(report->minimum_ever).of, ek_text_amount(report->total_final).of);
    bool flows = !isnan(report->flow_l1);
    ek_table_say(out, terminal, "traffic", "%s, %s, %s of load over links%s%s%s",
                 ek_text_plural(report->messages, "message").of, ek_text_plural(report->parcels, "parcel").of,
                 ek_text_amount(report->moved).of, flows ? ", " : "", flows ? ek_text_amount(report->flow_l1).of : "",
                 flows ? " net" : "");
    print_counts(out, terminal, report);
    if (report->generated > 0.0 || report->consumed > 0.0) {
        ek_table_say(out, terminal, "work", "%s generated, %s consumed", ek_text_amount(report->generated).of,
                     ek_text_amount(report->consumed).of);
    }
    if (report->in_flight > 0.0) {
        ek_table_say(out, terminal, "in flight", "%s at the end", ek_text_amount(report->in_flight).of);
    }
    if (report->has_stayed) {
        ek_table_say(out, terminal, "tokens", "%s never left their first processor", ek_text_amount(report->stayed).of);
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
    struct ek_text text = ek_text_amount(value);
    if ((int)strlen(text.of) > width) {
        snprintf(text.of, sizeof text.of, "%.4g", value);
    }
    fprintf(out, " %*s", width, text.of);
}

static void print_run_rows(FILE *out, const struct ek_results *results)
{
    for (size_t r = 0; r < results->count; r++) {
        fprintf(out, "  %*" PRIu64, SEED, results->reports[r].seed);
        for (size_t c = 0; c < COLUMNS; c++) {
            const struct ek_field *field = ek_field_named(columns[c].field);
            print_cell(out, ek_field_value(field, &results->reports[r]), columns[c].width);
        }
        fputc('\n', out);
    }
}

static void print_summary(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    static const char *const names[] = {"mean", "sd", "min", "max"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        fprintf(out, "%*s", 2 + SEED - (int)strlen(names[n]), "");
        print_faint(out, terminal, names[n]);
        for (size_t c = 0; c < COLUMNS; c++) {
            struct ek_summary summary = ek_summarise(results, ek_field_named(columns[c].field));
            const double values[] = {summary.mean, summary.sd, summary.minimum, summary.maximum};
            print_cell(out, values[n], columns[c].width);
        }
        fputc('\n', out);
    }
}

static void print_runs(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    struct ek_line heads = {0};
    ek_line_add(&heads, "  %*s", SEED, "seed");
    for (size_t c = 0; c < COLUMNS; c++) {
        ek_line_add(&heads, " %*s", columns[c].width, columns[c].head);
    }
    print_faint(out, terminal, heads.of);
    fputc('\n', out);
    if (results->count <= FEW_RUNS) {
        print_run_rows(out, results);
    }
    print_summary(out, terminal, results);
}

void ek_table_write(FILE *out, const struct ek_results *results)
{
    struct ek_terminal terminal = ek_terminal_of(out);
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
    if (first->has_free) {
        ek_table_write_free(out, &terminal, results, first);
    }
    if (terminal.is_terminal && first->trace_count > 1) {
        fputc('\n', out);
        ek_chart_draw(out, &terminal, first);
    }
    if (results->options->heat && first->initial) {
        fputc('\n', out);
        ek_heat_draw(out, &terminal, ek_machine_topology(results->machine), first);
    }
}
