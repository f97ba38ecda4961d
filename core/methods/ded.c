// SPDX-License-Identifier: MIT
// Diffusion-exchange-diffusion on otis(G) (Zhao, Xiao & Parhami 2009): a polynomial scheme X in every group, one
// exchange over the swap links, and X again. Two quantities that the paper takes as known are learned by messages: the
// groups' total loads, and whether an iterative X has come close enough. Sums go up a tree and the result comes down.
// These steps are counted as reduction steps.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/methods/kernels/block.h"
#include "core/theory/facts.h"
#include "core/steps/reduction.h"
#include "core/methods/ded_one_group.h"
#include "core/methods/methods.h"
#include "core/theory/schemes.h"
#include "base/cursor.h"
#include "topologies/spectra/spectrum.h"

static const double WORK_MAX = 1e10; // n^4 operations for the spectra of n groups of n

static uint64_t total_steps(const struct method_ded *ded, uint64_t number)
{
    return number == 0 && (ded->iterative || ded->to_target) ? 2 * (uint64_t)ded->groups.height : 0;
}

// Returns a processor's share of its group's load.
static double share(const struct ek_turn *turn)
{
    const struct method_ded *ded = method_ded_of(&turn->view);
    return turn->view.capacity * turn->state[METHOD_DED_TOTAL] / ded->capacity[turn->view.processor / ded->size];
}

static struct core_reduction reduction_of(const struct ek_turn *turn)
{
    const struct ek_view *view = &turn->view;
    const struct method_ded *ded = method_ded_of(view);
    bool totals = method_ded_kind_of(view->step) == METHOD_DED_TOTALS;
    double distance = view->held - share(turn);
    uint64_t before = totals ? 0 : total_steps(ded, view->step->number);
    return (struct core_reduction){.forest = totals ? &ded->groups : &ded->machine,
                                   .step = view->step->index - before,
                                   .own = totals ? view->held : distance * distance,
                                   .port_doubles = METHOD_DED_PORT_DOUBLES,
                                   .below = totals ? METHOD_DED_SUBTOTAL : METHOD_DED_SUBERROR};
}

static void reduction_announce(const struct ek_turn *turn, double *values)
{
    struct core_reduction reduction = reduction_of(turn);
    double total =
        turn->state[method_ded_kind_of(turn->view.step) == METHOD_DED_TOTALS ? METHOD_DED_TOTAL : METHOD_DED_ERROR];
    core_reduction_announce(&reduction, turn, total, values);
}

static void reduction_act(struct ek_turn *turn)
{
    const struct ek_view *view = &turn->view;
    const struct method_ded *ded = method_ded_of(view);
    struct core_reduction reduction = reduction_of(turn);
    bool totals = method_ded_kind_of(view->step) == METHOD_DED_TOTALS;
    core_reduction_act(&reduction, turn, &turn->state[totals ? METHOD_DED_TOTAL : METHOD_DED_ERROR]);
    if (totals && ded->to_target) {
        turn->state[METHOD_DED_OFFSET] = share(turn) - (view->held - view->load);
    }
    turn->waits = !totals && sqrt(turn->state[METHOD_DED_ERROR]) >= ded->limit;
}

// Returns what X compares: loads, loads divided by capacities, or distances from the shares of the group's load.
static double level(const struct ek_turn *turn)
{
    return turn->view.load - turn->state[METHOD_DED_OFFSET];
}

static void balance_act(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    const struct method_ded *ded = method_ded_of(view);
    uint32_t group = ded->polynomials > 1 ? view->processor / ded->size : 0;
    struct core_coefficients at = core_polynomial_step(&ded->polynomial[group], view->step->number);
    for (unsigned port = 0; port < view->degree; port++) {
        double difference = level(turn) - view->announced[port];
        if (!isnan(difference)) {
            double *flow = method_ded_port_value(view, port, METHOD_DED_FLOW);
            *flow = at.gain * difference + at.memory * *flow;
            amounts[port] = *flow;
        }
    }
}

// Returns what the exchange compares. With one-group all groups are alike, so targets are subtracted before.
static double exchanged(const struct ek_view *view)
{
    return method_ded_of(view)->one_group ? view->load : view->held / view->capacity;
}

