// SPDX-License-Identifier: MIT
// Files that are whole or not there.
#include "cli/terminal/atomic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static void forget(struct cli_whole *whole)
{
    free(whole->path);
    free(whole->part);
    *whole = (struct cli_whole){0};
}

bool cli_whole_open(struct cli_whole *whole, const char *path, const char *option, struct ek_error *error)
{
    static const char ending[] = ".part";
    size_t length = strlen(path);
    *whole = (struct cli_whole){.path = strdup(path), .part = malloc(length + sizeof ending)};
    if (!whole->path || !whole->part) {
        forget(whole);
        return base_refuse(error, "there is no memory for the file %s", path);
    }
    memcpy(whole->part, path, length);
    memcpy(whole->part + length, ending, sizeof ending);
    whole->file = fopen(whole->part, "w");
    if (!whole->file) {
        forget(whole);
        return base_refuse(error, "%s cannot be written (%s): choose another --%s", path, strerror(errno), option);
    }
    return true;
}

bool cli_whole_close(struct cli_whole *whole, bool good, struct ek_error *error)
{
    errno = 0;
    bool written = fflush(whole->file) == 0 && !ferror(whole->file);
    written = written && (fsync(fileno(whole->file)) == 0 || errno == EINVAL); // a device that knows no disk
    int why = errno;
    if (fclose(whole->file) != 0 && written) {
        written = false;
        why = errno;
    }
    if (good && written && rename(whole->part, whole->path) != 0) {
        written = false;
        why = errno;
    }
    if (!good || !written) {
        unlink(whole->part);
    }
    if (good && !written) {
        base_refuse(error, "%s could not be written (%s): nothing of it is left", whole->path, strerror(why));
    }
    forget(whole);
    return good && written;
}
