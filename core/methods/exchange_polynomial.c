// SPDX-License-Identifier: MIT
// Polynomial schemes on dimension exchange (Arndt 2004): M = M_c ... M_1, M_j = I - a*L_j over the links of colour j
// with a = 1/2, replaces diffusion's matrix. An operation applies M to a *virtual load*, colour by colour. The load
// that M shifts, times the scheme's coefficients, moves in the same steps. So an operation takes the steps of one
// dimension exchange.
#include <math.h>
#include <stdlib.h>

#include "core/methods/kernels/block.h"
#include "core/theory/facts.h"
#include "core/methods/methods.h"
#include "core/theory/schemes.h"
#include "base/cursor.h"
#include "topologies/spectra/spectrum.h"

struct sweeps {
    struct core_polynomial polynomial;
    uint32_t colours;
};

// Returns the virtual load: at the beginning of an operation the load, later the result of the exchanges so far.
static double virtual_load(const struct ek_turn *turn)
{
    return turn->view.step->index == 0 ? turn->view.load : turn->state[0];
}

static inline void sweep_announce(const struct ek_turn *turn, double *values)
{
    for (unsigned port = 0; port < turn->view.degree; port++) {
        values[port] = virtual_load(turn);
    }
}

// Computes the flow y := gain * difference + memory * (y of the operation before), and averages the two virtual loads.
static inline void sweep_act(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    double load = virtual_load(turn);
    turn->state[0] = load;
    for (unsigned port = 0; port < view->degree; port++) {
        double difference = load - view->announced[port];
        if (!isnan(difference)) { // true for at most one link: the link of the step's colour
            view->memory[port] = view->step->gain * difference + view->step->memory * view->memory[port];
            amounts[port] = view->memory[port];
            turn->state[0] = load - 0.5 * difference;
        }
    }
}

static void sweep_block(struct ek_block *block)
{
    ek_block_program(block, sweep_announce, sweep_act);
}

// A topology without links still has operations.
static enum ek_next next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct sweeps *sweeps = plan->data;
    if (moment->index >= (sweeps->colours > 0 ? sweeps->colours : 1)) {
        return EK_NEXT_OPERATION_ENDS;
    }
    struct core_coefficients at = core_polynomial_step(&sweeps->polynomial, moment->operation);
    step->gain = at.gain;
    step->memory = at.memory;
    step->colour_from = (uint32_t)moment->index;
    step->colour_end = sweeps->colours > 0 ? step->colour_from + 1 : 0;
    return EK_NEXT_STEP;
}

// de(fos) is w^k = M w^(k-1): first order with gain a, for every spectrum.
static bool find_polynomial(const struct core_scheme *scheme, const struct ek_topology *topology,
                            struct core_polynomial *polynomial, struct ek_error *error)
{
    struct ek_spectrum spectrum = {.second = 2.0, .largest = 2.0};
    bool done = (!core_scheme_finite(scheme) || topo_exchange_spectrum(topology, &spectrum, error)) &&
                core_polynomial_create(polynomial, scheme, &spectrum, error);
    ek_spectrum_destroy(&spectrum);
    return done;
}

static bool prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    struct ek_error *error)
{
    struct core_scheme scheme;
    if (!core_scheme_parse("de", 1U << CORE_FOS | 1U << CORE_OPT | 1U << CORE_OPS, parameter, at, &scheme, error)) {
        return false;
    }
    struct sweeps *sweeps = malloc(sizeof *sweeps);
    if (!sweeps) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a method's coefficients");
    }
    if (!find_polynomial(&scheme, setting->topology, &sweeps->polynomial, error)) {
        free(sweeps);
        return false;
    }
    sweeps->colours = setting->topology->colours;
    plan->data = sweeps;
    plan->port_doubles = 1;
    plan->state_doubles = 1;
    if (sweeps->polynomial.finite) {
        plan->operations = sweeps->polynomial.count > 0 ? sweeps->polynomial.count : 1;
        plan->inexact = core_scheme_inexact(&scheme);
    }
    return true;
}

static void release(struct ek_plan *plan)
{
    struct sweeps *sweeps = (struct sweeps *)plan->data;
    if (sweeps) {
        core_polynomial_destroy(&sweeps->polynomial);
        free(sweeps);
    }
}

static void facts_de(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    if (plan->operations > 0) {
        core_facts_add(facts, CORE_AT_END, "operations_all", (double)plan->operations, "operations",
                       "One operation for each distinct nonzero eigenvalue of (I-M)/a (Arndt 2004).");
        uint32_t colours = outlook->topology->colours;
        double steps = (double)plan->operations * (colours > 0 ? colours : 1); // an operation without links is one step
        core_facts_add(facts, CORE_AT_END, "steps_all", steps, "steps",
                       "The same in steps: an operation has one step for each colour.");
    }
}

static const struct ek_texts de_texts = {
    .title = "polynomial schemes on dimension exchange",
    .parameter = "(fos|opt|ops)",
    .example = "\"de(opt)\" --topology mesh:8x8",
    .equation = "M = M_c ... M_1 averages the pairs of one colour after the other. de(fos): w^k = M w^(k-1). de(opt): "
                "w^k = w^(k-1) - (I-M) w^(k-1)/(a*l_k). de(ops): the recurrence of ops with this M",
    .steps = "An operation is a step for each colour of the links, with one port or all.",
    .optimum = "a = 1/2. de(opt) and de(ops) take one operation for each distinct nonzero eigenvalue l_k of (I-M)/a. "
               "opt takes an order, as in de(opt:leja).",
    .assumes = "Known before the run: the colours, and for de(opt) and de(ops) the eigenvalues of (I-M)/a. The "
               "eigenvalues must be real; those of odd rings of more than 3 are complex.",
    .source = CORE_ARNDT_2004 "; formulas: " CORE_ARNDT_2003,
    .findings = "One operation balances a hypercube. de(opt) takes 4 operations on chain:8 (opt: 7), 2 on ring:8 (opt: "
                "4), 2 on mesh:4x2 (opt: 6) and 3 on mesh:4x4 (opt: 8). The flow is minimal on chains. It is up to "
                "sqrt(d) times the minimal flow on a hypercube of d dimensions, and 1.414 times on ring:8.",
};

static const struct ek_rounds_part de_rounds = {
    .next = next,
    .announce = sweep_announce,
    .act = sweep_act,
    .block = sweep_block,
};

const struct ek_method core_method_de = {
    .name = "de",
    .texts = &de_texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS | EK_ONE_PORT, .overdraws = true},
    .links = EK_LINKS_SCHEDULED,
    .order = EK_ORDER_COLOURS,
    .prepare = prepare,
    .destroy = release,
    .facts = facts_de,
    .rounds = &de_rounds,
};
