// SPDX-License-Identifier: MIT
// The directory of --out: made before the runs, filled after them, and left as it was found where anything fails. What
// is not ours in it stays.
#include "cli/out.h"

#include <assert.h>
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

static void file_path(const struct cli_out *out, size_t index, char *path)
{
    int length = snprintf(path, PATH_LENGTH, "%s/%s", out->directory, files[index].name);
    assert(length > 0 && length < PATH_LENGTH);
    (void)length;
}

// An earlier experiment's files are never overwritten.
static bool check_free(const struct cli_out *out, struct ek_error *error)
{
    for (size_t i = 0; i < FILES; i++) {
        char path[PATH_LENGTH];
        struct stat about;
        file_path(out, i, path);
        if (lstat(path, &about) == 0) {
            return cli_refuse(error, "", -1, "%s is there already: remove it, or choose another --out", path);
        }
    }
    return true;
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
    struct stat about;
    if (!out->made && (stat(directory, &about) != 0 || !S_ISDIR(about.st_mode))) {
        return cli_refuse(error, "", -1, "%s is there already and is no directory: choose another --out", directory);
    }
    if (access(directory, W_OK | X_OK) != 0) {
        cli_out_abandon(out);
        return cli_refuse(error, "", -1, "nothing can be written in %s: choose another --out", directory);
    }
    return check_free(out, error);
}

// Writes a file, or leaves none and says why in errno.
static bool write_file(const struct cli_out *out, size_t index, const struct lab_record *record)
{
    char path[PATH_LENGTH];
    file_path(out, index, path);
    FILE *file = fopen(path, "wx"); // also what has come since is not overwritten
    if (!file) {
        return false;
    }
    bool good = files[index].write(file, record) && fflush(file) == 0 && !ferror(file);
    int why = errno;
    if (fclose(file) != 0 && good) {
        good = false;
        why = errno;
    }
    if (!good) {
        unlink(path);
        errno = why;
    }
    return good;
}

bool cli_out_write(struct cli_out *out, const struct lab_record *record, struct ek_error *error)
{
    for (size_t i = 0; out->directory && i < FILES; i++) {
        if (!write_file(out, i, record)) {
            cli_refuse(error, "", -1, "%s/%s could not be written (%s): none of the files is kept", out->directory,
                       files[i].name, strerror(errno));
            while (i-- > 0) {
                char path[PATH_LENGTH];
                file_path(out, i, path);
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
