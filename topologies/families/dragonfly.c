// SPDX-License-Identifier: MIT
// dragonfly:A:H, the network of Kim, Dally, Scott & Abts ("Technology-driven, highly-scalable dragonfly topology", ISCA
// 2008) at its largest size: A*H+1 groups of A routers. A group is complete, and each of its A*H global ports leads to
// another group: port k of group i to group k, or to group k+1 if k is not below i (the "absolute" arrangement). Router
// a has the ports a*H .. a*H+H-1; router a of group i is processor i*A + a. A path crosses at most one group, a global
// link and another group, so the diameter is at most 3.
#include <stdlib.h>

#include "topologies/family.h"
#include "topologies/places/places.h"
#include "topologies/topology.h"

enum { SIDE_MAX = 4096 };

static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    uint32_t routers = topology->number[0];
    uint32_t groups = topology->processors / routers;
    struct ek_place *outer = malloc(groups * sizeof *outer);
    struct ek_place *inner = malloc(routers * sizeof *inner);
    bool good = (outer && inner) || topo_places_no_memory(error);
    if (good) {
        topo_places_circle(outer, groups);
        topo_places_circle(inner, routers);
        topo_places_nest(outer, groups, inner, routers, place);
    }
    free(outer);
    free(inner);
    return good;
}

bool topo_read_dragonfly(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t routers;
    uint64_t globals;
    if (!base_cursor_expect(cursor, ':', "dragonfly, as in dragonfly:4:2")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of routers in a group", 1, SIDE_MAX, &routers) ||
        !base_cursor_expect(cursor, ':', "the routers of a group, as in dragonfly:4:2") ||
        !base_cursor_whole(cursor, "the number of global links of a router", 1, SIDE_MAX, &globals)) {
        return false;
    }
    uint64_t groups = routers * globals + 1;
    if (!topo_draft_pairs_begin(draft, cursor, at, groups * routers,
                                groups * (routers * (routers - 1) / 2) + groups * (groups - 1) / 2)) {
        return false;
    }
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t group = i * (uint32_t)routers;
        for (uint32_t a = 0; a < routers; a++) {
            for (uint32_t b = a + 1; b < routers; b++) {
                topo_draft_pairs_add(draft, group + a, group + b);
            }
        }
        for (uint32_t j = i + 1; j < groups; j++) { // port j-1 of group i, port i of group j
            topo_draft_pairs_add(draft, group + (j - 1) / (uint32_t)globals,
                                 j * (uint32_t)routers + i / (uint32_t)globals);
        }
    }
    topo_draft_pairs_end(draft);
    draft->topology->number[0] = (uint32_t)routers;
    draft->topology->places = places;
    return true;
}
