// SPDX-License-Identifier: MIT
// Parses stragglers. A processor may be listed once only, so that no factor is lost.
#include "core/axes/slow.h"

#include <stdlib.h>
#include <string.h>

#include "core/axes/spec.h"

static const struct ek_choice choices[] = {
    {"none", "every processor takes every turn"},
    {"P:FACTOR,P:FACTOR,…", "processor P takes only every FACTOR-th turn"},
};

enum { CHOICES = sizeof choices / sizeof *choices };

const struct ek_choice *core_slow_choice(size_t index)
{
    return index < CHOICES ? &choices[index] : NULL;
}

// Reads P:FACTOR. A factor of 0 means that the processor was not listed yet.
static bool take_factor(struct base_cursor *cursor, uint32_t processors, uint32_t *factor)
{
    size_t at = cursor->at;
    uint64_t processor;
    uint64_t number;
    if (!base_cursor_whole(cursor, "the processor", 0, processors - 1, &processor) ||
        !base_cursor_expect(cursor, ':', "the processor, as in 3:10") ||
        !base_cursor_whole(cursor, "the factor", 1, CORE_SLOW_MAX, &number)) {
        return false;
    }
    if (factor[processor] > 0) {
        return base_cursor_fail(cursor, at, "processor %u is listed already: leave one of them out",
                                (unsigned)processor);
    }
    factor[processor] = (uint32_t)number;
    return true;
}

static bool take_list(struct base_cursor *cursor, uint32_t processors, uint32_t *factor)
{
    do {
        if (!take_factor(cursor, processors, factor)) {
            return false;
        }
    } while (base_cursor_accept(cursor, ','));
    for (uint32_t p = 0; p < processors; p++) {
        factor[p] = factor[p] > 0 ? factor[p] : 1;
    }
    return base_cursor_end(cursor);
}

bool core_slow_parse(const char *spec, uint32_t processors, uint32_t **factor, struct ek_error *error)
{
    *factor = NULL;
    struct base_cursor cursor = base_cursor_start("slow", spec, error);
    if (strncmp(spec, "none", 4) == 0) {
        cursor.at = 4;
        return base_cursor_end(&cursor);
    }
    if (*spec < '0' || *spec > '9') {
        return base_cursor_fail(&cursor, 0, "stragglers are none, or processors with their factors, as in 3:10,5:2");
    }
    uint32_t *list = calloc(processors, sizeof *list);
    if (!list) {
        return base_cursor_fail(&cursor, 0, "no memory for %u factors: use a smaller topology", processors);
    }
    if (!take_list(&cursor, processors, list)) {
        free(list);
        return false;
    }
    *factor = list;
    return true;
}
