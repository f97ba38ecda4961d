// SPDX-License-Identifier: MIT
// A family of topologies reads its part of a spec into a draft, and lists the links of a draft.
#ifndef TOPOLOGIES_FAMILY_H
#define TOPOLOGIES_FAMILY_H

#include "topologies/build.h"
#include "topologies/pairs.h"
#include "base/cursor.h"
#include "base/lines.h"

// The most processors, and the most of a family that computes its rows (rows.h): runs need no memory for its links.
enum { TOPO_PROCESSORS_MAX = 1 << 26, TOPO_COMPUTED_MAX = 1 << 30 };

enum { TOPO_DIMENSIONS_MAX = 32, TOPO_NESTING_MAX = 8 };

struct ek_family;
struct topo_draft;

// Reads the part of the spec after the family's name. Returns false with the cursor's error filled if it is wrong.
typedef bool topo_read_spec(struct topo_draft *draft, struct base_cursor *cursor);

// The parts of a request for a topology besides the spec.
struct topo_request {
    uint64_t seed;
    struct base_files files;
    struct topo_permit permit;
    unsigned nesting; // number of '(' that are open
    bool listed;      // within a product, where a comma ends a factor
    // Reads a spec of any family as far as it goes, into a draft that has nothing but its request.
    topo_read_spec *read;
};

// A neighbour of a processor, and the colour of the link to it.
struct topo_neighbour {
    uint32_t processor;
    uint32_t colour;
};

// Writes the neighbours of processor p into a row, in any order, and returns their number. The row may contain p itself
// and neighbours that occur twice: these become no link, and one link of the lowest colour.
typedef uint32_t topo_find_row(const struct topo_draft *draft, uint32_t p, struct topo_neighbour *row);

// Properties that are searched for when a topology is built, because they have no closed form.
enum {
    TOPO_SEARCH_COLOURS = 1,
    TOPO_SEARCH_DIAMETER = 2,
    TOPO_SEARCH_FROM_ONE =
        4 // the diameter, by a search from processor 0: all processors are alike; the family finds rows
};

// A topology before its arrays are allocated. Reading a spec sets the numbers of processors and links and the fields of
// the family (sides, group, closed form). It also sets the colours and the diameter, or has them searched for.
struct topo_draft {
    const struct topo_request *request;
    uint64_t extra_bytes; // most bytes that building takes in addition to the arrays and to colouring
    unsigned searches;    // TOPO_SEARCH_..., set before topo_draft_size
    struct ek_topology *topology;
    const struct ek_topology *base; // the argument of topo_overlay, else NULL
    struct ek_topology *nucleus;    // G of hsn(L,G) with L above 2, else NULL
    struct topo_pair *pairs;        // [links] the sorted links of a graph that was read or drawn, else NULL
    uint32_t pairs_count;           // of topo_draft_pairs_add
    struct topo_neighbour *row;     // room for the neighbours of a processor, if the family finds rows
    topo_find_row *find_row;
    uint32_t number[2]; // the numbers of the spec that the family needs to list its links
    uint32_t *jump;     // [number[0]] the jumps of a circulant graph, else NULL
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
topo_read_spec topo_read_product;
topo_read_spec topo_read_hsn;
topo_read_spec topo_read_tree;
topo_read_spec topo_read_ccc;
topo_read_spec topo_read_butterfly;
topo_read_spec topo_read_debruijn;
topo_read_spec topo_read_shuffle;
topo_read_spec topo_read_circulant;
topo_read_spec topo_read_foldedcube;
topo_read_spec topo_read_cayley;
topo_read_spec topo_read_hex;
topo_read_spec topo_read_moore;

// Takes the links of a program's or a plugin's graph into a draft. An error points at offset `at` of the spec.
bool topo_take_graph(struct topo_draft *draft, struct base_cursor *cursor, size_t at, const struct ek_graph *graph);

// Reads the part of the spec after the name of a registered family.
bool topo_read_registered(struct topo_draft *draft, struct base_cursor *cursor, const struct ek_family *family);

// Begins a draft whose links are added one by one in any order: sets its size, as topo_draft_size does, and takes the
// memory. Its colours and its diameter are found when the topology is built. Fails as topo_draft_size does.
bool topo_draft_pairs_begin(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint64_t processors,
                            uint64_t links);
void topo_draft_pairs_add(struct topo_draft *draft, uint32_t a, uint32_t b);
void topo_draft_pairs_end(struct topo_draft *draft); // after the last link

// Frees all that a draft owns.
void topo_draft_destroy(struct topo_draft *draft);

// Gives a draft its links as sorted pairs, allocated with malloc. They have no dimensions, and their colours and the
// diameter are searched for.
void topo_draft_pairs(struct topo_draft *draft, struct topo_pair *pairs);

// Has the links listed by the family's rows, of at most `most` neighbours. An error (no memory) points at offset `at`.
bool topo_draft_rows(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint32_t most,
                     topo_find_row *find_row);

// Begins to read a spec within the parentheses of another one, of the family `name`: takes the '(' and sets the
// request for the inner spec. `as` is an example. Fails if too many parentheses are open.
bool topo_request_inside(const struct topo_draft *draft, struct base_cursor *cursor, const char *name, const char *as,
                         struct topo_request *inside);

// Returns base^exponent, or `most` + 1 if it exceeds `most`.
uint64_t topo_power(uint64_t base, uint64_t exponent, uint64_t most);

// Returns a family as a list shows it, or NULL past the last.
const struct ek_choice *topo_family_choice(size_t index);

// Returns the most bytes that building the draft takes in addition to the arrays.
uint64_t topo_draft_extra_bytes(const struct topo_draft *draft);

// Sets the draft's numbers of processors and links. Fails if they exceed the bounds (2^26 processors, fewer than 2^32
// ports) or the request's permit refuses. An error points at offset `at` of the spec.
bool topo_draft_size(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint64_t processors,
                     uint64_t links);

#endif
