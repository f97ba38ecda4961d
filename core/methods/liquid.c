// SPDX-License-Identifier: MIT
// The liquid model: Henrich, Local load balancing according to a simple liquid model, Definition 1 and Table 1.
// Dimension after dimension, each processor shifts one token to its successor if a condition on its own load and its
// neighbours' loads holds. c2r and c4r implement "or receives one token" literally: processors announce for how many
// operations they are certain to receive one, and otherwise the decision travels along the ring in messages.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/methods/kernels/block.h"
#include "core/theory/facts.h"
#include "core/measure.h"
#include "core/methods/methods.h"
#include "core/methods/lines/ring.h"
#include "core/parameter.h"
#include "base/debug.h"
#include "topologies/product.h"

// Table 1, with C2 and C4 by its formula and (C2r, C4r) by its text.
static const struct condition {
    const char *name;
    double above;     // a processor with more tokens than this shifts one
    bool follows;     // a processor with one token shifts it if its predecessor has more than one
    bool recursive;   // a processor with one token shifts it if its predecessor shifts
    bool levels;      // a processor shifts only if its successor has no larger load
    int halves, less; // a ring of P shares a peak in floor(P * halves / 2) - less operations
} conditions[] = {
    {"c0", 0.0, false, false, false, 2, 1}, {"c1", 1.0, false, false, false, 4, 3},
    {"c2", 1.0, true, false, false, 3, 2},  {"c3", 1.0, false, false, true, 4, 3},
    {"c4", 1.0, true, false, true, 4, 4},   {"c5", 0.0, false, false, true, 2, 1},
    {"c2r", 1.0, true, true, false, 2, 1},  {"c4r", 1.0, true, true, true, 2, 1},
};

enum { CONDITIONS = sizeof conditions / sizeof *conditions };

struct liquid {
    const struct condition *condition;
    uint32_t dimensions;
    uint32_t first;          // the dimension that comes first
    uint32_t *after;         // [dimensions] by dimension: the next dimension; `dimensions` after the last
    uint32_t colour_first[]; // [dimensions + 1] by dimension: its first colour
};

// A dimension is one step, SHIFT. If the condition is recursive, PASS steps follow until no decision is left to pass
// on. In a PASS step only the processors that a decision reaches have a turn.
enum stage { SHIFT, PASS };

// A processor is *supplied* if a processor with more than one token comes before it on the ring, and none between them
// is idle. A supplied processor with one token receives a token, so no recursive condition makes a busy processor idle.
//
// The state of a processor: its own and its successor's load before the shift, and whether it has shifted. At the port
// to its predecessor: the number of operations, from now on, in which it is certain to be supplied.
enum { LOAD, NEXT, SHIFTED, STATE_DOUBLES };
enum { SUPPLIED, PORT_DOUBLES };

static inline const struct condition *condition_of(const struct ek_view *view)
{
    return ((const struct liquid *)view->plan->data)->condition;
}

static inline bool holds(const struct condition *condition, double load, double previous, double next)
{
    bool gives = load > condition->above || (condition->follows && load == 1.0 && previous > 1.0);
    return gives && (!condition->levels || load >= next);
}

// Returns whether the processor shifts its only token if its predecessor shifts.
static inline bool follows_predecessor(const struct condition *condition, const double *state)
{
    return state[LOAD] == 1.0 && state[SHIFTED] == 0.0 && (!condition->levels || state[LOAD] >= state[NEXT]);
}

// Returns the number that a processor announces to its successor. A supplied processor with one token announces the
// negative number of operations in which it is supplied. Other processors announce their load.
static double announced_load(const struct ek_view *view, struct method_ring ring)
{
    double supplied = ring.down == METHOD_ALONE ? 0.0 : view->memory[ring.down * PORT_DOUBLES + SUPPLIED];
    return view->load == 1.0 && supplied > 0.0 ? -supplied : view->load;
}

// Returns whether a processor can be certain to be supplied. With a workload between the steps it cannot be certain,
// and loads can be below 0.
static inline bool is_certain(const struct ek_view *view)
{
    return view->step->memory > 0.0;
}

