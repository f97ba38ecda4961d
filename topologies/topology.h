// SPDX-License-Identifier: MIT
// Topologies: processors and the links between them. Part of <evenkeel.h> (threads/api/evenkeel.h).
#ifndef EK_TOPOLOGY_H
#define EK_TOPOLOGY_H

#include "base/common.h"

// A link between two processors, in either order.
struct ek_link {
    uint32_t from, to;
};

// A graph, given as an array of its links. The processors are numbered 0 .. processors-1. Each link is in the array
// once, no link connects a processor to itself, and the graph is connected.
struct ek_graph {
    uint32_t processors;
    size_t links;
    const struct ek_link *link; // [links]
};

// An end of a link: a processor and its port.
struct ek_end {
    uint32_t processor;
    uint32_t port;
};

// The place of a processor in a drawing. y grows downwards.
struct ek_place {
    double x, y;
};

// Processors, links and ports, in compressed rows; read only. Processor p owns the ports first[p] .. first[p+1]-1, in
// ascending order of the neighbour. An array "by port" has `ports` entries. Links are numbered in the order of the
// ports at their lower ends. A loop over all ports finds the links in this order if it skips every port whose neighbour
// has a lower number. In a product, the coordinate of dimension 0 varies fastest as the number of the processor grows.
// In a graph that is not a product, every link has dimension 0, and direction +1 at its lower end.
struct ek_topology {
    char *spec; // as the user wrote it
    bool drawn; // it was drawn from the seed: another seed makes another topology
    uint32_t processors;
    uint32_t links;
    uint32_t ports;   // 2 * links
    uint32_t colours; // no two links of one colour share a processor; 0 if they are not coloured
    uint32_t degree_min;
    uint32_t degree_max;
    int64_t diameter; // in links; -1 if it would take too long to compute

    uint32_t *first;     // [processors + 1] by processor: its first port
    uint32_t *neighbour; // by port: the processor at the other end
    uint32_t *twin;      // by port: the port at the other end
    uint32_t *colour;    // by port: the link's colour, 0 .. colours-1
    uint8_t *dimension;  // by port: the link's dimension
    int8_t *direction;   // by port: +1 up along the dimension (also over the wrap link), -1 down

    struct ek_end *ends;    // [ports] ordered by colour, then by processor
    uint32_t *colour_first; // [colours + 1] the index in `ends` where each colour begins

    // The sides of a product: of paths and rings (chain, ring, mesh, torus, hypercube, kary), or of any factors.
    uint32_t dimensions; // 0 if it is not a product
    uint32_t *side;      // [dimensions]
    bool wraps;          // without factors: sides of 3 and more are rings, else they are paths

    struct ek_topology *group; // G of otis(G) and hsn(2,G), else NULL

    const char *note; // for the library only: a remark about the file, as in "its weights are ignored", or NULL

    const struct ek_closed_form *closed_form; // for the library only: how the family finds its spectrum, or NULL

    // The factors of product(G,H,...): dimension d has the links, colours and directions of factor[d]. NULL: `wraps`
    // says what the dimensions are.
    struct ek_topology **factor; // [dimensions]

    // Processors 0 .. hosts-1 hold load. The others are switches, whose capacity is 0: load only passes through them.
    uint32_t hosts;

    // For the library only.
    uint32_t number[2];     // the numbers of the spec that the family needs again
    struct ek_place *place; // [processors] the places that the links were drawn from, or NULL
    // How the family places its processors in a drawing, or NULL.
    bool (*places)(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error);
    const struct ek_rows *rows; // how the family computes ports that are not stored, or NULL
    struct topo_window *window; // which rows are stored, if not all are; else NULL
};

// Builds a topology from its spec, as in "torus:8x8", "otis(mesh:2x4)", "random:100:4" (drawn from `seed`) or
// "file:PATH" (read by `reader`). Returns NULL with `error` filled (axis "topology", EK_BAD_INPUT) if the spec is
// wrong, the graph is too large or it is not connected. The caller destroys the topology.
EK_API struct ek_topology *ek_topology_create(const char *spec, uint64_t seed, struct ek_reader reader,
                                              struct ek_error *error);

