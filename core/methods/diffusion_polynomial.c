// SPDX-License-Identifier: MIT
// The polynomial schemes of diffusion: first order, second order, optimal and orthogonal polynomials (Muthukrishnan,
// Ghosh & Schultz 1998; Diekmann, Frommer & Monien 1999; with capacities Elsässer, Monien & Preis 2002). Every
// operation is one step over all links (core/methods/polynomial.h). core/theory/schemes.c finds the coefficients.
#include <math.h>

#include "core/theory/facts.h"
#include "core/methods/methods.h"
#include "core/methods/polynomial.h"
#include "core/parameter.h"
#include "core/theory/convergence.h"
#include "base/cursor.h"
#include "topologies/spectra/spectrum.h"
#include "topologies/topology.h"

static bool prepare_fos(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    return core_parameter_none(parameter, at, error) &&
           core_alpha_best(setting->topology, setting->to_target ? NULL : setting->capacity, &plan->parameter, error);
}

static bool prepare_sos(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    struct core_scheme scheme = {.kind = CORE_SOS};
    uint64_t switch_at = 0;
    if (parameter) {
        struct base_cursor cursor = core_parameter_start(parameter, at, error);
        if (!base_cursor_whole(&cursor, "the operations of second order", 1, UINT64_MAX / 2, &switch_at) ||
            !base_cursor_end(&cursor)) {
            return false;
        }
    }
    if (!method_polynomial_prepare(plan, &scheme, NULL, setting, error)) {
        return false;
    }
    struct method_polynomial *data = (struct method_polynomial *)plan->data;
    data->switch_at = switch_at;
    plan->parameter = 1.0 + data->polynomial.at[1].memory;
    return true;
}

static bool prepare_opt(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    struct core_scheme scheme = {.kind = CORE_OPT};
    return core_order_parse(parameter, at, &scheme.order, error) &&
           method_polynomial_prepare(plan, &scheme, NULL, setting, error);
}

static bool prepare_ops(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    struct core_scheme scheme = {.kind = CORE_OPS};
    return core_parameter_none(parameter, at, error) && method_polynomial_prepare(plan, &scheme, NULL, setting, error);
}

static void facts_fos(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    struct ek_spectrum spectrum;
    (void)plan;
    if (!core_facts_extremes(facts, CORE_NEEDS_PLAIN & ~CORE_NEEDS_NO_WORK, "gamma", outlook->topology,
                             outlook->to_target ? NULL : outlook->capacity, &spectrum)) {
        return;
    }
    double r = spectrum.second / spectrum.largest;
    ek_spectrum_destroy(&spectrum);
    core_facts_add_factor(facts, outlook, (1.0 - r) / (1.0 + r), 0.0,
                          "(1-r)/(1+r), r = l2/lmax (Diekmann, Frommer & Monien 1999)");
}

// sqrt(1-g^2) = 2/beta - 1. The error of step k is that of the polynomial (1 + k*sqrt(1-g^2)) gamma^k in the slowest
// mode, and no larger in any other.
static void facts_sos(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct method_polynomial *data = plan->data;
    double root = 2.0 / plan->parameter - 1.0;
    if (outlook->topology->links > 0 && data->switch_at > 0) {
        core_facts_add(facts, CORE_NEEDS_PLAIN & ~CORE_NEEDS_NO_WORK, "gamma", sqrt(1.0 - root * root), NULL,
                       "The factor by which an operation shrinks the distance from balance in the long run: that of "
                       "first order. Before the switch it is sqrt(beta-1) = %.6g.",
                       sqrt(plan->parameter - 1.0));
    } else if (outlook->topology->links > 0) {
        core_facts_add_factor(facts, outlook, sqrt(plan->parameter - 1.0), root,
                              "sqrt(beta-1) (Muthukrishnan, Ghosh & Schultz 1998)");
    }
    if (outlook->units == EK_TOKENS) {
        core_facts_add(facts, CORE_NEEDS_PLAIN, "discrepancy_order", NAN,
                       outlook->capacity ? "discrepancy_final" : "spread_final",
                       "The spread of the second order scheme in tokens%s stays a small number of tokens, which first "
                       "order reduces: use sos:N, N the operations before the switch (Akbari, Berenbrink, Elsässer & "
                       "Kaaser 2015; the paper's bounds have no constants).",
                       outlook->capacity ? ", of loads divided by capacities," : "");
    }
}

static void facts_finite(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct method_polynomial *data = plan->data;
    if (data->polynomial.rounding > 0.0) {
        core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "error_rounding",
                       data->polynomial.rounding * sqrt(outlook->distance), "error_final",
                       "An upper bound of the distance that rounding leaves: the steps after a step amplify its "
                       "rounding errors by their polynomial.");
    }
    core_facts_add(facts, CORE_AT_END, "operations_all", (double)plan->operations, "operations",
                   "One step for each distinct nonzero eigenvalue of the Laplacian (Elsässer et al. 1999).");
    if (outlook->topology->diameter > 0) {
        core_facts_add(facts, CORE_AT_END, "operations_least", (double)outlook->topology->diameter, "operations",
                       "The diameter: no method that balances every load over the links needs fewer operations.");
    }
}

#define ONE_STEP "An operation is one step over all links; with one port it is one step for each colour of the links."

