// SPDX-License-Identifier: MIT
// Gossip that computes the mean load without balancing it. Push-sum (Kempe, Dobra & Gehrke 2003): a processor keeps
// half of its load and of a weight, and sends the other halves to a neighbour drawn at random; load divided by weight
// is its estimate. Broadcast gossip (Aysal, Yildiz, Sarwate & Scaglione 2009): one processor drawn at random tells its
// estimate to all its neighbours, which move theirs towards it.
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "core/methods/kernels/block.h"
#include "core/methods/methods.h"
#include "core/parameter.h"
#include "core/theory/facts.h"

static const double OPERATIONS_MAX = 1e9;

struct gossip {
    uint32_t processors;
    double mixing; // the share of its own estimate that a listener keeps
};

// The state of a processor. Weights begin with 1, and all states with 0.
enum { ROUND, WEIGHT_LESS_1, PUSH_DOUBLES };
enum { MOVED = WEIGHT_LESS_1, ESTIMATE, BROADCAST_DOUBLES };

// Returns the port of the neighbour that is drawn for this round.
static unsigned chosen(const struct ek_turn *turn)
{
    struct base_random random =
        base_random_moment(turn->view.seed, turn->view.processor, BASE_STREAM_NEIGHBOURS, (uint64_t)turn->state[ROUND]);
    return (unsigned)base_random_below(&random, turn->view.degree);
}

// Each announcement is half of the sender's weight.
static void push_announce(const struct ek_turn *turn, double *values)
{
    for (unsigned port = 0; port < turn->view.degree; port++) {
        values[port] = NAN;
    }
    if (turn->view.degree > 0) {
        values[chosen(turn)] = (1.0 + turn->state[WEIGHT_LESS_1]) / 2.0;
    }
}

static void push_act(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    double weight = 1.0 + turn->state[WEIGHT_LESS_1];
    if (view->degree > 0) {
        amounts[chosen(turn)] = view->held / 2.0;
        weight /= 2.0;
    }
    for (unsigned port = 0; port < view->degree; port++) {
        weight += isnan(view->announced[port]) ? 0.0 : view->announced[port];
    }
    turn->state[WEIGHT_LESS_1] = weight - 1.0;
    turn->state[ROUND] += 1.0;
}

static double push_estimate(const double *state, double held)
{
    return held / (1.0 + state[WEIGHT_LESS_1]);
}

// Until a processor hears an estimate, its own is its load.
static double broadcast_estimate(const double *state, double held)
{
    return state[MOVED] > 0.0 ? state[ESTIMATE] : held;
}

static void broadcast_announce(const struct ek_turn *turn, double *values)
{
    const struct gossip *gossip = turn->view.plan->data;
    struct base_random random =
        base_random_moment(turn->view.seed, 0, BASE_STREAM_NEIGHBOURS, (uint64_t)turn->state[ROUND]);
    bool speaks = base_random_below(&random, gossip->processors) == turn->view.processor;
    for (unsigned port = 0; port < turn->view.degree; port++) {
        values[port] = speaks ? broadcast_estimate(turn->state, turn->view.held) : NAN;
    }
}

// x_j := g x_j + (1 - g) x_i
static void broadcast_act(struct ek_turn *turn, double *amounts)
{
    const struct gossip *gossip = turn->view.plan->data;
    (void)amounts;
    for (unsigned port = 0; port < turn->view.degree; port++) {
        double heard = turn->view.announced[port];
        if (!isnan(heard)) {
            double own = broadcast_estimate(turn->state, turn->view.held);
            turn->state[ESTIMATE] = gossip->mixing * own + (1.0 - gossip->mixing) * heard;
            turn->state[MOVED] = 1.0;
        }
    }
    turn->state[ROUND] += 1.0;
}

