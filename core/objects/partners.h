// SPDX-License-Identifier: MIT
// The graph of the processors whose objects communicate most (Taylor, Chandrasekar & Kale 2026). Every processor has a
// bounded number of partners, and both ends of a link agree on it. The graph is connected.
#ifndef CORE_OBJECTS_PARTNERS_H
#define CORE_OBJECTS_PARTNERS_H

#include "core/objects/object_set.h"

enum {
    CORE_PARTNERS_LEAST = 2,             // partners with which a tree can always grow
    CORE_PARTNERS_PROCESSORS_MOST = 8192 // the tree takes time with the square of their number
};

// Finds the links between partners, from where the objects are at the start. Each processor has at most `most`
// partners, at least 2. The caller frees the array. Returns NULL if there is no memory.
struct ek_link *core_partners_find(const struct core_object_set *set, uint32_t processors, uint32_t most,
                                   size_t *links);

#endif
