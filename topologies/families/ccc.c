// SPDX-License-Identifier: MIT
// ccc:D, the cube-connected cycles (Preparata & Vuillemin 1981): a hypercube of D dimensions whose corners are rings of
// D processors. Processor (corner x, place i) has the number x*D + i. It is linked to the places i-1 and i+1 of its
// corner, and to place i of the corner x with bit i flipped. With D = 2 a ring has one link, with D = 1 none.
//
// Colours: those of a ring of D, and for the link to the other corner the one that is left. The rings are coloured
// alike, so both its ends have the same one left. So three colours suffice, also if D is odd.
#include "topologies/families/blocks.h"

#include <math.h>
#include <stdlib.h>

#include "topologies/families/product_places.h"
#include "topologies/family.h"
#include "topologies/spectra/spectrum.h"
#include "topologies/topology.h"

enum { DIMENSIONS_MAX = 21 };

// Returns the colour of the ring's link between places i and i + 1.
static uint32_t ring_colour(uint32_t d, uint32_t i)
{
    return d % 2 == 1 && i + 1 == d ? 2 : i % 2;
}

static uint32_t cube_colour(uint32_t d, uint32_t i)
{
    if (d <= 2) {
        return d - 1;
    }
    return d % 2 == 0 || (i > 0 && i + 1 < d) ? 2 : i == 0;
}

static uint32_t find_row(const struct topo_draft *draft, uint32_t p, struct topo_neighbour *row)
{
    uint32_t d = draft->number[0];
    uint32_t i = p % d;
    uint32_t before = (i + d - 1) % d;
    row[0] = (struct topo_neighbour){p - i + (i + 1) % d, ring_colour(d, i)};
    row[1] = (struct topo_neighbour){p - i + before, ring_colour(d, before)};
    row[2] = (struct topo_neighbour){(p / d ^ 1U << i) * d + i, cube_colour(d, i)};
    return 3;
}

// Sets the matrix of the wave s over the corners: the Laplacian of a ring of D, and 2 more at the places of the ones of
// s, where the wave changes its sign from corner to corner (Riess, Strehl & Wanka 2012).
static void set_wave(double *matrix, uint32_t d, uint32_t s)
{
    for (uint32_t i = 0; i < d * d; i++) {
        matrix[i] = 0.0;
    }
    for (uint32_t i = 0; i < d; i++) {
        matrix[i * d + i] += s >> i & 1 ? 2.0 : 0.0;
    }
    uint32_t links = d == 1 ? 0 : d == 2 ? 1 : d;
    for (uint32_t i = 0; i < links; i++) {
        uint32_t j = (i + 1) % d;
        matrix[i * d + i] += 1.0;
        matrix[j * d + j] += 1.0;
        matrix[i * d + j] -= 1.0;
        matrix[j * d + i] -= 1.0;
    }
}

// Returns how many rotations of s there are, if s is the smallest of them, else 0.
static uint32_t rotations_of(uint32_t d, uint32_t s)
{
    uint32_t turned = s;
    for (uint32_t i = 1; i <= d; i++) {
        turned = turned >> 1 | (turned & 1) << (d - 1);
        if (turned < s) {
            return 0;
        }
        if (turned == s) {
            return i;
        }
    }
    return d;
}

static uint32_t dimensions_of(const struct ek_topology *topology)
{
    uint32_t d = 1;
    while (d << d < topology->processors) {
        d++;
    }
    return d;
}

// Rotations of a wave have the same eigenvalues, so one of them is solved.
static bool eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error)
{
    uint32_t d = dimensions_of(topology);
    double matrix[DIMENSIONS_MAX * DIMENSIONS_MAX];
    size_t solved = 0;
    for (uint32_t s = 0; s < 1U << d; s++) {
        solved += rotations_of(d, s) > 0;
    }
    if (!topo_eigenvalues_allocate(values, solved * d, error)) {
        return false;
    }
    for (uint32_t s = 0; s < 1U << d; s++) {
        uint32_t times = rotations_of(d, s);
        set_wave(matrix, d, s);
        if (times > 0 && !topo_block_add(values, matrix, d, times, error)) {
            return false;
        }
        if (s == 0) {
            values->at[0].value = 0.0; // that of the balanced load, up to rounding
        }
    }
    topo_eigenvalues_merge(values, TOPO_EQUAL);
    values->how = "LAPACK";
    return true;
}

// Finds the two extremes. More ones in s make every eigenvalue larger. So the smallest nonzero one belongs to s = 0 or
// to an s of a single one, and the largest to the s of ones only.
static bool extremes(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error)
{
    uint32_t d = dimensions_of(topology);
    double matrix[DIMENSIONS_MAX * DIMENSIONS_MAX];
    double none[TOPO_BLOCK_MAX], one[TOPO_BLOCK_MAX], all[TOPO_BLOCK_MAX];
    set_wave(matrix, d, 0);
    bool done = topo_block_solve(matrix, d, none, error);
    set_wave(matrix, d, 1);
    done = done && topo_block_solve(matrix, d, one, error);
    set_wave(matrix, d, (1U << d) - 1);
    done = done && topo_block_solve(matrix, d, all, error);
    if (done) {
        spectrum->second = d > 1 ? fmin(none[1], one[0]) : one[0];
        spectrum->largest = all[d - 1];
        spectrum->how = "LAPACK";
    }
    return done;
}

static const struct ek_closed_form closed_form = {.eigenvalues = eigenvalues, .extremes = extremes};

// Draws the rings around the corners of a hypercube.
static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    uint32_t d = dimensions_of(topology);
    struct ek_place ring[DIMENSIONS_MAX];
    struct ek_place *corner = malloc(((size_t)1 << d) * sizeof *corner);
    bool good = corner ? topo_hypercube_places(d, corner, error) : topo_places_no_memory(error);
    if (good) {
        topo_places_circle(ring, d);
        topo_places_nest(corner, 1U << d, ring, d, place);
    }
    free(corner);
    return good;
}

// The diameter is Friš, Havel & Liebl's (1997).
static int64_t diameter_of(uint32_t d)
{
    static const int64_t small[] = {1, 4, 6};
    return d <= 3 ? small[d - 1] : 5 * (int64_t)d / 2 - 2;
}

bool topo_read_ccc(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t d;
    if (!base_cursor_expect(cursor, ':', "ccc, as in ccc:4")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of dimensions", 1, DIMENSIONS_MAX, &d)) {
        return false;
    }
    uint64_t n = d << d;
    uint64_t in_ring = d == 1 ? 0 : d == 2 ? 1 : d;
    if (!topo_draft_size(draft, cursor, at, n, n / 2 + (in_ring << d))) {
        return false;
    }
    struct ek_topology *topology = draft->topology;
    topology->closed_form = &closed_form;
    topology->colours = d < 3 ? (uint32_t)d : 3;
    topology->diameter = diameter_of((uint32_t)d);
    topology->places = places;
    draft->number[0] = (uint32_t)d;
    return topo_draft_rows(draft, cursor, at, 3, find_row);
}
