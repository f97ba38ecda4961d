// SPDX-License-Identifier: MIT
// `evenkeel show FILE`: a record that `run` has written, as `run` printed it, or in another format.
#include <stdlib.h>

#include "cli/line/commands.h"
#include "cli/line/complain.h"
#include "cli/terminal/files.h"
#include "cli/terminal/present.h"

// What a picture needs and the record does not have.
static bool has_what_is_asked(const struct lab_record *record, const struct cli_options *options,
                              struct ek_error *error)
{
    const struct ek_report *first = &record->runs[0];
    if (options->heat && (record->topology.dimensions != 2 || !first->initial || !first->final)) {
        return base_refuse(
            error, "--heat needs a topology of two dimensions, and a record with all loads: run with --out DIR");
    }
    return !options->plot || first->trace_count > 0 ||
           base_refuse(error, "--plot needs a record with a trace: run with --trace, or --out DIR");
}

enum ek_status cli_show(const struct cli_options *options, const char *typed)
{
    (void)typed;
    struct ek_error error = {.at = -1};
    struct lab_record record = {0};
    if (!options->argument) {
        base_refuse(&error, "show needs a file, as in evenkeel show DIR/run.json");
        return cli_complain(&error);
    }
    struct ek_reader reader = cli_files_reader();
    size_t length;
    char *text =
        cli_present_possible(options, &error) ? reader.read(reader.context, options->argument, &length, &error) : NULL;
    bool good = text && lab_record_read(text, length, &record, &error) && has_what_is_asked(&record, options, &error) &&
                cli_present(&record, options, LAB_WITH_ALL, &error);
    free(text);
    lab_record_destroy(&record);
    return good ? EK_OK : cli_complain(&error);
}
