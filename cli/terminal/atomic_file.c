// SPDX-License-Identifier: MIT
#include "cli/terminal/atomic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static const char ENDING[] = ".part";

bool cli_atomic_open(struct cli_atomic_file *file, const char *path, const char *option, struct ek_error *error)
{
    size_t length = strlen(path);
    *file = (struct cli_atomic_file){.path = strdup(path), .part = malloc(length + sizeof ENDING)};
    if (!file->path || !file->part) {
        base_refuse(error, "there is no memory for the file %s", path);
    } else {
        memcpy(file->part, path, length);
        memcpy(file->part + length, ENDING, sizeof ENDING);
        file->file = fopen(file->part, "w");
        if (file->file) {
            return true;
        }
        base_refuse(error, "%s cannot be written (%s): choose another --%s", path, strerror(errno), option);
        free(file->part);
        file->part = NULL; // another file can have this name
    }
    cli_atomic_abandon(file);
    return false;
}

bool cli_atomic_complete(struct cli_atomic_file *file)
{
    bool written = fflush(file->file) == 0 && !ferror(file->file);
    errno = written ? 0 : errno;
    written = written && (fsync(fileno(file->file)) == 0 || errno == EINVAL); // some devices have no disk
    int why = errno;
    bool closed = fclose(file->file) == 0;
    errno = written ? errno : why;
    file->file = NULL;
    return written && closed;
}

bool cli_atomic_name(struct cli_atomic_file *file)
{
    if (rename(file->part, file->path) != 0) {
        return false;
    }
    free(file->part);
    file->part = NULL;
    return true;
}

void cli_atomic_abandon(struct cli_atomic_file *file)
{
    if (file->file) {
        fclose(file->file);
    }
    if (file->part) {
        unlink(file->part);
    }
    free(file->path);
    free(file->part);
    *file = (struct cli_atomic_file){0};
}

bool cli_atomic_close(struct cli_atomic_file *file, bool good, struct ek_error *error)
{
    if (good && !(cli_atomic_complete(file) && cli_atomic_name(file))) {
        good = base_refuse(error, "%s could not be written (%s): nothing of it is left", file->path, strerror(errno));
    }
    cli_atomic_abandon(file);
    return good;
}

bool cli_atomic_write(const char *path, const char *option, const char *bytes, size_t length, struct ek_error *error)
{
    struct cli_atomic_file file;
    if (!cli_atomic_open(&file, path, option, error)) {
        return false;
    }
    fwrite(bytes, 1, length, file.file); // a failure stays with the stream
    return cli_atomic_close(&file, true, error);
}

bool cli_atomic_possible(const char *path, const char *option, struct ek_error *error)
{
    struct cli_atomic_file file;
    bool possible = cli_atomic_open(&file, path, option, error);
    if (possible) {
        cli_atomic_abandon(&file);
    }
    return possible;
}