// The flow over the link (i,j)-(j,i) is S_i S_j / S * (w_ij/c_ij - w_ji/c_ji).
static void exchange_act(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    const struct method_ded *ded = method_ded_of(view);
    double weight =
        ded->capacity[view->processor / ded->size] * ded->capacity[view->processor % ded->size] / ded->capacity_all;
    for (unsigned port = 0; port < view->degree; port++) {
        if (!isnan(view->announced[port])) {
            amounts[port] = weight * (exchanged(view) - view->announced[port]);
        }
    }
}

static inline void ded_announce(const struct ek_turn *turn, double *values)
{
    enum method_ded_kind kind = method_ded_kind_of(turn->view.step);
    if (kind == METHOD_DED_TOTALS || kind == METHOD_DED_ERRORS) {
        reduction_announce(turn, values);
        return;
    }
    if (kind >= METHOD_DED_COMPUTE) {
        method_ded_one_group_announce(turn, values);
        return;
    }
    for (unsigned port = 0; port < turn->view.degree; port++) {
        values[port] = kind == METHOD_DED_BALANCE ? level(turn) : exchanged(&turn->view);
    }
}

static inline void ded_act(struct ek_turn *turn, double *amounts)
{
    switch (method_ded_kind_of(turn->view.step)) {
    case METHOD_DED_BALANCE:
        balance_act(turn, amounts);
        break;
    case METHOD_DED_EXCHANGE:
        exchange_act(turn, amounts);
        break;
    case METHOD_DED_COMPUTE:
    case METHOD_DED_SHARE:
    case METHOD_DED_MOVE:
        method_ded_one_group_act(turn, amounts);
        break;
    default:
        reduction_act(turn);
        break;
    }
}

static void ded_block(struct ek_block *block)
{
    ek_block_program(block, ded_announce, ded_act);
}

// Describes the next step. An operation consists of the reduction of the groups' totals (at the beginning of a stage),
// the reduction of the error, each if it is needed, and then a step of X or the exchange.
static enum ek_next next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct method_ded *ded = plan->data;
    enum method_ded_kind last = method_ded_kind_of(&moment->last);
    unsigned part = moment->last.stage / METHOD_DED_KINDS;
    step->number = moment->last.number;
    if (moment->index > 0 && (last == METHOD_DED_BALANCE || last == METHOD_DED_EXCHANGE)) {
        return EK_NEXT_OPERATION_ENDS;
    }
    if (ded->one_group && last >= METHOD_DED_EXCHANGE && ded->steps > 0) {
        return method_ded_one_group_next(ded, moment, step);
    }
    if (moment->index == 0 && moment->operation > 0) {
        part += last == METHOD_DED_EXCHANGE;
        step->number = last == METHOD_DED_EXCHANGE ? 0 : step->number + 1;
    }
    uint64_t totals = total_steps(ded, step->number);
    uint64_t errors = ded->iterative ? 2 * (uint64_t)ded->machine.height : 0;
    if (moment->index < totals + errors) {
        method_ded_begin_step(ded, moment->index < totals ? METHOD_DED_TOTALS : METHOD_DED_ERRORS, part, step);
        step->wakes = moment->index == 0 || moment->index == totals;
        return EK_NEXT_STEP;
    }
    bool done = step->number >= ded->steps || (ded->iterative && !moment->busy);
    if (done && part > 0) {
        return EK_NEXT_RUN_ENDS;
    }
    method_ded_begin_step(ded, done ? METHOD_DED_EXCHANGE : METHOD_DED_BALANCE, part, step);
    step->wakes = true;
    return EK_NEXT_STEP;
}

static void ded_free(struct method_ded *ded)
{
    for (uint32_t g = 0; ded->polynomial && g < ded->polynomials; g++) {
        core_polynomial_destroy(&ded->polynomial[g]);
    }
    free(ded->polynomial);
    free(ded->capacity);
    core_forest_destroy(&ded->groups);
    core_forest_destroy(&ded->machine);
    free(ded);
}

static void release(struct ek_plan *plan)
{
    if (plan->data) {
        ded_free((struct method_ded *)plan->data);
    }
}

