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

// How a family computes rows. None of these functions reads the arrays of the topology.
struct ek_rows {
    // Writes the ports of p, in ascending order of the neighbour, and returns their number.
    uint32_t (*row)(const struct ek_topology *topology, uint32_t p, struct topo_port row[TOPO_ROW_MAX]);

    // Returns the number of ports of the processors 0 .. p-1.
    uint32_t (*first)(const struct ek_topology *topology, uint32_t p);

    // Returns a processor after p. All processors between have neighbours at the same distances as p, over ports of the
    // same dimensions and directions.
    uint32_t (*alike)(const struct ek_topology *topology, uint32_t p);
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
        return (struct topo_port){topology->neighbour[port], topology->colour[port], topology->dimension[port],
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
