// SPDX-License-Identifier: MIT
// The names of LB data files.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads/cargo/vt_files.h"

// Returns where the pattern has the rank, and the length of its placeholder.
static const char *placeholder(const char *pattern, size_t *length)
{
    const char *place = strstr(pattern, "%p");
    *length = place ? 2 : 1;
    return place ? place : strchr(pattern, '*');
}

char *cargo_vt_path(const char *pattern, uint32_t rank)
{
    enum { DIGITS = 10 };
    size_t length, size = strlen(pattern) + DIGITS + 1;
    const char *place = placeholder(pattern, &length);
    char *path = malloc(size);
    if (path) {
        snprintf(path, size, "%.*s%u%s", (int)(place - pattern), pattern, (unsigned)rank, place + length);
    }
    return path;
}

bool cargo_vt_names_rank(const char *name)
{
    size_t length;
    return placeholder(name, &length) != NULL;
}
