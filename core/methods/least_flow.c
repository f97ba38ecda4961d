// SPDX-License-Identifier: MIT
// The least flow, then the transfers (Hu, Blake & Emerson 1998). Conjugate gradients find a potential x whose Laplacian
// is the surplus: L x = w - w*. The difference of x over each link is the flow of the least 2-norm that balances. Load
// moves only when all flows are known. All steps before that are counted as scan steps.
#include <math.h>
#include <stdlib.h>

#include "core/methods/kernels/block.h"
#include "core/methods/methods.h"
#include "core/steps/reduction.h"
#include "core/steps/transfer.h"
#include "core/parameter.h"

// The stages of the operation. SQUARES, DIRECTION and CURVATURE are one iteration; POTENTIAL and TRANSFER come last.
enum stage { TOTAL, SQUARES, DIRECTION, CURVATURE, POTENTIAL, TRANSFER };

// The state of a processor: the sum that the last reduction found; its entries of the potential x, the residual r, the
// direction d and the product L d; the sum of the squares of r, and where it is small enough.
enum state { SUM, X, R, D, LD, SQUARE, ENOUGH, STATE_DOUBLES };
enum port_value { FLOW, BELOW, PORT_DOUBLES };

struct least_flow {
    struct core_forest tree;
    const struct ek_topology *topology;
    double capacity; // of all processors
    bool one_port;
    uint64_t iterations_most;
};

static const double RESIDUAL = 1e-12; // of the first: more is lost to rounding

static const struct least_flow *data_of(const struct ek_view *view)
{
    return view->plan->data;
}

static bool is_reduction(unsigned stage)
{
    return stage == TOTAL || stage == SQUARES || stage == CURVATURE;
}

// Returns the number of steps of a stage. A step has one part, or with one port a part for each colour.
static uint64_t steps_of(const struct least_flow *data, unsigned stage)
{
    return is_reduction(stage) ? 2 * (uint64_t)data->tree.height : 1;
}

static bool ends_stage(const struct least_flow *data, const struct ek_step *step)
{
    return step->number % steps_of(data, step->stage) + 1 == steps_of(data, step->stage) &&
           step->colour_end == data->topology->colours;
}

static struct core_reduction reduction_of(const struct ek_turn *turn)
{
    const struct ek_step *step = turn->view.step;
    const double *state = turn->state;
    double own = step->stage == TOTAL     ? turn->view.held
                 : step->stage == SQUARES ? state[R] * state[R]
                                          : state[D] * state[LD];
    return (struct core_reduction){.forest = &data_of(&turn->view)->tree,
                                   .step = step->number,
                                   .own = own,
                                   .port_doubles = PORT_DOUBLES,
                                   .below = BELOW};
}

static inline void least_flow_announce(const struct ek_turn *turn, double *values)
{
    unsigned stage = turn->view.step->stage;
    if (is_reduction(stage)) {
        struct core_reduction reduction = reduction_of(turn);
        core_reduction_announce(&reduction, turn, turn->state[SUM], values);
        return;
    }
    for (unsigned port = 0; port < turn->view.degree; port++) {
        values[port] = stage == TRANSFER ? NAN : turn->state[stage == DIRECTION ? D : X];
    }
}

// Continues with the sum that all processors have now learned.
static void take_sum(struct ek_turn *turn)
{
    const struct ek_view *view = &turn->view;
    double *state = turn->state;
    double sum = state[SUM];
    if (view->step->stage == TOTAL) {
        state[R] = view->held - view->capacity * sum / data_of(view)->capacity;
    } else if (view->step->stage == SQUARES) {
        bool first = state[SQUARE] == 0.0;
        state[ENOUGH] = first ? RESIDUAL * RESIDUAL * sum : state[ENOUGH];
        state[D] = state[R] + (first ? 0.0 : sum / state[SQUARE] * state[D]);
        state[SQUARE] = sum;
        turn->waits = sum > state[ENOUGH];
    } else if (sum > 0.0) {
        double length = state[SQUARE] / sum;
        state[X] += length * state[D];
        state[R] -= length * state[LD];
    }
}

// Finds L d, or the flows, from what the neighbours have announced.
static void take_neighbours(struct ek_turn *turn)
{
    const struct ek_view *view = &turn->view;
    bool direction = view->step->stage == DIRECTION;
    double own = turn->state[direction ? D : X];
    turn->state[LD] = direction && view->step->colour_from == 0 ? 0.0 : turn->state[LD];
    for (unsigned port = 0; port < view->degree; port++) {
        double difference = own - view->announced[port];
        if (isnan(difference)) {
            continue; // with one port, a link of another colour
        }
        if (direction) {
            turn->state[LD] += difference;
        } else {
            view->memory[port * PORT_DOUBLES + FLOW] = difference;
        }
    }
    turn->awake = view->step->colour_end < data_of(view)->topology->colours;
}

static inline void least_flow_act(struct ek_turn *turn, double *amounts)
{
    const struct ek_step *step = turn->view.step;
    if (step->stage == TRANSFER) {
        // The potential falls along each flow, so no processors wait for each other.
        const struct core_transfer transfer = {.topology = data_of(&turn->view)->topology,
                                               .port_doubles = PORT_DOUBLES,
                                               .flow = FLOW,
                                               .ahead = CORE_TRANSFER_NONE_AHEAD};
        core_transfer_act(&transfer, turn, amounts);
    } else if (is_reduction(step->stage)) {
        struct core_reduction reduction = reduction_of(turn);
        core_reduction_act(&reduction, turn, &turn->state[SUM]);
        if (ends_stage(data_of(&turn->view), step)) {
            take_sum(turn);
        }
    } else {
        take_neighbours(turn);
    }
}

