// SPDX-License-Identifier: MIT
// Diffusion on products, one direction after the other with the spectrum of each direction (Elsässer, Frommer, Monien &
// Preis 1999; Arndt 2003). An operation is one iteration: a step for each direction. ADI takes the last dimension
// first; MDI alternates between the last and the first dimension first.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/methods/kernels/block.h"
#include "core/theory/facts.h"
#include "core/methods/methods.h"
#include "core/methods/directions.h"
#include "core/theory/schemes.h"
#include "base/cursor.h"
#include "topologies/spectra/spectrum.h"

struct iteration {
    struct method_directions directions;
    bool turning;
};

static inline double direction_flow(const struct ek_view *view, unsigned port)
{
    return view->step->gain * (view->load - view->announced[port]);
}

static void direction_block(struct ek_block *block)
{
    ek_block_flows(block, direction_flow);
}

// Skips the directions whose eigenvalues are used up. A topology without links still has operations, of one idle step.
static enum ek_next next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct iteration *iteration = plan->data;
    const struct method_directions *all = &iteration->directions;
    uint64_t skip = moment->index;
    for (size_t i = 0; i < all->count; i++) {
        bool backwards = iteration->turning && moment->operation % 2 == 1;
        const struct method_direction *direction = &all->at[backwards ? all->count - 1 - i : i];
        step->gain = core_polynomial_step(&direction->polynomial, moment->operation).gain;
        if (step->gain > 0.0 && skip-- == 0) {
            step->colour_from = direction->colour_from;
            step->colour_end = direction->colour_end;
            return EK_NEXT_STEP;
        }
    }
    return all->count == 0 && moment->index == 0 ? EK_NEXT_STEP : EK_NEXT_OPERATION_ENDS;
}

static void release(struct ek_plan *plan)
{
    struct iteration *iteration = (struct iteration *)plan->data;
    if (iteration) {
        method_directions_destroy(&iteration->directions);
        free(iteration);
    }
}

static bool prepare(const char *method, bool turning, struct ek_plan *plan, const char *parameter, int at,
                    const struct ek_setting *setting, struct ek_error *error)
{
    struct core_scheme scheme;
    if (!core_scheme_parse(method, 1U << CORE_FOS | 1U << CORE_OPT, parameter, at, &scheme, error)) {
        return false;
    }
    struct iteration *iteration = calloc(1, sizeof *iteration);
    plan->data = iteration;
    if (!iteration) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a method's coefficients");
    }
    iteration->turning = turning;
    if (!method_directions_create(&iteration->directions, method, setting, &scheme, topo_spectrum_side, error)) {
        release(plan);
        plan->data = NULL;
        return false;
    }
    plan->operations = method_directions_operations(&iteration->directions, &scheme);
    plan->inexact = core_scheme_inexact(&scheme);
    return true;
}

static bool prepare_adi(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    return prepare("adi", false, plan, parameter, at, setting, error);
}

// With the orthogonal polynomials a processor announces more than its load, so adi(ops) is a program.
static const struct ek_method *variant_adi(const char *parameter)
{
    return strcmp(parameter, "(ops)") == 0 ? &core_method_adi_ops : &core_method_adi;
}

static bool prepare_mdi(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    return prepare("mdi", true, plan, parameter, at, setting, error);
}

// The directions' matrices commute, and a wave along one direction is damped by that direction only.
static void facts_directions(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    if (plan->operations > 0) {
        const struct iteration *iteration = plan->data;
        method_directions_facts(&iteration->directions, outlook->ports == EK_ONE_PORT, facts);
        return;
    }
    double gamma = 0.0;
    for (uint32_t d = 0; d < outlook->topology->dimensions; d++) {
        struct ek_spectrum spectrum;
        struct ek_error error;
        if (outlook->topology->side[d] > 1 && topo_spectrum_side(outlook->topology, d, &spectrum, &error)) {
            gamma = fmax(gamma, (spectrum.largest - spectrum.second) / (spectrum.largest + spectrum.second));
            ek_spectrum_destroy(&spectrum);
        }
    }
    core_facts_add_factor(facts, outlook, gamma, 0.0,
                          "the largest (1-r)/(1+r) of a direction, r = l2/lmax of its path or ring");
}

static const struct ek_texts adi_texts = {
    .title = "alternating directions",
    .parameter = "(fos|opt|ops)",
    .example = "\"adi(fos)\"",
    .equation = "for one direction d after the other, the last dimension first. adi(fos): w_i := w_i + alpha_d * sum "
                "over the neighbours j in direction d of (w_j - w_i). adi(opt): the same with 1/l_(d,k) instead of "
                "alpha_d in iteration k. adi(ops): iteration k is step k of the orthogonal polynomials of direction d",
    .steps =
        "An operation, one iteration, is a step for each direction over the links of this direction: 2 steps on a mesh "
        "of two dimensions. With one port it is a step for each colour of these links. With adi(opt) and adi(ops) a "
        "direction whose eigenvalues are used up has no step. With adi(ops) a processor announces 2^(n-1) numbers if n "
        "directions have more than one eigenvalue. All but the first are counted as reduction_steps.",
    .optimum = "adi(fos): alpha_d = 2/(l2+lmax), from the eigenvalues of the path or ring in direction d. adi(opt): "
               "l_(d,k) are these eigenvalues; opt takes an order, as in adi(opt:leja). adi(ops) takes as many "
               "iterations as adi(opt), but does not support delays.",
    .assumes = "The spectra of the directions' paths or rings are known before the run.",
    .source = CORE_EFMP_1999 "; " CORE_ARNDT_2003,
    .findings = "adi(fos) takes about half the iterations of fos. From loads of uniform:0:1000 (seed 1) to a variance "
                "of 1, it takes 78 instead of 147 on mesh:8x8, and 23 instead of 44 on torus:8x8. adi(opt) takes 7 "
                "iterations on mesh:8x8, opt 32. The flow is not minimal.",
};

static const struct ek_rule direction_rule = {.flow = direction_flow};

static const struct ek_rounds_part direction_rounds = {.next = next, .block = direction_block};

// The part that the rows of adi and mdi share.
#define DIRECTIONS_ROW                                                                                                 \
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS | EK_ONE_PORT, .delays = true, .overdraws = true},            \
    .links = EK_LINKS_SCHEDULED, .order = EK_ORDER_DESCENDING, .destroy = release, .facts = facts_directions,          \
    .rule = &direction_rule, .rounds = &direction_rounds

const struct ek_method core_method_adi = {DIRECTIONS_ROW, .name = "adi", .texts = &adi_texts, .variant = variant_adi,
                                          .prepare = prepare_adi};

static const struct ek_texts mdi_texts = {
    .title = "mixed directions",
    .parameter = "(fos|opt)",
    .example = "\"mdi(fos)\"",
    .equation = "as adi, with the order of the directions reversed every second iteration",
    .steps = "An operation is a step for each direction, as in adi.",
    .optimum = "The parameters are those of adi. The reversal keeps the flow closer to the minimal one.",
    .assumes = "The spectra of the directions' paths or rings are known before the run.",
    .source = CORE_ARNDT_2003 "; " CORE_EFMP_1999,
    .findings = "It takes as many iterations as adi. Arndt's bounds on the flow for a 20x20 mesh are reproduced: 161 "
                "times the minimal flow for adi, 6.5 times for mdi.",
};

const struct ek_method core_method_mdi = {DIRECTIONS_ROW, .name = "mdi", .texts = &mdi_texts, .prepare = prepare_mdi};
