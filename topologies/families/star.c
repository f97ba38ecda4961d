// SPDX-License-Identifier: MIT
// star:N links processor 0 to every other. All links share processor 0, so each has its own colour.
#include <math.h>

#include "topologies/spectra/eigenvalues.h"
#include "topologies/family.h"
#include "topologies/places/places.h"
#include "topologies/topology.h"

static void list_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    for (uint32_t leaf = 1; leaf < draft->topology->processors; leaf++) {
        topo_builder_link(builder, 0, leaf, 0, 1, leaf - 1);
    }
}

// A vector that is 1 at one leaf and -1 at another has the eigenvalue 1. The vector that is N - 1 at the centre and -1
// at each leaf has the eigenvalue N.
static bool eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error)
{
    uint32_t n = topology->processors;
    if (!topo_eigenvalues_allocate(values, 3, error)) {
        return false;
    }
    topo_eigenvalues_add(values, 0.0, 1);
    if (n > 1) {
        topo_eigenvalues_add(values, 1.0, n - 2);
        topo_eigenvalues_add(values, n, 1);
    }
    return true;
}

static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    (void)error;
    uint32_t leaves = topology->processors - 1;
    place[0] = (struct ek_place){0.0, 0.0};
    topo_places_circle(place + 1, leaves);
    for (uint32_t p = 1; p <= leaves && leaves < 6; p++) { // so few are nearer to the centre than to each other
        double angle = 6.283185307179586 * (p - 1) / leaves;
        place[p] = (struct ek_place){sin(angle), -cos(angle)};
    }
    return true;
}

static const struct ek_closed_form closed_form = {.eigenvalues = eigenvalues};

bool topo_read_star(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t n;
    if (!base_cursor_expect(cursor, ':', "star, as in star:8")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of processors", 1, TOPO_PROCESSORS_MAX, &n) ||
        !topo_draft_size(draft, cursor, at, n, n - 1)) {
        return false;
    }
    struct ek_topology *topology = draft->topology;
    topology->closed_form = &closed_form;
    topology->places = places;
    topology->colours = topology->links;
    topology->diameter = n > 2 ? 2 : n == 2;
    draft->list_links = list_links;
    return true;
}