// Returns the number of steps after which only rounding is left. First and second order shrink the error by gamma in
// each step.
static uint64_t steps_to_rounding(const struct ek_spectrum *spectrum)
{
    double gamma = (spectrum->largest - spectrum->second) / (spectrum->largest + spectrum->second);
    return gamma > 0.0 ? (uint64_t)(100.0 / -log(gamma)) + 100 : 100;
}

static bool add_polynomial(struct method_ded *ded, uint32_t group, const struct core_scheme *scheme,
                           const struct ek_topology *topology, const double *capacity, struct ek_error *error)
{
    struct ek_spectrum spectrum;
    if (!topo_spectrum_find_weighted(topology, capacity, core_scheme_finite(scheme), &spectrum, error)) {
        return false;
    }
    bool done = core_polynomial_create(&ded->polynomial[group], scheme, &spectrum, error);
    uint64_t steps = ded->iterative ? steps_to_rounding(&spectrum) : ded->polynomial[group].count;
    ded->steps = steps > ded->steps ? steps : ded->steps;
    ek_spectrum_destroy(&spectrum);
    return done;
}

// Adds the polynomials of X. With capacities each group has its own spectrum.
static bool add_polynomials(struct method_ded *ded, const struct core_scheme *scheme, const struct ek_setting *setting,
                            struct ek_error *error)
{
    const double *capacity = setting->to_target ? NULL : setting->capacity;
    double n = ded->size;
    if (capacity && n * n * n * n > WORK_MAX) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "with capacities ded finds the eigenvalues of every group, and there are %u groups of %u "
                         "processors: use smaller groups, or choose weighting target",
                         ded->size, ded->size);
    }
    ded->polynomials = capacity ? ded->size : 1;
    ded->polynomial = calloc(ded->polynomials, sizeof *ded->polynomial);
    if (!ded->polynomial) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a method's coefficients");
    }
    for (uint32_t g = 0; g < ded->polynomials; g++) {
        if (!add_polynomial(ded, g, scheme, setting->topology->group,
                            capacity ? capacity + (size_t)g * ded->size : NULL, error)) {
            return false;
        }
    }
    return true;
}

static bool add_capacities(struct method_ded *ded, const struct ek_setting *setting, struct ek_error *error)
{
    ded->capacity = calloc(ded->size, sizeof *ded->capacity);
    if (!ded->capacity) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for the groups' capacities");
    }
    for (uint32_t p = 0; p < setting->topology->processors; p++) {
        double capacity = setting->capacity && !ded->one_group ? setting->capacity[p] : 1.0;
        if (capacity == 0.0) {
            return base_fail(error, EK_BAD_INPUT, "capacity",
                             "the swap step of ded divides loads by capacities, and processor %u has capacity 0: use "
                             "weighting target with another method, such as fos",
                             p);
        }
        ded->capacity[p / ded->size] += capacity;
    }
    for (uint32_t g = 0; g < ded->size; g++) {
        ded->capacity_all += ded->capacity[g];
    }
    return true;
}

static const char *known_option(size_t index)
{
    return index == 0 ? "one-group" : NULL;
}

static bool prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    struct core_scheme scheme;
    bool one_group = false;
    if (!core_scheme_parse_with("ded", 1U << CORE_FOS | 1U << CORE_SOS | 1U << CORE_OPT | 1U << CORE_OPS, known_option,
                                parameter, at, &scheme, &one_group, error)) {
        return false;
    }
    if (!topology->group) {
        return base_fail_at(error, "method", 0,
                            "ded exchanges over the swap links of an OTIS network, and this topology has none: use a "
                            "topology such as otis(mesh:4x2), or the method fos, sos, opt or ops");
    }
    if (one_group && !core_scheme_finite(&scheme)) {
        return base_fail(error, EK_BAD_INPUT, "method",
                         "fos and sos leave differences between the groups, and one-group moves the flow of group 0 in "
                         "all of them: use opt or ops, as in ded(opt,one-group)");
    }
    struct method_ded *ded = calloc(1, sizeof *ded);
    if (!ded) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a method's coefficients");
    }
    ded->topology = topology;
    ded->size = topology->group->processors;
    ded->group_colours = topology->group->colours;
    ded->colours = topology->colours;
    ded->one_group = one_group;
    ded->iterative = !core_scheme_finite(&scheme);
    ded->to_target = setting->capacity && setting->to_target && !one_group;
    ded->limit = setting->stop_error;
    const struct core_ground groups = {.roots = ded->size, .stride = ded->size, .colour_end = ded->group_colours};
    const struct core_ground machine = {.roots = 1, .stride = 1, .colour_end = ded->colours};
    if (!add_capacities(ded, setting, error) || !add_polynomials(ded, &scheme, setting, error) ||
        !core_forest_create(&ded->groups, topology, &groups, error) ||
        !core_forest_create(&ded->machine, topology, &machine, error)) {
        ded_free(ded);
        return false;
    }
    plan->data = ded;
    plan->sleeps = true;
    plan->port_doubles = METHOD_DED_PORT_DOUBLES;
    plan->state_doubles = one_group ? METHOD_DED_STATE_DOUBLES : METHOD_DED_CHANGE;
    plan->inexact = ded->iterative
                        ? "the first stage ends before it is exact, and where capacities differ the exchange "
                          "magnifies what it leaves; the scheme ops, or a smaller limit of the stop "
                          "criterion error, may do better"
                        : core_scheme_inexact(&scheme);
    return true;
}

