// SPDX-License-Identifier: MIT
// Shared by the fuzz targets: the input as a spec, and checks of errors and topologies. A target reports a find by
// an assertion or a sanitizer.
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "topologies/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Returns `prefix` and a copy of the bytes, ended by a 0.
static inline char *tests_fuzz_text(const char *prefix, const uint8_t *data, size_t size)
{
    size_t before = strlen(prefix);
    char *text = malloc(before + size + 1);
    assert(text);
    memcpy(text, prefix, before);
    memcpy(text + before, data, size);
    text[before + size] = '\0';
    return text;
}

// Checks that a refusal is one sentence about this spec, with a place inside it or none.
static inline void tests_fuzz_check_error(const struct ek_error *error, const char *axis, const char *spec)
{
    size_t length = strnlen(error->sentence, sizeof error->sentence);
    assert(error->status == EK_BAD_INPUT);
    assert(strcmp(error->axis, axis) == 0);
    assert(length > 0 && length < sizeof error->sentence && !strchr(error->sentence, '\n'));
    assert(error->at >= -1 && error->at <= (int)strlen(spec));
}

static inline void tests_fuzz_check_topology(const char *spec, struct ek_reader reader)
{
    struct ek_error error = {0};
    struct ek_topology *topology = ek_topology_create_within(spec, 1, reader, 1 << 18, &error);
    if (!topology) {
        tests_fuzz_check_error(&error, "topology", spec);
        return;
    }
    assert(ek_topology_valid(topology, &error));
    assert(ek_topology_bytes(topology) <= 1 << 18);
    ek_topology_destroy(topology);
}

#endif
