// SPDX-License-Identifier: MIT
// `evenkeel report FILE... --out FILE.html`: records as one page.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/files.h"
#include "cli/report/report.h"
#include "lab/clean.h"

enum { PATH_LENGTH = 4096 };

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

// The page takes its name when it is whole: one that was there before is not lost by a full disk.
static bool write_page(const char *file, struct report_page_item *items, size_t count, struct ek_error *error)
{
    char part[PATH_LENGTH];
    int length = snprintf(part, sizeof part, "%s.part", file);
    if (length < 0 || (size_t)length >= sizeof part) {
        return cli_refuse(error, "", -1, "the path behind --out is too long");
    }
    FILE *out = fopen(part, "w");
    if (!out) {
        return cli_refuse(error, "", -1, "%s cannot be written (%s): choose another --out", file, strerror(errno));
    }
    errno = ENOMEM; // what it is where no call says anything else
    bool good = report_page_write(out, items, count) && fflush(out) == 0 && !ferror(out);
    good = fclose(out) == 0 && good && rename(part, file) == 0;
    if (!good) {
        cli_refuse(error, "", -1, "%s could not be written (%s): there is no new page", file, strerror(errno));
        unlink(part);
    }
    return good;
}

static bool make_page(const struct cli_options *options, struct report_page_item *items, struct ek_error *error)
{
    size_t count = 1 + options->further_count;
    for (size_t i = 0; i < count; i++) {
        if (!read_item(i == 0 ? options->argument : options->further[i - 1], &items[i], error)) {
            return false;
        }
    }
    return write_page(options->out, items, count, error);
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
    struct report_page_item items[1 + CLI_FURTHER] = {{0}};
    bool good = make_page(options, items, &error);
    for (size_t i = 0; i <= options->further_count; i++) {
        lab_record_destroy(&items[i].record);
        free(items[i].file);
    }
    if (!good) {
        return cli_complain(&error, NULL);
    }
    if (!report_page_has_charts()) {
        fputs("evenkeel: this page has no charts: the command was built without uPlot (see evenkeel doctor)\n", stderr);
    }
    return EK_OK;
}
