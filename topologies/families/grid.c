// SPDX-License-Identifier: MIT
// Products of paths and rings: chain, ring, mesh, torus, hypercube, kary. Processor i = x0 + k0*(x1 + k1*(x2 + ...)).
// Each dimension has its own colours, in this order (Hosseini, Litow, Malkawi, McPherson & Vairavan 1990):
// (1) the links (x, x+1) with x even;
// (2) the links (x, x+1) with x odd, and the wrap link of an even ring;
// (3) the wrap link of an odd ring.
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "topologies/families/product_places.h"
#include "topologies/spectra/eigenvalues.h"
#include "topologies/family.h"
#include "topologies/rows.h"
#include "topologies/spectra/spectrum.h"

static const double PI = 3.14159265358979323846;

static bool is_ring(const struct ek_topology *topology, uint32_t dimension)
{
    return topology->wraps && topology->side[dimension] >= 3;
}

static uint32_t colours_of(const struct ek_topology *topology, uint32_t dimension)
{
    uint32_t side = topology->side[dimension];
    if (side <= 2) {
        return side - 1;
    }
    return is_ring(topology, dimension) && side % 2 == 1 ? 3 : 2;
}

static void list_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    const struct ek_topology *topology = draft->topology;
    uint32_t place[TOPO_DIMENSIONS_MAX] = {0}; // the coordinates of p
    for (uint32_t p = 0; p < topology->processors; p++) {
        uint32_t stride = 1;
        uint32_t colour = 0;
        for (uint32_t d = 0; d < topology->dimensions; d++) {
            uint32_t side = topology->side[d];
            uint32_t x = place[d];
            if (x + 1 < side) {
                topo_builder_link(builder, p, p + stride, d, 1, colour + x % 2);
            }
            if (x == 0 && is_ring(topology, d)) {
                topo_builder_link(builder, p, p + (side - 1) * stride, d, -1, colour + (side % 2 == 0 ? 1 : 2));
            }
            colour += colours_of(topology, d);
            stride *= side;
        }
        for (uint32_t d = 0; d < topology->dimensions && ++place[d] == topology->side[d]; d++) {
            place[d] = 0;
        }
    }
}

// The position of a processor in a dimension: processors that differ by `stride` have positions that differ by one.
struct position {
    uint32_t x, side, stride, colour; // the first colour of the dimension
    bool ring;
};

static void find_positions(const struct ek_topology *topology, uint32_t p, struct position *at)
{
    uint32_t stride = 1;
    uint32_t colour = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        uint32_t side = topology->side[d];
        at[d] = (struct position){p / stride % side, side, stride, colour, is_ring(topology, d)};
        stride *= side;
        colour += colours_of(topology, d);
    }
}

// The distance to a neighbour grows with the dimension, and a wrap link is the longest of its dimension. So a row has
// the lower neighbours from the last dimension to the first one, and then the upper neighbours from the first to the
// last.
static uint32_t row(const struct ek_topology *topology, uint32_t p, struct topo_port row[TOPO_ROW_MAX])
{
    struct position at[TOPO_DIMENSIONS_MAX];
    uint32_t count = 0;
    find_positions(topology, p, at);
    for (uint32_t d = topology->dimensions; d-- > 0;) {
        const struct position *in = &at[d];
        uint32_t wrap = in->colour + (in->side % 2 == 0 ? 1 : 2);
        if (in->ring && in->x + 1 == in->side) {
            row[count++] = (struct topo_port){p - (in->side - 1) * in->stride, wrap, (uint8_t)d, 1};
        }
        if (in->x > 0) {
            row[count++] = (struct topo_port){p - in->stride, in->colour + (in->x - 1) % 2, (uint8_t)d, -1};
        }
    }
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        const struct position *in = &at[d];
        uint32_t wrap = in->colour + (in->side % 2 == 0 ? 1 : 2);
        if (in->x + 1 < in->side) {
            row[count++] = (struct topo_port){p + in->stride, in->colour + in->x % 2, (uint8_t)d, 1};
        }
        if (in->ring && in->x == 0) {
            row[count++] = (struct topo_port){p + (in->side - 1) * in->stride, wrap, (uint8_t)d, -1};
        }
    }
    return count;
}

