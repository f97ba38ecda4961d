// SPDX-License-Identifier: MIT
// foldedcube:D, the folded hypercube (El-Amawy & Latifi 1991): the hypercube of 2^D processors with a link more for
// each processor, to the processor of the complemented number. The colours are the D bits, then the complements. With D
// = 1 the complement is the neighbour already, and the double link is left out.
#include "topologies/families/product_places.h"
#include "topologies/spectra/eigenvalues.h"
#include "topologies/family.h"
#include "topologies/topology.h"

static uint32_t find_row(const struct topo_draft *draft, uint32_t p, struct topo_neighbour *row)
{
    uint32_t dimensions = draft->number[0];
    for (uint32_t d = 0; d < dimensions; d++) {
        row[d] = (struct topo_neighbour){p ^ 1U << d, d};
    }
    row[dimensions] = (struct topo_neighbour){p ^ (draft->topology->processors - 1), dimensions};
    return dimensions + 1;
}

// The vector of (-1)^(number of common ones with s) belongs to each number s. If s has w ones, it changes its sign over
// the links of w bits, and over the complements if w is odd.
static bool eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error)
{
    uint32_t dimensions = topology->colours > 1 ? topology->colours - 1 : 1;
    uint64_t times = 1;
    if (!topo_eigenvalues_allocate(values, dimensions + 1, error)) {
        return false;
    }
    for (uint32_t w = 0; w <= dimensions; w++) {
        topo_eigenvalues_add(values, 2.0 * w + (dimensions > 1 && w % 2 == 1 ? 2.0 : 0.0), times);
        times = times * (dimensions - w) / (w + 1);
    }
    topo_eigenvalues_merge(values, TOPO_ROUNDED);
    return true;
}

static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    return topo_hypercube_places((uint32_t)__builtin_ctz(topology->processors), place, error);
}

static const struct ek_closed_form closed_form = {.eigenvalues = eigenvalues};

bool topo_read_foldedcube(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t dimensions;
    if (!base_cursor_expect(cursor, ':', "foldedcube, as in foldedcube:6")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of dimensions", 1, 26, &dimensions)) {
        return false;
    }
    uint64_t n = (uint64_t)1 << dimensions;
    bool folds = dimensions > 1;
    if (!topo_draft_size(draft, cursor, at, n, n / 2 * (dimensions + folds))) {
        return false;
    }
    struct ek_topology *topology = draft->topology;
    topology->closed_form = &closed_form;
    topology->colours = (uint32_t)dimensions + folds;
    topology->diameter = (int64_t)(dimensions + 1) / 2;
    topology->places = places;
    draft->number[0] = (uint32_t)dimensions;
    return topo_draft_rows(draft, cursor, at, (uint32_t)dimensions + 1, find_row);
}
