// SPDX-License-Identifier: MIT
// Checks every invariant that topology.h states. Each check may rely on those before it.
#include "base/cursor.h"
#include "topologies/topology.h"

static bool wrong(struct ek_error *error, const char *what, uint32_t where)
{
    return base_fail(error, EK_VIOLATION, "topology", "the topology is broken: %s (at %u)", what, where);
}

static bool rows_valid(const struct ek_topology *topology, struct ek_error *error)
{
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    if (topology->processors == 0 || topology->ports != 2 * (uint64_t)topology->links || topology->first[0] != 0 ||
        topology->first[topology->processors] != topology->ports) {
        return wrong(error, "the counts do not fit the rows", topology->processors);
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        if (topology->first[p] > topology->first[p + 1] || topology->first[p + 1] > topology->ports) {
            return wrong(error, "a row ends before it begins", p);
        }
        uint32_t degree = topology->first[p + 1] - topology->first[p];
        least = degree < least ? degree : least;
        most = degree > most ? degree : most;
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            if (topology->neighbour[port] >= topology->processors || topology->neighbour[port] == p ||
                (port > topology->first[p] && topology->neighbour[port] <= topology->neighbour[port - 1])) {
                return wrong(error, "the neighbours are not others in ascending order", p);
            }
        }
    }
    return (least == topology->degree_min && most == topology->degree_max) ||
           wrong(error, "the degrees' bounds are not those of the rows", most);
}

static bool ports_valid(const struct ek_topology *topology, struct ek_error *error)
{
    uint32_t links = 0;
    uint32_t dimensions = topology->dimensions > 0 ? topology->dimensions : 1;
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint32_t twin = topology->twin[port];
            if (twin >= topology->ports || topology->twin[twin] != port || topology->neighbour[twin] != p ||
                twin < topology->first[topology->neighbour[port]] ||
                twin >= topology->first[topology->neighbour[port] + 1]) {
                return wrong(error, "a port's twin is not at the other end", port);
            }
            if (topology->colour[port] != topology->colour[twin] ||
                topology->dimension[port] != topology->dimension[twin] ||
                topology->direction[port] != -topology->direction[twin]) {
                return wrong(error, "the two ends of a link differ", port);
            }
            if (topology->colour[port] >= topology->colours || topology->dimension[port] >= dimensions ||
                (topology->direction[port] != 1 && topology->direction[port] != -1)) {
                return wrong(error, "a port's colour, dimension or direction is out of bounds", port);
            }
            links += topology->neighbour[port] > p;
        }
    }
    return links == topology->links || wrong(error, "the links are not as many as the rows have", links);
}

// The ends of each colour must ascend by processor: then no two links of one colour meet. As there are as many ends as
// ports, no end is missing.
static bool ends_valid(const struct ek_topology *topology, struct ek_error *error)
{
    if (topology->colour_first[0] != 0 || topology->colour_first[topology->colours] != topology->ports) {
        return wrong(error, "the colours' counts do not fit the ports", topology->colours);
    }
    for (uint32_t colour = 0; colour < topology->colours; colour++) {
        if (topology->colour_first[colour] >= topology->colour_first[colour + 1] ||
            topology->colour_first[colour + 1] > topology->ports) {
            return wrong(error, "a colour has no links", colour);
        }
        for (uint32_t i = topology->colour_first[colour]; i < topology->colour_first[colour + 1]; i++) {
            struct ek_end end = topology->ends[i];
            if (end.processor >= topology->processors || end.port < topology->first[end.processor] ||
                end.port >= topology->first[end.processor + 1] || topology->colour[end.port] != colour) {
                return wrong(error, "an end is not a port of its processor and colour", i);
            }
            if (i > topology->colour_first[colour] && topology->ends[i - 1].processor >= end.processor) {
                return wrong(error, "two links of one colour meet", end.processor);
            }
        }
    }
    return true;
}

// Returns where the port of processor p should lead: one place along its dimension, perhaps over the wrap.
static uint32_t product_neighbour(const struct ek_topology *topology, uint32_t p, uint32_t port)
{
    uint32_t stride = 1;
    for (uint32_t d = 0; d < topology->dimension[port]; d++) {
        stride *= topology->side[d];
    }
    uint32_t side = topology->side[topology->dimension[port]];
    uint32_t x = p / stride % side;
    bool up = topology->direction[port] > 0;
    if ((up ? x + 1 == side : x == 0) && !(topology->wraps && side >= 3)) {
        return UINT32_MAX;
    }
    uint32_t to = up ? (x + 1) % side : (x + side - 1) % side;
    return p - x * stride + to * stride;
}

// Returns whether a port of processor p leads along its dimension as a port of the factor does.
static bool leads_as_in_factor(const struct ek_topology *topology, uint32_t p, uint32_t port)
{
    uint32_t stride = 1;
    for (uint32_t d = 0; d < topology->dimension[port]; d++) {
        stride *= topology->side[d];
    }
    const struct ek_topology *factor = topology->factor[topology->dimension[port]];
    uint32_t x = p / stride % factor->processors;
    for (uint32_t f = factor->first[x]; f < factor->first[x + 1]; f++) {
        if (topology->neighbour[port] == p + (factor->neighbour[f] - x) * stride) {
            return topology->direction[port] == factor->direction[f];
        }
    }
    return false;
}

static bool factors_valid(const struct ek_topology *topology, struct ek_error *error)
{
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        if (topology->side[d] != topology->factor[d]->processors) {
            return wrong(error, "a side is not its factor's number of processors", d);
        }
        if (!ek_topology_valid(topology->factor[d], error)) {
            return false;
        }
    }
    return true;
}

static bool product_valid(const struct ek_topology *topology, struct ek_error *error)
{
    uint64_t processors = 1;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        processors *= topology->side[d];
    }
    if (processors != topology->processors) {
        return wrong(error, "the sides do not make the processors", topology->processors);
    }
    if (topology->factor && !factors_valid(topology, error)) {
        return false;
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            if (topology->factor ? !leads_as_in_factor(topology, p, port)
                                 : topology->neighbour[port] != product_neighbour(topology, p, port)) {
                return wrong(error, "a port does not lead along its dimension", port);
            }
        }
    }
    return true;
}

static bool plain_valid(const struct ek_topology *topology, struct ek_error *error)
{
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            if ((topology->direction[port] > 0) != (topology->neighbour[port] > p)) {
                return wrong(error, "a link does not lead up from its lower end", port);
            }
        }
    }
    return true;
}

bool ek_topology_valid(const struct ek_topology *topology, struct ek_error *error)
{
    return rows_valid(topology, error) && ports_valid(topology, error) && ends_valid(topology, error) &&
           (topology->dimensions > 0 ? product_valid(topology, error) : plain_valid(topology, error)) &&
           (!topology->group || ek_topology_valid(topology->group, error));
}
