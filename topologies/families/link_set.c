// SPDX-License-Identifier: MIT
#include "topologies/families/link_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t REMOVED = UINT64_MAX;

static uint64_t places_for(uint64_t links)
{
    uint64_t places = 4;
    while (places < 4 * links) {
        places *= 2;
    }
    return places;
}

bool topo_link_set_make(struct topo_link_set *set, uint32_t links)
{
    uint64_t places = places_for(links);
    set->mask = places - 1;
    set->key = calloc(places, sizeof *set->key);
    return set->key;
}

void topo_link_set_destroy(struct topo_link_set *set)
{
    free(set->key);
}

void topo_link_set_clear(struct topo_link_set *set)
{
    memset(set->key, 0, (set->mask + 1) * sizeof *set->key);
}

uint64_t topo_link_set_bytes(uint64_t links)
{
    return places_for(links) * sizeof(uint64_t);
}

static uint64_t key_of(struct topo_pair pair)
{
    return (uint64_t)pair.low << 32 | pair.high;
}

// Returns the place of the link, or the free place where it belongs.
static uint64_t *find(const struct topo_link_set *set, struct topo_pair pair)
{
    uint64_t key = key_of(pair);
    uint64_t place = (key * 0x9E3779B97F4A7C15u) >> 20 & set->mask;
    while (set->key[place] != 0 && set->key[place] != key) {
        place = (place + 1) & set->mask;
    }
    return &set->key[place];
}

bool topo_link_set_lacks(const struct topo_link_set *set, struct topo_pair pair)
{
    return pair.low != pair.high && *find(set, pair) == 0;
}

void topo_link_set_add(struct topo_link_set *set, struct topo_pair pair)
{
    *find(set, pair) = key_of(pair);
}

void topo_link_set_remove(struct topo_link_set *set, struct topo_pair pair)
{
    uint64_t *place = find(set, pair);
    assert(*place == key_of(pair));
    *place = REMOVED;
}
