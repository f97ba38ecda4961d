// SPDX-License-Identifier: MIT
// Joins the ports at the two ends of each link, in rows whose neighbours are known.
#include <stdlib.h>

#include "topologies/build.h"
#include "topologies/topology.h"
#include "topologies/window.h"

static int compare(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

// Sorts a row. Most rows are short, and qsort would take longer for them.
static void sort(uint32_t *row, uint32_t count)
{
    enum { SHORT = 24 };
    if (count > SHORT) {
        qsort(row, count, sizeof *row, compare);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t next = row[i];
        uint32_t j = i;
        for (; j > 0 && row[j - 1] > next; j--) {
            row[j] = row[j - 1];
        }
        row[j] = next;
    }
}

// Returns the port of p that leads to `neighbour`, or UINT32_MAX if there is none.
static uint32_t port_to(const struct ek_topology *topology, uint32_t p, uint32_t neighbour)
{
    uint32_t low = topology->first[p], high = topology->first[p + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (topology->neighbour[middle] < neighbour) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < topology->first[p + 1] && topology->neighbour[low] == neighbour ? low : UINT32_MAX;
}

// Returns the port that stands for the far end of link number `leaving` of those that leave the window. There are at
// least as many ports outside the window as such links.
static uint32_t far_end(const struct ek_topology *topology, uint64_t leaving)
{
    uint32_t before = topology->first[topo_stored_begin(topology)];
    uint32_t after = topology->first[topo_stored_end(topology)];
    return leaving < before ? (uint32_t)leaving : (uint32_t)(after + (leaving - before));
}

// Joins the ports of p. Returns false if a neighbour occurs twice, or has no port to p.
static bool join(struct ek_topology *topology, uint32_t p)
{
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        uint32_t other = topology->neighbour[port];
        bool stored = topo_stores(topology, other);
        uint32_t twin = stored ? port_to(topology, other, p) : far_end(topology, topology->window->leaving++);
        if (twin >= topology->ports || (port > topology->first[p] && topology->neighbour[port - 1] == other)) {
            return false;
        }
        topology->twin[port] = twin;
        topology->direction[port] = topology->dimensions > 0 ? topology->direction[port] : other > p ? 1 : -1;
    }
    return true;
}

bool topo_rows_join(struct ek_topology *topology)
{
    uint32_t begin = topo_stored_begin(topology), end = topo_stored_end(topology);
    bool good = true;
    for (uint32_t p = begin; p < end; p++) {
        sort(topology->neighbour + topology->first[p], topology->first[p + 1] - topology->first[p]);
    }
    for (uint32_t p = begin; good && p < end; p++) {
        good = join(topology, p);
    }
    return good;
}
