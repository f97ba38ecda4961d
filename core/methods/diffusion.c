// SPDX-License-Identifier: MIT
// Diffusion: Cybenko 1989; Xu, Monien, Lüling & Lau 1995, Eq. (4). Every processor gives each neighbour the fraction
// alpha of the difference of their loads. All processors act at once and use the loads at the operation's start.
#include <string.h>

#include "core/methods/methods.h"
#include "core/parameter.h"
#include "core/theory/convergence.h"
#include "core/methods/kernels/bundled.h"

// w_i := w_i + alpha * sum over j of (w_j - w_i)
static inline double diffusion_flow(const struct ek_view *view, unsigned port)
{
    return view->plan->parameter * (view->load - view->announced[port]);
}

// Whole tokens: each amount is rounded down.
static inline double diffusion_flow_tokens(const struct ek_view *view, unsigned port)
{
    return ek_whole(diffusion_flow(view, port));
}

static void diffusion_block(struct ek_block *block)
{
    ek_block_flows(block, diffusion_flow);
}

static EK_WIDE void diffusion_block_wide(struct ek_block *block)
{
    ek_block_wide(block, diffusion_flow);
}

static EK_WIDE void diffusion_block_bundled(struct ek_block *block)
{
    core_block_bundled(block, diffusion_flow);
}

static void diffusion_block_tokens(struct ek_block *block)
{
    ek_block_flows(block, diffusion_flow_tokens);
}

static bool prepare_average(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                            struct ek_error *error)
{
    plan->parameter = core_alpha_average(setting->topology);
    return core_parameter_none(parameter, at, error);
}

static bool prepare_optimal(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                            struct ek_error *error)
{
    return core_parameter_none(parameter, at, error) && core_alpha_optimal(setting->topology, &plan->parameter, error);
}

static bool prepare_given(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                          struct ek_error *error)
{
    if (parameter && strcmp(parameter, "best") == 0) {
        return core_alpha_best(setting->topology, setting->to_target ? NULL : setting->capacity, &plan->parameter,
                               error);
    }
    return core_parameter_read(parameter, at, "its alpha", 0.0, 1.0, "diffusion:0.2", &plan->parameter, error);
}

static const struct ek_method diffusion_best;

static const struct ek_method *variant_diffusion(const char *parameter)
{
    bool file = strncmp(parameter, ":file:", strlen(":file:")) == 0;
    bool best = *parameter && strncmp(parameter + 1, "best", strlen("best")) == 0;
    return file ? &core_method_diffusion_file : best ? &diffusion_best : &core_method_diffusion;
}

static const struct ek_texts adf_texts = {
    .title = "average diffusion",
    .example = "adf",
    .equation = "w_i := w_i + alpha * sum over neighbours j of (w_j - w_i)",
    .optimum = "alpha = 1/(1+D) with D the largest degree. With equal capacities no processor gives more than it "
               "holds. With weighting target a processor can give more.",
    .assumes = "The largest degree is known before the run.",
    .source = METHOD_XU_1995 ", Eq. (4); Boillat 1990",
    .findings =
        "The factor in Table 1 of the paper is exact if all sides of a torus are at least 3, but not if a side is 2.",
};

const struct ek_rule method_diffusion_rule = {
    .flow = diffusion_flow,
    .flow_tokens = diffusion_flow_tokens,
    .mutual = true,
};

const struct ek_rounds_part method_diffusion_rounds = {
    .block = diffusion_block,
    .block_tokens = diffusion_block_tokens,
    .block_wide = diffusion_block_wide,
    .block_bundled = diffusion_block_bundled,
};

static const struct ek_free_part free_by_rule = {0};

// The part that the rows of adf, odf and diffusion share.
#define DIFFUSION_ROW                                                                                                  \
    .supports.units = EK_REAL | EK_TOKENS, .supports.ports = EK_ALL_PORTS | EK_ONE_PORT, .supports.delays = true,      \
    .supports.turns = true, .links = EK_LINKS_ALL, .matrix = EK_MATRIX_DIFFUSION, .in_table_1 = true,                  \
    .rule = &method_diffusion_rule, .rounds = &method_diffusion_rounds, .free = &free_by_rule

const struct ek_method core_method_adf = {DIFFUSION_ROW,
                                          .name = "adf",
                                          .texts = &adf_texts,
                                          .supports.capacities = true,
                                          .supports.own_rows = true,
                                          .prepare = prepare_average};

static const struct ek_texts odf_texts = {
    .title = "optimal diffusion",
    .example = "odf",
    .equation = "w_i := w_i + alpha * sum over neighbours j of (w_j - w_i)",
    .optimum = "With n dimensions and k the largest side, alpha = 1/(2n) on chains and meshes and 1/(2n+1-cos(2 pi/k)) "
               "on rings and tori. If no side is above 2, alpha = 1/(n+1). On other graphs alpha = 2/(l2+lmax), from "
               "the eigenvalues of the Laplacian.",
    .assumes = "The topology's spectrum is known before the run.",
    .source = METHOD_XU_1995 ", Eq. (4) and section 3; Xu & Lau 1994",
    .findings = "alpha is optimal on chains and even tori. On meshes of two and more dimensions 1/(n+1+(n-1)cos(pi/k)) "
                "is slightly better.",
};

const struct ek_method core_method_odf = {DIFFUSION_ROW, .name = "odf", .texts = &odf_texts, .supports.overdraws = true,
                                          .prepare = prepare_optimal};

static const struct ek_texts diffusion_texts = {
    .title = "diffusion with a given parameter",
    .parameter = "A",
    .example = "diffusion:0.2",
    .other = "diffusion:best",
    .equation = "w_i := w_i + A * sum over neighbours j of (w_j - w_i); tokens: each amount rounded down",
    .optimum =
        "A is from 0 to 1, or best: 2/(l2+lmax), the best of all numbers, from the smallest nonzero and the largest "
        "eigenvalue of the Laplacian, or with capacities of L*C^-1. With file:PATH each link has an A of "
        "its own, from 0 to 1, in a line `i j a` for each link. The method converges if A is below 2/lmax, with lmax "
        "the largest eigenvalue of the "
        "Laplacian. With equal capacities and A at most 1/D, D the largest degree, no load goes below zero.",
    .assumes = "Nothing beyond the neighbours' loads; for best, the two eigenvalues.",
    .source =
        "Cybenko, Dynamic load balancing for distributed memory multiprocessors, J. Parallel Distrib. Comput. 7, 1989",
    .findings = "With A = 1/(2n) on an even torus of n dimensions the method's matrix has the eigenvalue -1, so the "
                "run never converges.",
};

#define GIVEN_ROW                                                                                                      \
    DIFFUSION_ROW, .name = "diffusion", .texts = &diffusion_texts, .supports.capacities = true,                        \
                   .supports.overdraws = true, .variant = variant_diffusion, .prepare = prepare_given

const struct ek_method core_method_diffusion = {GIVEN_ROW, .supports.own_rows = true};

static const struct ek_method diffusion_best = {GIVEN_ROW}; // the spectrum needs all links
