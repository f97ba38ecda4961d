// SPDX-License-Identifier: MIT
// Colours the links of any simple graph with at most (maximum degree + 1) colours (Misra & Gries 1992, a constructive
// proof of Vizing's theorem). Each processor has a small hash table from colours to its ports. So the cost of colouring
// a link depends on the lengths of the fan and the path that are recoloured, and hardly on the degrees.
#include <stdlib.h>

#include "topologies/build.h"
#include "base/debug.h"
#include "topologies/topology.h"

static const uint32_t NONE = UINT32_MAX;

struct colouring {
    struct ek_topology *topology;
    size_t *table;    // [processors + 1] where each processor's table begins; the size of a table is a power of two
    uint32_t *place;  // all tables: a port or NONE; at least half of each table is NONE
    uint32_t *vacant; // by processor: a colour that was free lately; the search for the next one begins there
    uint32_t *fan;    // [degree_max] ports of one processor
    bool *in_fan;     // by processor
    uint32_t *path;   // [processors] ports
};

static uint32_t degree_of(const struct ek_topology *topology, uint32_t processor)
{
    return topology->first[processor + 1] - topology->first[processor];
}

// Finds the place of the processor's port of this colour. If it has none, finds the free place where that port belongs:
// the first one from the colour's home on.
static size_t find_place(const struct colouring *colouring, uint32_t processor, uint32_t colour)
{
    size_t base = colouring->table[processor];
    size_t mask = colouring->table[processor + 1] - base - 1;
    size_t i = colour & mask;
    while (colouring->place[base + i] != NONE && colouring->topology->colour[colouring->place[base + i]] != colour) {
        i = (i + 1) & mask;
    }
    return base + i;
}

static uint32_t port_of(const struct colouring *colouring, uint32_t processor, uint32_t colour)
{
    return colouring->place[find_place(colouring, processor, colour)];
}

// Removes a port from its processor's table, and moves back the entries that it had displaced.
static void take_out(struct colouring *colouring, uint32_t processor, uint32_t port)
{
    const uint32_t *colour = colouring->topology->colour;
    size_t base = colouring->table[processor];
    size_t mask = colouring->table[processor + 1] - base - 1;
    size_t gap = find_place(colouring, processor, colour[port]) - base;
    BASE_DEBUG_ASSERT(colouring->place[base + gap] == port);
    colouring->place[base + gap] = NONE;
    for (size_t i = (gap + 1) & mask; colouring->place[base + i] != NONE; i = (i + 1) & mask) {
        size_t home = colour[colouring->place[base + i]] & mask;
        if (((i - home) & mask) >= ((i - gap) & mask)) {
            colouring->place[base + gap] = colouring->place[base + i];
            colouring->place[base + i] = NONE;
            gap = i;
        }
    }
}

static void uncolour(struct colouring *colouring, uint32_t port)
{
    struct ek_topology *topology = colouring->topology;
    uint32_t twin = topology->twin[port];
    take_out(colouring, topology->neighbour[twin], port);
    take_out(colouring, topology->neighbour[port], twin);
    topology->colour[port] = topology->colour[twin] = NONE;
}

static void set_colour(struct colouring *colouring, uint32_t port, uint32_t colour)
{
    struct ek_topology *topology = colouring->topology;
    uint32_t twin = topology->twin[port];
    size_t here = find_place(colouring, topology->neighbour[twin], colour);
    size_t there = find_place(colouring, topology->neighbour[port], colour);
    BASE_DEBUG_ASSERT(colouring->place[here] == NONE && colouring->place[there] == NONE);
    colouring->place[here] = port;
    colouring->place[there] = twin;
    topology->colour[port] = topology->colour[twin] = colour;
}

// Finds a colour that none of the processor's links has: among (degree + 1) colours there is always one.
static uint32_t free_colour(struct colouring *colouring, uint32_t processor)
{
    uint32_t degree = degree_of(colouring->topology, processor);
    uint32_t colour = colouring->vacant[processor];
    while (port_of(colouring, processor, colour) != NONE) {
        colour = colour == degree ? 0 : colour + 1;
    }
    colouring->vacant[processor] = colour;
    return colour;
}

// Swaps two colours along the path of links that have them alternately. The path begins at a processor that has no link
// of the second colour; afterwards it has none of the first.
static void swap_path(struct colouring *colouring, uint32_t processor, uint32_t first, uint32_t second)
{
    struct ek_topology *topology = colouring->topology;
    uint32_t length = 0;
    uint32_t colour = first;
    for (uint32_t port; (port = port_of(colouring, processor, colour)) != NONE; length++) {
        assert(length < topology->processors);
        colouring->path[length] = port;
        processor = topology->neighbour[port];
        colour = colour == first ? second : first;
    }
    for (uint32_t i = 0; i < length; i++) {
        uncolour(colouring, colouring->path[i]);
    }
    for (uint32_t i = 0; i < length; i++) {
        set_colour(colouring, colouring->path[i], i % 2 == 0 ? second : first);
    }
}

