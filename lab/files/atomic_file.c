// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // O_TMPFILE, which POSIX does not have
#include "lab/files/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { TRIES = 1000, DIGITS = 32 };

static bool refuse(const char *path, struct ek_error *error)
{
    return base_refuse(error, "%s cannot be written (%s): choose another place", path, strerror(errno));
}

// Returns the descriptor of the standard stream that goes to this file, or -1. Such a file is written through that
// descriptor, because a second one would overwrite what was printed.
static int stream_of(const struct stat *about)
{
    struct stat stream;
    int number = STDERR_FILENO;
    while (number >= STDOUT_FILENO &&
           (fstat(number, &stream) != 0 || stream.st_dev != about->st_dev || stream.st_ino != about->st_ino)) {
        number--;
    }
    return number >= STDOUT_FILENO ? number : -1;
}

// Fills `about` with the status of the file that the path names, or with zeros if there is none, and sets whether the
// file is written in place. Returns false with errno set if the file cannot be written.
static bool find(const char *path, struct stat *about, bool *in_place)
{
    struct stat link;
    *in_place = false;
    if (stat(path, about) != 0) {
        *about = (struct stat){0};
        return lstat(path, &link) != 0; // false for a link that leads nowhere
    }
    *in_place = !S_ISREG(about->st_mode) || stream_of(about) >= 0;
    errno = EISDIR;
    return !S_ISDIR(about->st_mode) && access(path, W_OK) == 0;
}

static int open_in_place(const char *path, const struct stat *about)
{
    int stream = stream_of(about);
    return stream >= 0 ? fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                       : open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
}

static int folder_length(const struct lab_file *file)
{
    const char *slash = strrchr(file->path, '/');
    return slash ? (int)(slash - file->path) + 1 : 0;
}

// Gives the file a name that no other file has. Links the file at the path `unnamed`, or creates a file with `mode` if
// `unnamed` is NULL. Returns the result of the system call.
static int make_part(struct lab_file *file, const char *unnamed, mode_t mode)
{
    size_t size = strlen(file->path) + sizeof ".evenkeel--.part" + DIGITS;
    file->part = malloc(size);
    for (unsigned i = 0; file->part && i < TRIES; i++) {
        snprintf(file->part, size, "%.*s.evenkeel-%ld-%u.part", folder_length(file), file->path, (long)getpid(), i);
        int made = unnamed ? linkat(AT_FDCWD, unnamed, AT_FDCWD, file->part, AT_SYMLINK_FOLLOW)
                           : open(file->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (made >= 0) {
            return made;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    free(file->part);
    file->part = NULL; // no file of this process has this name
    return -1;
}

// Writes the path by which a file without a name can be linked.
static void link_path(int number, char path[DIGITS])
{
    snprintf(path, DIGITS, "/proc/self/fd/%d", number);
}

// Opens a new file in the folder of the path, without a name if possible.
static int open_new(struct lab_file *file, mode_t mode)
{
    char unnamed[DIGITS], *folder = strdup(file->path);
    if (!folder) {
        return -1;
    }
    folder[folder_length(file)] = '\0';
    int number = open(*folder ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    free(folder);
    link_path(number, unnamed);
    if (number >= 0 && access(unnamed, F_OK) == 0) {
        return number;
    }
    if (number >= 0) {
        close(number);
    }
    return make_part(file, NULL, mode);
}

// Returns a copy of the path, or the path that it leads to if it is a symbolic link. The caller frees the result.
// Returns NULL with errno set on failure.
static char *follow(const char *path)
{
    struct stat link;
    return lstat(path, &link) == 0 && S_ISLNK(link.st_mode) ? realpath(path, NULL) : strdup(path);
}

bool lab_file_open(struct lab_file *file, const char *path, struct ek_error *error)
{
    struct stat about;
    *file = (struct lab_file){0};
    if (!find(path, &about, &file->named)) {
        return refuse(path, error);
    }
    file->path = file->named ? strdup(path) : follow(path);
    int number = !file->path   ? -1
                 : file->named ? open_in_place(path, &about)
                               : open_new(file, about.st_mode != 0 ? about.st_mode & 0777 : 0666);
    file->file = number >= 0 ? fdopen(number, "w") : NULL;
    if (file->file) {
        return true;
    }
    refuse(path, error);
    if (number >= 0) {
        close(number);
    }
    lab_file_abandon(file);
    return false;
}

bool lab_file_complete(struct lab_file *file)
{
    if (fflush(file->file) != 0 || ferror(file->file)) {
        errno = errno ? errno : EIO; // 0 if the write that failed was an earlier one
        return false;
    }
    return fsync(fileno(file->file)) == 0 || errno == EINVAL; // EINVAL: a device without a disk
}

bool lab_file_name(struct lab_file *file)
{
    char unnamed[DIGITS];
    link_path(fileno(file->file), unnamed);
    if (file->named) {
        return true;
    }
    if ((!file->part && make_part(file, unnamed, 0) < 0) || rename(file->part, file->path) != 0) {
        return false;
    }
    free(file->part);
    file->part = NULL;
    file->named = true;
    return true;
}

void lab_file_abandon(struct lab_file *file)
{
    if (file->file) {
        fclose(file->file);
    }
    if (file->part) {
        unlink(file->part);
    }
    free(file->path);
    free(file->part);
    *file = (struct lab_file){0};
}

bool lab_file_close(struct lab_file *file, bool good, struct ek_error *error)
{
    bool in_place = file->named;
    if (good && !(lab_file_complete(file) && lab_file_name(file))) {
        good = base_refuse(error, "%s could not be written (%s)%s", file->path, strerror(errno),
                           in_place ? "" : ": nothing of it is left");
    }
    lab_file_abandon(file);
    return good;
}

bool lab_file_write(const char *path, const char *bytes, size_t length, struct ek_error *error)
{
    struct lab_file file;
    if (!lab_file_open(&file, path, error)) {
        return false;
    }
    fwrite(bytes, 1, length, file.file); // a failure stays with the stream
    return lab_file_close(&file, true, error);
}

bool lab_file_possible(const char *path, struct ek_error *error)
{
    struct lab_file file;
    struct stat about;
    bool in_place;
    if (find(path, &about, &in_place) && in_place) {
        return true;
    }
    bool possible = lab_file_open(&file, path, error);
    if (possible) {
        lab_file_abandon(&file);
    }
    return possible;
}
