// SPDX-License-Identifier: MIT
// product(G,H,...), the Cartesian product of any factors; complete graphs make generalised hypercubes (Bhuyan & Agrawal
// 1984). Each factor is a dimension. With the sides n0, n1, ... processor i = x0 + n0*(x1 + n1*(x2 + ...)), and a link
// of G joins two processors that differ in x0 only, by a link of G. Each dimension has the colours and directions of
// its factor. The diameter is the sum of the factors' diameters, an eigenvalue the sum of an eigenvalue of each
// (Fiedler 1973).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topologies/places/places.h"
#include "topologies/spectra/eigenvalues.h"
#include "topologies/family.h"
#include "topologies/spectra/spectrum.h"
#include "topologies/topology.h"

// The angle, in radians, by which copies are arranged askew, so that links between them hardly run through processors.
static const double TILT = 0.12;

// Lists the links of processor p along a dimension, in which it has the coordinate x.
static void list_along(const struct topo_draft *draft, struct topo_builder *builder, uint32_t p, uint32_t dimension,
                       uint32_t x, uint32_t stride, uint32_t colour)
{
    const struct ek_topology *factor = draft->topology->factor[dimension];
    for (uint32_t port = factor->first[x]; port < factor->first[x + 1]; port++) {
        if (factor->neighbour[port] > x) {
            topo_builder_link(builder, p, p + (factor->neighbour[port] - x) * stride, dimension,
                              factor->direction[port], colour + factor->colour[port]);
        }
    }
}

static void list_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    const struct ek_topology *topology = draft->topology;
    for (uint32_t p = 0; p < topology->processors; p++) {
        uint32_t stride = 1;
        uint32_t colour = 0;
        for (uint32_t d = 0; d < topology->dimensions; d++) {
            list_along(draft, builder, p, d, p / stride % topology->side[d], stride, colour);
            colour += topology->factor[d]->colours;
            stride *= topology->side[d];
        }
    }
}

static bool eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error)
{
    if (!topo_eigenvalues_allocate(values, 1, error)) {
        return false;
    }
    topo_eigenvalues_add(values, 0.0, 1);
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        struct topo_eigenvalues factor = {0};
        bool done = topo_spectrum_eigenvalues(topology->factor[d], &factor, error) &&
                    topo_eigenvalues_sum(values, &factor, error);
        free(factor.at);
        if (!done) {
            return false;
        }
    }
    return true;
}

// Finds the two extremes. The eigenvector of the smallest nonzero eigenvalue varies along one dimension only. The
// largest eigenvalue is the sum of the factors' largest.
static bool extremes(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error)
{
    spectrum->how = "closed form";
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        struct ek_spectrum factor;
        if (topology->side[d] == 1) {
            continue;
        }
        if (!ek_spectrum_find(topology->factor[d], false, &factor, error)) {
            return false;
        }
        spectrum->second = spectrum->largest > 0.0 ? fmin(spectrum->second, factor.second) : factor.second;
        spectrum->largest += factor.largest;
        spectrum->how = topo_eigenvalues_how(spectrum->how, factor.how);
        ek_spectrum_destroy(&factor);
    }
    return true;
}

// Draws the first factor, in each place of the second one a copy of it, and so on.
static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    struct ek_place *inner = malloc(topology->processors * sizeof *inner);
    struct ek_place *outer = malloc(topology->processors * sizeof *outer);
    bool good = (inner && outer) || topo_places_no_memory(error);
    good = good && ek_topology_places(topology->factor[0], place, error);
    uint32_t inside = topology->side[0];
    for (uint32_t d = 1; good && d < topology->dimensions; d++) {
        uint32_t side = topology->side[d];
        good = ek_topology_places(topology->factor[d], outer, error);
        if (good) {
            memcpy(inner, place, inside * sizeof *inner);
            topo_places_turn(outer, side, TILT);
            topo_places_nest_compact(outer, side, inner, inside, place);
            inside *= side;
        }
    }
    free(inner);
    free(outer);
    return good;
}

static const struct ek_closed_form closed_form = {.eigenvalues = eigenvalues, .extremes = extremes};

