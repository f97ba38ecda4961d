// SPDX-License-Identifier: MIT
// `evenkeel show FILE`: prints a record of `run` as `run` did, or in another format.
#include <stdlib.h>

#include "cli/commands/commands.h"
#include "cli/commands/file_kind.h"
#include "cli/line/complain.h"
#include "cli/report/record_report.h"
#include "cli/terminal/read_file.h"
#include "threads/api/report.h"

#define PLACE(field) offsetof(struct report_view, field)

static const struct cli_option own[] = {CLI_OPTION_FORMAT(PLACE(format)),
                                        CLI_OPTIONS_PICTURE("draw the variance, as run does: .svg, .pdf or .png",
                                                            "Needs gnuplot, and a record with a trace.",
                                                            PLACE(picture)),
                                        CLI_OPTION_HEAT(PLACE(heat)),
                                        CLI_OPTION_QUIET(PLACE(quiet)),
                                        {0}};

// Returns whether the record has what the pictures need.
static bool has_enough(const struct lab_record *record, const struct report_view *view, struct ek_error *error)
{
    const struct ek_report *first = &record->runs[0];
    if (view->heat && (record->topology.dimensions != 2 || !first->initial || !first->final)) {
        return base_refuse(
            error, "--heat needs a topology of two dimensions, and a record with all loads: run with --out DIR");
    }
    return !view->picture.plot || first->trace_count > 0 ||
           base_refuse(error, "--plot needs a record with a trace: run with --trace, or --out DIR");
}

static bool show_file(const char *file, const struct report_view *view, struct ek_error *error)
{
    struct lab_record record = {0};
    size_t length;
    char *text = report_record_possible(view, error) && cli_file_may_be(file, CLI_FILE_RECORD, error)
                     ? cli_read_file(file, &length, error)
                     : NULL;
    bool good = text && lab_record_read(text, length, &record, error) && has_enough(&record, view, error) &&
                report_record_write(&record, view, LAB_WITH_ALL, error);
    free(text);
    lab_record_destroy(&record);
    return good;
}

static enum ek_status show(const struct cli_call *call, const void *view)
{
    struct ek_error error = {.at = -1};
    return show_file(call->words[0], view, &error) ? EK_OK : cli_complain(&error);
}

const struct cli_command cli_show = {.name = "show",
                                     .argument = "FILE",
                                     .summary = "show a record that run has written",
                                     .more = "FILE is the run.json of `run --out`, or the output of `run --format "
                                             "json`. The command prints what `run` printed.",
                                     .options = own,
                                     .size = sizeof(struct report_view),
                                     .act = show};
