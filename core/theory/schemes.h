// SPDX-License-Identifier: MIT
// The polynomial schemes of diffusion. Step k = 0, 1, ... moves over each link
//     y_k = gain_k * difference + memory_k * y_(k-1),
// with coefficients from the eigenvalues of the Laplacian, or of a matrix in its place. Sources: Diekmann, Frommer &
// Monien 1999; Elsässer, Monien & Preis 2002; for the order of the steps Arndt 2003.
#ifndef CORE_THEORY_SCHEMES_H
#define CORE_THEORY_SCHEMES_H

#include "base/common.h"

struct ek_spectrum;

// Papers that several families of methods cite.
#define CORE_DFM_1999                                                                                                  \
    "Diekmann, Frommer & Monien, Efficient schemes for nearest neighbor load balancing, Parallel Computing 25, 1999"
#define CORE_EFMP_1999                                                                                                 \
    "Elsässer, Frommer, Monien & Preis, Optimal and alternating direction load balancing schemes, Euro-Par 1999"
#define CORE_EMP_2002                                                                                                  \
    "Elsässer, Monien & Preis, Diffusion schemes for load balancing on heterogeneous networks, Theory Comput. Syst. " \
    "35, 2002"
#define CORE_ZHAO_2009                                                                                                 \
    "Zhao, Xiao & Parhami, Load-balancing on swapped or OTIS networks, J. Parallel Distrib. Comput. 69, 2009"
#define CORE_ARNDT_2003 "Arndt, thesis, Wuppertal 2003"
#define CORE_ARNDT_2004 "Arndt, On finite dimension exchange algorithms, Linear Algebra Appl. 380, 2004"

enum core_scheme_kind { CORE_FOS, CORE_SOS, CORE_OPT, CORE_OPS, CORE_CHEBYSHEV };

// The order in which the optimal scheme takes the eigenvalues.
enum core_order {
    CORE_ORDER_BEST, // weighted Leja; if rounding grows too much in it, the order in which it grows least
    CORE_ORDER_WEIGHTED_LEJA,
    CORE_ORDER_LEJA,
    CORE_ORDER_ASCENDING,
    CORE_ORDER_DESCENDING,
    CORE_ORDER_YOUNG
};

struct core_scheme {
    enum core_scheme_kind kind;
    enum core_order order; // for CORE_OPT
};

// Reads an order; NULL stands for the best one. Returns false with `error` filled if the text is wrong.
bool core_order_parse(const char *text, int at, enum core_order *order, struct ek_error *error);

// Reads the text in a method's parentheses: one of the schemes whose bits (1 << kind) are set in `kinds`. `method` is
// the method's name and `at` the offset of the text in its spec, for errors.
bool core_scheme_parse(const char *method, unsigned kinds, const char *text, int at, struct core_scheme *scheme,
                       struct ek_error *error);

// Does the same for a method that takes a scheme and the one option that `known` names, as in ded(opt,one-group). Sets
// whether the option is given.
bool core_scheme_parse_with(const char *method, unsigned kinds, const char *(*known)(size_t index), const char *text,
                            int at, struct core_scheme *scheme, bool *given, struct ek_error *error);

// Returns whether the scheme needs all eigenvalues, and ends after a step for each.
bool core_scheme_finite(const struct core_scheme *scheme);

// Returns why a finite scheme may end away from balance, for ek_plan.inexact.
const char *core_scheme_inexact(const struct core_scheme *scheme);

struct core_coefficients {
    double gain;
    double memory;
};

struct core_polynomial {
    bool finite;                  // the scheme ends after its last step; else the last step is repeated
    size_t count;                 // steps
    struct core_coefficients *at; // [count]
    double rounding;              // optimal scheme: the share of the first distance that rounding may leave; else 0
    bool chebyshev;               // the steps after the first follow from `decay`
    double decay;                 // Chebyshev's scheme: the factor of a step in the long run
};

// If rounding may leave more than this share of the first distance, other orders are tried, and the user is warned.
#define CORE_ROUNDING_MOST 1e-8

// Returns by which factor a step of Chebyshev's scheme, made for eigenvalues between `low` and `high`, multiplies the
// part of the loads that belongs to `eigenvalue`, in the long run.
double core_chebyshev_factor(double low, double high, double eigenvalue);

// Makes the scheme for a spectrum; a finite scheme needs a spectrum with all eigenvalues. Returns false with `error`
// filled if there are too many or there is no memory.
bool core_polynomial_create(struct core_polynomial *polynomial, const struct core_scheme *scheme,
                            const struct ek_spectrum *spectrum, struct ek_error *error);
void core_polynomial_destroy(struct core_polynomial *polynomial);

// Returns the coefficients of step k, or zeros after the end of a finite scheme.
struct core_coefficients core_polynomial_step(const struct core_polynomial *polynomial, uint64_t k);

#endif
