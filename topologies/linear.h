// SPDX-License-Identifier: MIT
// Eigenvalues from LAPACK and ARPACK, alike at every call: fixed start vectors, one BLAS thread. ARPACK keeps state
// between its calls, so no two threads may be in these functions at once.
#ifndef TOPO_LINEAR_H
#define TOPO_LINEAR_H

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

#endif