static inline double load_of_value(const struct ek_view *view, double value)
{
    return value < 0.0 && is_certain(view) ? 1.0 : value;
}

// Returns the number of operations for which a predecessor that announced `value` supplies. A processor with more than
// one token loses at most one in each dimension of an operation.
static inline double supplied_by(const struct ek_view *view, double value)
{
    const struct liquid *liquid = view->plan->data;
    if (!is_certain(view)) {
        return value > 1.0;
    }
    return value > 1.0 ? ceil((value - 1.0) / liquid->dimensions) : value < 0.0 ? -value : 0.0;
}

// SHIFT announces the load. In PASS an arriving token means that the predecessor shifts. A processor that shifts for
// this reason announces its shift to its successor in the same step and sends its own token. So decisions travel over
// two links in a step. An undecided processor that receives nothing keeps its token: the decisions are the least fixed
// point of the condition.
static inline void liquid_announce(const struct ek_turn *turn, double *values)
{
    const struct ek_view *view = &turn->view;
    struct method_ring ring = method_ring_of(view, view->step->number);
    if (ring.up == METHOD_ALONE) {
        return;
    }
    if (view->step->stage == SHIFT) {
        values[ring.down] = view->load;
        values[ring.up] = announced_load(view, ring);
    } else if (turn->arrived[ring.down] > 0.0 && follows_predecessor(condition_of(view), turn->state) &&
               turn->state[NEXT] == 1.0) {
        values[ring.up] = 1.0;
    }
}

static inline double pass(struct ek_turn *turn, struct method_ring ring, const struct condition *condition)
{
    double *state = turn->state;
    bool by_token = ring.down != METHOD_ALONE && turn->arrived[ring.down] > 0.0;
    bool by_value = ring.down != METHOD_ALONE && turn->view.announced[ring.down] > 0.0;
    if (!(by_token || by_value) || !follows_predecessor(condition, state)) {
        return 0.0;
    }
    state[SHIFTED] = 1.0;
    turn->busy = by_value && state[NEXT] == 1.0; // otherwise the token informs the successor
    return 1.0;
}

// Returns the number of operations, this one included, for which a processor with one token is certain to be supplied.
// Writes the number remembered from the operation before to `was_supplied`, and remembers the new one.
static inline double find_supplied(struct ek_turn *turn, struct method_ring ring, double *was_supplied)
{
    *was_supplied = 0.0;
    if (ring.down == METHOD_ALONE) {
        return 0.0;
    }
    double *memory = &turn->view.memory[ring.down * PORT_DOUBLES + SUPPLIED];
    bool one = turn->view.load == 1.0;
    double received = one ? supplied_by(&turn->view, turn->view.announced[ring.down]) : 0.0;
    *was_supplied = one ? *memory : 0.0;
    double supplied = received > *was_supplied ? received : *was_supplied;
    *memory = supplied > 0.0 ? supplied - 1.0 : 0.0;
    return supplied;
}

// Decides a recursive condition as far as the announced numbers allow.
static inline bool shift_supplied(struct ek_turn *turn, struct method_ring ring, const struct condition *condition)
{
    double load = turn->view.load;
    double next = ring.up == METHOD_ALONE ? load : load_of_value(&turn->view, turn->view.announced[ring.up]);
    double was_supplied;
    double supplied = find_supplied(turn, ring, &was_supplied);
    bool shifts = holds(condition, load, supplied > 0.0 ? 2.0 : 0.0, next);
    turn->state[LOAD] = load;
    turn->state[NEXT] = next;
    turn->state[SHIFTED] = shifts;
    turn->busy = shifts && load == 1.0 && next == 1.0 &&
                 was_supplied == 0.0; // otherwise its number already informed the successor
    return shifts;
}

static inline double shift(struct ek_turn *turn, struct method_ring ring, const struct condition *condition)
{
    if (condition->recursive) {
        return shift_supplied(turn, ring, condition);
    }
    double load = turn->view.load;
    double previous = ring.down == METHOD_ALONE ? load : turn->view.announced[ring.down];
    double next = ring.up == METHOD_ALONE ? load : turn->view.announced[ring.up];
    return holds(condition, load, previous, next);
}

