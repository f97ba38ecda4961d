// SPDX-License-Identifier: MIT
#include "cli/tables/run_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figures/chart.h"
#include "cli/figures/heat.h"
#include "cli/figures/picture.h"
#include "cli/tables/costs_line.h"
#include "cli/tables/run_verdict.h"
#include "cli/tables/run_table_objects.h"
#include "cli/tables/run_table_tasks.h"
#include "cli/tables/table_lines.h"
#include "cli/terminal/terminal.h"
#include "lab/record/fields.h"
#include "threads/api/ranks.h"
#include "threads/api/report.h"

enum { REMARK = REPORT_LABEL + 2 * 14 + 3, FEW_RUNS = 8 };

// Prints the settings that differ from the plain case of the theory, as in "capacity semi, delay fixed:3". Returns
// whether there are any.
static bool print_settings(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    struct cli_line line = {0};
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        if (axis->role == EK_ROLE_SETTING && record->axis[i].given) {
            const char *value = record->axis[i].value;
            bool time = axis->kind == EK_AXIS_SECONDS;
            cli_line_add(&line, "%s%s %s", line.length > 0 ? ", " : "", axis->option,
                         time ? cli_text_seconds(strtod(value, NULL)).of : value);
        }
    }
    if (line.length > 0) {
        report_say(out, terminal, "setting", "%s", line.of);
    }
    return line.length > 0;
}

// Prints how the processors were divided among ranks, and how many links connect different ranks.
static void print_ranks(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    static const char *const blocks[] = {[EK_BLOCKS_IN_ORDER] = "blocks in order",
                                         [EK_BLOCKS_BOXES] = "boxes",
                                         [EK_BLOCKS_PARTS] = "parts cut by METIS"};
    struct cli_line line = {0};
    cli_line_add(&line, "%s, %s between ranks", blocks[report->blocks], cli_text_plural(report->cut, "link").of);
    if (report->blocks != EK_BLOCKS_IN_ORDER) {
        cli_line_add(&line, " (%s with blocks in order)", cli_text_count(report->cut_in_order).of);
    }
    report_say(out, terminal, "ranks", "%s", line.of);
}

static void print_experiment(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    const struct lab_method *method = &record->method;
    struct cli_line topology = {0};
    struct cli_line parameter = {0};
    report_topology_say(&topology, &record->topology);
    if (record->topology.drawn && record->count > 1) {
        cli_line_add(&topology, "; each run has its own graph: this line and the theory describe the first");
    }
    report_say(out, terminal, "topology", "%s", topology.of);
    if (!isnan(method->parameter)) {
        cli_line_add(&parameter, ", parameter %s", cli_text_real(method->parameter).of);
    }
    report_say(out, terminal, "method", "%s: %s%s, %s", method->spec, method->title, parameter.of,
               strcmp(lab_record_axis(record, "ports"), "one") == 0 ? "one port" : "all ports");
    report_say(out, terminal, "load", "%s, %s, seed %" PRIu64, lab_record_axis(record, "load"),
               lab_record_axis(record, "units"), record->runs[0].seed);
    const char *carrier = lab_record_axis(record, "carrier");
    const char *worker = strncmp(carrier, "mpi", 3) == 0 ? "rank" : "thread";
    const struct ek_report *first = &record->runs[0];
    struct cli_line barrier = {0};
    if (!first->has_windows) { // in virtual time only workers meet, and not at a barrier that can be chosen
        cli_line_add(&barrier, "barrier %s, ", lab_record_axis(record, "barrier"));
    }
    report_say(out, terminal, "machine", "%s: %s, %smailbox %s%s", carrier, cli_text_plural(first->workers, worker).of,
               barrier.of, lab_record_axis(record, "mailbox"),
               strcmp(lab_record_axis(record, "unpinned"), "true") == 0 ? ", unpinned" : "");
    if (lab_record_shows_virtual(record)) {
        report_costs_say(out, terminal, record);
    }
    if (first->has_ranks) {
        print_ranks(out, terminal, first);
    }
}

