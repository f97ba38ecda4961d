// SPDX-License-Identifier: MIT
// The polynomial schemes of diffusion: what step k = 0, 1, ... moves over a link,
//     y_k = gain_k * difference + memory_k * y_(k-1),
// from the eigenvalues of the Laplacian (or of what stands for it). Diekmann, Frommer & Monien 1999; Elsässer, Monien &
// Preis 2002; Arndt 2003 for the order of the steps.
#ifndef EK_POLYNOMIALS_H
#define EK_POLYNOMIALS_H

#include "core/method.h"

// Cited by more than one family.
#define EK_DFM_1999                                                                                                    \
    "Diekmann, Frommer & Monien, Efficient schemes for nearest neighbor load balancing, Parallel Computing 25, 1999"
#define EK_EFMP_1999                                                                                                   \
    "Elsässer, Frommer, Monien & Preis, Optimal and alternating direction load balancing schemes, Euro-Par 1999"
#define EK_EMP_2002                                                                                                    \
    "Elsässer, Monien & Preis, Diffusion schemes for load balancing on heterogeneous networks, Theory Comput. Syst. " \
    "35, 2002"
#define EK_ZHAO_2009                                                                                                   \
    "Zhao, Xiao & Parhami, Load-balancing on swapped or OTIS networks, J. Parallel Distrib. Comput. 69, 2009"
#define EK_ARNDT_2003 "Arndt, thesis, Wuppertal 2003"
#define EK_ARNDT_2004 "Arndt, On finite dimension exchange algorithms, Linear Algebra Appl. 380, 2004"

enum ek_scheme_kind { EK_FOS, EK_SOS, EK_OPT, EK_OPS };

// In what order the optimal scheme takes the eigenvalues.
enum ek_order { EK_ORDER_WEIGHTED_LEJA, EK_ORDER_LEJA, EK_ORDER_ASCENDING, EK_ORDER_DESCENDING, EK_ORDER_YOUNG };

struct ek_scheme {
    enum ek_scheme_kind kind;
    enum ek_order order; // of EK_OPT
};

// Reads an order; NULL is the default one.
bool ek_order_parse(const char *text, int at, enum ek_order *order, struct ek_error *error);

// Reads what stands in a method's parentheses: one of the schemes whose bits (1 << kind) are set in `kinds`. `method`
// is the method's name and `at` the text's offset in its spec, for errors.
bool ek_scheme_parse(const char *method, unsigned kinds, const char *text, int at, struct ek_scheme *scheme,
                     struct ek_error *error);

// Whether the scheme needs all eigenvalues, and ends by itself: a step for each.
bool ek_scheme_finite(const struct ek_scheme *scheme);

struct ek_coefficients {
    double gain;
    double memory;
};

struct ek_polynomial {
    bool finite;                // it ends after its last step; otherwise the last step is repeated
    size_t count;               // steps
    struct ek_coefficients *at; // [count]
};

// The scheme for a spectrum that was found with `all` if the scheme is finite.
bool ek_polynomial_create(struct ek_polynomial *polynomial, const struct ek_scheme *scheme,
                          const struct ek_spectrum *spectrum, struct ek_error *error);
void ek_polynomial_free(struct ek_polynomial *polynomial);

// The coefficients of step k; zeros where a finite scheme has ended.
struct ek_coefficients ek_polynomial_step(const struct ek_polynomial *polynomial, uint64_t k);

#endif
