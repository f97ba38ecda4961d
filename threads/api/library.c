// SPDX-License-Identifier: MIT
// Functions of <evenkeel.h> that need no machine.
#include "base/nearest.h"
#include "core/register.h"
#include "threads/api/prepared.h"

const char *ek_version(void)
{
    return EK_VERSION; // the Makefile reads it from the file VERSION
}

unsigned ek_api_version(void)
{
    return EK_API_VERSION;
}

// A list of names, which the function `known` returns by index.
struct listed {
    const char *(*known)(size_t index);
};

static const char *listed_at(const void *list, size_t index)
{
    return ((const struct listed *)list)->known(index);
}

const char *ek_nearest(const char *word, const char *(*known)(size_t index))
{
    return base_nearest(word, (struct base_names){listed_at, &(struct listed){known}});
}
