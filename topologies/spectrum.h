// SPDX-License-Identifier: MIT
// The ways to a spectrum and to a sweep's factor one by one, so that tests can hold them against one another.
#ifndef EK_SPECTRUM_H
#define EK_SPECTRUM_H

#include "topologies/topology.h"

// The largest graphs without closed form whose dense matrices LAPACK gets: for all eigenvalues, for the extremes alone
// before ARPACK is tried, and for a sweep.
enum { EK_SPECTRUM_DENSE_MAX = 2000, EK_EXTREMES_DENSE_MAX = 500, EK_SWEEP_DENSE_MAX = 700 };

// All eigenvalues of the Laplacian, ascending, by LAPACK.
bool ek_spectrum_dense(const struct ek_topology *topology, double *value, struct ek_error *error);

// The two extremes by ARPACK.
bool ek_spectrum_iterated(const struct ek_topology *topology, double *second, double *largest, struct ek_error *error);

// The sweep's factor by LAPACK and by ARPACK, on any graph.
bool ek_sweep_dense(const struct ek_topology *topology, double lambda, double *gamma, struct ek_error *error);
bool ek_sweep_iterated(const struct ek_topology *topology, double lambda, double *gamma, struct ek_error *error);

#endif
