// SPDX-License-Identifier: MIT
// Builds a topology from its links. A family lists its links twice: the first time the builder counts the ports of each
// processor, the second time it fills them in. The family lists the links in the order of their ends. So the rows are
// sorted without a sort, and no list of the links is kept.
#ifndef TOPOLOGIES_BUILD_H
#define TOPOLOGIES_BUILD_H

#include "base/common.h"

struct base_files;
struct ek_graph;
struct ek_topology;
struct topo_builder;
struct topo_draft;

// Decides whether a topology may be built, as soon as its numbers of processors and links are known and before its
// arrays are allocated. `outline` is the topology without its arrays; `bytes_most` is the memory that building it takes
// at most, arrays included. `allows` returns false with `error` filled to refuse; the error points at offset `at` of
// the spec.
struct topo_permit {
    bool (*allows)(void *context, const struct ek_topology *outline, uint64_t bytes_most, size_t at,
                   struct ek_error *error);
    void *context;

    // Returns whether the arrays of an allowed topology are left out, because its rows are computed (rows.h). NULL:
    // they are not. It is called only if the family can compute them, and not for the parts of another topology.
    bool (*leaves_out)(void *context, const struct ek_topology *outline);

    // Returns whether only the rows of the processors *begin .. *end-1 are stored (window.h). NULL: all are. It is
    // called before `allows`, and not for the parts of another topology.
    bool (*stores_part)(void *context, const struct ek_topology *outline, uint32_t *begin, uint32_t *end);
};

// Builds a topology from its spec, if `permit` allows it. Returns NULL with `error` filled if it cannot be built.
struct ek_topology *topo_create_permitted(const char *spec, uint64_t seed, struct base_files files,
                                          struct topo_permit permit, struct ek_error *error);

// Builds a topology called `name` from an array of links, if `permit` allows it. Returns NULL with `error` filled if it
// cannot be built.
struct ek_topology *topo_create_of(const char *name, const struct ek_graph *graph, struct topo_permit permit,
                                   struct ek_error *error);

// Calls topo_builder_link for every link, in ascending order of (lower, upper) end. The builder calls this function
// twice for a topology.
typedef void topo_list_links(const struct topo_draft *draft, struct topo_builder *builder);

// Lists a link; low < high, and the links ascend by (low, high). `direction` is the direction from `low` to `high`.
void topo_builder_link(struct topo_builder *builder, uint32_t low, uint32_t high, unsigned dimension, int direction,
                       uint32_t colour);

// Allocates and fills the arrays of the draft's topology, and searches for its properties without a closed form.
bool topo_draft_build(struct topo_draft *draft, struct ek_error *error);

// Rows that are filled in any order, instead of links that are listed. `take` allocates the arrays of a topology with
// these degrees by processor, and sets `first`; the caller then writes `neighbour` in the rows that are stored. `join`
// sorts these rows and joins the two ends of each link. It returns false if a row has a neighbour twice, or a link is
// in the row of one end only; both rows must be stored to see that.
bool topo_rows_take(struct ek_topology *topology, const uint32_t *degree, struct ek_error *error);
bool topo_rows_join(struct ek_topology *topology);

// Builds a topology that belongs to no family, from links that are listed with their colours. It has no dimensions and
// no spec, and its diameter is -1. `base` may be NULL; the draft passes it to `list_links`.
struct ek_topology *topo_overlay(const struct ek_topology *base, uint32_t processors, uint32_t links, uint32_t colours,
                                 topo_list_links *list_links, struct ek_error *error);

// Colours the links of a general graph with at most degree_max + 1 colours, and sets `colour` and `colours`. Returns
// false if there is not enough memory.
bool topo_colour_links(struct ek_topology *topology);

// Returns the most memory that topo_colour_links takes, in bytes.
uint64_t topo_colouring_bytes(uint64_t processors, uint64_t links);

// Renumbers the colours: colour order[i] becomes colour i. `order` is a permutation of the colours.
void topo_recolour(struct ek_topology *topology, const uint32_t *order);

// Sets `diameter` by breadth-first searches from the first `sources` processors, or to -1 if they would take too long.
// Returns false if there is not enough memory.
bool topo_diameter_search(struct ek_topology *topology, uint32_t sources);

// Sets `diameter` in the same way from processor 0, without the arrays of the topology: the family finds the rows.
bool topo_diameter_by_rows(const struct topo_draft *draft);

// Returns whether the searches from all processors of a connected graph would take too long.
bool topo_diameter_is_dear(uint32_t processors, uint32_t ports);

// Returns the memory that topo_diameter_search takes, in bytes.
uint64_t topo_diameter_bytes(uint64_t processors);

#endif
