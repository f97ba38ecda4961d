// SPDX-License-Identifier: MIT
// A set of links, while a graph is drawn: has this link been drawn already? An open-addressing hash table.
#ifndef TOPOLOGIES_FAMILIES_LINK_SET_H
#define TOPOLOGIES_FAMILIES_LINK_SET_H

#include "topologies/pairs.h"

struct topo_link_set {
    uint64_t *key; // both ends of a link; 0 if the place is free, or UINT64_MAX if its link was removed
    uint64_t mask;
};

// Makes an empty set. At most twice as many links as `links` may be added to it. Returns false without memory.
bool topo_link_set_make(struct topo_link_set *set, uint32_t links);
void topo_link_set_destroy(struct topo_link_set *set);
void topo_link_set_clear(struct topo_link_set *set);

// Returns the memory of a set, in bytes.
uint64_t topo_link_set_bytes(uint64_t links);

// Returns whether this would be a new link: no loop, and not in the set.
bool topo_link_set_lacks(const struct topo_link_set *set, struct topo_pair pair);

// Adds a link, or removes one that is there.
void topo_link_set_add(struct topo_link_set *set, struct topo_pair pair);
void topo_link_set_remove(struct topo_link_set *set, struct topo_pair pair);

#endif
