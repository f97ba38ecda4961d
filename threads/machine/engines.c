// SPDX-License-Identifier: MIT
// The engines, a line each.
#include <string.h>

#include "threads/api/run.h"
#include "threads/machine/engine.h"

static const struct machine_engine *const engines[] = {&rounds_engine, &rounds_turns_engine,
                                                       &rounds_turns_random_engine, &free_engine};

const struct machine_engine *machine_engine_at(size_t index)
{
    return index < sizeof engines / sizeof *engines ? engines[index] : NULL;
}

const struct ek_choice *machine_engine_choice(size_t index)
{
    return machine_engine_at(index) ? &machine_engine_at(index)->choice : NULL;
}

unsigned ek_timing_named(const char *value)
{
    size_t i = 0;
    while (value && machine_engine_at(i) && strcmp(machine_engine_at(i)->choice.form, value) != 0) {
        i++;
    }
    return machine_engine_at(i) ? machine_engine_at(i)->timing : 0;
}
