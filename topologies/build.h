// SPDX-License-Identifier: MIT
// Turns a draft into compressed rows: the links are told twice, once to count the ports of each processor and once to
// fill them in. Told in the order of their ends, they make sorted rows without a sort, and no list of them is kept.
#ifndef TOPOLOGIES_BUILD_H
#define TOPOLOGIES_BUILD_H

#include "topologies/topology.h"

struct topo_builder;
struct topo_draft;

// Who is asked whether a topology may be made, when its numbers of processors and links are known and before its arrays
// are taken: `outline` has none. `making` is what making it takes at most, arrays and all. No fills `error`; `at` is
// what to blame in the spec.
struct topo_permit {
    bool (*ask)(void *context, const struct ek_topology *outline, uint64_t making, size_t at, struct ek_error *error);
    void *context;
};

// Builds a topology from its spec, if that is permitted.
struct ek_topology *topo_create_permitted(const char *spec, uint64_t seed, struct ek_reader reader,
                                          struct topo_permit permit, struct ek_error *error);

// Builds one from an array of links, if that is permitted; `name` is what it is called.
struct ek_topology *topo_create_of(const char *name, const struct ek_graph *graph, struct topo_permit permit,
                                   struct ek_error *error);

// Calls topo_builder_link for every link, in ascending order of (lower, upper) end. It is asked twice.
typedef void topo_tell_links(const struct topo_draft *draft, struct topo_builder *builder);

// Tells a link; low < high, and both ascend from link to link. `direction` is the one from `low` to `high`.
void topo_builder_link(struct topo_builder *builder, uint32_t low, uint32_t high, unsigned dimension, int direction,
                       uint32_t colour);

// Makes all arrays of the draft's topology, and finds the colours and the diameter where the draft has pairs.
bool topo_draft_build(struct topo_draft *draft, struct ek_error *error);

// Makes a topology that is no family's and has no dimensions, from links that are told with their colours. It has no
// spec, and its diameter is not searched for. `tell_links` finds `base`, which may be NULL, in the draft.
struct ek_topology *topo_tell(const struct ek_topology *base, uint32_t processors, uint32_t links, uint32_t colours,
                              topo_tell_links *tell_links, struct ek_error *error);

// Colours the links of a general graph with at most degree_max + 1 colours; sets `colour` and `colours`. False where
// there is no memory.
bool topo_colour_links(struct ek_topology *topology);

// The most that this takes while it lasts, for a topology of so many processors and links.
uint64_t topo_colouring_bytes(uint64_t processors, uint64_t links);

// Gives each colour another number: colour order[i] becomes colour i. `order` holds each of them once.
void topo_recolour(struct ek_topology *topology, const uint32_t *order);

// Finds the diameter by breadth-first searches; -1 where they would take too long or memory is short.
int64_t topo_diameter_search(const struct ek_topology *topology);

#endif
