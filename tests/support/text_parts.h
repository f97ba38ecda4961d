// SPDX-License-Identifier: MIT
// Files for tests that are read in parts (ek_read_part), and a permit for any topology.
#ifndef TESTS_TEXT_PARTS_H
#define TESTS_TEXT_PARTS_H

#include "base/lines.h"
#include "tests/support/text_file.h"
#include "topologies/build.h"

struct tests_parts {
    struct tests_memory memory;
    size_t most;    // bytes of a part
    unsigned count; // parts read so far
    unsigned lost;  // 0, or the part that cannot be read
};

static inline struct tests_parts tests_parts_of(const char *text, size_t most)
{
    return (struct tests_parts){.memory = {.text = text, .length = strlen(text)}, .most = most};
}

static inline bool tests_parts_read(void *context, const char *path, uint64_t from, char *bytes, size_t *count,
                                    struct ek_error *error)
{
    struct tests_parts *parts = context;
    (void)path;
    if (++parts->count == parts->lost) {
        *error = (struct ek_error){.status = EK_BAD_INPUT, .at = -1, .sentence = "the test has lost its file"};
        return false;
    }
    size_t left = from < parts->memory.length ? parts->memory.length - (size_t)from : 0;
    size_t most = parts->most < *count ? parts->most : *count;
    *count = left < most ? left : most;
    memcpy(bytes, parts->memory.text + from, *count);
    return true;
}

// Returns the files that `parts` stands for, whatever their paths.
static inline struct base_files tests_parts_files(struct tests_parts *parts)
{
    struct ek_reader reader = {.read = tests_memory_read, .context = parts}; // `memory` is the first member
    return (struct base_files){.reader = reader, .part = tests_parts_read};
}

static inline bool tests_permit_any(void *context, const struct ek_topology *outline, uint64_t bytes, size_t at,
                                    struct ek_error *error)
{
    (void)context;
    (void)outline;
    (void)bytes;
    (void)at;
    (void)error;
    return true;
}

#endif
