// SPDX-License-Identifier: MIT
// The closed forms of Xu, Monien, Lüling & Lau 1995 (section 3 and Table 1) beside the exact convergence factors,
// for methods whose operation is one matrix: dimension exchange with lambda, diffusion with alpha. Only
// core_never_balances may be asked about EK_MATRIX_UNKNOWN.
#ifndef CORE_THEORY_CONVERGENCE_H
#define CORE_THEORY_CONVERGENCE_H

#include "core/method.h"

// ODE's lambda: 1/(1+sin(pi/k)) on chains and meshes, 1/(1+sin(2 pi/k)) on rings and tori, 1/2 where no side is above
// 2, k the largest side. For other graphs the optimum found from sweep factors, of tokens that from 1/2 on, below which
// they freeze; false and `error` (axis "method", it asks for gde:L) where that is too dear.
bool core_lambda_optimal(const struct ek_topology *topology, enum ek_units units, double *lambda,
                         struct ek_error *error);

// ODF's alpha: 1/(2n) on chains and meshes, 1/(2n+1-cos(2 pi/k)) on rings and tori, 1/(n+1) where no side is above 2,
// n the number of sides above 1. For other graphs 2/(l2+lmax); false and `error` (axis "method", it asks for
// diffusion:A) where the spectrum cannot be had.
bool core_alpha_optimal(const struct ek_topology *topology, double *alpha, struct ek_error *error);

// ADF's alpha: 1/(1+D), D the largest degree.
double core_alpha_average(const struct ek_topology *topology);

// The factor by which one operation shrinks the distance from balance in the long run; the variance shrinks by its
// square. Every number is NaN where it is not known, `best` also where it takes long to find.
struct core_factor {
    double exact;   // from the spectrum
    double closed;  // Table 1 as printed, where `parameter` is that of ADE, ODE, ADF or ODF
    double best;    // the parameter with the smallest factor
    char note[400]; // where the two part and why, or what else a user should know; else ""
};
// `printed`: Table 1 is about the method.
void core_factor_find(const struct ek_topology *topology, enum ek_matrix matrix, double parameter, bool printed,
                      struct core_factor *factor);

// Whether the exact factor is found in about a second: by a closed form, or as there are few processors.
bool core_factor_quick(const struct ek_topology *topology, enum ek_matrix matrix);

// Eq. (25): operations until the variance has fallen from `from` to `to`. NaN where gamma is not below 1.
double core_factor_operations(double gamma, double from, double to);

// The largest difference over a link at which floor(parameter * difference) tokens are none: there whole tokens stay.
// At least 1, as no transfer makes a difference of one token smaller.
double core_difference_kept(double parameter);

// True, and a sentence, where it is known that the method cannot balance every load: parcels of tokens that are rounded
// down to nothing, or, where operations are `whole` (CORE_NEEDS_PLAIN, but for work), gamma not below 1. Of an unknown
// matrix nothing is known.
bool core_never_balances(const struct ek_topology *topology, enum ek_matrix matrix, double parameter, bool whole,
                         enum ek_units units, char *sentence, size_t size);

#endif
