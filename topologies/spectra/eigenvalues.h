// SPDX-License-Identifier: MIT
// Eigenvalues of Laplacians with their multiplicities, and the closed forms by which some families know them.
#ifndef TOPOLOGIES_SPECTRA_EIGENVALUES_H
#define TOPOLOGIES_SPECTRA_EIGENVALUES_H

#include "topologies/topology.h"

struct topo_eigenvalue {
    double value;
    uint64_t times;
};

struct topo_eigenvalues {
    size_t count;
    struct topo_eigenvalue *at; // [count] from malloc
    const char *how;            // as in struct ek_spectrum
};

// Relative differences within which two eigenvalues are one: the same sum, added up in another order; and any two that
// a method should not tell apart.
static const double TOPO_ROUNDED = 1e-12, TOPO_EQUAL = 1e-9;

// What a family sets in its topologies if it knows their spectrum without a matrix.
struct ek_closed_form {
    // All eigenvalues in ascending order, each value once; 0 is the first. values->at is to be freed in either case.
    bool (*eigenvalues)(const struct ek_topology *topology, struct topo_eigenvalues *values, struct ek_error *error);
    // The two extremes alone, for a family that has too many eigenvalues to go through. NULL: they are taken from all.
    bool (*extremes)(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error);
};

// Takes memory for at most `count` eigenvalues, of which there are none yet. A count beyond reason is an error.
bool topo_eigenvalues_allocate(struct topo_eigenvalues *values, size_t count, struct ek_error *error);

// Appends an eigenvalue; one that occurs no times is left out.
void topo_eigenvalues_add(struct topo_eigenvalues *values, double value, uint64_t times);

// Sorts, and makes one of those that differ by no more than `tolerance` from the smallest among them.
void topo_eigenvalues_merge(struct topo_eigenvalues *values, double tolerance);

// Fills `error` and returns false, for whoever finds no memory for eigenvalues.
bool topo_eigenvalues_no_memory(struct ek_error *error);

#endif
