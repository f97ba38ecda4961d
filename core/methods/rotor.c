// SPDX-License-Identifier: MIT
// Rotor walks: Cooper & Spencer 2006; as a method of balancing, Akbari & Berenbrink 2013. Every processor deals its
// tokens one by one to its places in turn: its ports, then its self-loops, whose tokens stay. It begins where it
// stopped the last time. It reads no load of a neighbour.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/methods/kernels/block.h"
#include "core/methods/methods.h"
#include "core/parameter.h"
#include "core/theory/facts.h"

enum { LOOPS_MAX = 1000 * 1000 };

// plan->data: the number of places, the same for every processor.
struct rotor {
    double places;
};

// With L tokens, k places and the rotor at r, place x gets ceil((L - y)/k) tokens, y the number of places from r to x.
// The rotor moves on by L.
static inline void rotor_act(struct ek_turn *turn, double *amounts)
{
    const struct rotor *rotor = turn->view.plan->data;
    double places = rotor->places;
    double rest = fmod(turn->view.held, places);
    double each = (turn->view.held - rest) / places;
    double at = turn->state[0];
    for (unsigned port = 0; port < turn->view.degree; port++) {
        double steps = port < at ? port + places - at : port - at;
        amounts[port] = each + (steps < rest ? 1.0 : 0.0);
    }
    turn->state[0] = fmod(at + rest, places);
}

static void rotor_announce(const struct ek_turn *turn, double *values)
{
    (void)turn; // every value is NaN, so nothing is announced
    (void)values;
}

static void rotor_block(struct ek_block *block)
{
    ek_block_program(block, rotor_announce, rotor_act);
}

static bool rotor_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                          struct ek_error *error)
{
    if (!parameter) {
        return base_fail_at(error, "method", (size_t)at, "rotor needs the number of its self-loops, as in rotor:2");
    }
    uint64_t loops;
    struct base_cursor cursor = core_parameter_start(parameter, at, error);
    if (!base_cursor_whole(&cursor, "the number of self-loops", 0, LOOPS_MAX, &loops) || !base_cursor_end(&cursor)) {
        return false;
    }
    struct rotor *rotor = malloc(sizeof *rotor);
    if (!rotor) {
        return base_fail(error, EK_BAD_INPUT, "method", "there is no memory left for rotor");
    }
    rotor->places = fmax(1.0, (double)setting->topology->degree_max + (double)loops);
    plan->data = rotor;
    plan->parameter = (double)loops;
    plan->state_doubles = 1;
    snprintf(plan->stop, sizeof plan->stop, "spread:%u", 2 * setting->topology->degree_max);
    return true;
}

// Akbari & Berenbrink show that a lazy rotor, which keeps half of its tokens, is a diffusion of bounded error.
static void rotor_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    (void)plan;
    (void)outlook;
    core_facts_add(facts, CORE_NEEDS_PLAIN, "discrepancy_order", NAN, "spread_final",
                   "Where every second token stays, loads differ from those of random walks by O(1) on tori of few "
                   "dimensions and by O((log n)^1.5) on hypercubes, with n processors (Akbari & Berenbrink 2013). The "
                   "paper has no constant.");
}

static const struct ek_texts rotor_texts = {
    .title = "rotor walks",
    .parameter = "S",
    .example = "rotor:4 --topology torus:8x8",
    .equation = "each processor deals its tokens one by one to its ports, in the order of its neighbours, and then to "
                "D - degree + S self-loops, D the largest degree. It begins where it stopped the last time",
    .steps = "An operation is one step over all links.",
    .optimum = "S is the number of self-loops of a processor with D links. With S = D every second token stays, and "
               "the walks do not swap all load for ever between the two halves of a bipartite topology, as with S = 0. "
               "The default of stop is spread:2D.",
    .assumes = "The largest degree is known before the run. No processor needs a neighbour's load, so none announces "
               "it. Free timing does not have the method: there an operation begins with questions about loads, and "
               "ends for good when the loads leave nothing to move, but a rotor always moves.",
    .source = "Cooper & Spencer, Simulating a random walk with constant error, Combin. Probab. Comput. 15, 2006; "
              "Akbari & Berenbrink, Parallel rotor walks on finite graphs and applications in discrete load "
              "balancing, SPAA 2013",
};

const struct ek_method core_method_rotor = {
    .name = "rotor",
    .texts = &rotor_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS, .delays = true},
    .links = EK_LINKS_ALL,
    .prepare = rotor_prepare,
    .destroy = method_free_data,
    .facts = rotor_facts,
    .rounds = &(const struct ek_rounds_part){.announce = rotor_announce, .act = rotor_act, .block_tokens = rotor_block},
};
