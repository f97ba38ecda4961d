// SPDX-License-Identifier: MIT
// The places of products of paths and rings in a drawing.
#ifndef TOPOLOGIES_FAMILIES_PRODUCT_PLACES_H
#define TOPOLOGIES_FAMILIES_PRODUCT_PLACES_H

#include "topologies/places/places.h"

topo_places topo_product_places;

#endif
