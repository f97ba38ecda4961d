// SPDX-License-Identifier: MIT
// Fills compressed rows from the links that a family lists, without any memory beyond the rows.
#include "topologies/build.h"

#include <stdlib.h>
#include <string.h>

#include "topologies/family.h"
#include "topologies/rows.h"
#include "topologies/window.h"
#include "base/debug.h"

struct topo_builder {
    struct ek_topology *topology;
    bool fills;    // in the second pass ports are filled in; in the first they are counted
    uint32_t link; // the number of the next link
    uint32_t low;  // the ends of the last link, to check the order
    uint32_t high;
};

// Fills in a port of `processor`, if its row is stored.
static void fill_port(struct ek_topology *topology, uint32_t processor, uint32_t port, const struct topo_port *to,
                      uint32_t twin)
{
    if (!topo_stores(topology, processor)) {
        return;
    }
    topology->neighbour[port] = to->neighbour;
    topology->twin[port] = twin;
    topology->dimension[port] = to->dimension;
    topology->direction[port] = to->direction;
    if (topology->colour) {
        topology->colour[port] = to->colour;
    }
}

// In the first pass first[p] is the number of ports that p has so far. In the second pass it is the place of p's next
// port.
void topo_builder_link(struct topo_builder *builder, uint32_t low, uint32_t high, unsigned dimension, int direction,
                       uint32_t colour)
{
    struct ek_topology *topology = builder->topology;
    BASE_DEBUG_ASSERT(low < high && high < topology->processors && builder->link < topology->links);
    BASE_DEBUG_ASSERT(builder->link == 0 || builder->low < low || (builder->low == low && builder->high < high));
    builder->low = low;
    builder->high = high;
    builder->link++;
    uint32_t port = topology->first[low]++;
    uint32_t twin = topology->first[high]++;
    if (!builder->fills) {
        return;
    }
    if (topology->window) {
        topology->window->print += topo_link_print(low, high);
    }
    fill_port(topology, low, port, &(struct topo_port){high, colour, (uint8_t)dimension, (int8_t)direction}, twin);
    fill_port(topology, high, twin, &(struct topo_port){low, colour, (uint8_t)dimension, (int8_t)-direction}, port);
}

static void tell(const struct topo_draft *draft, bool fills)
{
    struct topo_builder builder = {.topology = draft->topology, .fills = fills};
    draft->list_links(draft, &builder);
    assert(builder.link == draft->topology->links);
}

// Turns the degrees by processor, which `first` has, into the first ports.
static void set_first(struct ek_topology *topology)
{
    topology->degree_min = UINT32_MAX;
    uint32_t ports = 0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        uint32_t degree = topology->first[p];
        topology->degree_min = degree < topology->degree_min ? degree : topology->degree_min;
        topology->degree_max = degree > topology->degree_max ? degree : topology->degree_max;
        topology->first[p] = ports;
        ports += degree;
    }
    topology->first[topology->processors] = ports;
    assert(ports == topology->ports);
}

static void fill_ports(const struct topo_draft *draft)
{
    struct ek_topology *topology = draft->topology;
    tell(draft, false);
    set_first(topology);
    tell(draft, true);
    // Each first[p] has become the end of p's row, where the next row begins.
    for (uint32_t p = topology->processors; p > 0; p--) {
        topology->first[p] = topology->first[p - 1];
    }
    topology->first[0] = 0;
    assert(topology->first[topology->processors] == topology->ports);
}

// Fills `ends` by a counting sort of the ports by colour. Within a colour they stay in the order of the processors.
static void sort_ends(struct ek_topology *topology)
{
    uint32_t *next = topology->colour_first; // the number of the colour's ports, later the place of its next end
    for (uint32_t port = 0; port < topology->ports; port++) {
        next[topology->colour[port]]++;
    }
    uint32_t sum = 0;
    for (uint32_t colour = 0; colour < topology->colours; colour++) {
        uint32_t count = next[colour];
        next[colour] = sum;
        sum += count;
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            topology->ends[next[topology->colour[port]]++] = (struct ek_end){.processor = p, .port = port};
        }
    }
    for (uint32_t colour = topology->colours; colour > 0; colour--) {
        next[colour] = next[colour - 1];
    }
    next[0] = 0;
    assert(next[topology->colours] == topology->ports);
}

