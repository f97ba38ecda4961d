// SPDX-License-Identifier: MIT
// Reading small files of the system.
#include "threads/host/sysfile.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool host_sysfile_read(const char *path, char *text, size_t size)
{
    size_t length = 0;
    ssize_t more = 1;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && more > 0 && length + 1 < size) { // procfs returns large files in pieces
        more = read(file, text + length, size - 1 - length);
        length += more > 0 ? (size_t)more : 0;
    }
    if (file >= 0) {
        close(file);
    }
    text[length] = '\0';
    return length > 0;
}

const char *host_sysfile_next(const char *line)
{
    const char *end = strchr(line, '\n');
    return end && end[1] ? end + 1 : NULL;
}