// Returns how many of the processors 0 .. p-1 have the position x in a dimension.
static uint32_t count_at(uint32_t p, uint32_t x, uint32_t side, uint32_t stride)
{
    uint32_t over = p / stride % side;
    uint32_t part = over > x ? stride : over == x ? p % stride : 0;
    return p / stride / side * stride + part;
}

// Each processor has two ports in a dimension. On a path the first and the last one have one less.
static uint32_t first_port(const struct ek_topology *topology, uint32_t p)
{
    uint32_t ports = 2 * topology->dimensions * p;
    uint32_t stride = 1;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        uint32_t side = topology->side[d];
        if (!is_ring(topology, d)) {
            ports -= count_at(p, 0, side, stride) + count_at(p, side - 1, side, stride);
        }
        stride *= side;
    }
    return ports;
}

// Between the two ends of a row, all processors are alike.
static uint32_t alike(const struct ek_topology *topology, uint32_t p)
{
    uint32_t side = topology->side[0];
    uint32_t x = p % side;
    return x > 0 && x + 1 < side ? p - x + side - 1 : p + 1;
}

static struct topo_pairing pairing(const struct ek_topology *topology, uint32_t colour)
{
    uint32_t stride = 1;
    uint32_t d = 0;
    for (uint32_t colours; colour >= (colours = colours_of(topology, d)); d++) {
        colour -= colours;
        stride *= topology->side[d];
    }
    uint32_t side = topology->side[d];
    bool last = colour + 1 == colours_of(topology, d); // the wrap link has the last colour of its dimension
    return (struct topo_pairing){.stride = stride,
                                 .side = side,
                                 .pair_from = colour < 2 ? colour : side,
                                 .wraps = last && is_ring(topology, d),
                                 .plane = topo_plane(topology, d)};
}

// Returns the ports of the positions begin .. end-1 of a dimension, whose neighbours are `apart` positions up.
static struct topo_bundle bundle_of(const struct ek_topology *topology, const struct position *in, uint32_t d,
                                    uint32_t begin, uint32_t end, int direction)
{
    bool wrap = in->ring && begin + 1 == end;
    int64_t apart = (int64_t)(wrap ? in->side - 1 : 1) * in->stride;
    return (struct topo_bundle){.period = (uint64_t)in->side * in->stride,
                                .begin = (uint64_t)begin * in->stride,
                                .end = (uint64_t)end * in->stride,
                                .apart = wrap == (direction < 0) ? apart : -apart,
                                .plane = topo_plane_of(topology, d, direction)};
}

// In the order of `row`.
static uint32_t bundles(const struct ek_topology *topology, struct topo_bundle bundle[TOPO_BUNDLES_MAX])
{
    struct position at[TOPO_DIMENSIONS_MAX];
    uint32_t count = 0;
    find_positions(topology, 0, at);
    for (uint32_t d = topology->dimensions; d-- > 0;) {
        if (at[d].ring) {
            bundle[count++] = bundle_of(topology, &at[d], d, at[d].side - 1, at[d].side, 1);
        }
        if (at[d].side > 1) {
            bundle[count++] = bundle_of(topology, &at[d], d, 1, at[d].side, -1);
        }
    }
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        if (at[d].side > 1) {
            bundle[count++] = bundle_of(topology, &at[d], d, 0, at[d].side - 1, 1);
        }
        if (at[d].ring) {
            bundle[count++] = bundle_of(topology, &at[d], d, 0, 1, -1);
        }
    }
    return count;
}

static const struct ek_rows rows = {
    .row = row, .first = first_port, .alike = alike, .pairing = pairing, .bundles = bundles};

