// SPDX-License-Identifier: MIT
// tree:K:DEPTH, the complete tree whose inner processors have K children each. Processors are numbered level by level
// from the root, 0: the children of p are K*p+1 .. K*p+K. Colours: the children of the root have the colours 0 .. K-1,
// and those of any other processor the K colours that the link to its parent does not have.
#include "topologies/families/blocks.h"

#include <math.h>

#include "topologies/family.h"
#include "topologies/topology.h"

enum { DEPTH_MAX = 25 };

static const double PI = 3.14159265358979323846;

// Returns the colour of the link from p to its parent.
static uint32_t colour_of(uint32_t children, uint32_t p)
{
    uint32_t above[DEPTH_MAX + 1];
    uint32_t depth = 0;
    for (; p > 0; p = (p - 1) / children) {
        above[depth++] = (p - 1) % children;
    }
    uint32_t colour = above[--depth];
    while (depth-- > 0) {
        colour = above[depth] + (above[depth] >= colour);
    }
    return colour;
}

static void list_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    uint32_t children = draft->number[0];
    uint32_t inner = (draft->topology->processors - 1) / children;
    for (uint32_t p = 0; p < inner; p++) {
        uint32_t above = p > 0 ? colour_of(children, p) : UINT32_MAX;
        for (uint32_t c = 0; c < children; c++) {
            topo_builder_link(builder, p, children * p + 1 + c, 0, 1, c + (c >= above));
        }
    }
}

// Adds the eigenvalues of the matrix of `levels` levels, `times` times: waves that are equal on all processors of a
// level below one processor. Level 0 has the leaves. The upper end has `degree` links.
static bool add_levels(struct topo_eigenvalues *values, uint32_t children, uint32_t levels, uint32_t degree,
                       uint64_t times, struct ek_error *error)
{
    double matrix[(DEPTH_MAX + 1) * (DEPTH_MAX + 1)] = {0};
    for (uint32_t i = 0; i < levels; i++) {
        matrix[i * levels + i] = i + 1 == levels ? degree : i == 0 ? 1.0 : children + 1.0;
        if (i > 0) {
            matrix[i * levels + i - 1] = matrix[(i - 1) * levels + i] = -sqrt(children);
        }
    }
    return topo_block_add(values, matrix, levels, times, error);
}

// The eigenvalues of a balanced tree (Rojo 2002; Rojo & Soto 2005). A wave that is not equal on all processors of a
// level lives below one processor, in its children's subtrees, and sums to 0 over these: K-1 waves for each eigenvalue
// of such a subtree. The other waves are those of the whole tree's levels.
static bool eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error)
{
    uint32_t n = topology->processors;
    uint32_t children = topology->first[1]; // the root's ports
    uint32_t depth = 0;
    for (uint32_t p = n - 1; p > 0; p = (p - 1) / children) {
        depth++;
    }
    bool done = topo_eigenvalues_allocate(values, (size_t)(depth + 1) * (depth + 2) / 2, error) &&
                add_levels(values, children, depth + 1, children, 1, error);
    if (done) {
        values->at[0].value = 0.0; // that of the balanced load, up to rounding
    }
    uint64_t parents = 1; // processors above subtrees of `levels` levels
    for (uint32_t levels = depth; done && levels > 0; levels--) {
        uint32_t degree = levels == 1 ? 1 : children + 1;
        done = add_levels(values, children, levels, degree, parents * (children - 1), error);
        parents *= children;
    }
    if (done) {
        topo_eigenvalues_merge(values, TOPO_EQUAL);
        values->how = "LAPACK";
    }
    return done;
}

// Draws each level on a circle around the root, a processor in the middle of its children. The leaves are 1 apart.
static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    (void)error;
    uint32_t children = topology->number[0];
    uint32_t depth = topology->number[1];
    double leaves = pow(children, depth);
    double apart = fmax(1.0, leaves / (2.0 * PI * fmax(1.0, depth)));
    uint32_t count = 1;
    for (uint32_t level = 0, first = 0; level <= depth; level++, first += count, count *= children) {
        for (uint32_t i = 0; i < count; i++) {
            double angle = 2.0 * PI * (i + 0.5) / count;
            place[first + i] = (struct ek_place){level * apart * sin(angle), -(level * apart) * cos(angle)};
        }
    }
    return true;
}

static const struct ek_closed_form closed_form = {.eigenvalues = eigenvalues};

bool topo_read_tree(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t children;
    uint64_t depth;
    if (!base_cursor_expect(cursor, ':', "tree, as in tree:2:5") ||
        !base_cursor_whole(cursor, "the number of children", 2, TOPO_PROCESSORS_MAX, &children) ||
        !base_cursor_expect(cursor, ':', "the number of children, as in tree:2:5")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the depth", 0, DEPTH_MAX, &depth)) {
        return false;
    }
    uint64_t n = 1;
    for (uint64_t level = 0; level < depth && n <= TOPO_PROCESSORS_MAX; level++) {
        n = n * children + 1;
    }
    if (!topo_draft_size(draft, cursor, at, n, n - 1)) {
        return false;
    }
    struct ek_topology *topology = draft->topology;
    topology->closed_form = &closed_form;
    topology->colours = depth == 0 ? 0 : (uint32_t)children + (depth > 1);
    topology->diameter = 2 * (int64_t)depth;
    topology->places = places;
    topology->number[0] = (uint32_t)children;
    topology->number[1] = (uint32_t)depth;
    draft->number[0] = (uint32_t)children;
    draft->list_links = list_links;
    return true;
}
