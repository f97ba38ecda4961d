// SPDX-License-Identifier: MIT
// Spectra of families whose Laplacian falls into many small symmetric matrices. LAPACK solves these.
#ifndef TOPOLOGIES_FAMILIES_BLOCKS_H
#define TOPOLOGIES_FAMILIES_BLOCKS_H

#include "topologies/spectra/eigenvalues.h"

// The largest order of such a matrix.
enum { TOPO_BLOCK_MAX = 32 };

// Finds the eigenvalues of a symmetric matrix of this order, in ascending order. Overwrites the matrix.
bool topo_block_solve(double *matrix, uint32_t order, double value[TOPO_BLOCK_MAX], struct ek_error *error);

// Appends them to a list, each `times` times.
bool topo_block_add(struct topo_eigenvalues *values, double *matrix, uint32_t order, uint64_t times,
                    struct ek_error *error);

#endif