static inline void liquid_act(struct ek_turn *turn, double *amounts)
{
    const struct condition *condition = condition_of(&turn->view);
    struct method_ring ring = method_ring_of(&turn->view, turn->view.step->number);
    double shifted = turn->view.step->stage == SHIFT ? shift(turn, ring, condition) : pass(turn, ring, condition);
    if (ring.up == METHOD_ALONE) {
        turn->swapped = shifted;
    } else {
        amounts[ring.up] = shifted;
    }
}

// Returns the amount to shift over a port: the same condition as a rule, if it is not recursive.
static inline double liquid_flow(const struct ek_view *view, unsigned port)
{
    bool pair = view->step->colour_end - view->step->colour_from == 1; // a ring of two: its one port leads both ways
    if (view->direction[port] < 0 && !pair) {
        return 0.0;
    }
    const struct condition *condition = condition_of(view);
    bool looks_back = condition->follows && view->load == 1.0;
    double previous = looks_back ? view->announced[method_ring_of(view, view->step->number).down] : 0.0;
    return holds(condition, view->load, previous, view->announced[port]);
}

static void liquid_any(struct ek_turn *turn, double *amounts)
{
    struct method_ring ring = method_ring_of(&turn->view, turn->view.step->number);
    if (condition_of(&turn->view)->recursive) {
        liquid_act(turn, amounts);
    } else if (ring.up != METHOD_ALONE) {
        amounts[ring.up] = liquid_flow(&turn->view, ring.up);
    }
}

static void liquid_block(struct ek_block *block)
{
    const struct liquid *liquid = block->plan->data;
    bool alone = block->colour_from == block->colour_end;
    if (alone || liquid->condition->recursive) {
        ek_block_program(block, liquid_announce, liquid_act);
    } else {
        ek_block_flows(block, liquid_flow);
    }
}

static enum ek_next liquid_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct liquid *liquid = plan->data;
    step->stage = moment->busy ? PASS : SHIFT;
    uint64_t last = moment->last.number;
    step->number = moment->index == 0 ? liquid->first : moment->busy ? last : liquid->after[last];
    if (step->number == liquid->dimensions) {
        return EK_NEXT_OPERATION_ENDS;
    }
    step->colour_from = liquid->colour_first[step->number];
    step->colour_end = liquid->colour_first[step->number + 1];
    step->count = step->stage == PASS ? EK_COUNT_REDUCTION : EK_COUNT_STEP;
    step->loads = step->stage == SHIFT && !liquid->condition->recursive;
    step->wakes = step->stage == SHIFT;
    step->memory = moment->workload ? 0.0 : 1.0; // see is_certain
    return EK_NEXT_STEP;
}

static const char *known_condition(size_t index)
{
    return index < CONDITIONS ? conditions[index].name : NULL;
}

static const struct condition *read_condition(const char *parameter, int at, struct ek_error *error)
{
    if (!parameter) {
        base_fail_at(error, "method", (size_t)at, "the liquid model needs its condition, as in liquid:c5");
        return NULL;
    }
    size_t index;
    return core_parameter_name(parameter, at, "condition", known_condition, &index, error) ? &conditions[index] : NULL;
}

static bool all_rings(const struct ek_topology *topology)
{
    bool rings = topology->dimensions > 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        rings = rings && (topology->side[d] <= 2 || topo_line_of(topology, d) == TOPO_RING);
    }
    return rings;
}

// Returns whether a processor is its own successor in a dimension. A shift in that dimension goes over no link.
static bool has_loops(const struct ek_topology *topology)
{
    bool loops = false;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        loops = loops || topology->side[d] == 1;
    }
    return loops;
}

static void set_order(struct liquid *liquid, const uint32_t *order)
{
    uint32_t *next = &liquid->first;
    for (uint32_t i = 0; i < liquid->dimensions; i++) {
        *next = order ? order[i] : i;
        next = &liquid->after[*next];
    }
    *next = liquid->dimensions;
}

