// SPDX-License-Identifier: MIT
// Swapped networks, for both families that have them: otis(G) and hsn(2,G).
#ifndef TOPOLOGIES_FAMILIES_OTIS_H
#define TOPOLOGIES_FAMILIES_OTIS_H

#include "topologies/family.h"

// Reads the rest of the spec, "G)", of the swapped network of G.
bool topo_read_swapped(struct topo_draft *draft, struct base_cursor *cursor, const struct topo_request *inside);

#endif
