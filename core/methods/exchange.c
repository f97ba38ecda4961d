// SPDX-License-Identifier: MIT
// Dimension exchange: Cybenko 1989; Hosseini et al. 1990 (by link colours); Xu, Monien, Lüling & Lau 1995, Eq. (3).
// Along the links of one colour each pair moves its loads towards each other by lambda; the colours follow one another.
#include <math.h>
#include <string.h>

#include "core/methods/kernels/paired.h"
#include "core/theory/discrepancy.h"
#include "core/theory/facts.h"
#include "core/methods/methods.h"
#include "core/parameter.h"
#include "core/theory/convergence.h"
#include "base/cursor.h"
#include "topologies/spectra/spectrum.h"

// w_i := (1 - lambda) w_i + lambda w_j
static inline double exchange_flow(const struct ek_view *view, unsigned port)
{
    return view->plan->parameter * (view->load - view->announced[port]);
}

// Multiplies the difference: rounding in lambda w_i - lambda w_j could change its floor.
static inline double exchange_flow_tokens(const struct ek_view *view, unsigned port)
{
    double difference = view->load - view->announced[port];
    return difference > 1.0 ? ek_whole(view->plan->parameter * difference) : 0.0;
}

static inline EK_WIDE ek_lanes exchange_lanes_tokens(const struct ek_plan *plan, ek_lanes own, ek_lanes other)
{
    ek_lanes difference = own - other;
    return ek_lanes_if(difference > 1.0, ek_lanes_whole(plan->parameter * difference));
}

static void exchange_block(struct ek_block *block)
{
    ek_block_flows(block, exchange_flow);
}

static void exchange_block_tokens(struct ek_block *block)
{
    ek_block_flows(block, exchange_flow_tokens);
}

static EK_WIDE void exchange_block_paired(struct ek_block *block)
{
    core_block_paired(block, (struct ek_rule_lanes){exchange_flow, NULL});
}

static EK_WIDE void exchange_block_paired_tokens(struct ek_block *block)
{
    core_block_paired(block, (struct ek_rule_lanes){exchange_flow_tokens, exchange_lanes_tokens});
}

static bool prepare_half(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                         struct ek_error *error)
{
    (void)setting;
    plan->parameter = 0.5;
    return core_parameter_none(parameter, at, error);
}

static bool prepare_optimal(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                            struct ek_error *error)
{
    return core_parameter_none(parameter, at, error) &&
           core_lambda_optimal(setting->topology, setting->units, &plan->parameter, error);
}

static bool prepare_given(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                          struct ek_error *error)
{
    (void)setting;
    return core_parameter_read(parameter, at, "its lambda", 0.0, 1.0, "gde:0.72", &plan->parameter, error);
}

// Wu & Shu's integer version announces loads before it moves tasks. Here both happen in one step.
static const char *paper_steps(const struct ek_plan *plan, const struct ek_counted *counted, uint64_t *steps)
{
    (void)plan;
    *steps = 3 * counted->steps;
    return counted->units == EK_TOKENS
               ? "Wu & Shu (Fig. 14) count three communications a step: two announce the loads, one moves the tasks"
               : NULL;
}

static const char *known_way(size_t index)
{
    return index == 0 ? "folded" : NULL;
}

// Prepares one operation over the dimensions of a hypercube, whose colours are its dimensions.
static bool prepare_once(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                         struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    bool cube = topology->dimensions > 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        cube = cube && topology->side[d] <= 2;
    }
    if (!cube) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "dem balances hypercubes only: use a hypercube, as in hypercube:6, or dem:folded on a mesh, "
                         "or the method dde on other products");
    }
    plan->parameter = 0.5;
    plan->operations = 1;
    plan->spread_most = topology->colours;
    size_t way;
    return core_parameter_name(parameter, at, "way to exchange", known_way, &way, error);
}

// On a folded mesh the processors of a pair are not neighbours, so dem:folded is a program.
static const struct ek_method *variant_dem(const char *parameter)
{
    bool folded = strcmp(parameter, ":folded") == 0 || strcmp(parameter, "(folded)") == 0;
    return folded ? &core_method_dem_folded : &core_method_dem;
}

static void facts_once(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    (void)outlook;
    core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "spread_most", plan->spread_most, "spread_final",
                   "The number of dimensions, which no difference of final loads exceeds (Wu & Shu, section 1).");
}

static const struct ek_texts ade_texts = {
    .title = "average dimension exchange",
    .example = "ade",
    .equation = "w_i := w_i + (w_j - w_i) / 2 over the links of one colour after the other",
    .optimum = "lambda = 1/2: a pair ends with equal loads. On a hypercube one operation balances completely.",
    .assumes = "The colours of the links are known before the run.",
    .source = METHOD_XU_1995 ", Eq. (3); Cybenko 1989",
    .findings = "Table 1's factor is exact on even tori with sides of 4 and more and on all meshes. An odd torus needs "
                "a third colour, and its factor differs from the printed one. In a long run with a workload the "
                "parameter of ode can be better or worse than 1/2: with work of variance 30 an operation the variance "
                "of the loads stays at 6673 with ade and 6271 with ode on a ring of 64, but at 8520 and 8827 on a "
                "torus of 16x16 (the fact variance_limit of evenkeel theory --work).",
};

