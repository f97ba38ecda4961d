// SPDX-License-Identifier: MIT
// Convergence factors of methods whose operation is one matrix: dimension exchange with lambda, diffusion with alpha.
// The closed forms of Xu, Monien, Lüling & Lau 1995 (section 3 and Table 1) are compared with the exact factors from
// spectra. Only core_never_balances accepts EK_MATRIX_UNKNOWN.
#ifndef CORE_THEORY_CONVERGENCE_H
#define CORE_THEORY_CONVERGENCE_H

#include "core/method.h"

// Finds ODE's lambda. With k the largest side, lambda is 1/(1+sin(pi/k)) on chains and meshes, 1/(1+sin(2 pi/k)) on
// rings and tori, and 1/2 if no side is above 2. On other graphs it is searched numerically. For tokens the search
// begins at 1/2, since tokens freeze below 1/2. Returns false with `error` filled (axis "method") if the search would
// take too long; the sentence proposes gde:L.
bool core_lambda_optimal(const struct ek_topology *topology, enum ek_units units, double *lambda,
                         struct ek_error *error);

// Finds ODF's alpha. With n the number of sides above 1 and k the largest side, alpha is 1/(2n) on chains and meshes,
// 1/(2n+1-cos(2 pi/k)) on rings and tori, and 1/(n+1) if no side is above 2. On other graphs it is 2/(l2+lmax). Returns
// false with `error` filled (axis "method") if their spectrum cannot be found; the sentence proposes diffusion:A.
bool core_alpha_optimal(const struct ek_topology *topology, double *alpha, struct ek_error *error);

// Finds the alpha with the least factor, 2/(l2+lmax), from the extremes of the spectrum of L*C^-1 (of L if `capacity`
// is NULL); 0 if there are no links. Fails as core_alpha_optimal does.
bool core_alpha_best(const struct ek_topology *topology, const double *capacity, double *alpha, struct ek_error *error);

// Returns ADF's alpha: 1/(1+D), D the largest degree.
double core_alpha_average(const struct ek_topology *topology);

// The factor by which an operation shrinks the distance from balance in the long run; the variance shrinks by its
// square. A number is NaN if it is not known. `best` is also NaN if finding it would take long.
struct core_factor {
    double exact;   // from the spectrum
    double closed;  // as printed in Table 1, if the parameter is that of ADE, ODE, ADF or ODF
    double best;    // the parameter with the smallest factor
    char note[400]; // why `exact` and `closed` differ, and what else a user should know, or ""
};
// Finds the factor. `printed` says whether Table 1 has a row for the method.
void core_factor_find(const struct ek_topology *topology, enum ek_matrix matrix, double parameter, bool printed,
                      struct core_factor *factor);

// Returns whether the exact factor is found in about a second: by a closed form, or because there are few processors.
bool core_factor_quick(const struct ek_topology *topology, enum ek_matrix matrix);

// Returns the operations that the variance takes to fall from `from` to `to` (Eq. (25)), or NaN if gamma is not
// below 1.
double core_factor_operations(double gamma, double from, double to);

// Returns the largest difference over a link that tokens leave as it is, because floor(parameter * difference) is 0. It
// is at least 1, since no transfer makes a difference of one token smaller.
double core_difference_kept(double parameter);

// Returns true, with a sentence that says why, if it is known that the method cannot balance every load:
// (1) parcels of tokens are rounded down to nothing, or
// (2) gamma is not below 1 and `whole` is set. `whole` says that every operation is exactly the matrix
// (CORE_NEEDS_PLAIN, but work is allowed).
bool core_never_balances(const struct ek_topology *topology, enum ek_matrix matrix, double parameter, bool whole,
                         enum ek_units units, char *sentence, size_t size);

#endif
