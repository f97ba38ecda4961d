// SPDX-License-Identifier: MIT
// Eigenvalues from LAPACK and ARPACK, alike at every call: fixed start vectors, one BLAS thread.
#ifndef TOPOLOGIES_SPECTRA_EIGENSOLVERS_H
#define TOPOLOGIES_SPECTRA_EIGENSOLVERS_H

#include "topologies/topology.h"

enum topo_linear { TOPO_LINEAR_DONE, TOPO_LINEAR_NO_MEMORY, TOPO_LINEAR_UNFINISHED };

// y = A x for a square matrix that is known by what it does.
struct topo_operator {
    void (*apply)(const struct topo_operator *a, const double *x, double *y);
    const struct ek_topology *topology; // its processors are the order of the matrix
    double parameter;
    const double *root; // by processor: square roots of the capacities; NULL: all 1
};

// All eigenvalues of a symmetric matrix, ascending (LAPACK dsyev). Destroys the matrix.
enum topo_linear topo_linear_symmetric(double *matrix, uint32_t order, double *value);

// All eigenvalues of any matrix, in no order (LAPACK dgeev). Destroys the matrix.
enum topo_linear topo_linear_general(double *matrix, uint32_t order, double *real, double *imaginary);

// The largest modulus of the eigenvalues of any matrix. Destroys the matrix.
enum topo_linear topo_linear_modulus(double *matrix, uint32_t order, double *modulus);

// The least order that the two functions below take.
enum { TOPO_LINEAR_ORDER_MIN = 40 };

// The smallest and the largest eigenvalue of a symmetric operator (ARPACK dsaupd).
enum topo_linear topo_linear_extremes(const struct topo_operator *a, double *smallest, double *largest);

// The largest modulus of the eigenvalues of any operator (ARPACK dnaupd).
enum topo_linear topo_linear_modulus_iterated(const struct topo_operator *a, double *modulus);

// Called around each iteration of ARPACK, which keeps state from one step to the next. This folder knows no thread, and
// here they do nothing; whoever has threads defines them once more, so that one at a time gets past
// (threads/machine/prepare.c).
void topo_linear_enter(void);
void topo_linear_leave(void);

#endif
