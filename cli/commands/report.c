// SPDX-License-Identifier: MIT
// `evenkeel report FILE... --out FILE.html`: makes a page of HTML from records, stores, recordings and measurements of
// contention.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/file_kind.h"
#include "cli/line/complain.h"
#include "cli/line/output_clash.h"
#include "cli/line/shared_options.h"
#include "cli/page/page.h"
#include "cli/terminal/read_file.h"
#include "lab/files/atomic_file.h"
#include "lab/store/stored_records.h"

enum { RUNS_MAX = 20000 }; // most runs of a store: their page has about 40 MB

struct options {
    const char *out;
};

static const struct cli_option own[] = {{.name = "out",
                                         .letter = 'o',
                                         .form = "FILE",
                                         .help = "the page of HTML to write",
                                         .kind = EK_AXIS_TEXT,
                                         .place = offsetof(struct options, out),
                                         .file = CLI_WRITES},
                                        CLI_OPTION_PLUGIN,
                                        {0}};

// The page in the making, and the file being read.
struct reading {
    struct report_page page;
    const char *file;
};

static bool take(void *context, struct lab_record *record, struct ek_error *error)
{
    struct reading *reading = context;
    return report_page_add(&reading->page, reading->file, record, NULL, error);
}

// Adds a record, or a measurement of contention.
static bool read_text(struct reading *reading, const char *text, size_t length, struct ek_error *error)
{
    struct lab_record record;
    struct lab_contention measured;
    struct ek_error why, other;
    if (lab_record_read(text, length, &record, &why)) {
        return take(reading, &record, error);
    }
    if (lab_contention_read(text, length, &measured, &other)) {
        return report_page_add_contention(&reading->page, reading->file, &measured, error);
    }
    return base_refuse(error, "%s: %s", reading->file, why.sentence);
}

static bool read_json(struct reading *reading, struct ek_error *error)
{
    size_t length;
    char *text = cli_read_file(reading->file, &length, error);
    bool good = text && read_text(reading, text, length, error);
    free(text);
    return good;
}

static bool read_recording(struct reading *reading, struct ek_error *error)
{
    struct lab_timeline timeline;
    struct lab_record record;
    return lab_timeline_make(&timeline, &record, reading->file, error) &&
           report_page_add(&reading->page, reading->file, &record, &timeline, error);
}

static bool read_store(struct reading *reading, struct ek_error *error)
{
    struct lab_store *store = lab_store_open(reading->file, LAB_STORE_READ, error);
    struct lab_record_visitor gatherer = {.context = reading, .take = take};
    bool good = store && lab_store_check(store, error) && lab_store_visit_records(store, RUNS_MAX, &gatherer, error);
    lab_store_close(store);
    return good;
}

static bool read_file(struct reading *reading, struct ek_error *error)
{
    const enum cli_file_kind kind = cli_file_kind(reading->file);
    return kind == CLI_FILE_STORE       ? read_store(reading, error)
           : kind == CLI_FILE_RECORDING ? read_recording(reading, error)
                                        : read_json(reading, error);
}

static bool write_page(const char *file, const struct report_page *page, struct ek_error *error)
{
    struct lab_file whole;
    if (!lab_file_open(&whole, file, error)) {
        return false;
    }
    bool good = report_page_write(whole.file, page) || ferror(whole.file) ||
                base_refuse(error, "there is no memory for the page: give fewer records");
    return lab_file_close(&whole, good, error);
}

static bool make_page(const struct cli_call *call, const char *out, struct reading *reading, struct ek_error *error)
{
    bool good = true;
    for (size_t i = 0; good && i < call->words_count; i++) {
        reading->file = call->words[i];
        good = read_file(reading, error);
    }
    return good && write_page(out, &reading->page, error);
}

static void note_kind(const struct cli_call *call)
{
    static const enum cli_found_kind kinds[] = {[CLI_FILE_RECORDING] = CLI_FOUND_RECORDING,
                                                [CLI_FILE_STORE] = CLI_FOUND_STORE,
                                                [CLI_FILE_RECORD] = CLI_FOUND_RECORD};
    call->found->kind = kinds[cli_file_kind(call->words[0])];
}

static enum ek_status report(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    struct ek_error error = {.at = -1};
    struct reading reading = {0};
    bool good = (options->out ||
                 base_refuse(&error, "report needs --out, as in evenkeel report DIR/run.json --out page.html")) &&
                make_page(call, options->out, &reading, &error);
    report_page_destroy(&reading.page);
    if (!good) {
        return cli_complain(&error);
    }
    if (!report_page_has_charts()) {
        fputs("evenkeel: this page has no charts: the command was built without uPlot (see evenkeel doctor)\n", stderr);
    }
    cli_outputs_say(call, options->out);
    note_kind(call);
    return EK_OK;
}

const struct cli_command cli_report = {
    .name = "report",
    .argument = "FILE...",
    .several = true,
    .summary = "make a page of HTML from records, stores and recordings",
    .more = "Each FILE is a record, as for `show`; a store of `sweep`, whose runs are grouped by experiment; a "
            "recording of `run --record`; or the output of `contention --format json`. The page needs no other files "
            "and no network. It shows means and curves beside theory, and all numbers as tables and CSV. Depending on "
            "the files it also shows: the loads over the topology at successive moments (run with --frames), the load "
            "carried by each link (run with --links), waiting times and latencies of free timing, operations, their "
            "overlaps and parcels on a time line (recordings), and costs with their intervals (contention).",
    .options = own,
    .size = sizeof(struct options),
    .act = report};
