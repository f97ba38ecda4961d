// SPDX-License-Identifier: MIT
// fattree:K, the k-ary fat tree of Al-Fares, Loukissas & Vahdat ("A scalable, commodity data center network
// architecture", SIGCOMM 2008). Each of K pods has K/2 edge switches with K/2 hosts each, and K/2 aggregation switches,
// all linked to all edge switches of the pod. Core switch (i, j), i and j below K/2, is linked to aggregation switch i
// of every pod. The numbers: hosts, edge switches, aggregation switches, pod by pod, and then the cores.
#include "topologies/family.h"
#include "topologies/places/places.h"
#include "topologies/topology.h"

enum { PORTS_MAX = 400 };

// Places the levels below each other, each as wide as the hosts.
static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    (void)error;
    uint32_t half = topology->number[0] / 2;
    uint32_t hosts = topology->hosts;
    uint32_t pods = 2 * half * half; // switches in each level of the pods
    double high = 1.0 + hosts / 9.0;
    topo_places_row(place, hosts, 1.0, 2.5 * high);
    topo_places_row(place + hosts, pods, (double)hosts / pods, 2.0 * high);
    topo_places_row(place + hosts + pods, pods, (double)hosts / pods, high);
    topo_places_row(place + hosts + 2 * pods, half * half, (double)hosts / (half * half), 0.0);
    return true;
}

static void add_pod(struct topo_draft *draft, uint32_t pod, uint32_t half)
{
    uint32_t hosts = draft->topology->hosts;
    uint32_t edges = hosts + pod * half;
    uint32_t aggregations = edges + 2 * half * half;
    uint32_t cores = hosts + 4 * half * half;
    for (uint32_t e = 0; e < half; e++) {
        for (uint32_t i = 0; i < half; i++) {
            topo_draft_pairs_add(draft, (pod * half + e) * half + i, edges + e);
            topo_draft_pairs_add(draft, edges + e, aggregations + i);
            topo_draft_pairs_add(draft, aggregations + i, cores + i * half + e);
        }
    }
}

bool topo_read_fattree(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t ports;
    size_t family = cursor->at - (sizeof "fattree" - 1);
    if (!base_cursor_expect(cursor, ':', "fattree, as in fattree:4")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of ports of a switch", 2, PORTS_MAX, &ports)) {
        return false;
    }
    if (ports % 2 == 1) {
        return base_cursor_fail(cursor, at, "half of a switch's ports lead up and half down: use an even number");
    }
    if (draft->request->nesting > 0) {
        return base_cursor_fail(cursor, family,
                                "a fat tree has switches, so it cannot be part of another topology: use it alone");
    }
    uint64_t hosts = ports * ports * ports / 4;
    if (!topo_draft_pairs_begin(draft, cursor, at, hosts + 5 * ports * ports / 4, 3 * hosts)) {
        return false;
    }
    draft->topology->hosts = (uint32_t)hosts;
    draft->topology->number[0] = (uint32_t)ports;
    draft->topology->places = places;
    for (uint32_t pod = 0; pod < ports; pod++) {
        add_pod(draft, pod, (uint32_t)ports / 2);
    }
    topo_draft_pairs_end(draft);
    return true;
}
