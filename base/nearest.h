// SPDX-License-Identifier: MIT
// Finds the known name that a user probably meant.
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

// A list of names: at(list, index) is name `index`, NULL past the last.
struct base_names {
    const char *(*at)(const void *list, size_t index);
    const void *list;
};

// Returns the name that is nearest to `word`, or NULL if none is near.
const char *base_nearest(const char *word, struct base_names names);

#endif