// Eigenvalue j of a path of k processors is 4 sin^2(pi j/(2k)), that of a ring 4 sin^2(pi j/k).
static double side_eigenvalue(uint32_t k, bool ring, uint32_t j)
{
    double sine = sin(PI * j / (ring ? k : 2.0 * k));
    return 4.0 * sine * sine;
}

static uint32_t side_last(uint32_t k, bool ring)
{
    return ring ? k / 2 : k - 1;
}

static bool side_eigenvalues(uint32_t k, bool ring, struct topo_eigenvalues *values, struct ek_error *error)
{
    uint32_t last = side_last(k, ring);
    if (!topo_eigenvalues_allocate(values, last + 1, error)) {
        return false;
    }
    for (uint32_t j = 0; j <= last; j++) {
        topo_eigenvalues_add(values, side_eigenvalue(k, ring, j), ring && j > 0 && 2 * j != k ? 2 : 1);
    }
    return true;
}

// Finds the eigenvalues of the product of the dimensions from .. end-1: all sums of one eigenvalue of each.
static bool sum_eigenvalues(const struct ek_topology *topology, uint32_t from, uint32_t end,
                            struct topo_eigenvalues *values, struct ek_error *error)
{
    if (!topo_eigenvalues_allocate(values, 1, error)) {
        return false;
    }
    topo_eigenvalues_add(values, 0.0, 1);
    for (uint32_t d = from; d < end; d++) {
        struct topo_eigenvalues side = {0};
        bool done = side_eigenvalues(topology->side[d], is_ring(topology, d), &side, error) &&
                    topo_eigenvalues_sum(values, &side, error);
        free(side.at);
        if (!done) {
            return false;
        }
    }
    return true;
}

static bool eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error)
{
    return sum_eigenvalues(topology, 0, topology->dimensions, values, error);
}

// Finds the two extremes. The eigenvector of the smallest nonzero eigenvalue varies along one dimension only. The
// largest eigenvalue is the sum of the largest eigenvalues of the dimensions.
static bool extremes(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error)
{
    (void)error;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        uint32_t k = topology->side[d];
        bool ring = is_ring(topology, d);
        if (k == 1) {
            continue;
        }
        double second = side_eigenvalue(k, ring, 1);
        spectrum->second = spectrum->largest > 0.0 ? fmin(spectrum->second, second) : second;
        spectrum->largest += side_eigenvalue(k, ring, side_last(k, ring));
    }
    spectrum->how = "closed form";
    return true;
}

static const struct ek_closed_form closed_form = {.eigenvalues = eigenvalues, .extremes = extremes};

bool topo_spectrum_side(const struct ek_topology *topology, uint32_t dimension, struct ek_spectrum *spectrum,
                        struct ek_error *error)
{
    assert(dimension < topology->dimensions);
    if (topology->factor) {
        return ek_spectrum_find(topology->factor[dimension], true, spectrum, error);
    }
    *spectrum = (struct ek_spectrum){0};
    struct topo_eigenvalues values = {0};
    bool done = sum_eigenvalues(topology, dimension, dimension + 1, &values, error) &&
                topo_spectrum_settle(&values, spectrum, error);
    free(values.at);
    return done;
}

// Appends a side. An error (too many processors or dimensions) points at offset `at` of the spec.
static bool add_side(struct ek_topology *topology, struct base_cursor *cursor, size_t at, uint64_t side)
{
    if (side > TOPO_COMPUTED_MAX / topology->processors) {
        return base_cursor_fail(cursor, at, "this makes more than %d processors: use fewer or smaller sides",
                                TOPO_COMPUTED_MAX);
    }
    if (topology->dimensions == TOPO_DIMENSIONS_MAX) {
        return base_cursor_fail(cursor, at, "this is one side too many: at most %d are possible", TOPO_DIMENSIONS_MAX);
    }
    uint32_t *sides = realloc(topology->side, (topology->dimensions + 1) * sizeof *sides);
    if (!sides) {
        return base_cursor_fail(cursor, at, "there is no memory left for a topology");
    }
    topology->side = sides;
    topology->side[topology->dimensions++] = (uint32_t)side;
    topology->processors *= (uint32_t)side;
    return true;
}

