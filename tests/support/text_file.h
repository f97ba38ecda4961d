// SPDX-License-Identifier: MIT
// Files for tests, without a file system: a reader that returns one text, whatever the path.
#ifndef TESTS_MEMORY_H
#define TESTS_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "topologies/topology.h"

struct tests_memory {
    const char *text; // NULL: there is no such file
    size_t length;
};

static inline char *tests_memory_read(void *context, const char *path, size_t *length, struct ek_error *error)
{
    const struct tests_memory *memory = context;
    (void)path;
    char *text = memory->text ? malloc(memory->length + 1) : NULL;
    if (!text) {
        *error = (struct ek_error){.status = EK_BAD_INPUT, .at = -1, .sentence = "the test has no such file"};
        return NULL;
    }
    memcpy(text, memory->text, memory->length);
    text[memory->length] = '\0';
    *length = memory->length;
    return text;
}

// Returns a reader of `memory`, which must outlive it.
static inline struct ek_reader tests_memory_reader(struct tests_memory *memory)
{
    return (struct ek_reader){.read = tests_memory_read, .context = memory};
}

#endif
