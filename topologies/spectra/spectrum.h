// SPDX-License-Identifier: MIT
// What the rest of the library needs of spectra, and the ways to a spectrum and to a sweep's factor one by one, so that
// tests can hold them against one another.
#ifndef TOPOLOGIES_SPECTRA_SPECTRUM_H
#define TOPOLOGIES_SPECTRA_SPECTRUM_H

#include "topologies/topology.h"

struct topo_eigenvalues;

// The largest graphs without closed form whose dense matrices LAPACK gets: for all eigenvalues, for the extremes alone
// before ARPACK is tried, and for a sweep.
enum { TOPO_SPECTRUM_DENSE_MAX = 2000, TOPO_EXTREMES_DENSE_MAX = 500, TOPO_EXCHANGE_DENSE_MAX = 700 };

// All eigenvalues with their multiplicities, by the family's closed form or by LAPACK. values->at is to be freed in
// either case.
bool topo_spectrum_eigenvalues(const struct ek_topology *topology, struct topo_eigenvalues *values,
                               struct ek_error *error);

// Makes a spectrum of eigenvalues: those that are not 0, each value once.
bool topo_spectrum_settle(struct topo_eigenvalues *values, struct ek_spectrum *spectrum, struct ek_error *error);

// Whether the extremes are found within about a second: by a closed form, or as there are few processors.
bool topo_spectrum_quick(const struct ek_topology *topology);

// All eigenvalues of one side of a product: those of its path or ring.
bool topo_spectrum_side(const struct ek_topology *topology, uint32_t dimension, struct ek_spectrum *spectrum,
                        struct ek_error *error);

// The same as ek_spectrum_find for L*C^-1, C the diagonal matrix of the capacities (by processor; NULL: all 1), by
// LAPACK and, where only the extremes are asked for, beyond its reach by ARPACK.
bool topo_spectrum_find_weighted(const struct ek_topology *topology, const double *capacity, bool all,
                                 struct ek_spectrum *spectrum, struct ek_error *error);

// The eigenvalues of (I-M)/a for a sweep M of dimension exchange with the parameter a = 1/2, all of them. False where
// they are not real: polynomials of M then balance nothing.
bool topo_exchange_spectrum(const struct ek_topology *topology, struct ek_spectrum *spectrum, struct ek_error *error);

// The same for the sweep of one side of a product, over that side's colours alone.
bool topo_exchange_spectrum_side(const struct ek_topology *topology, uint32_t dimension, struct ek_spectrum *spectrum,
                                 struct ek_error *error);

// Sorts eigenvalues (one at least) and keeps one of those that are equal to 1e-9 relative; how many are left.
size_t topo_spectrum_distinct(double *value, size_t count);

// Fills the spectrum from eigenvalues in any order, the one that is 0 among them: the distinct ones in ascending order.
// Takes `value` (allocated with malloc) over, also when it fails.
bool topo_spectrum_take(double *value, size_t count, const char *how, struct ek_spectrum *spectrum,
                        struct ek_error *error);

// All eigenvalues of the Laplacian, ascending, by LAPACK.
bool topo_spectrum_dense(const struct ek_topology *topology, double *value, struct ek_error *error);

// The two extremes by ARPACK.
bool topo_spectrum_iterated(const struct ek_topology *topology, double *second, double *largest,
                            struct ek_error *error);

// Makes a ring of k processors, k odd and at least 3, without dimensions.
struct ek_topology *topo_odd_ring(uint32_t k, struct ek_error *error);

// The sweep's factor by LAPACK and by ARPACK, on any graph.
bool topo_exchange_factor_dense(const struct ek_topology *topology, double lambda, double *gamma,
                                struct ek_error *error);
bool topo_exchange_factor_iterated(const struct ek_topology *topology, double lambda, double *gamma,
                                   struct ek_error *error);

#endif
