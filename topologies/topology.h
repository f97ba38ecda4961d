// SPDX-License-Identifier: MIT
// WHERE: processors and the links between them. Second part of <evenkeel.h> (threads/api/evenkeel.h).
#ifndef EK_TOPOLOGY_H
#define EK_TOPOLOGY_H

#include "base/common.h"

// A link between two processors, in either order.
struct ek_link {
    uint32_t from, to;
};

// A graph as an array of its links: each once, none from a processor to itself, and all processors connected. They are
// numbered 0 .. processors-1.
struct ek_graph {
    uint32_t processors;
    size_t links;
    const struct ek_link *link; // [links]
};

// An end of a link: a processor and the port that it has there.
struct ek_end {
    uint32_t processor;
    uint32_t port;
};

// Processors, links and ports, in compressed rows. Read only. Processor p owns the ports first[p] .. first[p+1]-1, in
// ascending order of the neighbour; all arrays "by port" have 2 * links entries. Links are numbered in the order of
// their ports at the lower ends: who goes through the ports and counts those that lead up has their numbers. Dimension
// 0 varies fastest in the numbering of a product; a graph without dimensions has one, and there a link's direction is
// +1 at its lower end.
struct ek_topology {
    char *spec; // as it was written
    bool drawn; // from the seed: another seed makes another topology
    uint32_t processors;
    uint32_t links;
    uint32_t ports;   // 2 * links
    uint32_t colours; // no two links of one colour share a processor
    uint32_t degree_min;
    uint32_t degree_max;
    int64_t diameter; // in links; -1 where it was too dear to compute

    uint32_t *first;     // [processors + 1] by processor: its first port
    uint32_t *neighbour; // by port: the processor at the other end
    uint32_t *twin;      // by port: the port at the other end
    uint32_t *colour;    // by port: the link's colour, 0 .. colours-1
    uint8_t *dimension;  // by port: the link's dimension
    int8_t *direction;   // by port: +1 up along the dimension (also over the wrap), -1 down

    struct ek_end *ends;    // [ports] ordered by colour, then by processor
    uint32_t *colour_first; // [colours + 1] where each colour begins in ends

    // A product of paths and rings (chain, ring, mesh, torus, hypercube, kary): its sides. Else dimensions is 0.
    uint32_t dimensions;
    uint32_t *side; // [dimensions]
    bool wraps;     // sides of 3 and more are rings, not paths

    struct ek_topology *group; // otis(G): G; else NULL

    const char *note; // the library's own: what of its file was left out, as in "its weights are ignored"; or NULL

    const struct ek_closed_form *closed_form; // the library's own: how this family's spectrum is found, or NULL
};

// Builds a topology from its spec, e.g. "torus:8x8", "otis(mesh:2x4)", "random:100:4" (drawn from `seed`) or
// "file:PATH". NULL and `error` when the spec is wrong, too large or not connected.
EK_API struct ek_topology *ek_topology_create(const char *spec, uint64_t seed, struct ek_reader reader,
                                              struct ek_error *error);

// The same, but refused when its arrays would take more than `bytes_max`.
EK_API struct ek_topology *ek_topology_create_within(const char *spec, uint64_t seed, struct ek_reader reader,
                                                     size_t bytes_max, struct ek_error *error);
EK_API void ek_topology_destroy(struct ek_topology *topology);

// The bytes that the topology's own arrays take.
EK_API size_t ek_topology_bytes(const struct ek_topology *topology);

// Checks every invariant above (twins, colours proper, order, ends). False and `error` name the first that fails.
EK_API bool ek_topology_valid(const struct ek_topology *topology, struct ek_error *error);

// The port of `processor` along `dimension` in `direction`, or UINT32_MAX where it has none. In a dimension of size 2
// the one port serves both directions.
EK_API uint32_t ek_topology_port(const struct ek_topology *topology, uint32_t processor, unsigned dimension,
                                 int direction);

// A family of topologies from outside: specs that begin with its name are its.
struct ek_family {
    const char *name;        // "petersen": letters, digits and '-'
    struct ek_choice choice; // as a list shows it: {"petersen:K", "K Petersen graphs in a ring"}
    bool drawn;              // its graphs depend on the seed: another run may have another

    // The links of one of its graphs, allocated with malloc, and the numbers of its processors and links. `parameter`
    // is the text behind the colon, or NULL. NULL and error->sentence where it makes no graph of that. As struct
    // ek_graph has it; a graph that is not so is refused.
    struct ek_link *(*make)(const char *parameter, uint64_t seed, uint32_t *processors, size_t *links,
                            struct ek_error *error);
};

// Adds a family from outside; the struct must stay alive. To be called before anything is prepared, from one thread.
// False when its name is taken or cannot be typed, it has no `make` or no choice to show, or the registry (64 places)
// is full.
EK_API bool ek_family_register(const struct ek_family *family, struct ek_error *error);

// Eigenvalues of the Laplacian L = D - A.
struct ek_spectrum {
    double second; // the smallest that is not zero
    double largest;
    size_t count;    // distinct nonzero values in `value`, 0 when only the two extremes are known
    double *value;   // [count] ascending; equal to 1e-9 relative counts once
    const char *how; // "closed form", "LAPACK" or "ARPACK"
};

// The spectrum: from closed forms for products, complete, star and OTIS; from LAPACK for general graphs up to some
// thousand processors; beyond, from ARPACK in a bounded number of iterations, the extremes only. With `all` the
// distinct values are required too. False when they cannot be had: `error` then asks for the method's parameter
// instead.
EK_API bool ek_spectrum_find(const struct ek_topology *topology, bool all, struct ek_spectrum *spectrum,
                             struct ek_error *error);
EK_API void ek_spectrum_destroy(struct ek_spectrum *spectrum);

// The convergence factor of a sweep of dimension exchange: the second largest modulus among the eigenvalues of
// M_c … M_1, M_j = I - lambda * L_j over the links of colour j. Exact: per dimension for products (their factor is the
// largest of the dimensions'), from LAPACK for graphs up to some thousand processors, from ARPACK beyond.
EK_API bool ek_exchange_factor(const struct ek_topology *topology, double lambda, double *gamma,
                               struct ek_error *error);

#endif
