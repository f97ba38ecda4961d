// SPDX-License-Identifier: MIT
// The table of carriers, and the reading of their specs.
#include "threads/experiment/tables.h"

#include <string.h>

#include "base/cursor.h"

static const struct machine_carrier *const carriers[] = {&experiment_carrier_threads, &experiment_carrier_pool,
                                                         &experiment_carrier_mpi};

const struct machine_carrier *experiment_carrier_at(size_t index)
{
    return index < sizeof carriers / sizeof *carriers ? carriers[index] : NULL;
}

const struct ek_choice *experiment_carrier_choice(size_t index)
{
    return experiment_carrier_at(index) ? &experiment_carrier_at(index)->choice : NULL;
}

static const char *known_carrier(size_t index)
{
    const struct machine_carrier *carrier = experiment_carrier_at(index);
    return carrier ? carrier->name : NULL;
}

bool experiment_carrier_parse(const char *spec, const struct machine_carrier **carrier, unsigned *asked,
                              struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("carrier", spec, error);
    char name[32];
    *asked = 0;
    if (!base_cursor_name(&cursor, name, sizeof name)) {
        return base_cursor_fail(&cursor, cursor.at, "a carrier begins with its name: threads, pool or mpi");
    }
    for (size_t i = 0; (*carrier = experiment_carrier_at(i)) != NULL; i++) {
        if (strcmp(name, (*carrier)->name) == 0) {
            uint64_t count = 0;
            if ((*carrier)->asked_max > 0 && base_cursor_accept(&cursor, ':') &&
                !base_cursor_whole(&cursor, (*carrier)->ranks ? "the number of ranks" : "the number of workers", 1,
                                   (*carrier)->asked_max, &count)) {
                return false;
            }
            *asked = (unsigned)count;
            return base_cursor_end(&cursor);
        }
    }
    return base_cursor_unknown(&cursor, 0, "carrier", name, known_carrier);
}