// Does the same, but refuses a topology whose arrays would take more than `bytes_max` bytes.
EK_API struct ek_topology *ek_topology_create_within(const char *spec, uint64_t seed, struct ek_reader reader,
                                                     size_t bytes_max, struct ek_error *error);
EK_API void ek_topology_destroy(struct ek_topology *topology);

// Returns the bytes that the topology's arrays take.
EK_API size_t ek_topology_bytes(const struct ek_topology *topology);

// Checks every invariant of struct ek_topology (twins, proper colours, order, ends). Returns false with `error` filled
// (EK_VIOLATION) if one does not hold.
EK_API bool ek_topology_valid(const struct ek_topology *topology, struct ek_error *error);

// Returns the port of `processor` along `dimension` in `direction` (+1 or -1), or UINT32_MAX if it has none. In a
// dimension of size 2 one port serves both directions. In a dimension that is neither a path nor a ring several ports
// can have this direction; the first one is returned.
EK_API uint32_t ek_topology_port(const struct ek_topology *topology, uint32_t processor, unsigned dimension,
                                 int direction);

// The most processors that ek_topology_places accepts: a drawing of more is a blur.
enum { EK_PLACES_MAX = 2048 };

// Finds a place for each processor, place[processors], in a drawing of the topology: in the way of its family (a ring
// on a circle, a mesh on a grid), or else with distances that approximate the numbers of links between processors. No
// two places are equal. The result is the same on every computer up to rounding. Returns false with `error` filled
// (axis "topology") if the topology has too many processors or there is no memory.
EK_API bool ek_topology_places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error);

// A family of topologies that a program or a plugin adds. Specs that begin with its name belong to it.
struct ek_family {
    const char *name;        // "petersen": letters, digits and '-'
    struct ek_choice choice; // what a list shows, as in {"petersen:K", "K Petersen graphs in a ring"}
    bool drawn;              // its graphs depend on the seed

    // Makes a graph of the family. Returns the graph's links, allocated with malloc, and sets the numbers of processors
    // and links. The graph must be as struct ek_graph describes, or it is refused. `parameter` is the text after the
    // colon, or NULL. Returns NULL with error->sentence filled if there is no such graph.
    struct ek_link *(*make)(const char *parameter, uint64_t seed, uint32_t *processors, size_t *links,
                            struct ek_error *error);
};

// Adds a family; the struct must stay alive. Call it from one thread and before any machine is prepared. Returns false
// with `error` filled if its name is taken or cannot be typed, if `make` or `choice` is missing, or if the registry (64
// places) is full.
EK_API bool ek_family_register(const struct ek_family *family, struct ek_error *error);

// Eigenvalues of the Laplacian L = D - A.
struct ek_spectrum {
    double second; // the smallest nonzero eigenvalue
    double largest;
    size_t count;    // number of distinct nonzero eigenvalues in `value`; 0 if only the two extremes are known
    double *value;   // [count] ascending; eigenvalues that are equal to 1e-9 relative are listed once
    const char *how; // "closed form", "LAPACK" or "ARPACK"
};

// Finds the spectrum. Many families have closed forms (docs/graphs.md); a product has the sums of its factors'
// eigenvalues. LAPACK solves other graphs of up to some thousand processors. For larger graphs ARPACK finds the two
// extremes only, in a bounded number of iterations. If `all` is set, the distinct eigenvalues are required too. Returns
// false with `error` filled (axis "method") if they cannot be found; the sentence proposes to give the method's
// parameter instead.
EK_API bool ek_spectrum_find(const struct ek_topology *topology, bool all, struct ek_spectrum *spectrum,
                             struct ek_error *error);
EK_API void ek_spectrum_destroy(struct ek_spectrum *spectrum);

// Finds the convergence factor of dimension exchange with parameter `lambda` (0 to 1): the second largest modulus of
// the eigenvalues of M_c ... M_1, M_j = I - lambda * L_j over the links of colour j. The factor is exact. Paths and
// even rings have closed forms. The factor of a product is the largest factor of the dimensions. LAPACK solves other
// graphs of up to some thousand processors, and ARPACK solves larger graphs. Returns false with `error` filled (axis
// "method") if it cannot be found.
EK_API bool ek_exchange_factor(const struct ek_topology *topology, double lambda, double *gamma,
                               struct ek_error *error);

#endif