// Gives each link of the fan before `last` the colour of the next link, and `last` the given colour, which is free at
// both its ends.
static void turn_fan(struct colouring *colouring, uint32_t last, uint32_t colour)
{
    for (uint32_t i = 0; i < last; i++) {
        uint32_t next = colouring->topology->colour[colouring->fan[i + 1]];
        uncolour(colouring, colouring->fan[i + 1]);
        set_colour(colouring, colouring->fan[i], next);
    }
    set_colour(colouring, colouring->fan[last], colour);
}

// Colours the link at a port of the hub. This link begins a fan of links of the hub: the colour of each next link is
// free at the far end of the link before it, so each link can take over the colour of the next. The fan ends in one of
// two ways: (1) A colour is free at the far end of the last link and at the hub. (2) The link that has that colour is
// in the fan already. Then swapping colours along a path frees the colour at the hub.
static void colour_link(struct colouring *colouring, uint32_t hub, uint32_t port)
{
    const struct ek_topology *topology = colouring->topology;
    uint32_t length = 0;
    uint32_t colour = NONE;
    uint32_t repeated = NONE; // the link of the fan that has this colour already
    while (port != NONE && repeated == NONE) {
        uint32_t leaf = topology->neighbour[port];
        colouring->fan[length++] = port;
        colouring->in_fan[leaf] = true;
        colour = free_colour(colouring, leaf);
        port = port_of(colouring, hub, colour);
        if (port != NONE && colouring->in_fan[topology->neighbour[port]]) {
            repeated = port;
        }
    }
    for (uint32_t i = 0; i < length; i++) {
        colouring->in_fan[topology->neighbour[colouring->fan[i]]] = false;
    }
    uint32_t last = length - 1;
    if (repeated != NONE) {
        swap_path(colouring, hub, colour, free_colour(colouring, hub));
        // The colour is free at the hub now. It is still free at the far end of the last link, or of the link before
        // the repeated one: the path ends at one of them at most.
        uint32_t before = 0;
        while (colouring->fan[before + 1] != repeated) {
            before++;
        }
        if (port_of(colouring, topology->neighbour[colouring->fan[before]], colour) == NONE) {
            last = before;
        }
    }
    turn_fan(colouring, last, colour);
}

// Renumbers the colours in use from 0 without gaps: a colour without links would be an idle step.
static void number_colours(struct ek_topology *topology, uint32_t *number)
{
    for (uint32_t colour = 0; colour <= topology->degree_max; colour++) {
        number[colour] = NONE;
    }
    for (uint32_t port = 0; port < topology->ports; port++) {
        number[topology->colour[port]] = 0;
    }
    for (uint32_t colour = 0; colour <= topology->degree_max; colour++) {
        if (number[colour] == 0) {
            number[colour] = topology->colours++;
        }
    }
    for (uint32_t port = 0; port < topology->ports; port++) {
        topology->colour[port] = number[topology->colour[port]];
    }
}

static bool prepare(struct colouring *colouring)
{
    struct ek_topology *topology = colouring->topology;
    size_t n = topology->processors;
    colouring->table = malloc((n + 1) * sizeof *colouring->table);
    colouring->vacant = calloc(n, sizeof *colouring->vacant);
    colouring->in_fan = calloc(n, sizeof *colouring->in_fan);
    colouring->path = malloc(n * sizeof *colouring->path);
    colouring->fan = malloc(((size_t)topology->degree_max + 1) * sizeof *colouring->fan);
    if (!colouring->table || !colouring->vacant || !colouring->in_fan || !colouring->path || !colouring->fan) {
        return false;
    }
    size_t places = 0;
    for (uint32_t p = 0; p < n; p++) {
        size_t size = 2;
        while (size < 2 * (size_t)degree_of(topology, p)) {
            size *= 2;
        }
        colouring->table[p] = places;
        places += size;
    }
    colouring->table[n] = places;
    colouring->place = malloc(places * sizeof *colouring->place);
    for (size_t i = 0; colouring->place && i < places; i++) {
        colouring->place[i] = NONE;
    }
    return colouring->place != NULL;
}

// A table has fewer than four places for each port and at least two places. A fan has at most one place per processor.
uint64_t topo_colouring_bytes(uint64_t processors, uint64_t links)
{
    const struct colouring *sizes;
    uint64_t by_processor = sizeof *sizes->table + sizeof *sizes->vacant + sizeof *sizes->in_fan + sizeof *sizes->path +
                            sizeof *sizes->fan + 2 * sizeof *sizes->place;
    return (processors + 1) * by_processor + 2 * links * 4 * sizeof *sizes->place;
}

bool topo_colour_links(struct ek_topology *topology)
{
    struct colouring colouring = {.topology = topology};
    bool good = prepare(&colouring);
    for (uint32_t p = 0; good && p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint32_t other = topology->neighbour[port];
            if (other > p) { // the end with fewer links is the hub: its fan is short
                bool here = degree_of(topology, p) <= degree_of(topology, other);
                colour_link(&colouring, here ? p : other, here ? port : topology->twin[port]);
            }
        }
    }
    if (good) {
        number_colours(topology, colouring.fan);
    }
    free(colouring.table);
    free(colouring.place);
    free(colouring.vacant);
    free(colouring.fan);
    free(colouring.in_fan);
    free(colouring.path);
    return good;
}
