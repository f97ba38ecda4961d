// SPDX-License-Identifier: MIT
#include "topologies/places/places.h"

#include "base/error.h"
#include "topologies/topology.h"

bool ek_topology_places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    if (topology->processors > EK_PLACES_MAX) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "a drawing has at most %d processors, and %s has %u: draw a smaller one of its family",
                         EK_PLACES_MAX, topology->spec ? topology->spec : "this topology", topology->processors);
    }
    return topology->places ? topology->places(topology, place, error)
                            : topo_places_by_distance(topology, place, error);
}