static bool prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    const char *example, bool mixes, struct ek_error *error)
{
    if (!parameter) {
        return base_fail_at(error, "method", (size_t)at,
                            "the method needs the number of its operations, since no processor knows when the "
                            "estimates are good: write it as in %s",
                            example);
    }
    uint64_t operations;
    struct gossip gossip = {.processors = setting->topology->processors, .mixing = 0.5};
    struct base_cursor cursor = core_parameter_start(parameter, at, error);
    if (!base_cursor_whole(&cursor, "the number of operations", 1, (uint64_t)OPERATIONS_MAX, &operations) ||
        (mixes && base_cursor_accept(&cursor, ':') &&
         !base_cursor_real(&cursor, "the share that is kept", 0.0, 1.0, &gossip.mixing)) ||
        !base_cursor_end(&cursor)) {
        return false;
    }
    struct gossip *data = malloc(sizeof *data);
    if (!data) {
        return base_fail(error, EK_BAD_INPUT, "method", "there is no memory left for the method");
    }
    *data = gossip;
    plan->data = data;
    plan->operations = operations;
    plan->state_doubles = mixes ? BROADCAST_DOUBLES : PUSH_DOUBLES;
    return true;
}

static bool push_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                         struct ek_error *error)
{
    return prepare(plan, parameter, at, setting, "push-sum:50", false, error);
}

static bool broadcast_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                              struct ek_error *error)
{
    return prepare(plan, parameter, at, setting, "broadcast-gossip:1000", true, error);
}

static void push_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    (void)plan;
    (void)outlook;
    core_facts_add(
        facts, CORE_NEEDS_PLAIN, "estimate_order", NAN, "estimate_error",
        "The estimates balance, not the loads. Where every processor is linked to all others, the error is "
        "below a share e of the load after O(log n + log 1/e) operations with high probability (Kempe, Dobra "
        "& Gehrke 2003). The paper has no constant.");
}

static void broadcast_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    (void)plan;
    (void)outlook;
    core_facts_add(facts, CORE_NEEDS_PLAIN, "estimate_order", NAN, "estimate_mean",
                   "No load moves. The estimates come to one value, but not to the mean load: their mean is preserved "
                   "only in expectation (Aysal, Yildiz, Sarwate & Scaglione 2009).");
}

static const struct ek_texts push_texts = {
    .title = "estimates by push-sum",
    .parameter = "N",
    .example = "push-sum:60 --topology complete:64",
    .equation =
        "s_i := s_i/2 + the halves that arrive, and so the weight v_i, 1 at first; the estimate is s_i/v_i. Each "
        "processor draws the neighbour that it sends to anew in each operation",
    .optimum = "N is the number of operations. Load moves at random and does not balance; the estimates do. The report "
               "has estimate_mean, estimate_spread and estimate_error.",
    .assumes = "Nothing; random numbers come from the seed.",
    .source = "Kempe, Dobra & Gehrke, Gossip-based computation of aggregate information, FOCS 2003, protocol Push-Sum",
};

static const struct ek_texts broadcast_texts = {
    .title = "estimates by broadcast gossip",
    .parameter = "N:G",
    .example = "broadcast-gossip:2000 --topology torus:8x8",
    .equation = "a processor i drawn evenly tells its estimate x_i; each neighbour j sets x_j := G x_j + (1-G) x_i. At "
                "first x is the load",
    .optimum = "N is the number of operations, and G the share that a listener keeps, 1/2 if it is not given. No load "
               "moves. The mean of the estimates is not preserved, only its expectation: the report has estimate_mean.",
    .assumes = "Nothing; random numbers come from the seed.",
    .source = "Aysal, Yildiz, Sarwate & Scaglione, Broadcast gossip algorithms for consensus, IEEE Trans. Signal "
              "Processing 57, 2009",
};

const struct ek_method core_method_push_sum = {
    .name = "push-sum",
    .texts = &push_texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_ALL,
    .direct = true,
    .draws = true,
    .prepare = push_prepare,
    .destroy = method_free_data,
    .facts = push_facts,
    .rounds = &(const struct ek_rounds_part){.announce = push_announce, .act = push_act, .estimate = push_estimate},
};

const struct ek_method core_method_broadcast_gossip = {
    .name = "broadcast-gossip",
    .texts = &broadcast_texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_ALL,
    .direct = true,
    .draws = true,
    .prepare = broadcast_prepare,
    .destroy = method_free_data,
    .facts = broadcast_facts,
    .rounds = &(const struct ek_rounds_part){.announce = broadcast_announce,
                                             .act = broadcast_act,
                                             .estimate = broadcast_estimate},
};
