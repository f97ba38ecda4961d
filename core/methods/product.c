// SPDX-License-Identifier: MIT
// Diffusion on products, one direction after the other with each direction's own spectrum (Elsässer, Frommer, Monien &
// Preis 1999; Arndt 2003). An operation is one iteration: a step for each direction, the last dimension first (ADI), or
// in turns the last and the first dimension first (MDI).
#include <math.h>
#include <stdlib.h>

#include "core/block.h"
#include "core/facts.h"
#include "core/methods/methods.h"
#include "core/polynomials.h"
#include "topologies/scan.h"
#include "topologies/spectrum.h"

struct direction {
    struct core_polynomial polynomial;
    uint32_t colour_from, colour_end; // its links
};

// Directions without links are left out.
struct directions {
    bool turning;
    size_t count;
    struct direction *at; // [count] in the order of the first iteration
};

static inline double direction_flow(const struct ek_view *view, unsigned port)
{
    return view->at->gain * (view->load - view->announced[port]);
}

static void direction_block(struct ek_block *block)
{
    ek_block_flows(block, direction_flow);
}

// Skips the directions whose eigenvalues are used up. A machine without links still has operations, of one idle step.
static enum ek_next next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct directions *all = plan->data;
    uint64_t skip = moment->index;
    for (size_t i = 0; i < all->count; i++) {
        bool backwards = all->turning && moment->operation % 2 == 1;
        const struct direction *direction = &all->at[backwards ? all->count - 1 - i : i];
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
    struct directions *all = (struct directions *)plan->data;
    for (size_t i = 0; all && i < all->count; i++) {
        core_polynomial_destroy(&all->at[i].polynomial);
    }
    free(all ? all->at : NULL);
    free(all);
}

static uint32_t dimension_of(const struct ek_topology *topology, uint32_t colour)
{
    return topology->dimension[topology->ends[topology->colour_first[colour]].port];
}

// Adds a direction, whose colours end at `colour_end`.
static bool add_direction(struct directions *all, const struct ek_topology *topology, uint32_t dimension,
                          uint32_t colour_end, const struct core_scheme *scheme, struct ek_error *error)
{
    struct ek_spectrum spectrum;
    struct direction *direction = &all->at[all->count];
    bool done = topo_spectrum_side(topology, dimension, &spectrum, error) &&
                core_polynomial_create(&direction->polynomial, scheme, &spectrum, error);
    ek_spectrum_destroy(&spectrum);
    if (!done) {
        return false;
    }
    direction->colour_end = direction->colour_from = colour_end;
    while (direction->colour_from > 0 && dimension_of(topology, direction->colour_from - 1) == dimension) {
        direction->colour_from--;
    }
    all->count++;
    return true;
}

static struct directions *directions_create(const struct ek_topology *topology, const struct core_scheme *scheme,
                                            bool turning, struct ek_error *error)
{
    struct ek_plan plan = {0};
    struct directions *all = calloc(1, sizeof *all);
    plan.data = all;
    if (!all || !(all->at = calloc(topology->dimensions, sizeof *all->at))) {
        release(&plan);
        topo_fail(error, EK_BAD_INPUT, "", -1, "no memory for a method's coefficients");
        return NULL;
    }
    all->turning = turning;
    uint32_t colour_end = topology->colours;
    for (uint32_t d = topology->dimensions; d-- > 0;) {
        if (topology->side[d] == 1) {
            continue;
        }
        if (!add_direction(all, topology, d, colour_end, scheme, error)) {
            release(&plan);
            return NULL;
        }
        colour_end = all->at[all->count - 1].colour_from;
    }
    return all;
}

static bool prepare(const char *method, bool turning, struct ek_plan *plan, const char *parameter, int at,
                    const struct ek_setting *setting, struct ek_error *error)
{
    struct core_scheme scheme;
    if (!core_scheme_parse(method, 1U << CORE_FOS | 1U << CORE_OPT, parameter, at, &scheme, error)) {
        return false;
    }
    if (setting->topology->dimensions == 0) {
        return topo_fail(
            error, EK_BAD_INPUT, "method", 0,
            "%s goes through the directions of a product, as torus:8x8, and this topology has none: use fos or opt",
            method);
    }
    struct directions *all = directions_create(setting->topology, &scheme, turning, error);
    if (!all) {
        return false;
    }
    plan->data = all;
    for (size_t i = 0; i < all->count && core_scheme_finite(&scheme); i++) {
        uint64_t count = all->at[i].polynomial.count;
        plan->operations = count > plan->operations ? count : plan->operations;
    }
    if (core_scheme_finite(&scheme) && all->count == 0) {
        plan->operations = 1;
    }
    return true;
}