static double mean_over_runs(const struct lab_record *record, double (*value)(const struct ek_report *report))
{
    double sum = 0.0;
    for (size_t i = 0; i < record->count; i++) {
        sum += value(&record->runs[i]);
    }
    return sum / (double)record->count;
}

// Returns whether a run missed its criterion. Its operations and steps are then lower bounds.
static bool missed(const struct lab_record *record, const struct ek_report *run)
{
    return !run->converged && strcmp(lab_record_axis(record, "stop"), "never") != 0;
}

static bool some_missed(const struct lab_record *record)
{
    size_t r = 0;
    while (r < record->count && !missed(record, &record->runs[r])) {
        r++;
    }
    return r < record->count;
}

static double factor_of(const struct ek_report *report)
{
    return report->factor;
}

static double operations_of(const struct ek_report *report)
{
    return (double)report->operations;
}

static double steps_of(const struct ek_report *report)
{
    return (double)report->steps;
}

// Returns a mean over the runs, which is only a lower bound if a run missed its criterion.
static struct cli_text needed(const struct lab_record *record, double (*value)(const struct ek_report *report))
{
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "%s%.70s", some_missed(record) ? "> " : "",
             cli_text_amount(mean_over_runs(record, value)).of);
    return text;
}

// Prints two numbers, and a remark if it is not empty.
static void print_compared(FILE *out, const struct cli_terminal *terminal, const char *label, struct cli_text theory,
                           struct cli_text measured, const char *remark)
{
    report_label(out, terminal, label);
    int column = REPORT_LABEL + fprintf(out, " %13s", theory.of);
    if (*measured.of) {
        column += fprintf(out, " %13s", measured.of);
    }
    if (*remark) {
        cli_text_after(out, column, remark, REMARK, REPORT_WIDTH);
    } else {
        fputc('\n', out);
    }
}

static void print_factors(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    const struct ek_theory theory = record->theory;
    report_label(out, terminal, "");
    fprintf(out, " %13s %13s\n", "theory", "measured");
    print_compared(
        out, terminal, "factor", cli_text_factor(theory.has_exact ? theory.gamma_exact : theory.gamma_closed),
        cli_text_factor(mean_over_runs(record, factor_of)), "by which an operation reduces the distance from balance");
    if (theory.has_exact && theory.has_closed) {
        print_compared(out, terminal, "", cli_text_factor(theory.gamma_closed), (struct cli_text){""},
                       "the paper's closed form");
    }
    print_compared(out, terminal, "operations", cli_text_amount(theory.operations), needed(record, operations_of),
                   isnan(theory.operations) ? ""
                                            : "predicted, if the whole distance shrinks by this factor from the start");
    print_compared(out, terminal, "steps", cli_text_amount(theory.steps), needed(record, steps_of), "");
}

// Prints the theory beside the measurement, or why there is no theory.
static void print_theory(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    const struct ek_theory *theory = &record->theory;
    if (theory->has_exact || theory->has_closed) {
        print_factors(out, terminal, record);
    } else if (!theory->note[0]) {
        return;
    }
    if (theory->note[0]) {
        cli_text_labelled(out, "note", REPORT_LABEL, theory->note);
    }
    fputc('\n', out);
}

