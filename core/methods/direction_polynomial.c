// SPDX-License-Identifier: MIT
// Polynomials on products, direction by direction (Arndt 2003; the names are those of Zhao, Xiao & Parhami 2009):
// ADI-OPS, DE-ADI-OPT, DE-ADI-OPS. An iteration applies step k of each direction's own polynomials of M_d; M_d is the
// direction's diffusion matrix or its operation of dimension exchange.
// Step k of a three-term recurrence needs y, the flow of step k-1. Between these two steps the other directions had a
// step, which must be applied to y too. A direction *remembers* if its recurrence needs y. In addition to its load X_0
// a processor keeps a value X_S for each set S of directions that remember. X_S is a potential: its differences are the
// flows of X_(S without d) along d. For direction d and every S without d:
//
//     X_(S+d) := gain * X_S + memory * X_(S+d)      X_S := X_S - L_d X_(S+d)
// L_d X is the sum of the differences over the links of d. In dimension exchange each difference is taken at the time
// of its exchange. A message of the paper has several numbers. Here each X_(S+d) is announced in a step of its own. The
// first of these steps moves load. The others are counted as reduction steps.
#include <math.h>
#include <stdlib.h>

#include "core/methods/kernels/block.h"
#include "core/methods/methods.h"
#include "core/methods/directions.h"
#include "topologies/family.h"
#include "base/cursor.h"
#include "topologies/spectra/spectrum.h"

static const uint64_t BYTES_MAX = 1u << 31; // the most that the state of all processors may take

struct product {
    struct method_directions directions;
    bool sweeps;                       // dimension exchange; else diffusion
    bool by_colour;                    // a step uses the links of one colour
    uint32_t bits;                     // the bits of all directions that remember
    uint32_t bit[TOPO_DIMENSIONS_MAX]; // by direction: its bit, or 0 if it does not remember
};

static const struct method_direction *direction_of(const struct ek_view *view)
{
    const struct product *product = view->plan->data;
    return &product->directions.at[view->step->stage];
}

static bool begins(const struct ek_view *view)
{
    return view->step->colour_from == direction_of(view)->colour_from;
}

// Returns X_(S+d). In dimension exchange the exchanges of this operation have changed it, and state[0] holds it. X_0 is
// the load.
static double announced_value(const struct ek_turn *turn)
{
    const struct ek_view *view = &turn->view;
    if (!begins(view)) {
        return turn->state[0];
    }
    const struct product *product = view->plan->data;
    uint32_t bit = product->bit[view->step->stage];
    uint64_t set = view->step->number;
    double remembered = bit ? view->step->memory * turn->state[set | bit] : 0.0;
    return view->step->gain * (set == 0 ? view->load : turn->state[set]) + remembered;
}

static inline void product_announce(const struct ek_turn *turn, double *values)
{
    for (unsigned port = 0; port < turn->view.degree; port++) {
        values[port] = announced_value(turn);
    }
}

static inline void product_act(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    const struct product *product = view->plan->data;
    if (product->directions.count == 0) {
        return;
    }
    uint32_t bit = product->bit[view->step->stage];
    uint64_t set = view->step->number;
    double own = announced_value(turn);
    if (bit && begins(view)) {
        turn->state[set | bit] = own;
    }
    turn->state[0] = own;
    for (unsigned port = 0; port < view->degree; port++) {
        double difference = own - view->announced[port];
        if (isnan(difference)) { // the port takes no part
            continue;
        }
        if (set == 0) {
            amounts[port] = difference;
        } else {
            turn->state[set] -= difference;
        }
        if (product->sweeps) { // a colour has at most one link
            turn->state[0] = own - 0.5 * difference;
        }
    }
}

static void product_block(struct ek_block *block)
{
    ek_block_program(block, product_announce, product_act);
}

// Advances to the next colour of the same vector, or the next vector of the same direction. Returns false if there is
// none.
static bool go_on(const struct product *product, struct ek_step *step)
{
    const struct method_direction *direction = &product->directions.at[step->stage];
    if (step->colour_end < direction->colour_end) {
        step->colour_from = step->colour_end++;
        return true;
    }
    uint32_t others = product->bits & ~product->bit[step->stage];
    step->number = (step->number - others) & others; // the next subset; 0 after the last
    return step->number > 0;
}

static void begin_vector(const struct product *product, const struct ek_moment *moment, struct ek_step *step)
{
    const struct method_direction *direction = &product->directions.at[step->stage];
    struct core_coefficients at = core_polynomial_step(&direction->polynomial, moment->operation);
    step->gain = at.gain;
    step->memory = at.memory;
    step->count = step->number == 0 ? EK_COUNT_STEP : EK_COUNT_REDUCTION;
    step->colour_from = direction->colour_from;
    step->colour_end = product->by_colour ? step->colour_from + 1 : direction->colour_end;
}

// Skips the directions whose eigenvalues are used up. If none is left, the operation is one idle step.
static enum ek_next next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct product *product = plan->data;
    if (moment->index > 0 && product->directions.count > 0) {
        *step = moment->last;
        uint64_t number = step->number;
        if (go_on(product, step)) {
            if (step->number != number) {
                begin_vector(product, moment, step);
            }
            return EK_NEXT_STEP;
        }
        step->stage++;
    }
    for (; step->stage < product->directions.count; step->stage++) {
        const struct core_polynomial *polynomial = &product->directions.at[step->stage].polynomial;
        if (core_polynomial_step(polynomial, moment->operation).gain != 0.0) {
            begin_vector(product, moment, step);
            return EK_NEXT_STEP;
        }
    }
    *step = (struct ek_step){0};
    return moment->index == 0 ? EK_NEXT_STEP : EK_NEXT_OPERATION_ENDS;
}