static bool liquid_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                           struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    const struct condition *condition = read_condition(parameter, at, error);
    if (!condition) {
        return false;
    }
    if (setting->free && condition->recursive) {
        return base_fail_at(error, "method", (size_t)at,
                            "liquid:%s needs information from around the ring before a token moves: use liquid:%.2s, "
                            "or choose timing rounds",
                            condition->name, condition->name);
    }
    if (!all_rings(topology)) {
        return base_fail(
            error, EK_BAD_INPUT, "topology",
            "the liquid model shifts load around rings: use a ring, torus, kary or hypercube, as in torus:8x8");
    }
    size_t bytes = sizeof(struct liquid) + (2u * topology->dimensions + 1u) * sizeof(uint32_t);
    struct liquid *liquid = malloc(bytes);
    if (!liquid) {
        return base_fail(error, EK_BAD_INPUT, "method", "there is no memory left for the liquid model");
    }
    memset(liquid, 0, bytes);
    liquid->condition = condition;
    liquid->dimensions = topology->dimensions;
    liquid->after = liquid->colour_first + topology->dimensions + 1;
    set_order(liquid, setting->order);
    for (uint32_t port = 0; port < topology->ports; port++) {
        uint32_t *end = &liquid->colour_first[topology->dimension[port] + 1];
        *end = *end > topology->colour[port] ? *end : topology->colour[port] + 1;
    }
    for (uint32_t d = 1; d <= topology->dimensions; d++) { // a dimension without links has no colours
        uint32_t before = liquid->colour_first[d - 1];
        liquid->colour_first[d] = liquid->colour_first[d] > before ? liquid->colour_first[d] : before;
    }
    assert(liquid->colour_first[topology->dimensions] == topology->colours);
    // If all processors act at once and the condition levels, the run ends balanced as the paper defines it. Otherwise
    // load is only spread to idle processors; in free timing tokens that follow each other may keep the spread above
    // that limit for ever.
    if (condition->levels && !setting->free) {
        snprintf(plan->stop, sizeof plan->stop, "spread:%u", topology->dimensions);
    } else {
        snprintf(plan->stop, sizeof plan->stop, "shared");
    }
    plan->flow = condition->recursive || has_loops(topology) ? NULL : liquid_flow;
    plan->sleeps = condition->recursive;
    plan->state_doubles = condition->recursive ? STATE_DOUBLES : 0;
    plan->port_doubles = condition->recursive ? PORT_DOUBLES : 0;
    plan->data = liquid;
    return true;
}

// Free timing: dimension after dimension, shifts a token up if the condition holds for the load that is left and the
// announced loads. A predecessor that takes no part counts as idle; a successor that takes no part receives nothing.
static void liquid_operate(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    const struct liquid *liquid = view->plan->data;
    double load = view->load;
    for (uint32_t dimension = 0; dimension < liquid->dimensions; dimension++) {
        struct method_ring ring = method_ring_of(view, dimension);
        if (ring.up == METHOD_ALONE || isnan(view->announced[ring.up])) {
            continue;
        }
        double previous = isnan(view->announced[ring.down]) ? 0.0 : view->announced[ring.down];
        bool shifts = holds(liquid->condition, load, previous, view->announced[ring.up]);
        amounts[ring.up] = shifts;
        load -= shifts;
    }
    BASE_DEBUG_ASSERT(load >= 0.0 || view->load < 0.0);
}

static bool is_peak(const struct ek_outlook *outlook, const struct core_measure *measure)
{
    uint32_t processors = outlook->topology->processors;
    return measure->idle == processors - 1 && measure->total >= processors;
}