static bool prepare_adi(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    return prepare("adi", false, plan, parameter, at, setting, error);
}

static bool prepare_mdi(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    return prepare("mdi", true, plan, parameter, at, setting, error);
}

static void add_finite_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct directions *all = plan->data;
    uint64_t steps = 0;
    for (size_t i = 0; i < all->count; i++) {
        uint32_t colours = all->at[i].colour_end - all->at[i].colour_from;
        steps += all->at[i].polynomial.count * (outlook->ports == EK_ONE_PORT ? colours : 1);
    }
    core_facts_add(
        facts, "operations_all", (double)plan->operations, "operations",
        "The most distinct nonzero eigenvalues that a direction has: k-1 on a path of k, floor(k/2) on a ring "
        "(Elsässer et al. 1999).");
    core_facts_add(facts, "steps_all", (double)(steps > 0 ? steps : 1), "steps", // one where there are no links
                   "The same in steps, summed over the directions; one that has used up its eigenvalues idles.");
}

// The directions' matrices commute, and a wave along one direction alone is only shrunk by that one.
static void facts_directions(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    if (plan->operations > 0) {
        add_finite_facts(plan, outlook, facts);
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

const struct ek_method core_method_adi = {
    .name = "adi",
    .example = "\"adi(fos)\"",
    .parameter = "(fos|opt)",
    .title = "alternating directions",
    .equation = "one direction after the other, the last dimension first: fos: w_i := w_i + alpha_d * sum over the "
                "neighbours j in it of (w_j - w_i); opt: 1/l_(d,k) for alpha_d in iteration k",
    .steps = "An operation is a step for each direction, over its links: 2 on a mesh of two dimensions. With one port "
             "a step for each colour of these links. adi(opt): a direction that has used up its eigenvalues has none.",
    .optimum = "adi(fos): alpha_d = 2/(l2+lmax) of each direction's own path or ring. adi(opt): each direction's own "
               "eigenvalues; a direction that has used up its own idles. opt takes an order, as in adi(opt:leja).",
    .assumes = "The spectra of the directions' paths or rings are known beforehand.",
    .source = CORE_EFMP_1999 "; " CORE_ARNDT_2003,
    .findings = "About half the iterations of fos (mesh:8x8: 241 and 124, torus:8x8: 70 and 36), and 7 for opt's 32 "
                "on mesh:8x8. The flow is not minimal.",
    .units = EK_REAL,
    .ports = EK_ALL_PORTS | EK_ONE_PORT,
    .links = EK_LINKS_SCHEDULED,
    .delays = true,
    .prepare = prepare_adi,
    .facts = facts_directions,
    .destroy = release,
    .next = next,
    .flow = direction_flow,
    .block = direction_block,
};

const struct ek_method core_method_mdi = {
    .name = "mdi",
    .example = "\"mdi(fos)\"",
    .parameter = "(fos|opt)",
    .title = "mixed directions",
    .equation = "as adi, with the order of the directions reversed every second iteration",
    .steps = "A step for each direction, as in adi.",
    .optimum = "As adi. The reversal keeps the flow closer to the minimal one.",
    .assumes = "The spectra of the directions' paths or rings are known beforehand.",
    .source = CORE_ARNDT_2003 "; " CORE_EFMP_1999,
    .findings = "As many iterations as adi. Arndt's bounds on the flow for a 20x20 mesh are reproduced: 161 times "
                "the minimal one for adi, 6.5 times for mdi.",
    .units = EK_REAL,
    .ports = EK_ALL_PORTS | EK_ONE_PORT,
    .links = EK_LINKS_SCHEDULED,
    .delays = true,
    .prepare = prepare_mdi,
    .facts = facts_directions,
    .destroy = release,
    .next = next,
    .flow = direction_flow,
    .block = direction_block,
};
