// SPDX-License-Identifier: MIT
// Small files in which the system says something. They are read without allocating: where memory is short, what the
// limits are must still be known.
#ifndef THREADS_HOST_SYSFILE_H
#define THREADS_HOST_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>

// Reads the file's first size - 1 bytes, as a text; "" and false where it cannot be read.
bool host_sysfile_read(const char *path, char *text, size_t size);

// The line after this one, or NULL.
const char *host_sysfile_next(const char *line);

#endif