// Until the ends are sorted again, the array colour_first holds the new number of each colour.
void topo_recolour(struct ek_topology *topology, const uint32_t *order)
{
    uint32_t *number = topology->colour_first;
    for (uint32_t i = 0; i < topology->colours; i++) {
        number[order[i]] = i;
    }
    for (uint32_t port = 0; port < topology->ports; port++) {
        topology->colour[port] = number[topology->colour[port]];
    }
    memset(number, 0, (topology->colours + 1) * sizeof *number);
    sort_ends(topology);
}

static bool fail_memory(const struct ek_topology *topology, struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, "topology",
                     "%u processors with %u links take %zu MiB, more than the system grants: use a smaller topology",
                     topology->processors, topology->links, (ek_topology_bytes(topology) >> 20) + 1);
}

// Allocates an array with one entry more than `count`. Some arrays end with their total. Others may be empty, and
// calloc may return NULL for 0 bytes.
static void *array(uint32_t count, size_t size)
{
    return calloc((size_t)count + 1, size);
}

// Allocates the arrays. If only some rows are stored, no step takes the links of a colour.
static bool take_memory(struct ek_topology *topology)
{
    bool whole = !topology->window;
    topology->first = array(topology->processors, sizeof *topology->first); // the last entry is the end of the last row
    topology->neighbour = array(topology->ports, sizeof *topology->neighbour);
    topology->twin = array(topology->ports, sizeof *topology->twin);
    topology->colour = whole ? array(topology->ports, sizeof *topology->colour) : NULL;
    topology->dimension = array(topology->ports, sizeof *topology->dimension);
    topology->direction = array(topology->ports, sizeof *topology->direction);
    topology->ends = whole ? array(topology->ports, sizeof *topology->ends) : NULL;
    return topology->first && topology->neighbour && topology->twin && topology->dimension && topology->direction &&
           (!whole || (topology->colour && topology->ends));
}

bool topo_rows_take(struct ek_topology *topology, const uint32_t *degree, struct ek_error *error)
{
    if (!take_memory(topology)) {
        return fail_memory(topology, error);
    }
    memcpy(topology->first, degree, topology->processors * sizeof *degree);
    set_first(topology);
    return true;
}

// Searches for what the family did not set. Returns false if there is not enough memory.
static bool search(const struct topo_draft *draft)
{
    struct ek_topology *topology = draft->topology;
    uint32_t sources = draft->searches & TOPO_SEARCH_FROM_ONE ? 1 : topology->processors;
    return (!(draft->searches & TOPO_SEARCH_COLOURS) || topo_colour_links(topology)) &&
           (!(draft->searches & (TOPO_SEARCH_DIAMETER | TOPO_SEARCH_FROM_ONE)) ||
            topo_diameter_search(topology, sources));
}

// Returns whether the arrays are left out. An overlay has no request.
static bool leaves_out(const struct topo_draft *draft)
{
    const struct topo_request *request = draft->request;
    return draft->topology->rows && request->nesting == 0 && request->permit.leaves_out &&
           request->permit.leaves_out(request->permit.context, draft->topology);
}

// Finds the colours and the diameter. If only some rows are stored, nothing needs the colours, and the topology is too
// large to search for its diameter.
static bool finish(const struct topo_draft *draft)
{
    struct ek_topology *topology = draft->topology;
    bool whole = !topology->window;
    if (whole && !search(draft)) {
        return false;
    }
    if (!whole && draft->searches & TOPO_SEARCH_DIAMETER) {
        topology->diameter = -1;
    }
    if (!whole && draft->searches & TOPO_SEARCH_FROM_ONE && !topo_diameter_by_rows(draft)) {
        return false;
    }
    topology->colour_first =
        array(topology->colours, sizeof *topology->colour_first); // the last entry is the end of the last colour
    if (topology->colour_first && whole) {
        sort_ends(topology);
    }
    return topology->colour_first;
}

