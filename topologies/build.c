// SPDX-License-Identifier: MIT
// Fills compressed rows from the links that a family lists, without any memory beyond the rows.
#include "topologies/build.h"

#include <stdlib.h>
#include <string.h>

#include "topologies/family.h"
#include "topologies/rows.h"
#include "base/debug.h"

struct topo_builder {
    struct ek_topology *topology;
    bool fills;    // in the second pass ports are filled in; in the first they are counted
    uint32_t link; // the number of the next link
    uint32_t low;  // the ends of the last link, to check the order
    uint32_t high;
};

static void fill_port(struct ek_topology *topology, uint32_t port, uint32_t neighbour, uint32_t twin)
{
    topology->neighbour[port] = neighbour;
    topology->twin[port] = twin;
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
    fill_port(topology, port, high, twin);
    fill_port(topology, twin, low, port);
    topology->colour[port] = topology->colour[twin] = colour;
    topology->dimension[port] = topology->dimension[twin] = (uint8_t)dimension;
    topology->direction[port] = (int8_t)direction;
    topology->direction[twin] = (int8_t)-direction;
}

static void tell(const struct topo_draft *draft, bool fills)
{
    struct topo_builder builder = {.topology = draft->topology, .fills = fills};
    draft->list_links(draft, &builder);
    assert(builder.link == draft->topology->links);
}

static void count_ports(const struct topo_draft *draft)
{
    struct ek_topology *topology = draft->topology;
    tell(draft, false);
    topology->degree_min = UINT32_MAX;
    uint32_t ports = 0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        uint32_t degree = topology->first[p];
        topology->degree_min = degree < topology->degree_min ? degree : topology->degree_min;
        topology->degree_max = degree > topology->degree_max ? degree : topology->degree_max;
        topology->first[p] = ports;
        ports += degree;
    }
    assert(ports == topology->ports);
}

static void fill_ports(const struct topo_draft *draft)
{
    struct ek_topology *topology = draft->topology;
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

static bool take_memory(struct ek_topology *topology)
{
    topology->first = array(topology->processors, sizeof *topology->first); // the last entry is the end of the last row
    topology->neighbour = array(topology->ports, sizeof *topology->neighbour);
    topology->twin = array(topology->ports, sizeof *topology->twin);
    topology->colour = array(topology->ports, sizeof *topology->colour);
    topology->dimension = array(topology->ports, sizeof *topology->dimension);
    topology->direction = array(topology->ports, sizeof *topology->direction);
    topology->ends = array(topology->ports, sizeof *topology->ends);
    return topology->first && topology->neighbour && topology->twin && topology->colour && topology->dimension &&
           topology->direction && topology->ends;
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

bool topo_draft_build(struct topo_draft *draft, struct ek_error *error)
{
    struct ek_topology *topology = draft->topology;
    assert(topology->processors > 0 && topology->ports == 2 * topology->links);
    if (leaves_out(draft)) {
        return true;
    }
    if (!take_memory(topology)) {
        return fail_memory(topology, error);
    }
    count_ports(draft);
    fill_ports(draft);
    if (!search(draft)) {
        return fail_memory(topology, error);
    }
    topology->colour_first =
        array(topology->colours, sizeof *topology->colour_first); // the last entry is the end of the last colour
    if (!topology->colour_first) {
        return fail_memory(topology, error);
    }
    sort_ends(topology);
    return true;
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

size_t ek_topology_bytes(const struct ek_topology *topology)
{
    size_t by_port = sizeof *topology->neighbour + sizeof *topology->twin + sizeof *topology->colour +
                     sizeof *topology->dimension + sizeof *topology->direction + sizeof *topology->ends;
    return topology->ports * by_port + ((size_t)topology->processors + 1) * sizeof *topology->first +
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
