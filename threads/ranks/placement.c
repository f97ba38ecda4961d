// SPDX-License-Identifier: MIT
// Placements of processors on ranks.
#include "threads/ranks/placement.h"

#include <stdlib.h>

#include "threads/ranks/blocks.h"
#include "threads/ranks/parts.h"
#include "base/cursor.h"
#include "topologies/product.h"
#include "topologies/rows.h"

struct base_range rank_placement_range(const struct rank_placement *placement, const struct ek_ranks *ranks)
{
    struct base_range range = {UINT64_MAX, 0};
    for (uint32_t i = 0; i < placement->spans; i++) {
        if (placement->rank[i] == ranks->rank) {
            range.begin = range.end == 0 ? placement->begin[i] : range.begin;
            range.end = placement->begin[i + 1];
        }
    }
    return range;
}

uint32_t rank_placement_span(const struct rank_placement *placement, uint32_t p)
{
    uint32_t low = 0, high = placement->spans;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (placement->begin[middle] <= p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t rank_placement_processors(const struct rank_placement *placement, unsigned rank)
{
    uint32_t processors = 0;
    for (uint32_t i = 0; i < placement->spans; i++) {
        processors += placement->rank[i] == rank ? placement->begin[i + 1] - placement->begin[i] : 0;
    }
    return processors;
}

// Allocates a number of spans.
static bool take(struct rank_placement *placement, uint64_t spans)
{
    placement->begin = calloc((size_t)spans + 1, sizeof *placement->begin);
    placement->rank = calloc((size_t)spans, sizeof *placement->rank);
    return placement->begin && placement->rank;
}

void rank_placement_destroy(struct rank_placement *placement)
{
    free(placement->begin);
    free(placement->rank);
    *placement = (struct rank_placement){0};
}

// Adds the processors from the last end to `end` - 1.
static void add(struct rank_placement *placement, uint32_t end, unsigned rank)
{
    if (placement->spans == 0 || placement->rank[placement->spans - 1] != rank) {
        placement->rank[placement->spans++] = rank;
    }
    placement->begin[placement->spans] = end;
}

static bool place_in_order(struct rank_placement *placement, const struct ek_topology *topology, unsigned ranks)
{
    placement->blocks = EK_BLOCKS_IN_ORDER;
    if (!take(placement, ranks)) {
        return false;
    }
    for (unsigned r = 0; r < ranks; r++) {
        add(placement, rank_block_begin(topology->processors, ranks, r + 1), r);
    }
    return true;
}

// Returns the number of links between the parts if a dimension is cut into `parts`.
static uint64_t cut_by(const struct ek_topology *topology, uint32_t dimension, uint32_t parts)
{
    uint32_t side = topology->side[dimension];
    uint32_t borders = topology->wraps && side >= 3 && parts > 1 ? parts : parts - 1;
    return (uint64_t)borders * (topology->processors / side);
}

// Cuts one dimension into `factor` times as many parts. It chooses the dimension in which this cuts the fewest links.
// Among equal dimensions it chooses the last one, because its boxes consist of the longest spans. Returns false if no
// side is long enough.
static bool divide_once(const struct ek_topology *topology, uint32_t *parts, uint32_t factor)
{
    uint32_t best = topology->dimensions;
    uint64_t least = UINT64_MAX;
    for (uint32_t d = topology->dimensions; d-- > 0;) {
        if (factor <= topology->side[d] / parts[d]) {
            uint64_t cost = cut_by(topology, d, parts[d] * factor) - cut_by(topology, d, parts[d]);
            best = cost < least ? d : best;
            least = cost < least ? cost : least;
        }
    }
    if (best == topology->dimensions) {
        return false;
    }
    parts[best] *= factor;
    return true;
}

// Finds the number of parts along each dimension. The prime factors of the number of ranks are used one after another,
// the largest first.
static bool divide_sides(const struct ek_topology *topology, unsigned ranks, uint32_t *parts)
{
    uint32_t factors[32];
    unsigned count = 0;
    for (uint32_t factor = 2; ranks > 1; factor++) {
        if (factor > ranks / factor) {
            factor = ranks; // the rest is prime
        }
        for (; ranks % factor == 0; ranks /= factor) {
            factors[count++] = factor;
        }
    }
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        parts[d] = 1;
    }
    while (count > 0 && divide_once(topology, parts, factors[count - 1])) {
        count--;
    }
    return count == 0;
}

// Returns the part of coordinate x on a side.
static uint32_t part_of(uint32_t x, uint32_t side, uint32_t parts)
{
    return (uint32_t)((((uint64_t)x + 1) * parts - 1) / side);
}

// Returns the rank of the first box on a row of dimension 0.
static unsigned rank_of_row(const struct ek_topology *topology, const uint32_t *parts, uint32_t row)
{
    unsigned rank = 0, weight = parts[0];
    for (uint32_t d = 1; d < topology->dimensions; d++) {
        uint32_t side = topology->side[d];
        rank += weight * part_of(row % side, side, parts[d]);
        weight *= parts[d];
        row /= side;
    }
    return rank;
}

static bool place_boxes(struct rank_placement *placement, const struct ek_topology *topology, unsigned ranks)
{
    uint32_t parts[32]; // the most dimensions of a topology
    placement->blocks = EK_BLOCKS_BOXES;
    if (!topo_is_grid(topology) || !divide_sides(topology, ranks, parts)) {
        return true;
    }
    uint32_t side = topology->side[0], rows = topology->processors / side;
    if (!take(placement, (uint64_t)rows * parts[0])) {
        return false;
    }
    for (uint32_t row = 0; row < rows; row++) {
        unsigned rank = rank_of_row(topology, parts, row);
        for (uint32_t i = 0; i < parts[0]; i++) {
            add(placement, row * side + (uint32_t)((uint64_t)side * (i + 1) / parts[0]), rank + i);
        }
    }
    return true;
}

// A part consists of stretches of 2^shift processors (threads/ranks/parts.h).
static bool place_parts(struct rank_placement *placement, const struct ek_topology *topology,
                        const struct ek_ranks *ranks)
{
    struct rank_parts parts;
    placement->blocks = EK_BLOCKS_PARTS;
    if (topo_is_grid(topology) || !ranks->divide || ranks->count == 1) {
        return true;
    }
    bool good = rank_parts_make(&parts, topology, ranks) && (parts.count == 0 || take(placement, parts.count));
    for (uint32_t i = 0; good && i < parts.count; i++) {
        uint64_t end = ((uint64_t)i + 1) << parts.shift;
        add(placement, end < topology->processors ? (uint32_t)end : topology->processors, (unsigned)parts.rank[i]);
    }
    rank_parts_destroy(&parts);
    return good;
}

// Returns how many of the processors begin..end-1 belong to other ranks.
static uint64_t count_others(const struct rank_placement *placement, unsigned rank, uint32_t begin, uint32_t end)
{
    uint64_t others = 0;
    for (uint32_t i = rank_placement_span(placement, begin); begin < end; i++) {
        uint32_t next = placement->begin[i + 1] < end ? placement->begin[i + 1] : end;
        others += placement->rank[i] != rank ? next - begin : 0;
        begin = next;
    }
    return others;
}

// Processors with neighbours at the same distances are counted together.
static uint64_t count_cut(const struct rank_placement *placement, const struct ek_topology *topology)
{
    uint64_t cut = 0;
    bool stored = topo_is_stored(topology);
    struct topo_neighbours neighbours = {0};
    for (uint32_t i = 0; i < placement->spans; i++) {
        for (uint32_t p = placement->begin[i], end; p < placement->begin[i + 1]; p = end) {
            topo_find_neighbours(topology, p, &neighbours);
            end = stored                                       ? p + 1
                  : neighbours.alike < placement->begin[i + 1] ? neighbours.alike
                                                               : placement->begin[i + 1];
            for (uint32_t port = 0; port < neighbours.degree; port++) {
                uint32_t other = neighbours.of[port];
                if (other > p) { // each link once, at its lower end
                    cut += count_others(placement, placement->rank[i], other, other + (end - p));
                }
            }
        }
    }
    return cut;
}

// Returns whether each rank has processors, and the largest rank at most a twentieth more than the mean, because all
// ranks wait for it. Returns false also if there is no memory.
static bool is_even(const struct rank_placement *placement, uint32_t processors, unsigned ranks)
{
    uint32_t *carried = calloc(ranks, sizeof *carried);
    bool even = carried && placement->spans > 0;
    for (uint32_t i = 0; even && i < placement->spans; i++) {
        carried[placement->rank[i]] += placement->begin[i + 1] - placement->begin[i];
    }
    for (unsigned r = 0; even && r < ranks; r++) {
        even = carried[r] > 0 && 20 * (uint64_t)carried[r] * ranks <= 21 * (uint64_t)processors;
    }
    free(carried);
    return even;
}

// Replaces the placement by the other one if that one cuts fewer links.
static void choose(struct rank_placement *placement, struct rank_placement *other, const struct ek_topology *topology,
                   unsigned ranks)
{
    other->cut = count_cut(other, topology);
    other->in_order = placement->in_order;
    if (is_even(other, topology->processors, ranks) && other->cut < placement->cut) {
        struct rank_placement left = *placement;
        *placement = *other;
        *other = left;
    }
    rank_placement_destroy(other);
}

bool rank_placement_make(struct rank_placement *placement, const struct ek_topology *topology,
                         const struct ek_ranks *ranks, bool in_order, struct ek_error *error)
{
    struct rank_placement boxes = {0}, parts = {0};
    bool good = place_in_order(placement, topology, ranks->count) &&
                (in_order || (place_boxes(&boxes, topology, ranks->count) && place_parts(&parts, topology, ranks)));
    if (good) {
        // Ranks that store only their own rows count their links together later.
        placement->cut = placement->in_order = topology->window ? 0 : count_cut(placement, topology);
        choose(placement, &boxes, topology, ranks->count);
        choose(placement, &parts, topology, ranks->count);
        return true;
    }
    rank_placement_destroy(&boxes);
    rank_placement_destroy(&parts);
    return base_fail(error, EK_BAD_INPUT, "carrier", "no memory to place %u processors on %u ranks",
                     topology->processors, ranks->count);
}
