// SPDX-License-Identifier: MIT
// The report as a person wants to see it: the experiment, the theory beside the measurement, the runs, and on a
// terminal the variance over the steps.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/pictures.h"
#include "cli/results.h"
#include "cli/text.h"

enum { LABEL = 13, FEW_RUNS = 8 };

void ek_table_label(FILE *out, const struct ek_terminal *terminal, const char *label)
{
    struct ek_text faint = ek_terminal_style(terminal, "2");
    struct ek_text end = ek_terminal_style(terminal, "0");
    fprintf(out, "  %s%-*s%s", faint.of, LABEL - 2, label, end.of);
}

void ek_table_write_topology(FILE *out, const struct ek_topology *topology)
{
    fprintf(out, "%s: %s, %s, %s", topology->spec, ek_text_plural(topology->processors, "processor").of,
            ek_text_plural(topology->links, "link").of, ek_text_plural(topology->colours, "colour").of);
    if (topology->diameter >= 0) {
        fprintf(out, ", diameter %" PRId64, topology->diameter);
    }
    fputc('\n', out);
}

// The axes that make a run other than the theory's: its own loads and links only, everybody at once.
static const char *const settings[] = {"timing",    "domains",    "clock", "invoke", "work",   "tick",    "capacity",
                                       "weighting", "link-limit", "delay", "slow",   "faults", "perturb", "audit"};
enum { SETTINGS = sizeof settings / sizeof *settings };

// Those that were set, as in "capacity semi, delay fixed:3". Whether there were any.
static bool print_settings(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    bool any = false;
    for (size_t i = 0; i < SETTINGS; i++) {
        if (ek_options_differ(results->options, settings[i])) {
            if (!any) {
                ek_table_label(out, terminal, "setting");
            }
            const char *value = ek_options_text(results->options, settings[i]);
            fprintf(out, "%s%s%s%s", any ? ", " : "", settings[i], *value ? " " : "", value);
            any = true;
        }
    }
    fputs(any ? "\n" : "", out);
    return any;
}

static void print_machine(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    const struct ek_report *first = &results->reports[0];
    ek_table_label(out, terminal, "machine");
    fprintf(out, "%s: %s, ", ek_options_text(results->options, "carrier"), ek_text_plural(first->workers, "thread").of);
    if (first->has_free) {
        bool chosen = ek_options_differ(results->options, "mailbox");
        const char *mailbox = chosen ? ek_options_text(results->options, "mailbox") : "spsc";
        fprintf(out, "no barrier, mailbox %.*s:%u", (int)strcspn(mailbox, ":"), mailbox, first->free.mailbox_capacity);
    } else {
        fprintf(out, "barrier %s, mailbox %s", first->barrier, ek_options_text(results->options, "mailbox"));
    }
    fputs(results->options->experiment.unpinned ? ", unpinned\n" : "\n", out);
}

