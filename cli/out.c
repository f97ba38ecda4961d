// SPDX-License-Identifier: MIT
// The directory of --out: made before the runs, filled after them, and left as it was found where anything fails.
#include "cli/out.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/complain.h"
#include "cli/report/report.h"

enum { PATH_LENGTH = 4096 };

static bool write_run(FILE *file, const struct lab_record *record)
{
    return lab_record_write(file, record, LAB_ALL);
}

static bool write_trace(FILE *file, const struct lab_record *record)
{
    report_csv_write_trace(file, record);
    return true;
}

static bool write_final(FILE *file, const struct lab_record *record)
{
    report_csv_write_final(file, record);
    return true;
}

static const struct {
    const char *name;
    bool (*write)(FILE *file, const struct lab_record *record);
} files[] = {{"run.json", write_run}, {"trace.csv", write_trace}, {"final.csv", write_final}};
enum { FILES = sizeof files / sizeof *files };

static bool is_empty(const char *directory)
{
    DIR *entries = opendir(directory);
    if (!entries) {
        return false;
    }
    bool empty = true;
    const struct dirent *entry;
    while ((entry = readdir(entries)) != NULL) {
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    }
    closedir(entries);
    return empty;
}

bool cli_out_open(struct cli_out *out, const char *directory, struct ek_error *error)
{
    *out = (struct cli_out){.directory = directory};
    if (!directory) {
        return true;
    }
    if (strlen(directory) > PATH_LENGTH / 2) {
        return cli_refuse(error, "", -1, "the path behind --out is too long");
    }
    out->made = mkdir(directory, 0777) == 0;
    if (!out->made && errno != EEXIST) {
        return cli_refuse(error, "", -1, "%s cannot be made (%s): choose another --out", directory, strerror(errno));
    }
    if (!out->made && !is_empty(directory)) {
        return cli_refuse(error, "", -1, "%s is there already and is no empty directory: choose another --out",
                          directory);
    }
    if (access(directory, W_OK | X_OK) != 0) {
        cli_out_abandon(out);
        return cli_refuse(error, "", -1, "nothing can be written in %s: choose another --out", directory);
    }
    return true;
}

static void file_path(const struct cli_out *out, size_t index, char *path)
{
    int length = snprintf(path, PATH_LENGTH, "%s/%s", out->directory, files[index].name);
    assert(length > 0 && length < PATH_LENGTH);
    (void)length;
}

static bool write_file(const struct cli_out *out, size_t index, const struct lab_record *record)
{
    char path[PATH_LENGTH];
    file_path(out, index, path);
    FILE *file = fopen(path, "w");
    if (!file) {
        return false;
    }
    bool good = files[index].write(file, record) && fflush(file) == 0 && !ferror(file);
    return fclose(file) == 0 && good;
}

bool cli_out_write(struct cli_out *out, const struct lab_record *record, struct ek_error *error)
{
    for (size_t i = 0; out->directory && i < FILES; i++) {
        if (!write_file(out, i, record)) {
            cli_refuse(error, "", -1, "%s/%s could not be written (%s): the directory is left without it",
                       out->directory, files[i].name, strerror(errno));
            for (size_t written = 0; written <= i; written++) {
                char path[PATH_LENGTH];
                file_path(out, written, path);
                unlink(path);
            }
            cli_out_abandon(out);
            return false;
        }
    }
    return true;
}

void cli_out_abandon(struct cli_out *out)
{
    if (out->made) {
        rmdir(out->directory);
        out->made = false;
    }
}