// Returns the sum of squares of the differences between the processors' loads and their shares of their group's load.
static double distance_in_groups(const struct method_ded *ded, const struct ek_outlook *outlook)
{
    double squares = 0.0;
    for (uint32_t g = 0; g < ded->size; g++) {
        double surplus = 0.0; // the group's surplus, shared in proportion to the capacities
        for (uint32_t p = g * ded->size; p < (g + 1) * ded->size; p++) {
            surplus += outlook->surplus[p];
        }
        for (uint32_t p = g * ded->size; p < (g + 1) * ded->size; p++) {
            double share = (outlook->capacity ? outlook->capacity[p] : 1.0) / ded->capacity[g];
            double own = outlook->surplus[p] - share * surplus;
            squares += own * own;
        }
    }
    return squares;
}

// Adds the facts of an iterative X. Both stages converge as X on G.
static void add_iterative_facts(const struct method_ded *ded, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    struct ek_spectrum spectrum;
    if ((outlook->capacity && !outlook->to_target) ||
        !core_facts_extremes(facts, CORE_NEEDS_PLAIN, "gamma", outlook->topology->group, NULL, &spectrum)) {
        return;
    }
    bool second = ded->polynomial[0].count > 1;
    double g = (spectrum.largest - spectrum.second) / (spectrum.largest + spectrum.second);
    double root = sqrt(1.0 - g * g);
    double gamma = second ? sqrt((1.0 - root) / (1.0 + root)) : g;
    ek_spectrum_destroy(&spectrum);
    core_facts_add(facts, CORE_NEEDS_PLAIN, "gamma", gamma, NULL,
                   "The factor by which a step of X shrinks the distance from balance within the groups in the long "
                   "run: %s of G (Zhao, Xiao & Parhami 2009, section 2).",
                   second ? "sqrt(beta-1)" : "(1-r)/(1+r)");
    core_facts_add(
        facts, CORE_NEEDS_PLAIN, "first_stage_most",
        core_facts_operations(gamma, second ? root : 0.0, distance_in_groups(ded, outlook), ded->limit * ded->limit),
        NULL,
        "The most steps that the first stage can take from the load of run 0. The exchange and the second stage "
        "follow.");
}

// Adds what the spectrum costs that the paper's schemes save. L = I x (L_G + I) - A, where A exchanges the factors of a
// product of two eigenvectors of L_G. So two such products span a space that L maps to itself.
static void add_spectrum(const struct method_ded *ded, struct ek_facts *facts)
{
    double cube = (double)ded->size * ded->size * ded->size;
    core_facts_add(
        facts, CORE_NEEDS_NOTHING, "spectrum_operations", 4.0 / 3.0 * cube, NULL,
        "About 4n^3/3 operations find the eigenvalues of G, with n processors, by reduction to tridiagonal "
        "form (Golub & Van Loan). The matrix of all n^2 would take 4n^6/3 = %.3g. But G's eigenvalues a, b "
        "suffice for it: they give (a+b+2 +- sqrt((a-b)^2+4))/2 for each two and a for each one, n^2 values.",
        4.0 / 3.0 * cube * cube);
}