static void print_outcome(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    const struct ek_report *first = &record->runs[0];
    const char *stop = lab_record_axis(record, "stop");
    bool never = strcmp(stop, "never") == 0;
    struct cli_line line = {0};
    if (record->count > 1 && never) {
        report_say(out, terminal, "stop", "never, %s", cli_text_plural(record->count, "run").of);
        return;
    }
    if (record->count > 1) {
        report_say(out, terminal, "stop", first->has_tasks ? "%s left in %s of %s" : "%s reached in %s of %s",
                   first->has_tasks ? "no task" : stop, cli_text_count(record->count - lab_record_unreached(record)).of,
                   cli_text_plural(record->count, "run").of);
        return;
    }
    bool late = first->timed && !first->has_windows && first->converged; // a snapshot sees the criterion later
    const char *end = never ? ", ended" : first->converged ? " reached" : " not reached";
    if (first->has_tasks) {
        stop = first->converged ? "no task" : "tasks";
        end = " left";
    }
    cli_line_add(&line, "%s%s%s%s %s", stop, cli_terminal_style(terminal, first->converged ? CLI_GREEN : CLI_YELLOW),
                 end, cli_terminal_style(terminal, CLI_PLAIN), late ? "within" : "after");
    const char *before = " "; // the next number
    if (!report_tasks_by_letters(first)) {
        cli_line_add(&line, " %s", cli_text_plural(first->operations, "operation").of);
        before = ", ";
    }
    if (!first->timed) {
        cli_line_add(&line, "%s%s", before, cli_text_plural(first->steps, "step").of);
    }
    if (!first->has_windows) {
        cli_line_add(&line, "%s%s", before, cli_text_seconds(first->elapsed_s).of);
        before = ", ";
    }
    if (lab_record_shows_virtual(record)) {
        cli_line_add(&line, "%s%s of virtual time", before, cli_text_seconds(first->virtual_s).of);
    }
    report_say(out, terminal, "stop", "%s", line.of);
    if (*first->why) {
        report_say(out, terminal, "why", "%s", first->why);
    }
}

// Prints counts that only some methods have.
static void print_counts(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    if (report->has_scan) {
        report_say(out, terminal, "steps", "%s to scan, %s to exchange load", cli_text_count(report->scan_steps).of,
                   cli_text_count(report->exchange_steps).of);
    }
    if (report->has_steps_paper) {
        report_say(out, terminal, "paper", "%s: %s.", cli_text_plural(report->steps_paper, "step").of,
                   report->steps_paper_counts);
    }
    if (report->has_reduction && report->reduction_steps > 0) {
        report_say(out, terminal, "reductions", "%s, not counted above",
                   cli_text_plural(report->reduction_steps, "step").of);
    }
    if (report->has_shifts) {
        report_say(out, terminal, "shifts", "%s", cli_text_amount(report->shifts).of);
    }
}

static void print_work(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    struct cli_line unmet = {0};
    if (report->unmet > 0.0) {
        cli_line_add(&unmet, ", %s not available for consumption", cli_text_amount(report->unmet).of);
    }
    if (report->generated > 0.0 || report->consumed > 0.0 || report->unmet > 0.0) {
        report_say(out, terminal, "work", "%s generated, %s consumed%s", cli_text_amount(report->generated).of,
                   cli_text_amount(report->consumed).of, unmet.of);
    }
}

// Returns whether a load fell below zero by more than rounding. A real machine cannot hold negative load, but the model
// of rounds can.
static bool fell_below_zero(const struct ek_report *report)
{
    return isfinite(report->minimum_ever) && report->minimum_ever < -1e-9 * (report->total_initial + report->generated);
}

static void print_below_zero(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    double least = 0.0;
    uint64_t runs = 0;
    for (size_t i = 0; i < record->count; i++) {
        bool fell = fell_below_zero(&record->runs[i]);
        least = fell ? fmin(least, record->runs[i].minimum_ever) : least;
        runs += fell;
    }
    struct cli_line where = {0};
    if (record->count > 1) {
        cli_line_add(&where, ", in %s of %s", cli_text_count(runs).of, cli_text_plural(record->count, "run").of);
    }
    if (runs > 0) {
        report_say(out, terminal, "below zero", "a load fell to %s%s: a processor consumed or sent more than it held",
                   cli_text_amount(least).of, where.of);
    }
}

static void print_window(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    if (report->has_window) {
        report_say(out, terminal, "window",
                   "loads within %s of the mean; variance %s on average and at most %s, from %s",
                   cli_text_real(report->bound).of, cli_text_real(report->variance_mean).of,
                   cli_text_real(report->variance_most).of, cli_text_plural(report->window_moments, "measurement").of);
    }
}

