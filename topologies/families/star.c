// SPDX-License-Identifier: MIT
// star:N, processor 0 linked to each of the others. All links meet there, so each has a colour of its own.
#include "topologies/spectra/eigenvalues.h"
#include "topologies/family.h"

static void tell_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    for (uint32_t leaf = 1; leaf < draft->topology->processors; leaf++) {
        topo_builder_link(builder, 0, leaf, 0, 1, leaf - 1);
    }
}

// A difference between two leaves has the eigenvalue 1; that of the centre and all leaves, N - 1 at the centre and -1
// at each of them, has N.
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
    topology->colours = topology->links;
    topology->diameter = n > 2 ? 2 : n == 2;
    draft->tell_links = tell_links;
    return true;
}