// The factors, before any of them is built.
struct factors {
    uint32_t count;
    struct topo_draft draft[TOPO_DIMENSIONS_MAX];
    size_t at[TOPO_DIMENSIONS_MAX]; // where each begins in the spec
};

// Reads "G,H,...)".
static bool read_factors(struct factors *factors, struct base_cursor *cursor, const struct topo_request *inside)
{
    do {
        if (factors->count == TOPO_DIMENSIONS_MAX) {
            return base_cursor_fail(cursor, cursor->at, "this is one factor too many: at most %d are possible",
                                    TOPO_DIMENSIONS_MAX);
        }
        struct topo_draft *draft = &factors->draft[factors->count];
        factors->at[factors->count++] = cursor->at;
        draft->request = inside;
        if (!inside->read(draft, cursor)) {
            return false;
        }
    } while (base_cursor_accept(cursor, ','));
    if (factors->count < 2) {
        return base_cursor_expect(cursor, ',', "the first factor, as in product(ring:4,complete:3)");
    }
    return base_cursor_expect(cursor, ')', "the last factor, as in product(ring:4,complete:3)");
}

// Gives the factors to the product, so that its memory includes theirs. Their drafts still refer to them.
static bool adopt(struct ek_topology *topology, struct base_cursor *cursor, const struct factors *factors)
{
    topology->side = calloc(factors->count, sizeof *topology->side);
    topology->factor = calloc(factors->count, sizeof *topology->factor);
    if (!topology->side || !topology->factor) {
        return base_cursor_fail(cursor, factors->at[0], "there is no memory left for a topology");
    }
    topology->dimensions = factors->count;
    for (uint32_t d = 0; d < factors->count; d++) {
        topology->factor[d] = factors->draft[d].topology;
        topology->side[d] = topology->factor[d]->processors;
    }
    return true;
}

// Sets the sizes before the factors are built, since the product can be too large when they are not.
static bool settle(struct topo_draft *draft, struct base_cursor *cursor, const struct factors *factors)
{
    struct ek_topology *topology = draft->topology;
    uint64_t processors = 1;
    for (uint32_t d = 0; d < factors->count; d++) {
        uint64_t side = topology->side[d];
        if (side > TOPO_PROCESSORS_MAX / processors) {
            return base_cursor_fail(cursor, factors->at[d],
                                    "this makes more than %d processors: use fewer or smaller factors",
                                    TOPO_PROCESSORS_MAX);
        }
        processors *= side;
    }
    uint64_t links = 0;
    for (uint32_t d = 0; d < factors->count; d++) {
        links += processors / topology->side[d] * topology->factor[d]->links;
        draft->extra_bytes += topo_draft_extra_bytes(&factors->draft[d]);
    }
    draft->list_links = list_links;
    return topo_draft_size(draft, cursor, factors->at[0], processors, links);
}

// Builds the factors, and sets all that follows from them.
static bool build_factors(struct ek_topology *topology, struct factors *factors, struct ek_error *error)
{
    for (uint32_t d = 0; d < factors->count; d++) {
        if (!topo_draft_build(&factors->draft[d], error)) {
            return false;
        }
        const struct ek_topology *factor = topology->factor[d];
        topology->colours += factor->colours;
        topology->diameter =
            topology->diameter < 0 || factor->diameter < 0 ? -1 : topology->diameter + factor->diameter;
        topology->drawn = topology->drawn || factor->drawn;
        topology->note = factor->note ? factor->note : topology->note;
    }
    topology->closed_form = &closed_form;
    topology->places = places;
    return true;
}

bool topo_read_product(struct topo_draft *draft, struct base_cursor *cursor)
{
    struct topo_request inside;
    struct factors factors = {0};
    if (!topo_request_inside(draft, cursor, "product", "product, as in product(ring:4,complete:3)", &inside)) {
        return false;
    }
    inside.listed = true;
    bool adopted = read_factors(&factors, cursor, &inside) && adopt(draft->topology, cursor, &factors);
    bool good = adopted && settle(draft, cursor, &factors) && build_factors(draft->topology, &factors, cursor->error);
    for (uint32_t d = 0; d < factors.count; d++) {
        factors.draft[d].topology = adopted ? NULL : factors.draft[d].topology;
        topo_draft_destroy(&factors.draft[d]);
    }
    return good;
}
