// SPDX-License-Identifier: MIT
#include "cli/terminal/read_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

static const size_t LENGTH_MAX = (size_t)1 << 30;

static char *refuse(struct ek_error *error, const char *path, const char *why)
{
    base_refuse(error, "%s %s", path, why);
    return NULL;
}

// Doubles the buffer. If the file is larger than allowed, or memory is short, it frees the buffer, fills `error` and
// returns NULL.
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

// Reads standard input, once: its text is kept, since each run can read the topology again.
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

char *cli_read_file(const char *path, size_t *length, struct ek_error *error)
{
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

static char *read_for_library(void *context, const char *path, size_t *length, struct ek_error *error)
{
    (void)context;
    return cli_read_file(path, length, error);
}

bool cli_read_part(void *context, const char *path, uint64_t from, char *bytes, size_t *count, struct ek_error *error)
{
    (void)context;
    struct stat about;
    FILE *stream = strcmp(path, "-") == 0 ? NULL : fopen(path, "r");
    bool regular = stream && fstat(fileno(stream), &about) == 0 && S_ISREG(about.st_mode);
    bool good = false;
    if (regular && fseeko(stream, (off_t)from, SEEK_SET) == 0) {
        *count = fread(bytes, 1, *count, stream);
        good = !ferror(stream);
        if (!good) {
            refuse(error, path, "cannot be read to its end");
        }
    }
    if (stream) {
        fclose(stream);
    }
    return good;
}

struct ek_reader cli_reader(void)
{
    return (struct ek_reader){.read = read_for_library};
}
