// SPDX-License-Identifier: MIT
// What a family of topologies does: it reads its part of a spec into a draft, and tells the links of a draft.
#ifndef TOPOLOGIES_FAMILY_H
#define TOPOLOGIES_FAMILY_H

#include "topologies/build.h"
#include "topologies/pairs.h"
#include "base/cursor.h"

enum { TOPO_PROCESSORS_MAX = 1 << 26, TOPO_DIMENSIONS_MAX = 32, TOPO_NESTING_MAX = 8 };

struct topo_draft;

// Reads what follows the family's name in the spec.
typedef bool topo_read_spec(struct topo_draft *draft, struct base_cursor *cursor);

// What was asked for beside the spec.
struct topo_request {
    uint64_t seed;
    struct ek_reader reader;
    struct topo_permit permit;
    unsigned nesting; // how many "otis(" are open
    topo_read_spec
        *read; // reads a spec of any family, as far as it goes, into a draft that has nothing but its request
};

// A topology before its arrays are made. Reading sets the numbers of processors and links, what the family has of its
// own (sides, group, closed form), and either the colours and the diameter or `pairs`, for which these are searched.
struct topo_draft {
    const struct topo_request *request;
    uint64_t beside; // bytes that making it takes beside its arrays, at most
    struct ek_topology *topology;
    const struct ek_topology *base; // what topo_tell was given; else NULL
    struct topo_pair *pairs;        // [links] of a graph that was read or drawn, sorted; else NULL
    topo_tell_links *tell_links;
};

topo_read_spec topo_read_chain;
topo_read_spec topo_read_ring;
topo_read_spec topo_read_mesh;
topo_read_spec topo_read_torus;
topo_read_spec topo_read_hypercube;
topo_read_spec topo_read_kary;
topo_read_spec topo_read_complete;
topo_read_spec topo_read_star;
topo_read_spec topo_read_otis;
topo_read_spec topo_read_random;
topo_read_spec topo_read_file;

// Takes a graph from outside into a draft; `at` is what to blame in the spec where it is none.
bool topo_take_graph(struct topo_draft *draft, struct base_cursor *cursor, size_t at, const struct ek_graph *graph);

// Reads what follows the name of a family from outside.
bool topo_read_registered(struct topo_draft *draft, struct base_cursor *cursor, const struct ek_family *family);

// Frees what a draft holds.
void topo_draft_destroy(struct topo_draft *draft);

// Tells the links of a draft that has pairs. They have no dimensions, and their colours are found later.
topo_tell_links topo_tell_pairs;

// A family as a list shows it, or NULL past the last.
const struct ek_choice *topo_family_choice(size_t index);

// Sets the draft's numbers if they are within the bounds: 2^26 processors, ports below 2^32, what the request permits.
// `at` is what to blame in the spec.
bool topo_draft_size(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint64_t processors,
                     uint64_t links);

#endif
