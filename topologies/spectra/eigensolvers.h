// SPDX-License-Identifier: MIT
// Eigenvalues from LAPACK and ARPACK. Results are the same at every call: fixed start vectors, one BLAS thread.
#ifndef TOPOLOGIES_SPECTRA_EIGENSOLVERS_H
#define TOPOLOGIES_SPECTRA_EIGENSOLVERS_H

#include "base/common.h"

enum topo_linear { TOPO_LINEAR_DONE, TOPO_LINEAR_NO_MEMORY, TOPO_LINEAR_UNFINISHED };

// A square matrix, given by its product y = A x.
struct topo_operator {
    void (*apply)(const struct topo_operator *a, const double *x, double *y);
    const struct ek_topology *topology; // the order of the matrix is its number of processors
    double parameter;
    const double *root;   // [processors] square roots of the capacities, or NULL if all are 1
    const double *weight; // by port: weights of the links, or NULL if all are 1
    double work_max;      // multiplications and additions allowed for one eigenvalue; 0: some five seconds of them
};

// Finds all eigenvalues of a symmetric matrix, in ascending order (LAPACK dsyev). Overwrites the matrix.
enum topo_linear topo_linear_symmetric(double *matrix, uint32_t order, double *value);

// Finds all eigenvalues of any matrix, in no order (LAPACK dgeev). Overwrites the matrix.
enum topo_linear topo_linear_general(double *matrix, uint32_t order, double *real, double *imaginary);

// Finds the largest modulus of the eigenvalues of any matrix. Overwrites the matrix.
enum topo_linear topo_linear_modulus(double *matrix, uint32_t order, double *modulus);

// The smallest order that the next two functions accept.
enum { TOPO_LINEAR_ORDER_MIN = 40 };

// Finds the smallest and the largest eigenvalue of a symmetric operator (ARPACK dsaupd).
enum topo_linear topo_linear_extremes(const struct topo_operator *a, double *smallest, double *largest);

// Finds the largest modulus of the eigenvalues of any operator (ARPACK dnaupd).
enum topo_linear topo_linear_modulus_iterated(const struct topo_operator *a, double *modulus);

// Surround each iteration of ARPACK, which keeps state between its steps. The definitions in this folder do nothing,
// since it knows no threads. A program with threads links its own definitions, which let one thread in at a time
// (threads/experiment/prepare.c).
void topo_linear_enter(void);
void topo_linear_leave(void);

#endif