static const struct ek_texts fos_texts = {
    .title = "first order scheme",
    .example = "fos --topology \"otis(mesh:4x2)\"",
    .equation = "w_i := w_i + alpha * sum over neighbours j of (w_j - w_i); with capacities the differences are "
                "w_j/c_j - w_i/c_i",
    .optimum = "alpha = 2/(l2+lmax), where l2 is the smallest nonzero and lmax the largest eigenvalue of the Laplacian "
               "L, or with capacities of L*C^-1.",
    .assumes = "The two eigenvalues are known before the run.",
    .source = CORE_ZHAO_2009 ", section 2; " CORE_DFM_1999 "; capacities: " CORE_EMP_2002,
    .findings = "The diffusion norm of otis(G) is larger than G's, not smaller as printed, and its spectrum has a "
                "closed form. With capacities of 1 to 64 the method takes 488 to 3222 steps on OTIS networks.",
};

const struct ek_method core_method_fos = {
    .name = "fos",
    .texts = &fos_texts,
    .supports = {.units = EK_REAL | EK_TOKENS,
                 .ports = EK_ALL_PORTS | EK_ONE_PORT,
                 .capacities = true,
                 .delays = true,
                 .overdraws = true},
    .links = EK_LINKS_ALL,
    .matrix = EK_MATRIX_DIFFUSION,
    .prepare = prepare_fos,
    .facts = facts_fos,
    .rule = &method_diffusion_rule,
    .rounds = &method_diffusion_rounds,
    .free = &(const struct ek_free_part){0},
};

static const struct ek_texts sos_texts = {
    .title = "second order scheme",
    .parameter = "N",
    .example = "sos --topology \"otis(mesh:4x2)\"",
    .equation =
        "w^k = beta*M*w^(k-1) + (1-beta)*w^(k-2), M = I - alpha*L; the first step is of first order. As flows: "
        "y^k = beta*alpha*(w_i - w_j) + (beta-1)*y^(k-1). Tokens: y^k is rounded as --rounding says, and y^(k-1) "
        "is the rounded flow",
    .steps = ONE_STEP,
    .optimum = "N, if it is given, is the number of operations after which all others are of first order. beta = "
               "2/(1+sqrt(1-g^2)) with g = (1-r)/(1+r), r = l2/lmax. alpha is that of fos. The report shows "
               "beta as the parameter.",
    .assumes = "The smallest nonzero and the largest eigenvalue are known before the run.",
    .source = CORE_ZHAO_2009 ", section 2; Muthukrishnan, Ghosh & Schultz, First- and second-order diffusive methods "
                             "for rapid, coarse, distributed load balancing, Theory Comput. Syst. 31, 1998; tokens "
                             "and the switch: Akbari, Berenbrink, Elsässer & Kaaser, Discrete load balancing in "
                             "heterogeneous networks with a focus on second-order diffusion, ICDCS 2015",
    .findings = "The printed recursion must use w^(k-2). In the paper's Table 3 the columns SOS and DED-SOS of "
                "OTIS-Mesh(2,4) are interchanged.",
};

const struct ek_method core_method_sos = {METHOD_POLYNOMIAL_ROW(EK_REAL | EK_TOKENS),
                                          .name = "sos",
                                          .texts = &sos_texts,
                                          .draws = true, // with --rounding random, and its coefficients change
                                          .prepare = prepare_sos,
                                          .facts = facts_sos};

static const struct ek_texts opt_texts = {
    .title = "optimal scheme",
    .parameter = "ORDER",
    .example = "opt",
    .equation = "step k: y = (w_i - w_j)/l_k, one step for each distinct nonzero eigenvalue l_k of the Laplacian",
    .steps = ONE_STEP,
    .optimum = "ORDER is the order of the eigenvalues, which decides how much rounding costs: weighted-leja (the "
               "default), leja, young, ascending or descending.",
    .assumes = "All distinct eigenvalues are known before the run.",
    .source = CORE_EFMP_1999 "; " CORE_ZHAO_2009 ", section 2; orders: " CORE_ARNDT_2003,
    .findings = "Its flow is l2-minimal. In ascending order loads of 1e14 arise during the run, and the paper's flows "
                "on OTIS-Mesh(2,4) are rounding noise. With many eigenvalues even the default order suffers from "
                "rounding: with loads of uniform:0:1000 (seed 1), chain:300 and torus:64x64 balance, but mesh:20x20 "
                "ends with an error of about 1, and mesh:30x30 with an error above 1e4. With capacities on OTIS "
                "networks (63 eigenvalues) no order works. ops stays exact; with "
                "such capacities most of its errors are below 0.02.",
};

const struct ek_method core_method_opt = {
    METHOD_POLYNOMIAL_ROW(EK_REAL), .name = "opt",        .texts = &opt_texts, .direct = true,
    .prepare = prepare_opt,         .facts = facts_finite};

static const struct ek_texts ops_texts = {
    .title = "orthogonal polynomial scheme",
    .example = "ops",
    .equation = "w^k = (a_k*w^(k-1) - M*w^(k-1) - b_k*w^(k-2))/g_k, M = I - alpha*L. As flows: y^k = (b_k*y^(k-1) - "
                "alpha*(w_i - w_j))/g_k",
    .steps = ONE_STEP,
    .optimum = "a_k, b_k and g_k come from the polynomials that are orthogonal for <p,q> = sum of (1-m) p(m) q(m) over "
               "the eigenvalues m of M. There is a step for each distinct nonzero eigenvalue.",
    .assumes = "All distinct eigenvalues are known before the run.",
    .source = CORE_DFM_1999 "; formulas: " CORE_ARNDT_2003,
    .findings = "It is as exact as opt in its best order (errors up to 4.5e-12 on OTIS networks), and the only exact "
                "scheme that still works with capacities there. With capacities of 1 to 64 most errors are below 0.02, "
                "but on otis(chain:8) some are above 1.",
};

const struct ek_method core_method_ops = {
    METHOD_POLYNOMIAL_ROW(EK_REAL), .name = "ops",        .texts = &ops_texts, .direct = true,
    .prepare = prepare_ops,         .facts = facts_finite};
