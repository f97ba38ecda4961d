// SPDX-License-Identifier: MIT
#include "cli/report/record_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/line/complain.h"
#include "cli/figures/figure.h"
#include "cli/tables/run_csv.h"
#include "cli/tables/run_table.h"
#include "lab/record/curve.h"
#include "threads/api/report.h"

bool report_record_possible(const struct report_view *view, struct ek_error *error)
{
    if (view->heat && view->format != CLI_TABLE) {
        return base_refuse(error, "--heat goes with the table: leave out --format");
    }
    return report_figure_ready(&view->picture, (struct report_across){0}, error);
}

static bool draw_curve(const struct lab_record *record, const struct report_view *view, struct ek_error *error)
{
    struct lab_figure figure;
    bool good = lab_curve_figure(&figure, record, error) && report_figure_draw(&figure, &view->picture, error);
    lab_figure_destroy(&figure);
    return good;
}

bool report_record_run(const struct lab_record *record, size_t run, const struct report_view *view, unsigned parts,
                       struct ek_error *error)
{
    if (view->format == CLI_JSON) {
        if (run == 0) {
            lab_record_write_head(stdout, record);
        }
        lab_record_write_run(stdout, record, run, parts);
    } else if (view->format == CLI_CSV) {
        report_csv_write_run(stdout, record, run);
    }
    return (fflush(stdout) == 0 && !ferror(stdout)) ||
           base_refuse(error, "standard output could not be written (%s)", strerror(errno));
}

bool report_record_rest(const struct lab_record *record, const struct report_view *view, struct ek_error *error)
{
    if (view->format == CLI_JSON) {
        lab_record_write_end(stdout, record, 0);
    }
    if (view->format == CLI_TABLE && !view->quiet) {
        report_run_table(stdout, record, view->heat);
    }
    return !view->picture.plot || draw_curve(record, view, error);
}

bool report_record_write(const struct lab_record *record, const struct report_view *view, unsigned parts,
                         struct ek_error *error)
{
    for (size_t run = 0; run < record->count; run++) {
        if (!report_record_run(record, run, view, parts, error)) {
            return false;
        }
    }
    return report_record_rest(record, view, error);
}

// Returns "interrupted in run 3 of 5: ", or "" if all runs were carried out.
static struct cli_text describe_interrupt(const struct lab_record *record)
{
    struct cli_text text = {""};
    bool within = record->runs[record->count - 1].ended == EK_ENDED_INTERRUPT;
    if (record->count < record->runs_asked) {
        snprintf(text.of, sizeof text.of, "interrupted %s run %.20s of %.20s: ", within ? "in" : "after",
                 cli_text_count(record->count).of, cli_text_count(record->runs_asked).of);
    }
    return text;
}

// Returns where the criterion was missed: "24 steps", "3 of 5 runs", or "the first run".
static struct cli_text describe_place(const struct lab_record *record, size_t unreached, const struct ek_report *first)
{
    struct cli_text place = {"the first run"};
    if (record->runs_asked == 1) {
        place = cli_text_plural(first->timed ? first->operations : first->steps, first->timed ? "operation" : "step");
    } else if (record->count > 1) {
        snprintf(place.of, sizeof place.of, "%.30s of %.40s", cli_text_count(unreached).of,
                 cli_text_plural(record->count, "run").of);
    }
    return place;
}

// Writes a sentence: what was not reached, where, and why in the first of these runs.
static void describe_unreached(const struct lab_record *record, size_t unreached, char *sentence, size_t size)
{
    const struct ek_report *first = record->runs;
    while (first->converged) {
        first++;
    }
    const char *stop = lab_record_axis(record, "stop");
    bool never = strcmp(stop, "never") == 0;
    snprintf(sentence, size, "%.50s%.64s %s %.30s%s%s", describe_interrupt(record).of,
             first->has_tasks ? "tasks"
             : never          ? "the experiment"
                              : stop,
             first->has_tasks         ? record->runs_asked > 1 ? "were left in" : "were left after"
             : !never                 ? "was not reached in"
             : record->runs_asked > 1 ? "ended early in"
                                      : "ended early, after",
             describe_place(record, unreached, first).of, *first->why ? ": " : "", first->why);
}

void report_record_unreached(const struct lab_record *record)
{
    struct ek_error error;
    size_t unreached = lab_record_unreached(record);
    base_fail(&error, EK_UNREACHED, "", "interrupted after %s of %s", cli_text_count(record->count).of,
              cli_text_plural(record->runs_asked, "run").of);
    if (unreached > 0) {
        describe_unreached(record, unreached, error.sentence, sizeof error.sentence);
    }
    fflush(stdout);
    cli_complain(&error);
}
