// SPDX-License-Identifier: MIT
#include "cli/report/out_directory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/figures/picture.h"
#include "cli/tables/run_csv.h"
#include "lab/files/atomic_file.h"
#include "threads/api/report.h"

enum { PATH_LENGTH = 4096 };

static bool write_run(FILE *file, const struct lab_record *record)
{
    lab_record_write(file, record, LAB_WITH_ALL);
    return true;
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

static bool write_profile(FILE *file, const struct lab_record *record)
{
    report_csv_write_profile(file, record);
    return true;
}

static bool write_processors(FILE *file, const struct lab_record *record)
{
    report_csv_write_processors(file, record);
    return true;
}

static bool write_picture(FILE *file, const struct lab_record *record)
{
    return report_picture_write(file, &record->runs[0].tasks);
}

static const struct {
    const char *name;
    unsigned extra; // its bit; 0: all runs have it
    bool (*write)(FILE *file,
                  const struct lab_record *record); // false: there is no memory, or the file shows the error
} files[] = {{"run.json", 0, write_run},
             {"trace.csv", 0, write_trace},
             {"final.csv", 0, write_final},
             {"profile.csv", REPORT_FILES_PROFILE, write_profile},
             {"processors.csv", REPORT_FILES_PROFILE, write_processors},
             {"picture.png", REPORT_FILES_PICTURE, write_picture}};
enum { FILES = sizeof files / sizeof *files };
_Static_assert(FILES <= sizeof((struct report_directory *)NULL)->list / sizeof(size_t), "a directory lists all files");

static void make_path(const struct report_directory *directory, size_t index, char path[PATH_LENGTH])
{
    int length = snprintf(path, PATH_LENGTH, "%s/%s", directory->path, files[directory->list[index]].name);
    assert(length > 0 && length < PATH_LENGTH);
    (void)length;
}

static bool exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

// Refuses to overwrite the files of an earlier experiment.
static bool check_free(const struct report_directory *directory, struct ek_error *error)
{
    for (size_t i = 0; i < directory->files; i++) {
        char path[PATH_LENGTH];
        make_path(directory, i, path);
        if (exists(path)) {
            return base_refuse(error, "%s exists already: remove it, or choose another --out", path);
        }
    }
    return true;
}

// Opens the directory and locks it, so that another process cannot write its files there. Some file systems have no
// locks.
static bool lock(struct report_directory *directory, struct ek_error *error)
{
    directory->file = open(directory->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory->file < 0 || access(directory->path, W_OK | X_OK) != 0) {
        return base_refuse(error, "nothing can be written in %s: choose another --out", directory->path);
    }
    if (flock(directory->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        directory->created = false; // the other process may have nothing in it yet
        return base_refuse(error, "another run writes its files in %s: choose another --out", directory->path);
    }
    return check_free(directory, error);
}

bool report_directory_open(struct report_directory *directory, const char *path, unsigned extra, struct ek_error *error)
{
    *directory = (struct report_directory){0};
    if (!path) {
        return true;
    }
    if (strlen(path) > PATH_LENGTH / 2) {
        return base_refuse(error, "the path of --out is too long");
    }
    bool created = mkdir(path, 0777) == 0;
    if (!created && errno != EEXIST) {
        return base_refuse(error, "%s cannot be created (%s): choose another --out", path, strerror(errno));
    }
    struct stat about;
    if (!created && (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))) {
        return base_refuse(error, "%s exists already and is no directory: choose another --out", path);
    }
    *directory = (struct report_directory){.path = path, .created = created};
    for (size_t i = 0; i < FILES; i++) {
        if ((files[i].extra & extra) == files[i].extra) {
            directory->list[directory->files++] = i;
        }
    }
    if (!lock(directory, error)) {
        report_directory_abandon(directory);
        return false;
    }
    return true;
}

// Makes the names of the files reach the disk. Some file systems cannot do so on request (EINVAL).
static bool keep_names(const struct report_directory *directory)
{
    return fsync(directory->file) == 0 || errno == EINVAL;
}

// Returns the number of files of this record: those above, and those of the new placement of its objects.
static size_t count_files(const struct report_directory *directory, const struct lab_record *record)
{
    return directory->files + (record->count > 0 ? record->runs[0].objects.file_count : 0);
}

static bool complete(const struct report_directory *directory, size_t index, struct lab_file *file,
                     const struct lab_record *record, struct ek_error *error)
{
    char path[PATH_LENGTH];
    const struct ek_placement_file *placed =
        index >= directory->files ? &record->runs[0].objects.file[index - directory->files] : NULL;
    if (placed) {
        snprintf(path, sizeof path, "%s/%s", directory->path, placed->name);
    } else {
        make_path(directory, index, path);
    }
    if (!lab_file_open(file, path, error)) {
        return false;
    }
    if (placed) {
        fputs(placed->text, file->file);
    }
    errno = ENOMEM; // what a writer that fails does not say itself
    return ((placed || files[directory->list[index]].write(file->file, record)) && lab_file_complete(file)) ||
           base_refuse(error, "%s could not be written (%s): none of the files is kept", path, strerror(errno));
}

// Gives a file its name, if no file has it.
static bool name(struct lab_file *file, struct ek_error *error)
{
    errno = EEXIST;
    return (!exists(file->path) && lab_file_name(file)) ||
           base_refuse(error, "%s could not be written (%s): none of the files is kept", file->path, strerror(errno));
}

// Gives the complete files their names, run.json last. So if run.json exists, the other files exist too. If a file
// cannot be named, or the names do not reach the disk, the names given before are removed again.
static bool name_all(const struct report_directory *directory, struct lab_file *file, size_t count,
                     struct ek_error *error)
{
    size_t named = count;
    while (named > 0 && name(&file[named - 1], error)) {
        named--;
    }
    bool good = named == 0 &&
                (keep_names(directory) || base_refuse(error, "%s could not be written (%s): none of the files is kept",
                                                      directory->path, strerror(errno)));
    for (size_t i = named; !good && i < count; i++) {
        unlink(file[i].path);
    }
    return good;
}

bool report_directory_write(struct report_directory *directory, const struct lab_record *record, struct ek_error *error)
{
    size_t count = directory->path ? count_files(directory, record) : 0;
    struct lab_file *file = calloc(count + 1, sizeof *file);
    bool good = file || base_refuse(error, "there is no memory to write %zu files", count);
    for (size_t i = 0; good && i < count; i++) {
        good = complete(directory, i, &file[i], record, error);
    }
    good = good && (count == 0 || name_all(directory, file, count, error));
    for (size_t i = 0; file && i < count; i++) {
        lab_file_abandon(&file[i]);
    }
    free(file);
    directory->created = directory->created && !good;
    report_directory_abandon(directory);
    return good;
}

void report_directory_abandon(struct report_directory *directory)
{
    if (directory->created) {
        rmdir(directory->path);
    }
    if (directory->path && directory->file >= 0) {
        close(directory->file);
    }
    *directory = (struct report_directory){0};
}
