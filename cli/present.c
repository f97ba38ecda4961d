// SPDX-License-Identifier: MIT
// Records as tables, JSON, CSV and pictures.
#include "cli/present.h"

#include <stdio.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/report/figure.h"
#include "cli/report/report.h"
#include "lab/curve.h"

bool cli_present_possible(const struct cli_options *options, struct ek_error *error)
{
    if (options->heat && options->format != CLI_TABLE) {
        return cli_refuse(error, "", -1, "--heat goes with the table: leave out --format");
    }
    return report_figure_ready(options->plot, options->plot_script, error);
}

static bool draw_curve(const struct lab_record *record, const struct cli_options *options, struct ek_error *error)
{
    struct lab_figure figure;
    bool good = lab_curve_figure(&figure, record, error) &&
                report_figure_draw(&figure, options->plot, options->plot_script, error);
    lab_figure_destroy(&figure);
    return good;
}

bool cli_present(const struct lab_record *record, const struct cli_options *options, unsigned parts,
                 struct ek_error *error)
{
    if (options->plot && !draw_curve(record, options, error)) {
        return false;
    }
    if (options->quiet) {
        return true;
    }
    if (options->format == CLI_JSON) {
        return lab_record_write(stdout, record, parts) || ferror(stdout) ||
               cli_refuse(error, "", -1, "no memory for the JSON report: leave out --final or --trace");
    }
    if (options->format == CLI_CSV) {
        report_csv_write(stdout, record);
    } else {
        report_table_write(stdout, record, options->heat);
    }
    return true;
}

// What was not reached in what, and why, of at least one run that ended so.
static void describe_unreached(const struct lab_record *record, size_t unreached, char *sentence, size_t size)
{
    const struct ek_report *first = record->runs;
    while (first->converged) {
        first++;
    }
    const char *stop = lab_record_axis(record, "stop");
    bool never = strcmp(stop, "never") == 0;
    struct cli_text place =
        cli_text_plural(first->has_async ? first->operations : first->steps, first->has_async ? "operation" : "step");
    if (record->asked > 1) {
        struct cli_text runs = cli_text_plural(record->count, "run");
        snprintf(place.of, sizeof place.of, "%.30s of %.40s", cli_text_count(unreached).of, runs.of);
    }
    snprintf(sentence, size, "%.80s %s %s%s%s", never ? "the experiment" : stop,
             never ? "ended early, after" : "was not reached in", place.of, *first->why ? ": " : "", first->why);
}

void cli_present_unreached(const struct lab_record *record)
{
    struct ek_error error = {.status = EK_UNREACHED, .at = -1};
    size_t unreached = lab_record_unreached(record);
    if (unreached > 0) {
        describe_unreached(record, unreached, error.sentence, sizeof error.sentence);
    } else {
        snprintf(error.sentence, sizeof error.sentence, "interrupted after %s of %s", cli_text_count(record->count).of,
                 cli_text_plural(record->asked, "run").of);
    }
    fflush(stdout);
    cli_complain(&error, NULL);
}
