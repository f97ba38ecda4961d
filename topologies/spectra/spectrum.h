// SPDX-License-Identifier: MIT
// Spectra for the rest of the library. Each method of finding a spectrum or a convergence factor has its own function,
// so that tests can compare the methods.
#ifndef TOPOLOGIES_SPECTRA_SPECTRUM_H
#define TOPOLOGIES_SPECTRA_SPECTRUM_H

#include "base/common.h"

struct ek_spectrum;
struct ek_topology;
struct topo_eigenvalues;

// The largest orders of matrices that LAPACK solves, for graphs without closed form. The first bound is for all
// eigenvalues. The second is for the extremes: larger graphs are tried with ARPACK first. The third is for dimension
// exchange.
enum { TOPO_SPECTRUM_DENSE_MAX = 2000, TOPO_EXTREMES_DENSE_MAX = 500, TOPO_EXCHANGE_DENSE_MAX = 700 };

// Finds all eigenvalues with their multiplicities, by the family's closed form or by LAPACK. The caller frees
// values->at, also after a failure.
bool topo_spectrum_eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values,
                               struct ek_error *error);

// Makes a spectrum of eigenvalues: the nonzero ones, each value once.
bool topo_spectrum_settle(struct topo_eigenvalues *values, struct ek_spectrum *spectrum, struct ek_error *error);

// Returns whether the extremes are found within about a second: by a closed form, or because there are few processors.
bool topo_spectrum_quick(const struct ek_topology *topology);

// Finds all eigenvalues of one side of a product, a path or a ring.
bool topo_spectrum_side(const struct ek_topology *topology, uint32_t dimension, struct ek_spectrum *spectrum,
                        struct ek_error *error);

// Does the same as ek_spectrum_find for L*C^-1, where C is the diagonal matrix of the capacities ([processors], or NULL
// if all are 1).
bool topo_spectrum_find_weighted(const struct ek_topology *topology, const double *capacity, bool all,
                                 struct ek_spectrum *spectrum, struct ek_error *error);

// Does the same for L*C^-1 where L is the Laplacian of links with weights (by port, the same at both ends of a link).
bool topo_spectrum_find_by_link(const struct ek_topology *topology, const double *link, const double *capacity,
                                struct ek_spectrum *spectrum, struct ek_error *error);

// Finds all eigenvalues of (I-M)/a for an operation M of dimension exchange with the parameter a = 1/2. Fails if they
// are not real, since polynomials of M would not balance then.
bool topo_exchange_spectrum(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error);

// Does the same for one side of a product, over the colours of that side.
bool topo_exchange_spectrum_side(const struct ek_topology *topology, uint32_t dimension, struct ek_spectrum *spectrum,
                                 struct ek_error *error);

// Sorts eigenvalues and keeps one of each group that is equal to 1e-9 relative. Returns how many are left. `count` is
// at least 1.
size_t topo_spectrum_distinct(double *value, size_t count);

// Fills the spectrum from eigenvalues in any order, of which one is 0: the distinct ones in ascending order. Takes
// ownership of `value`, which is allocated with malloc, also if it fails.
bool topo_spectrum_take(double *value, size_t count, const char *how, struct ek_spectrum *spectrum,
                        struct ek_error *error);

// Finds all eigenvalues of the Laplacian in ascending order, by LAPACK.
bool topo_spectrum_dense(const struct ek_topology *topology, double *value, struct ek_error *error);

// Finds the two extremes by ARPACK.
bool topo_spectrum_iterated(const struct ek_topology *topology, double *second, double *largest,
                            struct ek_error *error);

// Makes a ring of k processors, k odd and at least 3, without dimensions.
struct ek_topology *topo_odd_ring(uint32_t k, struct ek_error *error);

// Find the convergence factor of dimension exchange by LAPACK and by ARPACK, on any graph.
bool topo_exchange_factor_dense(const struct ek_topology *topology, double lambda, double *gamma,
                                struct ek_error *error);
bool topo_exchange_factor_iterated(const struct ek_topology *topology, double lambda, double *gamma,
                                   struct ek_error *error);

#endif
