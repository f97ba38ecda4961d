// SPDX-License-Identifier: MIT
// butterfly:D, the butterfly of D dimensions without wrap (Leighton 1992, section 3.2): 2^D rows and D+1 levels.
// Processor (level l, row w) has the number l*2^D + w. It is linked to (l+1, w) and to (l+1, w with bit l flipped).
// Colours: straight and crossed links of even levels, then those of odd levels.
#include <math.h>

#include "topologies/places/places.h"
#include "topologies/spectra/eigenvalues.h"
#include "topologies/family.h"
#include "topologies/topology.h"

enum { DIMENSIONS_MAX = 21 };

static const double PI = 3.14159265358979323846;

static void list_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    uint32_t levels = draft->number[0];
    uint32_t rows = 1U << levels;
    for (uint32_t level = 0; level < levels; level++) {
        uint32_t colour = level % 2 * 2;
        for (uint32_t row = 0; row < rows; row++) {
            uint32_t p = level * rows + row;
            bool set = row >> level & 1;
            uint32_t straight = p + rows;
            uint32_t crossed = straight ^ 1U << level; // the bits of the row are the low bits of the number
            topo_builder_link(builder, p, set ? crossed : straight, 0, 1, colour + set);
            topo_builder_link(builder, p, set ? straight : crossed, 0, 1, colour + !set);
        }
    }
}

// Adds the eigenvalues of `times` paths of `levels` levels, whose links weigh 2. At an end of the butterfly a path ends
// as paths do; elsewhere its last processors have two more links, over which nothing passes. `ends` of its two ends are
// of the second kind.
static void add_path(struct topo_eigenvalues *values, uint32_t levels, unsigned ends, uint64_t times)
{
    double parts = ends == 0 ? levels : ends == 1 ? levels + 0.5 : levels + 1.0;
    for (uint32_t j = 0; j < levels; j++) {
        double sine = sin(PI * (j + ends / 2.0) / (2.0 * parts));
        topo_eigenvalues_add(values, 8.0 * sine * sine, times);
    }
}

// In the Fourier basis of the rows, a wave with the bit l of its number set cancels out between the levels l and l+1,
// and one without it has the weight 2 there. So each wave falls into paths between its ones.
static bool eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error)
{
    uint32_t d = 1;
    while ((d + 1) << d < topology->processors) {
        d++;
    }
    if (!topo_eigenvalues_allocate(values, (size_t)(d + 1) * (d + 1), error)) {
        return false;
    }
    add_path(values, d + 1, 0, 1);
    for (uint32_t levels = 1; levels <= d; levels++) {
        add_path(values, levels, 1, (uint64_t)2 << (d - levels));
    }
    for (uint32_t levels = 1; levels < d; levels++) {
        add_path(values, levels, 2, (uint64_t)(d - levels) << (d - levels - 1));
    }
    topo_eigenvalues_merge(values, TOPO_ROUNDED);
    return true;
}

// Draws a level below the other. Levels are wide apart if they are wide, so that crossed links are not flat.
static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    (void)error;
    uint32_t d = topology->number[0];
    uint32_t rows = 1U << d;
    for (uint32_t level = 0; level <= d; level++) {
        topo_places_row(place + (size_t)level * rows, rows, 1.0, level * fmax(1.0, 0.6 * rows / d));
    }
    return true;
}

static const struct ek_closed_form closed_form = {.eigenvalues = eigenvalues};

bool topo_read_butterfly(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t d;
    if (!base_cursor_expect(cursor, ':', "butterfly, as in butterfly:3")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of dimensions", 1, DIMENSIONS_MAX, &d) ||
        !topo_draft_size(draft, cursor, at, (d + 1) << d, d << (d + 1))) {
        return false;
    }
    struct ek_topology *topology = draft->topology;
    topology->closed_form = &closed_form;
    topology->colours = d == 1 ? 2 : 4;
    topology->diameter = 2 * (int64_t)d;
    topology->places = places;
    topology->number[0] = (uint32_t)d;
    draft->number[0] = (uint32_t)d;
    draft->list_links = list_links;
    return true;
}