static void least_flow_block(struct ek_block *block)
{
    ek_block_program(block, least_flow_announce, least_flow_act);
}

static enum stage stage_after(const struct least_flow *data, const struct ek_moment *moment)
{
    uint64_t parts = data->one_port ? data->topology->colours : 1;
    uint64_t iteration = parts * (4 * (uint64_t)data->tree.height + 1);
    switch (moment->last.stage) {
    case SQUARES:
        return moment->busy && moment->index / iteration < data->iterations_most ? DIRECTION : POTENTIAL;
    case CURVATURE:
        return SQUARES;
    default:
        return (enum stage)(moment->last.stage + 1);
    }
}

// Describes the next step. All processors wake where a stage begins, and where a reduction ends.
static enum ek_next next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct least_flow *data = plan->data;
    const struct ek_step *last = &moment->last;
    if (moment->index == 0 && (moment->operation > 0 || data->topology->links == 0)) {
        return EK_NEXT_RUN_ENDS;
    }
    bool part = moment->index > 0 && last->colour_end < data->topology->colours;
    step->stage = moment->index > 0 ? last->stage : TOTAL;
    step->number = moment->index > 0 ? last->number + !part : 0;
    if (moment->index > 0 && last->stage == TRANSFER) {
        if (!moment->busy) {
            return EK_NEXT_OPERATION_ENDS;
        }
    } else if (moment->index > 0 && ends_stage(data, last)) {
        step->stage = stage_after(data, moment);
        step->number = 0;
    }
    step->colour_from = part ? last->colour_end : 0;
    step->colour_end = data->one_port ? step->colour_from + 1 : data->topology->colours;
    step->count = step->stage == TRANSFER ? EK_COUNT_EXCHANGE : EK_COUNT_SCAN;
    bool begins = step->number == 0 && step->colour_from == 0;
    step->wakes = begins || (is_reduction(step->stage) && ends_stage(data, step));
    return EK_NEXT_STEP;
}

static void release(struct ek_plan *plan)
{
    struct least_flow *data = (struct least_flow *)plan->data;
    if (data) {
        core_forest_destroy(&data->tree);
        free(data);
    }
}

static bool prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    if (!core_parameter_none(parameter, at, error)) {
        return false;
    }
    struct least_flow *data = calloc(1, sizeof *data);
    if (!data) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a method's data");
    }
    *data = (struct least_flow){.topology = topology,
                                .one_port = setting->ports == EK_ONE_PORT,
                                .iterations_most = 2 * (uint64_t)topology->processors + 10};
    for (uint32_t p = 0; p < topology->processors; p++) {
        data->capacity += setting->capacity ? setting->capacity[p] : 1.0;
    }
    const struct core_ground ground = {.roots = 1, .stride = 1, .colour_end = topology->colours};
    if (!core_forest_create(&data->tree, topology, &ground, error)) {
        free(data);
        return false;
    }
    plan->data = data;
    plan->sleeps = true;
    plan->port_doubles = PORT_DOUBLES;
    plan->state_doubles = STATE_DOUBLES;
    plan->inexact = "rounding keeps conjugate gradients from a flow that balances, as the eigenvalues of this topology "
                    "lie far apart; the method sos may come nearer";
    return true;
}

static const struct ek_texts least_flow_texts = {
    .title = "least flow by conjugate gradients",
    .example = "least-flow --topology mesh:8x8",
    .equation = "conjugate gradients solve L x = w - w*, with L the Laplacian of the topology and w* the balanced "
                "loads; then x_i - x_j moves from i to j over each link",
    .steps =
        "The run is one operation. An iteration has two sums over all processors, each up a tree and back, and one "
        "step in which neighbours tell their directions. These are scan_steps. Then, in exchange_steps, each "
        "processor sends when all load that is to come to it has come. With one port each step becomes one step "
        "for each colour.",
    .optimum = "Conjugate gradients end when the 2-norm of what is left is 1e-12 of the surplus. Without rounding they "
               "take at most as many iterations as the Laplacian has distinct nonzero eigenvalues.",
    .assumes = "Known before the run: the sum of all capacities, and a tree over the processors. Learned by messages: "
               "the total load and the sums of the iterations.",
    .source = "Hu, Blake & Emerson, An optimal migration algorithm for dynamic load balancing, Concurrency: Practice "
              "and Experience 10(6), 1998",
    .findings =
        "The flow has the least 2-norm of all flows that balance, as with fos, sos and opt in the limit (Diekmann, "
        "Frommer & Monien 1999). With --migrate end objects follow this flow.",
};

static const struct ek_rounds_part least_flow_rounds = {
    .next = next,
    .announce = least_flow_announce,
    .act = least_flow_act,
    .reads_arrivals = true,
    .block = least_flow_block,
    .counts = EK_COUNTS_SCAN,
};

const struct ek_method core_method_least_flow = {
    .name = "least-flow",
    .texts = &least_flow_texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS | EK_ONE_PORT, .capacities = true},
    .links = EK_LINKS_SCHEDULED,
    .direct = true,
    .prepare = prepare,
    .destroy = release,
    .rounds = &least_flow_rounds,
};
