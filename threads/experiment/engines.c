// SPDX-License-Identifier: MIT
// The table of engines: one line for each.
#include <string.h>

#include "threads/api/axis.h"
#include "threads/drivers/free_engine.h"
#include "threads/drivers/virtual/virtual_engine.h"
#include "threads/experiment/tables.h"
#include "threads/rounds/rounds_engine.h"

static const struct machine_engine *const engines[] = {&rounds_engine, &rounds_turns_engine,
                                                       &rounds_turns_random_engine, &free_engine, &virtual_engine};

const struct machine_engine *experiment_engine_at(size_t index)
{
    return index < sizeof engines / sizeof *engines ? engines[index] : NULL;
}

const struct ek_choice *experiment_engine_choice(size_t index)
{
    return experiment_engine_at(index) ? &experiment_engine_at(index)->choice : NULL;
}

unsigned ek_timing_named(const char *value)
{
    size_t i = 0;
    while (value && experiment_engine_at(i) && strcmp(experiment_engine_at(i)->choice.form, value) != 0) {
        i++;
    }
    return experiment_engine_at(i) ? experiment_engine_at(i)->timing : 0;
}
