// SPDX-License-Identifier: MIT
// Files are read whole, bounded, with one sentence for whatever is wrong; and are written whole or not at all.
#include "cli/terminal/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { PATH_LENGTH = 4096 };

static const size_t LENGTH_MAX = (size_t)1 << 30;

static char *refuse(struct ek_error *error, const char *path, const char *why)
{
    base_refuse(error, "%s %s", path, why);
    return NULL;
}

// Doubles the buffer; NULL, and the old one freed, where the file is too large for the bound or for the memory.
static char *grow(char *text, size_t *room, const char *path, struct ek_error *error)
{
    if (*room > LENGTH_MAX) {
        free(text);
        return refuse(error, path, "is larger than 1 GiB: give a smaller file");
    }
    *room *= 2;
    char *larger = realloc(text, *room);
    if (!larger) {
        free(text);
        return refuse(error, path, "does not fit into the memory: give a smaller file");
    }
    return larger;
}

static char *read_stream(FILE *stream, const char *path, size_t *length, struct ek_error *error)
{
    size_t room = 65536;
    char *text = malloc(room);
    if (!text) {
        return refuse(error, path, "cannot be read: there is no memory");
    }
    *length = 0;
    size_t got;
    while ((got = fread(text + *length, 1, room - 1 - *length, stream)) > 0) {
        *length += got;
        if (*length == room - 1) {
            text = grow(text, &room, path, error);
            if (!text) {
                return NULL;
            }
        }
    }
    if (ferror(stream) || *length > LENGTH_MAX) {
        free(text);
        return refuse(error, path,
                      ferror(stream) ? "cannot be read to its end" : "is larger than 1 GiB: give a smaller file");
    }
    text[*length] = '\0';
    return text;
}

// Standard input, which can be read once only: its text stays for whoever asks again, as each run with a topology of
// its own does.
static char *read_standard_input(size_t *length, struct ek_error *error)
{
    static char *kept;
    static size_t kept_length;
    if (!kept) {
        kept = read_stream(stdin, "standard input", &kept_length, error);
        if (!kept) {
            return NULL;
        }
    }
    char *text = malloc(kept_length + 1);
    if (!text) {
        return refuse(error, "standard input", "does not fit into the memory: give a smaller file");
    }
    memcpy(text, kept, kept_length + 1);
    *length = kept_length;
    return text;
}

static char *read_file(void *context, const char *path, size_t *length, struct ek_error *error)
{
    (void)context;
    if (strcmp(path, "-") == 0) {
        return read_standard_input(length, error);
    }
    FILE *stream = fopen(path, "r");
    if (!stream) {
        base_refuse(error, "%s cannot be opened (%s): check the path", path, strerror(errno));
        return NULL;
    }
    struct stat about;
    char *text = NULL;
    if (fstat(fileno(stream), &about) == 0 && S_ISDIR(about.st_mode)) {
        refuse(error, path, "is a directory: give a file");
    } else {
        text = read_stream(stream, path, length, error);
    }
    fclose(stream);
    return text;
}

struct ek_reader cli_files_reader(void)
{
    return (struct ek_reader){.read = read_file};
}

static bool refuse_to_write(struct ek_error *error, const char *path)
{
    return base_refuse(error, "%s cannot be written (%s): choose another place", path, strerror(errno));
}

// Opens the file that is to get the name `path`, beside it, and says what it is called until then.
static int open_part(const char *path, char *part, struct ek_error *error)
{
    int length = snprintf(part, PATH_LENGTH, "%s.part", path);
    if (length < 0 || length >= PATH_LENGTH) {
        base_refuse(error, "the path %.60s... is too long", path);
        return -1;
    }
    int file = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0) {
        refuse_to_write(error, path);
    }
    return file;
}

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

bool cli_files_write(const char *path, const char *bytes, size_t length, struct ek_error *error)
{
    char part[PATH_LENGTH];
    int file = open_part(path, part, error);
    if (file < 0) {
        return false;
    }
    // errno is of the first that failed, whatever the others do to it.
    int why = write_all(file, bytes, length) && fsync(file) == 0 ? 0 : errno;
    if (close(file) != 0 && why == 0) {
        why = errno;
    }
    if (why == 0 && rename(part, path) != 0) {
        why = errno;
    }
    if (why == 0) {
        return true;
    }
    unlink(part);
    errno = why;
    return refuse_to_write(error, path);
}

bool cli_files_writable(const char *path, struct ek_error *error)
{
    char part[PATH_LENGTH];
    int file = open_part(path, part, error);
    if (file < 0) {
        return false;
    }
    close(file);
    unlink(part);
    return true;
}
