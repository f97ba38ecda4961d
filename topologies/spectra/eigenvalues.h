// SPDX-License-Identifier: MIT
// Eigenvalues of Laplacians with their multiplicities, and the closed forms of some families.
#ifndef TOPOLOGIES_SPECTRA_EIGENVALUES_H
#define TOPOLOGIES_SPECTRA_EIGENVALUES_H

#include "base/common.h"

struct ek_spectrum;
struct ek_topology;

struct topo_eigenvalue {
    double value;
    uint64_t times;
};

struct topo_eigenvalues {
    size_t count;
    struct topo_eigenvalue *at; // [count] allocated with malloc
    const char *how;            // see struct ek_spectrum
};

// Relative differences within which two eigenvalues count as equal: TOPO_ROUNDED for the same sum added in another
// order, TOPO_EQUAL for eigenvalues that a method should not distinguish.
static const double TOPO_ROUNDED = 1e-12, TOPO_EQUAL = 1e-9;

// A family whose spectrum has a closed form sets it in its topologies.
struct ek_closed_form {
    // Finds all eigenvalues in ascending order, each value once, beginning with 0. The caller frees values->at, also
    // after a failure.
    bool (*eigenvalues)(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error);
    // Finds the two extremes, for a family with too many eigenvalues to list. NULL: they are taken from the list.
    bool (*extremes)(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error);
};

// Allocates an empty list for at most `count` eigenvalues. Fails if `count` is unreasonable or there is no memory.
bool topo_eigenvalues_allocate(struct topo_eigenvalues *values, size_t count, struct ek_error *error);

// Appends an eigenvalue, unless it occurs 0 times.
void topo_eigenvalues_add(struct topo_eigenvalues *values, double value, uint64_t times);

// Sorts the list, and merges eigenvalues that differ by at most `tolerance` (relative) from the smallest of them.
void topo_eigenvalues_merge(struct topo_eigenvalues *values, double tolerance);

// Replaces `values` by all sums of one of `values` and one of `others`: the eigenvalues of a product.
bool topo_eigenvalues_sum(struct topo_eigenvalues *values, const struct topo_eigenvalues *others,
                          struct ek_error *error);

// Returns how a spectrum was found that two others make: by the weaker means of both.
const char *topo_eigenvalues_how(const char *how, const char *other);

// Fills `error` and returns false: there is no memory for eigenvalues.
bool topo_eigenvalues_no_memory(struct ek_error *error);

#endif