static void print_one_run(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    if (report->has_tasks) {
        report_run_table_tasks(out, terminal, report);
        print_window(out, terminal, report);
        if (report->has_faults) {
            report_faults_write(out, terminal, &report->faults);
        }
        return;
    }
    if (report->has_objects) {
        report_run_table_objects(out, terminal, report);
        return;
    }
    report_say(out, terminal, "variance", "%s at the start, %s at the end", cli_text_real(report->variance_initial).of,
               cli_text_real(report->variance_final).of);
    report_say(out, terminal, "loads", "%s to %s at the end, never below %s, total %s%s",
               cli_text_amount(report->minimum).of, cli_text_amount(report->maximum).of,
               cli_text_amount(report->minimum_ever).of, cli_text_amount(report->total_final).of,
               report->in_flight > 0.0 ? " including load in flight" : "");
    if (report->has_estimates) {
        report_say(out, terminal, "estimates",
                   "of the mean load: %s on average, apart by up to %s, %s from the mean; the loads are not balanced",
                   cli_text_real(report->estimate_mean).of, cli_text_real(report->estimate_spread).of,
                   cli_text_real(report->estimate_error).of);
    }
    if (report->has_discrepancy) {
        report_say(out, terminal, "capacities", "loads divided by them differ by at most %s at the end",
                   cli_text_amount(report->discrepancy_final).of);
    }
    bool flows = isfinite(report->flow_l1);
    report_say(out, terminal, "traffic", "%s, %s, %s of load sent over links%s%s%s",
               cli_text_plural(report->messages, "message").of, cli_text_plural(report->parcels, "parcel").of,
               cli_text_amount(report->moved).of, flows ? ", " : "", flows ? cli_text_amount(report->flow_l1).of : "",
               flows ? " net flow" : "");
    print_window(out, terminal, report);
    print_counts(out, terminal, report);
    if (report->has_faults) {
        report_faults_write(out, terminal, &report->faults);
    }
    print_work(out, terminal, report);
    if (report->in_flight > 0.0) {
        report_say(out, terminal, "in flight", "%s at the end", cli_text_amount(report->in_flight).of);
    }
    if (report->has_stayed) {
        report_say(out, terminal, "tokens", "%s never left their first processor", cli_text_amount(report->stayed).of);
    }
}

// Prints how many processors invoked operations. In rounds many processors share one operation.
static void print_invocations(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    const struct ek_report *report = &record->runs[0];
    uint64_t most = report->operations * record->topology.processors;
    if (!report->timed && report->invocations < most) {
        report_say(out, terminal, "invoked", "%s of the %s possible for %s",
                   cli_text_plural(report->invocations, "invocation").of, cli_text_count(most).of,
                   cli_text_plural(record->topology.processors, "processor").of);
    }
}

// Prints what each link carried in the first run.
static void print_links(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report)
{
    struct cli_line heads = {0};
    cli_line_add(&heads, "  %9s %9s %9s %9s %12s %12s %12s", "from", "to", "dimension", "colour", "forth", "back",
                 "net");
    fputc('\n', out);
    report_faint(out, terminal, heads.of);
    fputc('\n', out);
    for (size_t i = 0; i < report->flow_count; i++) {
        const struct ek_flow_report *link = &report->flow[i];
        fprintf(out, "  %9u %9u %9u %9u %12.6g %12.6g %12.6g\n", link->from, link->to, link->dimension, link->colour,
                link->forth, link->back, link->net);
    }
}

// Prints the quota of each processor after each dimension of the first run. A dimension without links sets no quotas.
static void print_quotas(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    const struct ek_report *report = &record->runs[0];
    struct cli_line heads = {0};
    cli_line_add(&heads, "  %9s %9s %12s", "dimension", "processor", "quota");
    fputc('\n', out);
    report_faint(out, terminal, heads.of);
    fputc('\n', out);
    for (size_t i = 0; i < report->quota_dimensions * record->topology.processors; i++) {
        if (!isnan(report->quota[i])) {
            fprintf(out, "  %9zu %9zu %12.6g\n", i / record->topology.processors, i % record->topology.processors,
                    report->quota[i]);
        }
    }
}

