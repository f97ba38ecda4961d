// SPDX-License-Identifier: MIT
// Chebyshev's semi-iterative method (Golub & Varga 1961; for load balancing Diekmann, Frommer & Monien 1999): of all
// schemes with one step for each operation it has the least error after every number of steps, if all that is known of
// the spectrum is an interval.
#include <math.h>
#include <stdio.h>

#include "base/cursor.h"
#include "core/methods/methods.h"
#include "core/methods/polynomial.h"
#include "core/parameter.h"
#include "core/theory/facts.h"
#include "topologies/spectra/spectrum.h"
#include "topologies/topology.h"

// The bounds from which the coefficients follow.
struct bounds {
    double low, high;
};

static bool read_bounds(const char *parameter, int at, struct ek_spectrum *bounds, struct ek_error *error)
{
    static const double LEAST = 1e-12;
    static const double MOST = 1e12;
    struct base_cursor cursor = core_parameter_start(parameter, at, error);
    size_t start = cursor.at;
    *bounds = (struct ek_spectrum){0};
    return base_cursor_real(&cursor, "the lower bound", LEAST, MOST, &bounds->second) &&
           base_cursor_expect(&cursor, ':', "the lower bound, as in chebyshev:0.1:8") &&
           base_cursor_real(&cursor, "the upper bound", LEAST, MOST, &bounds->largest) && base_cursor_end(&cursor) &&
           (bounds->second <= bounds->largest ||
            base_cursor_fail(&cursor, start, "the lower bound comes first, as in chebyshev:0.1:8"));
}

// Returns the bounds of a plan: the sum is 2/alpha, and the difference is g times the sum, with g = 2q/(1+q^2).
static struct bounds bounds_of(const struct core_polynomial *polynomial)
{
    double half = 1.0 / polynomial->at[0].gain;
    double q = polynomial->decay;
    double gamma = 2.0 * q / (1.0 + q * q);
    return (struct bounds){half * (1.0 - gamma), half * (1.0 + gamma)};
}

// Returns the larger of the factors of the two extremes. The factor is largest at one of them.
static double factor_of(struct bounds bounds, const struct ek_spectrum *spectrum)
{
    return fmax(core_chebyshev_factor(bounds.low, bounds.high, spectrum->second),
                core_chebyshev_factor(bounds.low, bounds.high, spectrum->largest));
}

// Warns of bounds with which loads diverge.
static void warn(struct ek_plan *plan, struct bounds bounds, const struct ek_setting *setting)
{
    struct ek_spectrum spectrum;
    struct ek_error ignored;
    const double *capacity = setting->to_target ? NULL : setting->capacity;
    if (!core_facts_quick(setting->topology, capacity) ||
        !topo_spectrum_find_weighted(setting->topology, capacity, false, &spectrum, &ignored)) {
        return;
    }
    if (factor_of(bounds, &spectrum) >= 1.0) {
        snprintf(plan->warning, sizeof plan->warning,
                 "with these bounds some loads never balance: the largest eigenvalue is %.6g, and it must be below the "
                 "sum of the bounds, %.6g",
                 spectrum.largest, bounds.low + bounds.high);
    }
    ek_spectrum_destroy(&spectrum);
}

static bool prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    struct ek_error *error)
{
    struct core_scheme scheme = {.kind = CORE_CHEBYSHEV};
    struct ek_spectrum bounds;
    if ((parameter && !read_bounds(parameter, at, &bounds, error)) ||
        !method_polynomial_prepare(plan, &scheme, parameter ? &bounds : NULL, setting, error)) {
        return false;
    }
    const struct method_polynomial *data = plan->data;
    plan->parameter = data->polynomial.at[0].gain;
    if (parameter && setting->topology->links > 0) {
        warn(plan, (struct bounds){bounds.second, bounds.largest}, setting);
    }
    return true;
}

// An eigenvalue within the bounds has an error of at most 1/T_k(1/g) <= 2 q^k after k steps. One outside has at most 2
// f^k, f its factor.
static void facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    enum { HOLDS = CORE_NEEDS_PLAIN & ~CORE_NEEDS_NO_WORK };
    const struct method_polynomial *data = plan->data;
    struct ek_spectrum spectrum;
    if (!core_facts_extremes(facts, HOLDS, "gamma", outlook->topology, outlook->to_target ? NULL : outlook->capacity,
                             &spectrum)) {
        return;
    }
    struct bounds exact = {spectrum.second, spectrum.largest};
    struct bounds bounds = bounds_of(&data->polynomial);
    double gamma = factor_of(bounds, &spectrum);
    double best = factor_of(exact, &spectrum);
    ek_spectrum_destroy(&spectrum);
    core_facts_add_bound(facts, outlook, gamma, 2.0,
                         "the larger of those of the smallest nonzero and the largest eigenvalue (Golub & Varga 1961)");
    if (gamma > best * (1.0 + 1e-9)) {
        core_facts_add(facts, HOLDS, "gamma_best", best, NULL, "The same factor with exact bounds, %.6g and %.6g.",
                       exact.low, exact.high);
    }
    if (gamma >= 1.0) {
        core_facts_add(facts, HOLDS, "bounds_cost", NAN, NULL,
                       "With these bounds some loads never balance, since the largest eigenvalue is not below their "
                       "sum, %.6g.",
                       bounds.low + bounds.high);
    } else if (gamma > best * (1.0 + 1e-9)) {
        core_facts_add(facts, HOLDS, "bounds_cost", log(best) / log(gamma), NULL,
                       "What the wrong bounds cost: in the long run the method takes this many times the operations "
                       "that it takes with exact bounds.");
    }
}

static const struct ek_texts texts = {
    .title = "Chebyshev's semi-iterative scheme",
    .parameter = "A:B",
    .example = "chebyshev --topology mesh:8x8",
    .equation = "y^k = o_k*alpha*(w_i - w_j) + (o_k-1)*y^(k-1), alpha = 2/(A+B), g = (B-A)/(B+A); o_1 = 1, o_2 = "
                "1/(1-g^2/2), o_(k+1) = 1/(1-g^2*o_k/4). Tokens: y^k is rounded as --rounding says",
    .steps = "An operation is one step over all links; with one port it is one step for each colour of the links.",
    .optimum =
        "A and B are bounds of the nonzero eigenvalues of the Laplacian L, or with capacities of L*C^-1; without "
        "them they are exact. A too large or B too small makes the scheme slower than exact bounds do, and so "
        "do bounds that are too wide. If A+B is below the largest eigenvalue, loads diverge.",
    .assumes = "Bounds of the spectrum, or the spectrum, are known before the run.",
    .source =
        "Golub & Varga, Chebyshev semi-iterative methods, successive overrelaxation iterative methods, and second "
        "order Richardson iterative methods, Numer. Math. 3, 1961; " CORE_DFM_1999,
    .findings = "With exact bounds it ends where sos does: their coefficients become equal. On a mesh of 8x8 it takes "
                "29 operations with exact bounds of 0.152 and 7.70, 37 with 0.1 and 8, 50 with 0.3 and 8 and 113 with "
                "0.01 and 8, and with 0.3 and 6 loads diverge (uniform:0:1000, seed 1, until variance:1).",
};

const struct ek_method core_method_chebyshev = {
    METHOD_POLYNOMIAL_ROW(EK_REAL | EK_TOKENS),
    .name = "chebyshev",
    .texts = &texts,
    .draws = true, // with --rounding random, and its coefficients change
    .prepare = prepare,
    .facts = facts,
};
