// SPDX-License-Identifier: MIT
// Files for tests without a file system: a reader that serves one text, whatever the path.
#ifndef EK_TEST_MEMORY_H
#define EK_TEST_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "topologies/topology.h"

struct ek_memory {
    const char *text; // NULL: there is no such file
    size_t length;
};

static inline char *ek_memory_read(void *context, const char *path, size_t *length, struct ek_error *error)
{
    const struct ek_memory *memory = context;
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

// `memory` must stay alive as long as the reader.
static inline struct ek_reader ek_memory_reader(struct ek_memory *memory)
{
    return (struct ek_reader){.read = ek_memory_read, .context = memory};
}

#endif
