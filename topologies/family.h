// SPDX-License-Identifier: MIT
// What a family of topologies does: it reads its part of a spec into a draft, and tells the links of a draft.
#ifndef EK_FAMILY_H
#define EK_FAMILY_H

#include "topologies/build.h"
#include "topologies/pairs.h"
#include "topologies/scan.h"

enum { EK_PROCESSORS_MAX = 1 << 26, EK_DIMENSIONS_MAX = 32, EK_NESTING_MAX = 8 };

// What was asked for beside the spec.
struct ek_request {
    uint64_t seed;
    struct ek_reader reader;
    size_t bytes_max; // that the arrays may take
    unsigned nesting; // how many "otis(" are open
};

// A topology before its arrays are made. Reading sets the processors, the links and the form (sides, group, complete,
// star). A family that tells no pairs also knows the colours and the diameter; of pairs they are found out.
struct ek_draft {
    const struct ek_request *request;
    struct ek_topology *topology;
    struct ek_pair *pairs; // [links] of a graph that was read or drawn, sorted; else NULL
    ek_tell_links *tell_links;
};

// Reads what follows the family's name in the spec.
typedef bool ek_read_spec(struct ek_draft *draft, struct ek_scan *scan);

ek_read_spec ek_read_chain;
ek_read_spec ek_read_ring;
ek_read_spec ek_read_mesh;
ek_read_spec ek_read_torus;
ek_read_spec ek_read_hypercube;
ek_read_spec ek_read_kary;
ek_read_spec ek_read_complete;
ek_read_spec ek_read_star;
ek_read_spec ek_read_otis;
ek_read_spec ek_read_random;
ek_read_spec ek_read_file;

// Reads a whole topology's spec, family and all, as far as it goes, into a draft that has nothing but its request.
// The draft must be freed in either case.
ek_read_spec ek_draft_read;
void ek_draft_free(struct ek_draft *draft);

// Tells the pairs of a draft, without dimension and yet without colour.
ek_tell_links ek_tell_pairs;

// Sets the draft's numbers if they are within the bounds: 2^26 processors, ports below 2^32, the memory. `at` is what
// to blame in the spec.
bool ek_draft_size(struct ek_draft *draft, struct ek_scan *scan, size_t at, uint64_t processors, uint64_t links);

#endif