bool topo_draft_build(struct topo_draft *draft, struct ek_error *error)
{
    struct ek_topology *topology = draft->topology;
    assert(topology->processors > 0 && topology->ports == 2 * topology->links);
    if (leaves_out(draft)) {
        return true;
    }
    if (!topology->first) {
        if (!take_memory(topology)) {
            return fail_memory(topology, error);
        }
        fill_ports(draft);
        if (topology->window) {
            topo_rows_join(topology);
        }
    }
    return finish(draft) || fail_memory(topology, error);
}

struct ek_topology *topo_overlay(const struct ek_topology *base, uint32_t processors, uint32_t links, uint32_t colours,
                                 topo_list_links *list_links, struct ek_error *error)
{
    assert(links <= UINT32_MAX / 2);
    struct ek_topology *topology = calloc(1, sizeof *topology);
    if (!topology) {
        base_fail(error, EK_BAD_INPUT, "topology", "there is no memory left for a topology");
        return NULL;
    }
    topology->processors = topology->hosts = processors;
    topology->links = links;
    topology->ports = 2 * links;
    topology->colours = colours;
    topology->diameter = -1;
    struct topo_draft draft = {.topology = topology, .base = base, .list_links = list_links};
    if (!topo_draft_build(&draft, error)) {
        ek_topology_destroy(topology);
        return NULL;
    }
    return topology;
}

static size_t factor_bytes(const struct ek_topology *topology)
{
    size_t bytes = 0;
    for (uint32_t d = 0; topology->factor && d < topology->dimensions; d++) {
        bytes += sizeof *topology->factor + (topology->factor[d] ? ek_topology_bytes(topology->factor[d]) : 0);
    }
    return bytes;
}

// Returns the number of ports in the rows that are stored; of an outline, the mean for as many processors.
static size_t stored_ports(const struct ek_topology *topology)
{
    uint32_t begin = topo_stored_begin(topology), end = topo_stored_end(topology);
    return topology->first ? topology->first[end] - topology->first[begin]
                           : (size_t)((uint64_t)topology->ports * (end - begin) / topology->processors);
}

size_t ek_topology_bytes(const struct ek_topology *topology)
{
    size_t by_port = sizeof *topology->neighbour + sizeof *topology->twin + sizeof *topology->dimension +
                     sizeof *topology->direction;
    by_port += topology->window ? 0 : sizeof *topology->colour + sizeof *topology->ends;
    return stored_ports(topology) * by_port + ((size_t)topology->processors + 1) * sizeof *topology->first +
           ((size_t)topology->colours + 1) * sizeof *topology->colour_first +
           (topology->place ? topology->processors * sizeof *topology->place : 0) +
           topology->dimensions * sizeof *topology->side + (topology->group ? ek_topology_bytes(topology->group) : 0) +
           factor_bytes(topology);
}

void ek_topology_destroy(struct ek_topology *topology)
{
    if (!topology) {
        return;
    }
    ek_topology_destroy(topology->group);
    for (uint32_t d = 0; topology->factor && d < topology->dimensions; d++) {
        ek_topology_destroy(topology->factor[d]);
    }
    free(topology->factor);
    free(topology->spec);
    free(topology->first);
    free(topology->neighbour);
    free(topology->twin);
    free(topology->colour);
    free(topology->dimension);
    free(topology->direction);
    free(topology->ends);
    free(topology->colour_first);
    free(topology->side);
    free(topology->place);
    free(topology->window);
    free(topology);
}

uint32_t ek_topology_port(const struct ek_topology *topology, uint32_t processor, unsigned dimension, int direction)
{
    assert(processor < topology->processors && (direction == 1 || direction == -1));
    if (dimension >= topology->dimensions) {
        return UINT32_MAX;
    }
    for (uint32_t port = topology->first[processor]; port < topology->first[processor + 1]; port++) {
        if (topology->dimension[port] == dimension &&
            (topology->direction[port] == direction || topology->side[dimension] == 2)) {
            return port;
        }
    }
    return UINT32_MAX;
}