// Sets all that follows from the sides.
static bool settle(struct topo_draft *draft, struct base_cursor *cursor, size_t at)
{
    struct ek_topology *topology = draft->topology;
    assert(topology->dimensions > 0 && topology->processors > 0);
    uint64_t links = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        uint32_t side = topology->side[d];
        links += (uint64_t)(topology->processors / side) * (is_ring(topology, d) ? side : side - 1);
        topology->colours += colours_of(topology, d);
        topology->diameter += topology->wraps ? side / 2 : side - 1;
        topology->degree_max += is_ring(topology, d) || side >= 3 ? 2 : side - 1;
        topology->degree_min += is_ring(topology, d) ? 2 : side > 1;
    }
    topology->closed_form = &closed_form;
    topology->places = topo_product_places;
    topology->rows = &rows;
    draft->list_links = list_links;
    return topo_draft_size(draft, cursor, at, topology->processors, links);
}

// Reads "KxKx…": one or more sides, or exactly one if `line` is set.
static bool read_sides(struct topo_draft *draft, struct base_cursor *cursor, bool wraps, bool line)
{
    struct ek_topology *topology = draft->topology;
    topology->processors = 1;
    topology->wraps = wraps;
    size_t at;
    do {
        uint64_t side;
        at = cursor->at;
        if (!base_cursor_whole(cursor, line ? "the number of processors" : "a side", 1, TOPO_COMPUTED_MAX, &side) ||
            !add_side(topology, cursor, at, side)) {
            return false;
        }
    } while (!line && base_cursor_accept(cursor, 'x'));
    return settle(draft, cursor, at);
}

// Makes a product with `dimensions` equal sides.
static bool repeat_side(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint64_t side,
                        uint64_t dimensions)
{
    draft->topology->processors = 1;
    draft->topology->wraps = true;
    for (uint64_t d = 0; d < dimensions; d++) {
        if (!add_side(draft->topology, cursor, at, side)) {
            return false;
        }
    }
    return settle(draft, cursor, at);
}

bool topo_read_chain(struct topo_draft *draft, struct base_cursor *cursor)
{
    return base_cursor_expect(cursor, ':', "chain, as in chain:8") && read_sides(draft, cursor, false, true);
}

bool topo_read_ring(struct topo_draft *draft, struct base_cursor *cursor)
{
    return base_cursor_expect(cursor, ':', "ring, as in ring:64") && read_sides(draft, cursor, true, true);
}

bool topo_read_mesh(struct topo_draft *draft, struct base_cursor *cursor)
{
    return base_cursor_expect(cursor, ':', "mesh, as in mesh:4x4x4") && read_sides(draft, cursor, false, false);
}

bool topo_read_torus(struct topo_draft *draft, struct base_cursor *cursor)
{
    return base_cursor_expect(cursor, ':', "torus, as in torus:8x8") && read_sides(draft, cursor, true, false);
}

bool topo_read_hypercube(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t dimensions;
    if (!base_cursor_expect(cursor, ':', "hypercube, as in hypercube:6")) {
        return false;
    }
    size_t at = cursor->at;
    return base_cursor_whole(cursor, "the number of dimensions", 1, 26, &dimensions) &&
           repeat_side(draft, cursor, at, 2, dimensions);
}

bool topo_read_kary(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t side;
    uint64_t dimensions;
    if (!base_cursor_expect(cursor, ':', "kary, as in kary:4^3") ||
        !base_cursor_whole(cursor, "a side", 1, TOPO_COMPUTED_MAX, &side) ||
        !base_cursor_expect(cursor, '^', "the side, as in kary:4^3")) {
        return false;
    }
    size_t at = cursor->at;
    return base_cursor_whole(cursor, "the number of dimensions", 1, TOPO_DIMENSIONS_MAX, &dimensions) &&
           repeat_side(draft, cursor, at, side, dimensions);
}
