// SPDX-License-Identifier: MIT
// Small files of the system, such as those in /proc. They are read without allocating, because limits must be known
// even if memory is short.
#ifndef THREADS_HOST_SYSFILE_H
#define THREADS_HOST_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>

// Reads the first size - 1 bytes of the file as a string. Returns false, with "", if the file cannot be read.
bool host_sysfile_read(const char *path, char *text, size_t size);

// Returns the line after this one, or NULL.
const char *host_sysfile_next(const char *line);

#endif