static void facts_ded(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct method_ded *ded = plan->data;
    if (ded->polynomials == 1) {
        add_spectrum(ded, facts);
    }
    if (ded->iterative) {
        add_iterative_facts(ded, outlook, facts);
        return;
    }
    if (ded->one_group && ded->steps > 0) {
        method_ded_one_group_facts(ded, outlook, facts);
        return;
    }
    core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "operations_all", 2.0 * (double)ded->steps + 1.0,
                   "operations",
                   "A step for each distinct nonzero eigenvalue of G%s, the exchange, and the same steps again; exact "
                   "up to rounding (Zhao, Xiao & Parhami 2009, Theorem 1).",
                   ded->polynomials > 1 ? " (of the group with the most)" : "");
}

static const struct ek_texts ded_texts = {
    .title = "diffusion, exchange, diffusion",
    .parameter = "(SCHEME)",
    .example = "\"ded(fos)\" --topology \"otis(hypercube:3)\" --load peak:6400",
    .equation = "first a scheme X (fos, sos, opt or ops) in every group; then a flow of S_i*S_j/S * (w_ij/c_ij - "
                "w_ji/c_ji) over each swap link (i,j)-(j,i), with S_i the capacity of group i and S the capacity of "
                "all groups; then X again",
    .steps =
        "An operation is one step over the links in the groups; between the two stages, one step over the swap links. "
        "With one port it takes a step for each colour of these links. Reductions are counted as reduction_steps. With "
        "one-group the last stage is one operation: the steps of X in group 0, which move no load; reduction_steps "
        "that "
        "spread its flow, two more than a group's tree is high; and a step that moves it in all groups.",
    .optimum =
        "The coefficients of X come from the spectrum of the basis graph G. With capacities they come from the "
        "spectrum of L_G*C_g^-1 of each group g. ded(fos) and ded(sos) end a stage when the 2-norm of the distances "
        "from the groups' balanced loads is below the limit of the stop criterion error (or 0.01). ded(opt) and "
        "ded(ops) end a stage after one step for each eigenvalue. opt takes an order, as in ded(opt:leja). one-group, "
        "as in ded(opt,one-group), "
        "computes the last stage in one group and moves the common flow in all: only with opt and ops, and "
        "with capacities only by weighting target, since then all groups have the same loads or distances.",
    .assumes = "Known before the run: G's eigenvalues, the capacities and the trees. Learned by messages, in "
               "reduction_steps: the groups' total loads and, in ded(fos) and ded(sos), the error before every step.",
    .source = CORE_ZHAO_2009 ", sections 3 and 4 and Fig. 4",
    .findings = "It is exact for opt and ops only: fos and sos leave an error in the first stage that the second stage "
                "cannot remove. Fig. 4 needs three corrections: loads are divided by capacities, sums go over all "
                "members, and the denominator is S. ded(sos) is slower than sos for every slowly mixing G. The flow is "
                "up to 3.05 times the minimal flow (chain:8), and loads can be negative during the run.",
};

static const struct ek_rounds_part ded_rounds = {
    .next = next,
    .announce = ded_announce,
    .act = ded_act,
    .block = ded_block,
    .counts = EK_COUNTS_REDUCTION,
};

// The part that both rows share.
#define DED_ROW                                                                                                        \
    .name = "ded", .links = EK_LINKS_SCHEDULED, .direct = true, .prepare = prepare, .destroy = release,                \
    .facts = facts_ded, .rounds = &ded_rounds

// In one group the method balances loads, or distances from targets, but weighs no capacities. Only the title is shown,
// since `explain` prints the texts of ded.
static const struct ek_texts one_group_texts = {.title = "diffusion, exchange, diffusion",
                                                .parameter = "(SCHEME,one-group)"};

static const struct ek_method ded_one_group = {
    DED_ROW, .texts = &one_group_texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS | EK_ONE_PORT, .overdraws = true}};

static const struct ek_method *ded_variant(const char *parameter)
{
    return strstr(parameter, "one-group") ? &ded_one_group : &core_method_ded;
}

const struct ek_method core_method_ded = {
    DED_ROW, .texts = &ded_texts, .variant = ded_variant,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS | EK_ONE_PORT, .capacities = true, .overdraws = true}};