static const struct ek_rule exchange_rule = {
    .flow = exchange_flow, .flow_tokens = exchange_flow_tokens, .mutual = true};

static const struct ek_rounds_part exchange_rounds = {
    .block = exchange_block,
    .block_tokens = exchange_block_tokens,
    .block_paired = exchange_block_paired,
    .block_paired_tokens = exchange_block_paired_tokens,
    .paper_steps = paper_steps,
};

static const struct ek_free_part free_by_rule = {0};

// The part that the rows of ade, ode and gde share.
#define EXCHANGE_ROW                                                                                                   \
    .supports = {.units = EK_REAL | EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT, .delays = true},                   \
    .links = EK_LINKS_COLOUR, .matrix = EK_MATRIX_EXCHANGE, .in_table_1 = true, .rule = &exchange_rule,                \
    .rounds = &exchange_rounds, .free = &free_by_rule

const struct ek_method core_method_ade = {EXCHANGE_ROW, .name = "ade", .texts = &ade_texts, .prepare = prepare_half};

static const struct ek_texts ode_texts = {
    .title = "optimal dimension exchange",
    .example = "ode",
    .equation = "w_i := w_i + lambda (w_j - w_i) over the links of one colour after the other",
    .optimum = "With k the largest side, lambda = 1/(1+sin(pi/k)) on chains and meshes and 1/(1+sin(2 pi/k)) on rings "
               "and tori. If no side is above 2, lambda = 1/2. On other graphs it is the optimum found from the "
               "spectrum of an operation; for tokens it is at least 1/2.",
    .assumes = "The colours of the links and lambda are known before the run.",
    .source = METHOD_XU_1995 ", Eq. (3) and section 3; Xu & Lau 1992",
    .findings = "The optimum is exact on even tori and on meshes. There the matrix of an operation is defective, so in "
                "the long run the variance falls as t^2 gamma^2t, not as gamma^2t. The optimum is slightly off on odd "
                "tori. The paper's 92.5 % fewer steps than ade on a ring of 64 are reproduced.",
};

const struct ek_method core_method_ode = {EXCHANGE_ROW, .name = "ode", .texts = &ode_texts, .prepare = prepare_optimal};

static const struct ek_texts gde_texts = {
    .title = "generalised dimension exchange",
    .parameter = "L",
    .example = "gde:0.72",
    .equation = "w_i := w_i + L (w_j - w_i) over the links of one colour after the other. Tokens: floor(L d) moves if "
                "the difference d is above 1",
    .optimum = "L is from 0 to 1. L = 1/2 is ade. ode finds the best L for the topology.",
    .assumes = "The colours of the links are known before the run.",
    .source = METHOD_XU_1995 ", Eq. (3); Wu & Shu, Direct dimension exchange, for tokens",
    .findings = "In tokens it reaches rest for every L from 1/2 to below 1. With L below 1/2 it stops at differences "
                "of 2 and more, since floor(2 L) = 0. With L = 1 loads are swapped for ever.",
};

const struct ek_method core_method_gde = {EXCHANGE_ROW, .name = "gde", .texts = &gde_texts, .prepare = prepare_given};

static const struct ek_texts dem_texts = {
    .title = "dimension exchange on a hypercube",
    .parameter = "folded",
    .example = "dem --topology hypercube:6",
    .equation =
        "floor(|w_i - w_j| / 2) moves from the larger to the smaller load, once over the links of each dimension. "
        "folded: the pairs are position j of a part of m positions and its image m-1-j; then each half is such a part",
    .steps =
        "The run is one operation: a step for each dimension of a hypercube. With dem:folded each fold of a part of m "
        "takes m-1 steps in which the loads walk to their images, one link a step (scan_steps), and m-1 steps in which "
        "the tasks do (exchange_steps). With one port each of these steps becomes one step for each colour.",
    .optimum = "lambda = 1/2: a pair ends with loads that differ by at most 1. dem:folded runs on a mesh, whose lines "
               "of k are folded ceil(log2 k) times. It does not support delays.",
    .assumes = "The dimensions of the links are known before the run.",
    .source = "Cybenko 1989; Wu & Shu, DDE: A modified dimension exchange method for load balancing in k-ary n-cubes, "
              "Figure 1; folded: Willebeck-LeMair & Reeves 1993, as cited there",
    .findings = "Final loads differ by at most the number of dimensions; with dem:folded by at most the number of "
                "folds if all sides are powers of two. The middle of an odd part has no image, so other sides have no "
                "bound: loads of 0, 100 and 0 end as 50, 50 and 0.",
};