// A column of the table of several runs. In virtual time there are no steps. The computer's seconds then say nothing
// about the experiment.
struct column {
    const char *field, *head;
    int width;
};
enum { COLUMNS = 7, SEED = 7 };
static const struct column columns[COLUMNS] = {
    {"operations", "operations", 10}, {"steps", "steps", 9}, {"variance_final", "variance", 9},
    {"spread_final", "spread", 9},    {"moved", "moved", 9}, {"messages", "messages", 9},
    {"elapsed_s", "seconds", 9}};
static const struct column rounds_columns[COLUMNS] = {
    {"operations", "operations", 10}, {"steps", "steps", 9}, {"variance_final", "variance", 9},
    {"spread_final", "spread", 9},    {"moved", "moved", 9}, {"messages", "messages", 9},
    {"virtual_s", "virtual s", 9}};
static const struct column virtual_columns[COLUMNS] = {
    {"operations", "operations", 10}, {"virtual_s", "virtual s", 9}, {"variance_final", "variance", 9},
    {"spread_final", "spread", 9},    {"moved", "moved", 9},         {"messages", "messages", 9},
    {"events", "events", 9}};

static const struct column tasks_columns[COLUMNS] = {{"executed", "executed", 10}, {"ticks", "ticks", 9},
                                                     {"speedup", "speedup", 9},    {"efficiency", "efficient", 9},
                                                     {"bound_ticks", "bound", 9},  {"tasks_moved", "moved", 9},
                                                     {"result", "result", 9}};
static const struct column timed_tasks_columns[COLUMNS] = {{"executed", "executed", 10}, {"done_s", "seconds", 9},
                                                           {"speedup", "speedup", 9},    {"efficiency", "efficient", 9},
                                                           {"messages", "messages", 9},  {"tasks_moved", "moved", 9},
                                                           {"result", "result", 9}};

static const struct column clocked_tasks_columns[COLUMNS] = {
    {"executed", "executed", 10},   {"done_s", "seconds", 9}, {"speedup", "speedup", 9},
    {"efficiency", "efficient", 9}, {"bound_s", "bound", 9},  {"tasks_moved", "moved", 9},
    {"result", "result", 9}};

static const struct column *columns_of_tasks(const struct ek_tasks_report *tasks)
{
    return tasks->has_ticks ? tasks_columns : tasks->has_bound ? clocked_tasks_columns : timed_tasks_columns;
}

static const struct column objects_columns[COLUMNS] = {{"steps", "steps", 10},          {"imbalance", "imbalance", 9},
                                                       {"bytes_moved", "bytes", 9},     {"most_bytes", "most", 9},
                                                       {"objects_moved", "objects", 9}, {"edge_cut", "edge cut", 9},
                                                       {"messages", "messages", 9}};

// Without rounds there are no steps.
static const struct column clocked_objects_columns[COLUMNS] = {
    {"operations", "operations", 10}, {"imbalance", "imbalance", 9},   {"bytes_moved", "bytes", 9},
    {"most_bytes", "most", 9},        {"objects_moved", "objects", 9}, {"edge_cut", "edge cut", 9},
    {"messages", "messages", 9}};

static const struct column *columns_of(const struct lab_record *record)
{
    if (record->runs[0].has_objects) {
        return record->runs[0].timed ? clocked_objects_columns : objects_columns;
    }
    if (record->runs[0].has_tasks) {
        return columns_of_tasks(&record->runs[0].tasks);
    }
    return record->runs[0].has_windows ? virtual_columns : lab_record_shows_virtual(record) ? rounds_columns : columns;
}

// Prints a number, with fewer digits if it is too wide.
static void print_cell(FILE *out, double value, int width)
{
    struct cli_text text = cli_text_amount(value);
    if ((int)strlen(text.of) > width) {
        snprintf(text.of, sizeof text.of, "%.4g", value);
    }
    fprintf(out, " %*s", width, text.of);
}