static void liquid_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct condition *condition = ((const struct liquid *)plan->data)->condition;
    const struct ek_topology *topology = outlook->topology;
    bool ring = topology->dimensions == 1 && topology->processors >= 3;
    struct core_measure measure;
    core_measure_loads(outlook->load, NULL, topology->processors, 0.0, &measure);
    if (ring && is_peak(outlook, &measure)) {
        uint64_t shared = (uint64_t)topology->processors * (unsigned)condition->halves / 2 - (unsigned)condition->less;
        core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "operations_shared", (double)shared,
                       outlook->stop->kind == CORE_STOP_SHARED ? "operations" : NULL,
                       "The number of operations after which a peak is shared and no processor is idle, on a ring with "
                       "%s. The paper's P-1 holds for c0, c2r, c4r and c5 only.",
                       condition->name);
    }
    if (ring && strcmp(condition->name, "c5") == 0) {
        core_facts_add(
            facts, CORE_NEEDS_PLAIN, "operations_order", topology->processors * (measure.maximum - measure.minimum),
            NULL,
            "K times the largest difference of load. By Theorem 3 the method balances in O(this number) "
            "operations. With loads of 3 on half of an even ring and 1 on the other half it takes K-1, which is "
            "nearly half of this number.");
    }
    if (topology->dimensions > 1 && condition->levels) {
        core_facts_add(facts, CORE_NEEDS_PLAIN, "spread_most", NAN, NULL,
                       "Theorem 2 (the method always balances) is false in two and more dimensions: diagonal waves of "
                       "any spread can travel for ever.");
    }
}

static const char *paper_steps(const struct ek_plan *plan, const struct ek_counted *counted, uint64_t *steps)
{
    const struct liquid *liquid = plan->data;
    *steps = counted->operations;
    return liquid->dimensions > 1 ? "Henrich (Definition 1) counts all dimensions as one step" : NULL;
}

static const struct ek_texts liquid_texts = {
    .title = "liquid model",
    .parameter = "C",
    .example = "liquid:c5 --load peak:640 --stop spread:2",
    .equation = "dimension after dimension, processor i shifts one token to i+1 if the condition C holds. With L the "
                "load of i, c0: L > 0; c1: L > 1; c2: L > 1, or L = 1 and the predecessor's load > 1; c2r: L > 1, or L "
                "= 1 and the predecessor shifts; c3, c4 and c4r: c1, c2 and c2r, and L >= the successor's load; c5: L "
                "> 0 and L >= the successor's load",
    .steps = "An operation is a step for each dimension. c2r and c4r need extra steps to pass on the decision to shift "
             "(reduction_steps).",
    .optimum = "c0, c2r, c4r and c5 share a peak fastest on a ring, in P - 1 operations; c3, c4, c4r and c5 balance.",
    .assumes = "The order of the dimensions is known before the run (axis order). The loads of the two neighbours are "
               "announced in each step. With c2r and c4r a processor with one token also announces to its successor "
               "for how many operations it is certain to receive a token. If it is not certain, the decision to shift "
               "travels along the ring in extra steps (reduction_steps), over two links in each. All processors know "
               "when no decision travels any more.",
    .source = "Henrich, Local load balancing according to a simple liquid model, Table 1, Definition 1",
    .findings =
        "Theorem 2 (the method converges) is false in two and more dimensions: diagonal waves such as "
        "1,1,2,2,3,3,4,4,3,3,2,2 on 12x12 recur for ever with spread 3, and longer waves recur with any spread. Rings "
        "always converge. Theorem 1 needs loads above 0 and holds for each dimension alone. The time T = P - 1 to "
        "share a peak holds for c0, c2r, c4r and c5 only. c0 and c5 can make a busy processor idle.",
};

static const struct ek_rounds_part liquid_rounds = {
    .next = liquid_next,
    .announce = liquid_announce,
    .act = liquid_any,
    .reads_arrivals = true,
    .block_tokens = liquid_block,
    .counts = EK_COUNTS_REDUCTION,
    .paper_steps = paper_steps,
};

const struct ek_method core_method_liquid = {
    .name = "liquid",
    .texts = &liquid_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_SCHEDULED,
    .order = EK_ORDER_ASCENDING,
    .prepare = liquid_prepare,
    .destroy = method_free_data,
    .facts = liquid_facts,
    .rounds = &liquid_rounds,
    .free = &(const struct ek_free_part){.operate = liquid_operate},
};
