// SPDX-License-Identifier: MIT
// complete:N links every processor to every other. The colours are the rounds of a round-robin tournament: i and j meet
// in round (i + j) mod m. If N is odd, m is N. If N is even, m is N - 1, and the last processor meets the one that
// would meet itself.
#include "topologies/spectra/eigenvalues.h"
#include "topologies/family.h"
#include "topologies/places/places.h"
#include "topologies/topology.h"

static void list_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    uint32_t n = draft->topology->processors;
    uint32_t rounds = draft->topology->colours;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) {
            uint32_t opponent = j < rounds ? j : i;
            topo_builder_link(builder, i, j, 0, 1, (i + opponent) % rounds);
        }
    }
}

// N I - J, J all ones, has the eigenvalue N for every vector whose sum is 0.
static bool eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error)
{
    uint32_t n = topology->processors;
    if (!topo_eigenvalues_allocate(values, 2, error)) {
        return false;
    }
    topo_eigenvalues_add(values, 0.0, 1);
    topo_eigenvalues_add(values, n, n - 1);
    return true;
}

static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    (void)error;
    topo_places_circle(place, topology->processors);
    return true;
}

static const struct ek_closed_form closed_form = {.eigenvalues = eigenvalues};

bool topo_read_complete(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t n;
    if (!base_cursor_expect(cursor, ':', "complete, as in complete:8")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of processors", 1, TOPO_PROCESSORS_MAX, &n) ||
        !topo_draft_size(draft, cursor, at, n, n * (n - 1) / 2)) {
        return false;
    }
    struct ek_topology *topology = draft->topology;
    topology->closed_form = &closed_form;
    topology->places = places;
    topology->colours = n % 2 == 0 ? topology->processors - 1 : n == 1 ? 0 : topology->processors;
    topology->diameter = n > 1;
    draft->list_links = list_links;
    return true;
}