static void print_run_rows(FILE *out, const struct lab_record *record)
{
    for (size_t r = 0; r < record->count; r++) {
        fprintf(out, "%s%*" PRIu64, missed(record, &record->runs[r]) ? "* " : "  ", SEED, record->runs[r].seed);
        for (size_t c = 0; c < COLUMNS; c++) {
            const struct lab_field *field = lab_field_named(columns_of(record)[c].field);
            double value = lab_field_present(field, &record->runs[r]) ? lab_field_value(field, &record->runs[r]) : NAN;
            print_cell(out, value, columns_of(record)[c].width);
        }
        fputc('\n', out);
    }
}

static void print_summary(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    static const char *const names[] = {"mean", "sd", "min", "max"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        fprintf(out, "%*s", 2 + SEED - (int)strlen(names[n]), "");
        report_faint(out, terminal, names[n]);
        for (size_t c = 0; c < COLUMNS; c++) {
            const struct column *column = &columns_of(record)[c];
            struct lab_summary summary = lab_record_summarise(record, lab_field_named(column->field));
            const double values[] = {summary.mean, summary.sd, summary.minimum, summary.maximum};
            print_cell(out, values[n], column->width);
        }
        fputc('\n', out);
    }
}

static void print_runs(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    struct cli_line heads = {0};
    cli_line_add(&heads, "  %*s", SEED, "seed");
    for (size_t c = 0; c < COLUMNS; c++) {
        cli_line_add(&heads, " %*s", columns_of(record)[c].width, columns_of(record)[c].head);
    }
    report_faint(out, terminal, heads.of);
    fputc('\n', out);
    if (record->count <= FEW_RUNS) {
        print_run_rows(out, record);
    }
    print_summary(out, terminal, record);
    const char *stop = record->runs[0].has_tasks ? "" : lab_record_axis(record, "stop");
    if (record->count <= FEW_RUNS && some_missed(record)) {
        const char *missed_what = record->runs[0].has_tasks ? "has tasks left" : "did not reach";
        fprintf(out, "  * %s%s%s\n", missed_what, *stop ? " " : "", stop);
    }
}

void report_run_table(FILE *out, const struct lab_record *record, bool heat)
{
    struct cli_terminal terminal = cli_terminal_of(out);
    const struct ek_report *first = &record->runs[0];
    print_experiment(out, &terminal, record);
    bool others = print_settings(out, &terminal, record);
    fputc('\n', out);
    if (!others) {
        print_theory(out, &terminal, record);
    }
    report_facts_write(out, record->facts, record->facts_count, record);
    fputs(record->facts_count > 0 ? "\n" : "", out);
    print_outcome(out, &terminal, record);
    if (record->count > 1) {
        print_runs(out, &terminal, record);
    } else {
        print_one_run(out, &terminal, first);
        print_invocations(out, &terminal, record);
    }
    print_below_zero(out, &terminal, record);
    report_run_table_effects(out, &terminal, record);
    if (first->timed) {
        report_run_table_free(out, &terminal, record);
    }
    if (first->flow) {
        print_links(out, &terminal, first);
    }
    if (first->quota) {
        print_quotas(out, &terminal, record);
    }
    if (terminal.is_terminal && first->trace_count > 1) {
        fputc('\n', out);
        report_chart_draw(out, &terminal, first, (struct report_chart_size){REPORT_CHART_COLUMNS, REPORT_CHART_ROWS},
                          NAN);
    }
    if (heat && first->initial && first->final && record->topology.dimensions == 2) {
        fputc('\n', out);
        report_heat_draw(out, &terminal, &record->topology, first);
    }
    if (first->tasks.picture) {
        fputc('\n', out);
        report_picture_draw(out, &terminal, &first->tasks);
    }
    struct cli_line verdict = {0};
    report_run_verdict(&verdict, record);
    fputc('\n', out);
    cli_text_wrap(out, verdict.of, 2, REPORT_WIDTH);
}
