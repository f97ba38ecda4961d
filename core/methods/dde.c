// SPDX-License-Identifier: MIT
// Direct dimension exchange: Wu & Shu, Figs 3, 5, 6, 8, 10. Dimension after dimension each line is balanced at once. On
// a ring the loads themselves walk up, each a link a step, so that position 0 knows all flows; it takes the same amount
// off each, as cheap as can be, and that amount walks round the other way while the total walks down.
#include <math.h>
#include <stdlib.h>

#include "core/block.h"
#include "core/methods/methods.h"
#include "core/methods/walk.h"
#include "core/parameter.h"
#include "topologies/scan.h"

// What a processor keeps for a ring: the load that it passes on next (by the step's parity), and at position 0 all
// loads.
enum { RELAY = METHOD_WALK_WORDS, LOADS = RELAY + 2, WORDS = LOADS - METHOD_WALK_WORDS };

static int compare_flows(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

// x_m of Fig. 8. With m = ceil(k/2): where more than half of the k flows are positive it is the m-th largest, where
// more than half are negative the m-th smallest; that is one of the two middle ones. The loads become the flows, the
// last that of the wrap link.
static double amount_off(double *load, uint32_t side)
{
    double total = 0.0;
    double flow = 0.0;
    for (uint32_t i = 0; i < side; i++) {
        total += load[i];
    }
    for (uint32_t i = 0; i < side; i++) {
        flow += load[i] - method_walk_quota(total, side, i, i + 1);
        load[i] = flow;
    }
    qsort(load, side, sizeof *load, compare_flows);
    double low = load[(side - 1) / 2];
    double high = load[side / 2];
    return low > 0.0 ? high : high < 0.0 ? low : 0.0;
}

// What is said downwards on a ring. In step s of the scan position j passes on the load of j + s; later position 0 and
// then k-1, k-2, ... pass on the amount taken off.
static bool relays(const struct method_place *place, uint64_t number)
{
    return place->position > 0 && place->position + number < place->line->side;
}

static bool takes_off(const struct method_place *place, uint64_t number)
{
    uint32_t side = place->line->side;
    return number == side - 1 + (side - place->position) % side;
}

static bool speaks(const struct method_place *place, uint64_t number)
{
    return method_walk_speaks(place, number) ||
           (place->line->ring && (relays(place, number) || takes_off(place, number)));
}

static double word_down(const struct ek_turn *turn, const struct method_place *place)
{
    uint64_t number = turn->view.at->number;
    if (relays(place, number)) {
        return number == 0 ? turn->view.held : turn->state[RELAY + number % 2];
    }
    return takes_off(place, number) ? turn->state[METHOD_WALK_OFF] : NAN;
}

static void say_ring(const struct ek_turn *turn, const struct method_place *place, double *words)
{
    method_walk_say(turn, place, words);
    for (unsigned port = 0; port < turn->view.degree; port++) {
        if (turn->view.dimension[port] == turn->view.at->stage && turn->view.direction[port] < 0) {
            words[port] = word_down(turn, place);
        }
    }
}

// A load came from the next position, which the sum of what is beyond takes in.
static void hear_load(struct ek_turn *turn, const struct method_place *place, unsigned port)
{
    uint32_t side = place->line->side;
    uint64_t number = turn->view.at->number;
    double load = turn->view.announced[port];
    turn->view.memory[port] += load;
    turn->state[RELAY + (number + 1) % 2] = load;
    if (place->position == 0) {
        turn->state[LOADS + number + 1] = load;
        if (number + 2 == side) {
            turn->state[LOADS] = turn->view.held;
            turn->state[METHOD_WALK_OFF] = amount_off(turn->state + LOADS, side);
        }
    }
}

static void hear_ring(struct ek_turn *turn, const struct method_place *place)
{
    const struct ek_view *view = &turn->view;
    for (unsigned port = 0; port < view->degree; port++) {
        if (view->dimension[port] != view->at->stage || isnan(view->announced[port])) {
            continue;
        }
        if (method_walk_position(view, place, port) == place->parent) {
            turn->state[METHOD_WALK_TOTAL] = view->announced[port];
        } else if (view->at->number + 1 < place->line->side) {
            hear_load(turn, place, port);
        } else {
            turn->state[METHOD_WALK_OFF] = view->announced[port];
        }
    }
}

static inline void dde_say(const struct ek_turn *turn, double *words)
{
    if (turn->view.at->count == EK_COUNT_SCAN) {
        struct method_place place = method_walk_place(&turn->view);
        (place.line->ring ? say_ring : method_walk_say)(turn, &place, words);
    }
}

static inline void dde_act(struct ek_turn *turn, double *amounts)
{
    struct method_place place = method_walk_place(&turn->view);
    method_walk_arrive(turn);
    if (turn->view.at->count == EK_COUNT_SCAN) {
        (place.line->ring ? hear_ring : method_walk_hear)(turn, &place);
        uint64_t number = turn->view.at->number; // with one port it may have colours to come
        turn->awake = speaks(&place, number) || speaks(&place, number + 1);
    }
    method_walk_go_on(turn, &place, amounts);
}

static void dde_block(struct ek_block *block)
{
    ek_block_program(block, dde_say, dde_act);
}

static const char *known_exchange(size_t index)
{
    static const char *const names[] = {"receive-first", "send-first"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static bool dde_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    size_t exchange;
    if (!core_parameter_name(parameter, at, "task exchange", known_exchange, &exchange, error)) {
        return false;
    }
    if (topology->dimensions == 0) {
        return topo_fail(error, EK_BAD_INPUT, "topology", 0,
                         "dde balances lines: use a chain, ring, mesh, torus, hypercube or kary, as in torus:8x8");
    }
    uint64_t longest = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        bool ring = topology->wraps && topology->side[d] >= 3;
        longest = ring && topology->side[d] > longest ? topology->side[d] : longest;
    }
    return method_walk_prepare(plan, setting, METHOD_TREE_END, exchange == 1, longest > 0 ? WORDS + longest : 0, error);
}

const struct ek_method core_method_dde = {
    .name = "dde",
    .example = "dde",
    .parameter = "receive-first|send-first",
    .title = "direct dimension exchange",
    .equation = "dimension after dimension, each line of k processors at once: total T, quota q_j = floor(T/k) + (j < "
                "T mod k), flow on (e, e+1) = sum over j <= e of (w_j - q_j); on a ring, where more than half of the "
                "flows (the wrap link's 0 counted) have one sign, the ceil(k/2)-th farthest from 0 of those is taken "
                "off every flow",
    .steps = "The run is one operation: for each dimension, of lines of k, 2(k-1) steps of scan and then as many of "
             "exchange as it takes. With one port they go colour by colour, a step each.",
    .optimum = "receive-first (the default): a processor sends once all that it is to receive has come in, and as "
               "many tasks as possible stay. send-first: it sends as soon as it has enough: fewer steps, fewer tasks "
               "stay.",
    .assumes = "Known beforehand: the sides, one's own position, and the other end of each of one's links. Learned by "
               "messages: the line's total (and on a ring the amount taken off) in 2(k-1) steps, and the loads beyond "
               "each link. The machine's rounds tell when all lines of a dimension are through; with one port they go "
               "on colour by colour.",
    .source = METHOD_WU_SHU ", Figs 3, 5, 6, 8 and 10",
    .findings = "Theorem 1 (in n dimensions the spread is at most n) is true, its printed proof is not. Send-first "
                "needs >= where the paper prints >, or it can wait for ever. Receive-first takes at most k-1 steps on "
                "a chain and floor(k/2) on a ring, send-first never more. The ring's flow is of least cost for these "
                "quotas; other processors for the extra tasks would often be cheaper. The paper's gain in locality "
                "over gde needs receive-first.",
    .units = EK_TOKENS,
    .ports = EK_ALL_PORTS | EK_ONE_PORT,
    .links = EK_LINKS_SCHEDULED,
    .arrivals = true,
    .direct = true,
    .counts = EK_COUNTS_SCAN,
    .prepare = dde_prepare,
    .destroy = method_walk_destroy,
    .next = method_walk_next,
    .say = dde_say,
    .act = dde_act,
    .block_tokens = dde_block,
    .facts = method_walk_facts,
};
