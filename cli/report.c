// SPDX-License-Identifier: MIT
// `evenkeel report FILE... --out FILE.html`: records as one page.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/files.h"
#include "cli/report/report.h"
#include "cli/whole.h"
#include "lab/clean.h"

static bool read_item(const char *file, struct report_page_item *item, struct ek_error *error)
{
    struct ek_reader reader = cli_files_reader();
    size_t length;
    char *text = reader.read(reader.context, file, &length, error);
    struct ek_error why;
    bool good = text && (item->file = lab_clean_copy(file)) && lab_record_read(text, length, &item->record, &why);
    free(text);
    if (text && !good) {
        cli_refuse(error, "", -1, "%s: %s", file, item->file ? why.sentence : "there is no memory for its name");
    }
    return good;
}

static bool write_page(const char *file, struct report_page_item *items, size_t count, struct ek_error *error)
{
    struct cli_whole page;
    if (!cli_whole_open(&page, file, "out", error)) {
        return false;
    }
    bool good = report_page_write(page.file, items, count) ||
                cli_refuse(error, "", -1, "there is no memory for a page of so many records: give fewer");
    return cli_whole_close(&page, good, error);
}

static bool make_page(const struct cli_options *options, struct report_page_item *items, struct ek_error *error)
{
    for (size_t i = 0; i < options->words_count; i++) {
        if (!read_item(options->words[i], &items[i], error)) {
            return false;
        }
    }
    return write_page(options->out, items, options->words_count, error);
}

enum ek_status cli_report(const struct cli_options *options, const char *typed)
{
    (void)typed;
    struct ek_error error = {.at = -1};
    if (!options->argument || !options->out) {
        cli_refuse(&error, "", -1, "report needs %s, as in evenkeel report DIR/run.json --out page.html",
                   options->argument ? "--out" : "a record");
        return cli_complain(&error, NULL);
    }
    struct report_page_item *items = calloc(options->words_count, sizeof *items);
    bool good = items ? make_page(options, items, &error)
                      : cli_refuse(&error, "", -1, "there is no memory for so many records: give fewer");
    for (size_t i = 0; items && i < options->words_count; i++) {
        lab_record_destroy(&items[i].record);
        free(items[i].file);
    }
    free(items);
    if (!good) {
        return cli_complain(&error, NULL);
    }
    if (!report_page_has_charts()) {
        fputs("evenkeel: this page has no charts: the command was built without uPlot (see evenkeel doctor)\n", stderr);
    }
    return EK_OK;
}
