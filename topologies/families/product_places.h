// SPDX-License-Identifier: MIT
// The places of products of paths and rings in a drawing.
#ifndef TOPOLOGIES_FAMILIES_PRODUCT_PLACES_H
#define TOPOLOGIES_FAMILIES_PRODUCT_PLACES_H

#include "topologies/places/places.h"

topo_places topo_product_places;

// Places the corners of a hypercube.
bool topo_hypercube_places(uint32_t dimensions, struct ek_place *place, struct ek_error *error);

#endif
