// SPDX-License-Identifier: MIT
// Eigenvalues from LAPACK and ARPACK, alike at every call: fixed start vectors, one BLAS thread. ARPACK keeps state
// between its calls, so no two threads may be in these functions at once.
#ifndef EK_LINEAR_H
#define EK_LINEAR_H

#include "topologies/topology.h"

enum ek_linear { EK_LINEAR_DONE, EK_LINEAR_NO_MEMORY, EK_LINEAR_UNFINISHED };

// y = A x for a square matrix that is known by what it does.
struct ek_operator {
    void (*apply)(const struct ek_operator *a, const double *x, double *y);
    const struct ek_topology *topology; // its processors are the order of the matrix
    double parameter;
    const double *root; // by processor: square roots of the capacities; NULL: all 1
};

// All eigenvalues of a symmetric matrix, ascending (LAPACK dsyev). Destroys the matrix.
enum ek_linear ek_linear_symmetric(double *matrix, uint32_t order, double *value);

// All eigenvalues of any matrix, in no order (LAPACK dgeev). Destroys the matrix.
enum ek_linear ek_linear_general(double *matrix, uint32_t order, double *real, double *imaginary);

// The largest modulus of the eigenvalues of any matrix. Destroys the matrix.
enum ek_linear ek_linear_modulus(double *matrix, uint32_t order, double *modulus);

// The least order that the two functions below take.
enum { EK_LINEAR_ORDER_MIN = 40 };

// The smallest and the largest eigenvalue of a symmetric operator (ARPACK dsaupd).
enum ek_linear ek_linear_extremes(const struct ek_operator *a, double *smallest, double *largest);

// The largest modulus of the eigenvalues of any operator (ARPACK dnaupd).
enum ek_linear ek_linear_modulus_iterated(const struct ek_operator *a, double *modulus);

#endif
