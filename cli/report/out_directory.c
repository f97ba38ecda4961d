// SPDX-License-Identifier: MIT
// The directory of --out: made before the runs, filled after them, and left as it was found where anything fails. What
// is not ours in it stays.
#include "cli/report/out_directory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/report/run_csv.h"

enum { PATH_LENGTH = 4096 };
static const char PART[] = ".part";

static void write_run(FILE *file, const struct lab_record *record)
{
    lab_record_write(file, record, LAB_WITH_ALL);
}

static void write_trace(FILE *file, const struct lab_record *record)
{
    report_csv_write_trace(file, record);
}

static void write_final(FILE *file, const struct lab_record *record)
{
    report_csv_write_final(file, record);
}

static const struct {
    const char *name;
    void (*write)(FILE *file, const struct lab_record *record);
} files[] = {{"run.json", write_run}, {"trace.csv", write_trace}, {"final.csv", write_final}};
enum { FILES = sizeof files / sizeof *files };

// The name of a file, or of what there is of it while it is written.
static void file_path(const struct cli_out *out, size_t index, const char *ending, char *path)
{
    int length = snprintf(path, PATH_LENGTH, "%s/%s%s", out->directory, files[index].name, ending);
    assert(length > 0 && length < PATH_LENGTH);
    (void)length;
}

// An earlier experiment's files are never overwritten.
static bool check_free(const struct cli_out *out, struct ek_error *error)
{
    for (size_t i = 0; i < FILES; i++) {
        char path[PATH_LENGTH];
        struct stat about;
        file_path(out, i, "", path);
        if (lstat(path, &about) == 0) {
            return base_refuse(error, "%s is there already: remove it, or choose another --out", path);
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
        return base_refuse(error, "the path behind --out is too long");
    }
    out->made = mkdir(directory, 0777) == 0;
    if (!out->made && errno != EEXIST) {
        return base_refuse(error, "%s cannot be made (%s): choose another --out", directory, strerror(errno));
    }
    struct stat about;
    if (!out->made && (stat(directory, &about) != 0 || !S_ISDIR(about.st_mode))) {
        return base_refuse(error, "%s is there already and is no directory: choose another --out", directory);
    }
    if (access(directory, W_OK | X_OK) != 0) {
        cli_out_abandon(out);
        return base_refuse(error, "nothing can be written in %s: choose another --out", directory);
    }
    return check_free(out, error);
}

// Whether all that was written has reached the disk: one that is full may say so only now. Some file systems cannot be
// asked (EINVAL).
static bool reach_disk(int file)
{
    return fsync(file) == 0 || errno == EINVAL;
}

// Writes a file under the name that it has while it is written, or says why not in errno.
static bool write_part(const struct cli_out *out, size_t index, const struct lab_record *record)
{
    char part[PATH_LENGTH];
    file_path(out, index, PART, part);
    FILE *file = fopen(part, "w");
    if (!file) {
        return false;
    }
    files[index].write(file, record);
    bool good = fflush(file) == 0 && !ferror(file) && reach_disk(fileno(file));
    int why = errno;
    if (fclose(file) != 0 && good) {
        return false;
    }
    errno = why;
    return good;
}

// Gives it its name, if that is still free.
static bool name_part(const struct cli_out *out, size_t index)
{
    char part[PATH_LENGTH];
    char path[PATH_LENGTH];
    file_path(out, index, PART, part);
    file_path(out, index, "", path);
    struct stat about;
    if (lstat(path, &about) == 0) {
        errno = EEXIST;
        return false;
    }
    return rename(part, path) == 0;
}

// The names are to reach the disk, too.
static bool keep_names(const struct cli_out *out)
{
    int directory = open(out->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = directory >= 0 && reach_disk(directory);
    int why = errno;
    if (directory >= 0) {
        close(directory);
    }
    errno = why;
    return good;
}

// Takes back what was written: all parts, and the files from `named` on.
static bool take_back(struct cli_out *out, size_t failed, size_t named, struct ek_error *error)
{
    base_refuse(error, "%s/%s could not be written (%s): none of the files is kept", out->directory, files[failed].name,
                strerror(errno));
    for (size_t i = 0; i < FILES; i++) {
        char path[PATH_LENGTH];
        file_path(out, i, i < named ? PART : "", path);
        unlink(path);
    }
    cli_out_abandon(out);
    return false;
}

// Files get their names when all of them are whole and on the disk, run.json the last: where it is, the others are.
bool cli_out_write(struct cli_out *out, const struct lab_record *record, struct ek_error *error)
{
    for (size_t i = 0; out->directory && i < FILES; i++) {
        if (!write_part(out, i, record)) {
            return take_back(out, i, FILES, error);
        }
    }
    for (size_t i = FILES; out->directory && i-- > 0;) {
        if (!name_part(out, i)) {
            return take_back(out, i, i + 1, error);
        }
    }
    return !out->directory || keep_names(out) || take_back(out, 0, 0, error);
}

void cli_out_abandon(struct cli_out *out)
{
    if (out->made) {
        rmdir(out->directory);
        out->made = false;
    }
}
