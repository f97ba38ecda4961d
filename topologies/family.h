// SPDX-License-Identifier: MIT
// A family of topologies reads its part of a spec into a draft, and lists the links of a draft.
#ifndef TOPOLOGIES_FAMILY_H
#define TOPOLOGIES_FAMILY_H

#include "topologies/build.h"
#include "topologies/pairs.h"
#include "base/cursor.h"

enum { TOPO_PROCESSORS_MAX = 1 << 26, TOPO_DIMENSIONS_MAX = 32, TOPO_NESTING_MAX = 8 };

struct topo_draft;

// Reads the part of the spec after the family's name. Returns false with the cursor's error filled if it is wrong.
typedef bool topo_read_spec(struct topo_draft *draft, struct base_cursor *cursor);

// The parts of a request for a topology besides the spec.
struct topo_request {
    uint64_t seed;
    struct ek_reader reader;
    struct topo_permit permit;
    unsigned nesting; // number of "otis(" that are open
    // Reads a spec of any family as far as it goes, into a draft that has nothing but its request.
    topo_read_spec *read;
};

// A topology before its arrays are allocated. Reading a spec sets the numbers of processors and links and the fields of
// the family (sides, group, closed form). It also sets either the colours and the diameter, or `pairs`. With `pairs`,
// the colours and the diameter are found when the topology is built.
struct topo_draft {
    const struct topo_request *request;
    uint64_t extra_bytes; // most bytes that building takes in addition to the arrays
    struct ek_topology *topology;
    const struct ek_topology *base; // the argument of topo_overlay, else NULL
    struct topo_pair *pairs;        // [links] the sorted links of a graph that was read or drawn, else NULL
    uint32_t pairs_count;           // of topo_draft_pairs_add
    topo_list_links *list_links;
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
topo_read_spec topo_read_smallworld;
topo_read_spec topo_read_geometric;
topo_read_spec topo_read_powerlaw;
topo_read_spec topo_read_dragonfly;
topo_read_spec topo_read_slimfly;
topo_read_spec topo_read_fattree;
topo_read_spec topo_read_margulis;
topo_read_spec topo_read_file;

// Takes the links of a program's or a plugin's graph into a draft. An error points at offset `at` of the spec.
bool topo_take_graph(struct topo_draft *draft, struct base_cursor *cursor, size_t at, const struct ek_graph *graph);

// Reads the part of the spec after the name of a registered family.
bool topo_read_registered(struct topo_draft *draft, struct base_cursor *cursor, const struct ek_family *family);

// Makes these pairs, which are sorted, the draft's links. It owns them now.
void topo_draft_pairs(struct topo_draft *draft, struct topo_pair *pairs);

// Begins a draft whose links are added one by one in any order: sets its size, as topo_draft_size does, and takes the
// memory. Its colours and its diameter are found when the topology is built. Fails as topo_draft_size does.
bool topo_draft_pairs_begin(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint64_t processors,
                            uint64_t links);
void topo_draft_pairs_add(struct topo_draft *draft, uint32_t a, uint32_t b);
void topo_draft_pairs_end(struct topo_draft *draft); // after the last link

// Frees all that a draft owns.
void topo_draft_destroy(struct topo_draft *draft);

// Lists the links of a draft that has pairs. They have no dimensions, and get their colours later.
topo_list_links topo_list_pairs;

// Returns a family as a list shows it, or NULL past the last.
const struct ek_choice *topo_family_choice(size_t index);

// Sets the draft's numbers of processors and links. Fails if they exceed the bounds (2^26 processors, fewer than 2^32
// ports) or the request's permit refuses. An error points at offset `at` of the spec.
bool topo_draft_size(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint64_t processors,
                     uint64_t links);

#endif
