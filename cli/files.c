// SPDX-License-Identifier: MIT
// Reading the files that specs name: whole, bounded, one sentence for whatever is wrong.
#include "cli/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/complain.h"

static const size_t LENGTH_MAX = (size_t)1 << 30;

static char *refuse(struct ek_error *error, const char *path, const char *why)
{
    cli_refuse(error, "", -1, "%s %s", path, why);
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
        cli_refuse(error, "", -1, "%s cannot be opened (%s): check the path", path, strerror(errno));
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
