// SPDX-License-Identifier: MIT
// otis(G), the swapped network of G (Zhao, Xiao & Parhami). Processor (g, p) has the number g*n + p. Each group g has
// the links of G; swap links connect (g, p) and (p, g). Colours: those of G, then one for the swap links. Diameter: 2
// diam(G) + 1, since the longest paths cross G twice and use one swap link between.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topologies/families/otis.h"
#include "topologies/spectra/eigenvalues.h"
#include "topologies/places/places.h"
#include "topologies/spectra/spectrum.h"
#include "topologies/topology.h"

static void list_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    const struct ek_topology *group = draft->topology->group;
    uint32_t n = group->processors;
    for (uint32_t g = 0; g < n; g++) {
        for (uint32_t p = 0; p < n; p++) {
            for (uint32_t port = group->first[p]; port < group->first[p + 1]; port++) {
                if (group->neighbour[port] > p) {
                    topo_builder_link(builder, g * n + p, g * n + group->neighbour[port], 0, 1, group->colour[port]);
                }
            }
            if (p > g) {
                topo_builder_link(builder, g * n + p, p * n + g, 0, 1, group->colours);
            }
        }
    }
}

// Returns the larger eigenvalue of otis(G) that belongs to two eigenvalues a and b of G. Let u and v be eigenvectors of
// G for a and b. The plane of u(g) v(p) and v(g) u(p) is mapped to itself by the Laplacian of otis(G), with the matrix
// (1+b, -1; -1, 1+a). If u = v the plane is a line with the eigenvalue a.
static double pair_largest(double a, double b)
{
    return 1.0 + (a + b) / 2.0 + hypot(1.0, (a - b) / 2.0);
}

// Returns the smaller eigenvalue. It is the product of both eigenvalues, divided by the larger one. The formula with a
// difference would cancel all digits.
static double pair_smallest(double a, double b)
{
    return (a + b + a * b) / pair_largest(a, b);
}

static bool eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error)
{
    struct topo_eigenvalues group = {0};
    bool done = topo_spectrum_eigenvalues(topology->group, &group, error) &&
                topo_eigenvalues_allocate(values, group.count * (group.count + 2), error);
    for (size_t i = 0; i < group.count && done; i++) {
        struct topo_eigenvalue a = group.at[i];
        topo_eigenvalues_add(values, a.value, a.times);
        topo_eigenvalues_add(values, pair_smallest(a.value, a.value), a.times * (a.times - 1) / 2);
        topo_eigenvalues_add(values, pair_largest(a.value, a.value), a.times * (a.times - 1) / 2);
        for (size_t j = i + 1; j < group.count; j++) {
            struct topo_eigenvalue b = group.at[j];
            topo_eigenvalues_add(values, pair_smallest(a.value, b.value), a.times * b.times);
            topo_eigenvalues_add(values, pair_largest(a.value, b.value), a.times * b.times);
        }
    }
    if (done) {
        topo_eigenvalues_merge(values, TOPO_ROUNDED);
        values->how = group.how;
    }
    free(group.at);
    return done;
}

// Finds the two extremes. Both formulas grow with a and b, so the extremes come from the smallest and the two largest
// eigenvalues of G.
static bool extremes(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error)
{
    struct topo_eigenvalues group = {0};
    bool done = topo_spectrum_eigenvalues(topology->group, &group, error);
    if (done && group.count > 1) {
        struct topo_eigenvalue top = group.at[group.count - 1];
        double next = top.times > 1 ? top.value : group.at[group.count - 2].value;
        spectrum->second = pair_smallest(0.0, group.at[1].value);
        spectrum->largest = pair_largest(next, top.value);
    }
    spectrum->how = group.how;
    free(group.at);
    return done;
}

// Arranges the groups as the processors of each group are arranged.
static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    uint32_t n = topology->group->processors;
    struct ek_place *group = malloc(n * sizeof *group);
    struct ek_place *outer = malloc(n * sizeof *outer);
    bool good = group && outer ? ek_topology_places(topology->group, group, error) : topo_places_no_memory(error);
    if (good) {
        memcpy(outer, group, n * sizeof *outer);
        topo_places_nest_compact(outer, n, group, n, place);
    }
    free(group);
    free(outer);
    return good;
}

static const struct ek_closed_form closed_form = {.eigenvalues = eigenvalues, .extremes = extremes};

// Sets the sizes before G is built, since otis(G) can be too large when G is not.
static bool settle(struct topo_draft *draft, struct base_cursor *cursor, size_t at, const struct ek_topology *group)
{
    uint64_t n = group->processors;
    if (!topo_draft_size(draft, cursor, at, n * n, n * group->links + n * (n - 1) / 2)) {
        return false;
    }
    draft->list_links = list_links;
    return true;
}

bool topo_read_swapped(struct topo_draft *draft, struct base_cursor *cursor, const struct topo_request *inside)
{
    struct ek_topology *topology = draft->topology;
    size_t at = cursor->at;
    struct topo_draft group = {.request = inside};
    bool good = inside->read(&group, cursor) && base_cursor_expect(cursor, ')', "the group, as in otis(mesh:2x4)") &&
                settle(draft, cursor, at, group.topology) && topo_draft_build(&group, cursor->error);
    if (good) {
        topology->group = group.topology;
        topology->drawn = group.topology->drawn;
        topology->closed_form = &closed_form;
        topology->places = places;
        group.topology = NULL;
        bool swaps = topology->processors > 1;
        int64_t diameter = topology->group->diameter;
        topology->colours = topology->group->colours + swaps;
        topology->diameter = swaps && diameter >= 0 ? 2 * diameter + 1 : diameter;
    }
    topo_draft_destroy(&group);
    return good;
}

bool topo_read_otis(struct topo_draft *draft, struct base_cursor *cursor)
{
    struct topo_request inside;
    return topo_request_inside(draft, cursor, "otis", "otis, as in otis(mesh:2x4)", &inside) &&
           topo_read_swapped(draft, cursor, &inside);
}
