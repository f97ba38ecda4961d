// SPDX-License-Identifier: MIT
// Rows: the ports of a processor, which are stored in the arrays of a topology, or computed if it has none. A family
// whose links follow from the numbers of the processors can compute them. Then a run needs no memory for the links.
#ifndef TOPOLOGIES_ROWS_H
#define TOPOLOGIES_ROWS_H

#include "topologies/topology.h"

// The most ports of a processor whose row is computed.
enum { TOPO_ROW_MAX = 64 };

struct topo_port {
    uint32_t neighbour;
    uint32_t colour;
    uint8_t dimension;
    int8_t direction;
};

// The links of one colour in a grid: pairs of positions of one dimension. The positions pair_from and pair_from + 1 are
// a pair, and so is every second position with the next one from there on.
struct topo_pairing {
    uint32_t stride;    // the numbers of two processors at successive positions differ by it
    uint32_t side;      // the number of positions
    uint32_t pair_from; // `side`: no two successive positions are a pair
    bool wraps;         // the last position and the first one are a pair
    uint32_t plane;     // see topo_plane
};

// Returns the number of ports of most processors in the dimension of a grid.
static inline uint32_t topo_ports_along(const struct ek_topology *topology, uint32_t dimension)
{
    return topology->side[dimension] < 3 ? topology->side[dimension] - 1 : 2;
}

// The *plane* of a port in a grid is the same for all ports of a dimension and a direction. A dimension has as many
// planes as ports, and they follow those of the dimensions before. This function returns the first one of the
// dimension. It belongs to the direction +1, and in a dimension of two positions to both directions.
static inline uint32_t topo_plane(const struct ek_topology *topology, uint32_t dimension)
{
    uint32_t plane = 0;
    for (uint32_t d = 0; d < dimension; d++) {
        plane += topo_ports_along(topology, d);
    }
    return plane;
}

static inline uint32_t topo_plane_of(const struct ek_topology *topology, uint32_t dimension, int direction)
{
    return topo_plane(topology, dimension) + (direction < 0 && topology->side[dimension] > 2);
}

// Ports of a grid with one dimension, direction and distance: a *bundle*. The processors that have such a port come
// again every `period` processors, which is all positions of the dimension, and lie next to one another there.
struct topo_bundle {
    uint64_t period;
    uint64_t begin, end; // their places in a period
    int64_t apart;       // from a processor to its neighbour
    uint32_t plane;      // of the ports (topo_plane)
};

enum { TOPO_BUNDLES_MAX = 2 * TOPO_ROW_MAX };

// How a family computes rows. None of these functions reads the arrays of the topology.
struct ek_rows {
    // Writes the ports of p, in ascending order of the neighbour, and returns their number.
    uint32_t (*row)(const struct ek_topology *topology, uint32_t p, struct topo_port row[TOPO_ROW_MAX]);

    // Returns the number of ports of the processors 0 .. p-1.
    uint32_t (*first)(const struct ek_topology *topology, uint32_t p);

    // Returns a processor after p. All processors between have neighbours at the same distances as p, over ports of the
    // same dimensions and directions.
    uint32_t (*alike)(const struct ek_topology *topology, uint32_t p);

    // Returns the links of a colour.
    struct topo_pairing (*pairing)(const struct ek_topology *topology, uint32_t colour);

    // Writes all bundles, in the order in which a row has their ports, and returns their number.
    uint32_t (*bundles)(const struct ek_topology *topology, struct topo_bundle bundle[TOPO_BUNDLES_MAX]);
};

// Returns whether the topology has arrays. Otherwise its rows are computed.
static inline bool topo_is_stored(const struct ek_topology *topology)
{
    return topology->first != NULL;
}

// Returns the first port of p. p can be the number of processors.
static inline uint32_t topo_first(const struct ek_topology *topology, uint32_t p)
{
    return topo_is_stored(topology) ? topology->first[p] : topology->rows->first(topology, p);
}

// Returns port number k of p.
static inline struct topo_port topo_port_at(const struct ek_topology *topology, uint32_t p, uint32_t k)
{
    struct topo_port row[TOPO_ROW_MAX];
    if (topo_is_stored(topology)) {
        uint32_t port = topology->first[p] + k;
        uint32_t colour = topology->colour ? topology->colour[port] : 0; // a window has no colours
        return (struct topo_port){topology->neighbour[port], colour, topology->dimension[port],
                                  topology->direction[port]};
    }
    topology->rows->row(topology, p, row);
    return row[k];
}

// The neighbours of a processor, by port.
struct topo_neighbours {
    uint32_t degree;
    const uint32_t *of;
    uint32_t room[TOPO_ROW_MAX]; // the computed ones
    uint32_t next, alike;        // the next processor, and the first one that may have other distances
};

static inline void topo_compute_neighbours(const struct ek_topology *topology, uint32_t p,
                                           struct topo_neighbours *found)
{
    struct topo_port row[TOPO_ROW_MAX];
    found->degree = topology->rows->row(topology, p, row);
    found->of = found->room;
    for (uint32_t port = 0; port < found->degree; port++) {
        found->room[port] = row[port].neighbour;
    }
    found->alike = topology->rows->alike(topology, p);
}

// Finds the neighbours of p. A loop over all processors passes the neighbours of the processor before, at first zeros.
// Most rows then need no computation.
static inline void topo_find_neighbours(const struct ek_topology *topology, uint32_t p, struct topo_neighbours *found)
{
    if (topo_is_stored(topology)) {
        found->degree = topology->first[p + 1] - topology->first[p];
        found->of = topology->neighbour + topology->first[p];
    } else if (p == found->next && p < found->alike) {
        for (uint32_t port = 0; port < found->degree; port++) {
            found->room[port]++;
        }
    } else {
        topo_compute_neighbours(topology, p, found);
    }
    found->next = p + 1;
}

// Returns the port at the other end of the link from p, over its port number `port`, to `neighbour`.
static inline uint32_t topo_twin(const struct ek_topology *topology, uint32_t p, uint32_t port, uint32_t neighbour)
{
    if (topo_is_stored(topology)) {
        return topology->twin[topology->first[p] + port];
    }
    struct topo_port row[TOPO_ROW_MAX];
    uint32_t degree = topology->rows->row(topology, neighbour, row);
    uint32_t back = 0;
    while (back < degree && row[back].neighbour != p) {
        back++;
    }
    return topo_first(topology, neighbour) + back;
}

#endif
