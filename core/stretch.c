// SPDX-License-Identifier: MIT
// Finding stretches.
#include "core/stretch.h"

#include <string.h>

#include "topologies/family.h"

// Distances fit: there are at most TOPO_PROCESSORS_MAX processors, 2^26, and planes EK_VICINITY_PORTS.
static struct ek_vicinity vicinity_of(const struct ek_topology *topology, uint32_t p, size_t apart)
{
    uint32_t first = topology->first[p];
    struct ek_vicinity vicinity = {.degree = (uint16_t)(topology->first[p + 1] - first)};
    for (uint32_t port = 0; port < vicinity.degree; port++) {
        uint32_t neighbour = topology->neighbour[first + port];
        uint32_t twin = topology->twin[first + port];
        vicinity.neighbour[port] = (int32_t)(neighbour - p);
        vicinity.put[port] = (uint8_t)core_plane(topology, p, first + port);
        vicinity.found[port] = (int32_t)(core_plane(topology, neighbour, twin) * apart) + vicinity.neighbour[port];
    }
    return vicinity;
}

_Static_assert(TOPO_PROCESSORS_MAX < 1u << EK_STRETCH_BITS, "where a stretch begins has room");
_Static_assert(sizeof(struct ek_vicinity) == EK_VICINITY_PORTS * (4 + 4 + 1) + 2, "nothing lies between");
_Static_assert(CORE_VICINITIES_MAX <= 1u << (32 - EK_STRETCH_BITS), "which vicinity it has, too");

static struct ek_stretch stretch_of(uint32_t begin, uint32_t vicinity)
{
    return (struct ek_stretch){.begin = begin & ((1u << EK_STRETCH_BITS) - 1),
                               .vicinity = vicinity & ((1u << (32 - EK_STRETCH_BITS)) - 1)};
}

static unsigned find(const struct ek_vicinity *sought, const struct ek_vicinity *vicinity, unsigned count)
{
    unsigned i = 0;
    while (i < count && memcmp(&vicinity[i], sought, sizeof *sought) != 0) {
        i++;
    }
    return i;
}

size_t core_stretches(const struct ek_topology *topology, size_t apart, struct ek_stretch *stretch,
                      struct ek_vicinity vicinity[CORE_VICINITIES_MAX], unsigned *vicinities)
{
    size_t count = 0;
    unsigned before = UINT32_MAX;
    *vicinities = 0;
    if (core_planes(topology) > EK_VICINITY_PORTS || topology->links == 0) {
        return 0;
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        struct ek_vicinity here = vicinity_of(topology, p, apart);
        unsigned at = before < *vicinities && memcmp(&here, &vicinity[before], sizeof here) == 0
                          ? before
                          : find(&here, vicinity, *vicinities);
        count += at != before;
        if (at == CORE_VICINITIES_MAX || 4 * count > topology->processors) {
            return 0;
        }
        vicinity[at] = here;
        *vicinities += at == *vicinities;
        if (at != before && stretch) {
            stretch[count - 1] = stretch_of(p, at);
        }
        before = at;
    }
    if (stretch) {
        stretch[count] = stretch_of(topology->processors, 0);
    }
    return count + 1;
}