static void print_experiment(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    const struct ek_options *options = results->options;
    const struct ek_method *method = ek_machine_method(results->machine);
    double parameter = ek_machine_parameter(results->machine);
    bool one = strcmp(ek_options_text(options, "ports"), "one") == 0;
    ek_table_label(out, terminal, "topology");
    ek_table_write_topology(out, ek_machine_topology(results->machine));
    ek_table_label(out, terminal, "method");
    fprintf(out, "%s: %s", method->name, method->title);
    if (!isnan(parameter)) {
        fprintf(out, ", parameter %s", ek_text_real(parameter).of);
    }
    fprintf(out, ", %s\n", one ? "one port" : "all ports");
    ek_table_label(out, terminal, "load");
    fprintf(out, "%s, %s, seed %" PRIu64 "\n", ek_options_text(options, "load"), ek_results_units(results),
            results->reports[0].seed);
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

static void print_compared(FILE *out, const struct ek_terminal *terminal, const char *label, double theory,
                           double measured)
{
    ek_table_label(out, terminal, label);
    fprintf(out, "%14s%14s", ek_text_real(theory).of, ek_text_real(measured).of);
}

static void print_theory(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    struct ek_theory theory;
    ek_results_theory(results, &theory);
    if (!theory.has_exact && !theory.has_closed) {
        return;
    }
    ek_table_label(out, terminal, "");
    fprintf(out, "%14s%14s\n", "theory", "measured");
    print_compared(out, terminal, "factor", theory.has_exact ? theory.gamma_exact : theory.gamma_closed,
                   mean_over_runs(results, measured_factor));
    fputs("   of the distance from balance, per operation", out);
    if (theory.has_exact && theory.has_closed) {
        fprintf(out, "\n%*s%14s%14s   the paper's closed form", LABEL, "", ek_text_real(theory.gamma_closed).of, "");
    }
    fputc('\n', out);
    print_compared(out, terminal, "operations", theory.operations, mean_over_runs(results, operations_of));
    fputc('\n', out);
    print_compared(out, terminal, "steps", theory.steps, mean_over_runs(results, steps_of));
    fputc('\n', out);
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
    enum { NAME = 22, NUMBER = 12, WIDTH = 110 };
    int indent = 2 + NAME + NUMBER + (report ? NUMBER : 0) + 2;
    if (count > 0) {
        fprintf(out, "  %-*s%*s%*s\n", NAME, "known beforehand", NUMBER, "theory", report ? NUMBER : 0,
                report ? "run 0" : "");
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  %-*s%*s", NAME, facts[i].name, NUMBER, ek_text_real(facts[i].value).of);
        if (report) {
            fprintf(out, "%*s", NUMBER, ek_text_real(measured_beside(&facts[i], report)).of);
        }
        fputs("  ", out);
        ek_text_wrap(out, facts[i].text, indent, WIDTH);
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
    static const char *const ends[] = {
        [EK_CRITERION] = " reached",  [EK_STEPS] = ", ended",           [EK_FROZEN] = ", frozen",
        [EK_TIME] = ", cut by --for", [EK_INTERRUPT] = ", interrupted", [EK_ENDED] = ", ended by itself",
        [EK_QUIET] = ", quiet",       [EK_WATCHDOG] = ", stuck",
    };
    const struct ek_report *first = &results->reports[0];
    const char *colour = first->converged ? "32" : "33";
    ek_table_label(out, terminal, "stop");
    fputs(ek_results_stop(results), out);
    if (results->count > 1) {
        fprintf(out, " reached in %s of %s", ek_text_count(results->count - ek_results_unreached(results)).of,
                ek_text_plural(results->count, "run").of);
    } else {
        fprintf(out, "%s%s%s after %s, ", ek_terminal_style(terminal, colour).of, ends[first->reason],
                ek_terminal_style(terminal, "0").of, ek_text_plural(first->operations, "operation").of);
        if (!first->has_free) {
            fprintf(out, "%s, ", ek_text_plural(first->steps, "step").of);
        }
        fputs(ek_text_seconds(first->elapsed_s).of, out);
    }
    fputc('\n', out);
}

// What only some methods have.
static void print_counts(FILE *out, const struct ek_terminal *terminal, const struct ek_report *report)
{
    if (report->has_scan) {
        ek_table_label(out, terminal, "steps");
        fprintf(out, "%s of scan, %s of exchange\n", ek_text_count(report->scan_steps).of,
                ek_text_count(report->exchange_steps).of);
    }
    if (report->has_reduction && report->reduction_steps > 0) {
        ek_table_label(out, terminal, "reductions");
        fprintf(out, "%s, not counted above\n", ek_text_plural(report->reduction_steps, "step").of);
    }
    if (report->has_shifts) {
        ek_table_label(out, terminal, "shifts");
        fprintf(out, "%s\n", ek_text_real(report->shifts).of);
    }
}

static void print_one_run(FILE *out, const struct ek_terminal *terminal, const struct ek_report *report)
{
    ek_table_label(out, terminal, "variance");
    fprintf(out, "%s at first, %s at the end\n", ek_text_real(report->variance_initial).of,
            ek_text_real(report->variance_final).of);
    ek_table_label(out, terminal, "loads");
    fprintf(out, "%s to %s at the end, never below %s, %s in all\n", ek_text_real(report->minimum).of,
            ek_text_real(report->maximum).of, ek_text_real(report->minimum_ever).of,
            ek_text_real(report->total_final).of);
    ek_table_label(out, terminal, "traffic");
    fprintf(out, "%s, %s, %s of load over links", ek_text_plural(report->messages, "message").of,
            ek_text_plural(report->parcels, "parcel").of, ek_text_real(report->moved).of);
    if (!isnan(report->flow_l1)) {
        fprintf(out, ", %s net", ek_text_real(report->flow_l1).of);
    }
    fputc('\n', out);
    print_counts(out, terminal, report);
    if (report->generated > 0.0 || report->consumed > 0.0) {
        ek_table_label(out, terminal, "work");
        fprintf(out, "%s generated, %s consumed\n", ek_text_real(report->generated).of,
                ek_text_real(report->consumed).of);
    }
    if (report->in_flight > 0.0) {
        ek_table_label(out, terminal, "in flight");
        fprintf(out, "%s at the end\n", ek_text_real(report->in_flight).of);
    }
    if (report->has_stayed) {
        ek_table_label(out, terminal, "tokens");
        fprintf(out, "%s never left their first processor\n", ek_text_real(report->stayed).of);
    }
}

static const char *const columns[] = {"operations", "steps",    "variance_final", "spread_final",
                                      "moved",      "messages", "elapsed_s"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void print_cell(FILE *out, double value)
{
    if (isnan(value)) {
        fprintf(out, " %10s", "-");
    } else {
        fprintf(out, " %10.5g", value);
    }
}

static void print_run_rows(FILE *out, const struct ek_results *results)
{
    for (size_t r = 0; r < results->count; r++) {
        fprintf(out, "  %8" PRIu64, results->reports[r].seed);
        for (size_t c = 0; c < COLUMNS; c++) {
            print_cell(out, ek_field_value(ek_field_named(columns[c]), &results->reports[r]));
        }
        fputc('\n', out);
    }
}

static void print_summary(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    static const char *const names[] = {"mean", "sd", "min", "max"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct ek_text faint = ek_terminal_style(terminal, "2");
        struct ek_text end = ek_terminal_style(terminal, "0");
        fprintf(out, "  %s%8s%s", faint.of, names[n], end.of);
        for (size_t c = 0; c < COLUMNS; c++) {
            struct ek_summary summary = ek_summarise(results, ek_field_named(columns[c]));
            const double values[] = {summary.mean, summary.sd, summary.minimum, summary.maximum};
            print_cell(out, values[n]);
        }
        fputc('\n', out);
    }
}

static void print_runs(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results)
{
    static const char *const heads[COLUMNS] = {"operations", "steps",    "variance", "spread",
                                               "moved",      "messages", "seconds"};
    fprintf(out, "  %s%8s", ek_terminal_style(terminal, "2").of, "seed");
    for (size_t c = 0; c < COLUMNS; c++) {
        fprintf(out, " %10s", heads[c]);
    }
    fprintf(out, "%s\n", ek_terminal_style(terminal, "0").of);
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