static void release(struct ek_plan *plan)
{
    struct product *product = (struct product *)plan->data;
    if (product) {
        method_directions_destroy(&product->directions);
        free(product);
        plan->data = NULL;
    }
}

static bool set_memory(struct product *product, const struct core_scheme *scheme, struct ek_plan *plan,
                       const struct ek_topology *topology, struct ek_error *error)
{
    unsigned count = 0;
    for (size_t i = 0; i < product->directions.count; i++) {
        bool remembers = scheme->kind == CORE_OPS && product->directions.at[i].polynomial.count > 1;
        product->bit[i] = remembers ? 1U << count : 0;
        product->bits |= product->bit[i];
        count += remembers;
    }
    uint64_t bytes = (uint64_t)topology->processors * sizeof(double); // of a vector
    if (count >= 31 || bytes > BYTES_MAX >> count) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "the polynomials of %u directions need 2^%u numbers at each of %u processors, which is too "
                         "much: use the scheme opt, or fewer dimensions",
                         count, count, topology->processors);
    }
    plan->state_doubles = 1U << count;
    return true;
}

static bool prepare(const char *method, unsigned kinds, bool sweeps, struct ek_plan *plan, const char *parameter,
                    int at, const struct ek_setting *setting, struct ek_error *error)
{
    struct core_scheme scheme;
    if (!core_scheme_parse(method, kinds, parameter, at, &scheme, error)) {
        return false;
    }
    struct product *product = calloc(1, sizeof *product);
    plan->data = product;
    if (!product) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a method's coefficients");
    }
    product->sweeps = sweeps;
    product->by_colour = sweeps || setting->ports == EK_ONE_PORT;
    if (!method_directions_create(&product->directions, method, setting, &scheme,
                                  sweeps ? topo_exchange_spectrum_side : topo_spectrum_side, error) ||
        !set_memory(product, &scheme, plan, setting->topology, error)) {
        release(plan);
        return false;
    }
    plan->operations = method_directions_operations(&product->directions, &scheme);
    plan->inexact = core_scheme_inexact(&scheme);
    return true;
}

static bool prepare_adi_ops(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                            struct ek_error *error)
{
    return prepare("adi", 1U << CORE_OPS, false, plan, parameter, at, setting, error);
}

static bool prepare_de_adi(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                           struct ek_error *error)
{
    return prepare("de-adi", 1U << CORE_OPT | 1U << CORE_OPS, true, plan, parameter, at, setting, error);
}

static void facts_directions(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct product *product = plan->data;
    (void)outlook;
    method_directions_facts(&product->directions, product->by_colour, facts);
}

// Only the title is shown, since `explain` prints the texts of adi.
static const struct ek_texts adi_ops_texts = {.title = "alternating directions", .parameter = "(ops)"};

static const struct ek_rounds_part product_rounds = {
    .next = next,
    .announce = product_announce,
    .act = product_act,
    .block = product_block,
    .counts = EK_COUNTS_REDUCTION,
};

// The part that the rows of adi(ops) and de-adi share.
#define PRODUCT_ROW                                                                                                    \
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS | EK_ONE_PORT, .overdraws = true},                            \
    .links = EK_LINKS_SCHEDULED, .order = EK_ORDER_DESCENDING, .direct = true, .destroy = release,                     \
    .facts = facts_directions, .rounds = &product_rounds

const struct ek_method core_method_adi_ops = {PRODUCT_ROW, .name = "adi", .texts = &adi_ops_texts,
                                              .prepare = prepare_adi_ops};

static const struct ek_texts de_adi_texts = {
    .title = "polynomials of exchange by directions",
    .parameter = "(opt|ops)",
    .example = "\"de-adi(ops)\" --topology mesh:8x8",
    .equation = "as adi(opt) and adi(ops), but with M_d = M_c ... M_1 for each direction d and the eigenvalues of "
                "(I-M_d)/a. M_d averages the pairs of the direction's colours, one colour after the other",
    .steps = "An operation is a step for each colour of each direction, the last dimension first, with one port or "
             "all. With de-adi(ops) a processor announces 2^(n-1) numbers if n directions have more than one "
             "eigenvalue. All but the first are counted as reduction_steps.",
    .optimum = "a = 1/2. The number of operations is the largest number of distinct nonzero eigenvalues that a "
               "direction has. opt takes an order, as in de-adi(opt:leja).",
    .assumes = "The colours and the eigenvalues of dimension exchange in each direction are known before the run. The "
               "eigenvalues must be real; those of odd rings of more than 3 are complex.",
    .source = CORE_ZHAO_2009 ", section 1, which only names the method; formulas: " CORE_ARNDT_2003,
    .findings = "It takes 4 operations on mesh:8x8, where de(opt) takes 10. The paper only names these methods. Our "
                "interpretation is that every direction's polynomial is applied in full, also to the vectors of the "
                "other directions.",
};

const struct ek_method core_method_de_adi = {PRODUCT_ROW, .name = "de-adi", .texts = &de_adi_texts,
                                             .prepare = prepare_de_adi};