const struct ek_method core_method_dem = {
    .name = "dem",
    .texts = &dem_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT, .delays = true},
    .links = EK_LINKS_COLOUR,
    .direct = true,
    .variant = variant_dem,
    .prepare = prepare_once,
    .facts = facts_once,
    .rule = &(const struct ek_rule){.flow_tokens = exchange_flow_tokens, .mutual = true},
    .rounds = &(const struct ek_rounds_part){.block_tokens = exchange_block_tokens,
                                             .block_paired_tokens = exchange_block_paired_tokens,
                                             .paper_steps = paper_steps},
};

// The bounds for matchings hold on all of these.
enum { MATCHED = CORE_NEEDS_PLAIN | CORE_NEEDS_REAL | CORE_NEEDS_EQUAL_CAPACITIES | CORE_NEEDS_HELD };

static const char *known_links(size_t index)
{
    static const char *const names[] = {"maximal", "edge"};
    return index < 2 ? names[index] : NULL;
}

static bool prepare_matching(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                             struct ek_error *error)
{
    size_t index;
    (void)setting;
    plan->parameter = 0.5;
    bool good = core_parameter_name(parameter, at, "kind of matching", known_links, &index, error);
    plan->single_link = good && index == 1;
    return good;
}

// A link that takes part reduces the variance by half the square of its difference d. If every link takes part with the
// probability p, the expected reduction is p/2 times the sum of all d^2, which is at least p/2 l2 of the variance. A
// link is in a maximal matching if it comes before the 2(D-1) links that it meets, at most: p >= 1/(2D-1). A single
// link has p = 1/m. (Markov: the variance is below the goal with probability 0.99 if its expectation is below 1 % of
// it.)
static void facts_matching(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct ek_topology *topology = outlook->topology;
    struct ek_spectrum spectrum;
    double goal;
    core_facts_add_pairs(plan, outlook, facts);
    if (!core_facts_extremes(facts, MATCHED, "variance_factor_most", topology, NULL, &spectrum)) {
        return;
    }
    double factor =
        1.0 - spectrum.second / 2.0 / (plan->single_link ? topology->links : 2.0 * topology->degree_max - 1.0);
    double printed = 1.0 - spectrum.second / 16.0 / topology->degree_max;
    ek_spectrum_destroy(&spectrum);
    if (plan->single_link) {
        core_facts_add(facts, MATCHED, "variance_factor_most", factor, NULL,
                       "In expectation a step leaves at most this share of the variance: 1 - l2/(2m), m the number of "
                       "links (Boyd, Ghosh, Prabhakar & Shah 2006).");
    } else {
        core_facts_add(facts, MATCHED, "variance_factor_most", factor, NULL,
                       "In expectation a step leaves at most this share of the variance: 1 - l2/(4D-2), D the largest "
                       "degree. Ghosh & Muthukrishnan 1996 have 1 - l2/(16D) = %.6g for their matchings, in which a "
                       "link takes part with a probability of at least 1/(8D).",
                       printed);
    }
    if (core_outlook_goal(outlook, &goal) && goal > 0.0) {
        core_facts_add(facts, MATCHED, "operations_likely",
                       core_factor_operations(sqrt(factor), outlook->distance, 0.01 * goal), "operations",
                       "With a probability of at least 0.99 the load of run 0 needs no more operations: after so many "
                       "the expected variance is at most 1 %% of the goal (Markov's inequality).");
    }
}

static const struct ek_texts matching_texts = {
    .title = "exchange over random matchings",
    .parameter = "edge",
    .example = "matching",
    .other = "matching:edge",
    .equation = "w_i := w_i + (w_j - w_i) / 2 over the links of a random maximal matching, a new one each step; edge: "
                "over a single link, drawn evenly from all",
    .steps = "An operation is one step over a random maximal matching of the links, or over one random link.",
    .optimum = "lambda = 1/2: a pair ends with equal loads. With edge a step moves the load of one pair, as in "
               "randomised gossip; a matching has up to N/2 pairs.",
    .assumes = "The matching is global knowledge: the machine draws it once a step from the seed.",
    .source =
        "Ghosh & Muthukrishnan, Dynamic load balancing by random matchings, J. Comput. Syst. Sci. 53, 1996; edge: "
        "Boyd, Ghosh, Prabhakar & Shah, Randomized gossip algorithms, IEEE Trans. Inf. Theory 52, 2006",
    .findings = "The bounds hold and are far from practice. On torus:8x8 a maximal matching may leave 95.8 % of the "
                "variance in expectation, and runs from uniform:0:1000 until variance:1 leave 86 % a step; a single "
                "link may leave 99.77 %, and leaves 99.46 %.",
};

const struct ek_method core_method_matching = {
    .name = "matching",
    .texts = &matching_texts,
    .supports = {.units = EK_REAL | EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT},
    .links = EK_LINKS_MATCHING,
    .prepare = prepare_matching,
    .facts = facts_matching,
    .rule = &exchange_rule,
    .rounds = &(const struct ek_rounds_part){.block = exchange_block, .block_tokens = exchange_block_tokens},
};
