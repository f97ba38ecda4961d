// SPDX-License-Identifier: MIT
// Direct dimension exchange: Wu & Shu, Figs 3, 5, 6, 8, 10. The method balances one dimension after the other, and all
// lines of a dimension at once. First a scan: sums walk to a root, and the total walks back. The root is position 0 or
// k/2 (walk.c, walk_ring.c), or the scan uses recursive doubling (doubling.c). Then tasks are exchanged along the
// lines. Quotas and flows do not depend on the scan.
#include <string.h>

#include "core/methods/kernels/block.h"
#include "core/methods/lines/doubling.h"
#include "core/methods/methods.h"
#include "core/methods/lines/walk_ring.h"
#include "core/parameter.h"
#include "topologies/product.h"

static inline void dde_announce(const struct ek_turn *turn, double *values)
{
    if (turn->view.step->count == EK_COUNT_SCAN) {
        struct method_place place = method_walk_place(&turn->view);
        (place.line->ring ? method_walk_ring_announce : method_walk_announce)(turn, &place, values);
    }
}

static inline void dde_act(struct ek_turn *turn, double *amounts)
{
    struct method_place place = method_walk_place(&turn->view);
    method_walk_arrive(turn);
    if (turn->view.step->count == EK_COUNT_SCAN) {
        (place.line->ring ? method_walk_ring_receive : method_walk_receive)(turn, &place);
        // With one port the next turn can have the same number: it is for the next colour of this step.
        uint64_t number = turn->view.step->number;
        bool (*announces)(const struct method_place *, uint64_t) =
            place.line->ring ? method_walk_ring_announces : method_walk_announces;
        turn->awake = announces(&place, number) || announces(&place, number + 1);
    }
    method_walk_continue(turn, &place, amounts);
}

static void dde_block(struct ek_block *block)
{
    ek_block_program(block, dde_announce, dde_act);
}

static void doubling_block(struct ek_block *block)
{
    ek_block_program(block, method_doubling_announce, method_doubling_act);
}

// The options of the parameter: the order of the exchange, and the tree of the scan.
static const struct option {
    const char *name;
    bool scans;
    enum method_tree tree;
    bool send_first;
} options[] = {
    {.name = "receive-first"},
    {.name = "send-first", .send_first = true},
    {.name = "middle", .scans = true, .tree = METHOD_TREE_MIDDLE},
    {.name = "doubling", .scans = true, .tree = METHOD_TREE_DOUBLING},
};

static const char *known_option(size_t index)
{
    return index < sizeof options / sizeof *options ? options[index].name : NULL;
}

// Reads at most one option of each kind.
static bool read_options(const char *parameter, int at, enum method_tree *tree, bool *send_first,
                         struct ek_error *error)
{
    bool given[2] = {false, false};
    struct base_cursor cursor = core_parameter_start(parameter, at, error);
    do {
        size_t from = cursor.at;
        size_t index;
        if (!base_cursor_known(&cursor, "task exchange or scan", known_option, &index)) {
            return false;
        }
        if (given[options[index].scans]) {
            return base_cursor_fail(&cursor, from,
                                    "dde takes one order of the exchange and one scan, as in dde:send-first,middle: "
                                    "leave the second one out");
        }
        given[options[index].scans] = true;
        *tree = options[index].scans ? options[index].tree : *tree;
        *send_first = options[index].scans ? *send_first : options[index].send_first;
    } while (base_cursor_accept(&cursor, ','));
    return base_cursor_end(&cursor);
}

static void dde_release(struct ek_plan *plan)
{
    method_walk_destroy(plan);
    ek_topology_destroy(plan->overlay);
    plan->overlay = NULL;
}

// Checks that the topology is a product, and for middle and doubling that its dimensions are paths and rings.
static bool check_lines(const struct ek_topology *topology, enum method_tree tree, struct ek_error *error)
{
    if (topology->dimensions == 0) {
        return base_fail_at(error, "topology", 0,
                            "dde balances the dimensions of a product: use a chain, ring, mesh, torus, hypercube, kary "
                            "or product, as in torus:8x8");
    }
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        if (tree != METHOD_TREE_END && topo_line_of(topology, d) == TOPO_BRANCHED) {
            return base_fail_at(error, "topology", 0,
                                "the scans middle and doubling go along paths and rings, and dimension %u is %s: use "
                                "dde without them",
                                d, topology->factor[d]->spec);
        }
    }
    return true;
}

static bool dde_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    enum method_tree tree = METHOD_TREE_END;
    bool send_first = false;
    if (parameter && !read_options(parameter, at, &tree, &send_first, error)) {
        return false;
    }
    if (!check_lines(setting->topology, tree, error)) {
        return false;
    }
    if (tree == METHOD_TREE_DOUBLING) {
        plan->overlay = method_doubling_overlay(setting->topology, error);
        if (!plan->overlay) {
            return false;
        }
    }
    return method_walk_prepare(plan, setting, tree, send_first, method_walk_ring_doubles(setting->topology), error);
}

// The paper counts k steps for the scan of a line of k; here it takes 2(k-1) or 2 floor(k/2). Only the number of steps
// depends on the root of the tree. The paper has no other factors than paths and rings.
static const char *paper_steps(const struct ek_plan *plan, const struct ek_counted *counted, uint64_t *steps)
{
    const struct method_walk *walk = plan->data;
    uint64_t scan = 0;
    for (uint32_t d = 0; d < walk->dimensions; d++) {
        if (walk->line[d].branches) {
            return NULL;
        }
        scan += walk->line[d].side > 1 ? walk->line[d].side : 0;
    }
    *steps = scan + counted->exchange_steps;
    return scan == counted->scan_steps
               ? NULL
               : "Wu & Shu (Fig. 14) count k steps for the scan of a dimension of k, k/2 to the root and k/2 back";
}

// Recursive doubling has another schedule. Only the title is shown, since `explain` prints the texts of dde.
static const struct ek_texts dde_doubling_texts = {.title = "direct dimension exchange",
                                                   .parameter = "EXCHANGE,doubling"};

static const struct ek_rounds_part dde_doubling_rounds = {
    .next = method_doubling_next,
    .announce = method_doubling_announce,
    .act = method_doubling_act,
    .reads_arrivals = true,
    .block_tokens = doubling_block,
    .counts = EK_COUNTS_SCAN | EK_COUNTS_REDUCTION,
};

// The part that the rows of both scans share.
#define DDE_ROW                                                                                                        \
    .name = "dde", .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT}, .links = EK_LINKS_SCHEDULED, \
    .order = EK_ORDER_ASCENDING, .direct = true, .prepare = dde_prepare, .destroy = dde_release,                       \
    .facts = method_walk_facts

static const struct ek_method dde_doubling = {DDE_ROW, .texts = &dde_doubling_texts, .rounds = &dde_doubling_rounds};

static const struct ek_method *dde_variant(const char *parameter)
{
    return strstr(parameter, "doubling") ? &dde_doubling : &core_method_dde;
}

static const struct ek_texts dde_texts = {
    .title = "direct dimension exchange",
    .parameter = "EXCHANGE,SCAN",
    .example = "dde",
    .equation = "dimension after dimension, for each line of k processors with total load T: the quota of j is q_j = "
                "floor(T/k) + (j < T mod k), and the flow over (e, e+1) is the sum over j <= e of (w_j - q_j). On a "
                "ring an offset is subtracted from every flow. If more than half of the flows (with 0 for the wrap "
                "link) have one sign, the offset is the ceil(k/2)-th of them, counted from the largest modulus; else "
                "0. On a factor that is neither a path nor a ring, loads flow along a breadth-first tree from its "
                "processor 0, to a parent the sum of (w_j - q_j) over the subtree below, with j in the tree's preorder",
    .steps = "The run is one operation. For each dimension, with lines of k, it has 2(k-1) steps of scan (middle: 2 "
             "floor(k/2), doubling: 2 ceil(log2 k)), then as many steps of exchange as needed. With one port each step "
             "becomes one step for each colour; a scan step of doubling uses one colour only. A message of doubling "
             "can have several numbers. All but the first are counted as reduction_steps.",
    .optimum = "The exchange is receive-first (the default) or send-first. With receive-first a processor sends once "
               "all tasks that it is to receive have arrived, so as many tasks as possible stay where they are. With "
               "send-first it sends as soon as it has enough, which takes fewer steps, but fewer tasks stay. The scan "
               "is given after a comma or alone. middle puts its root at k/2 instead of position 0. doubling uses a "
               "binomial tree as in twa:binomial, whose links stand for paths of a machine with wormhole routing. "
               "Quotas, flows and loads do not depend on the scan.",
    .assumes = "Known before the run: the sides, the processor's own position, and the processors at the other ends of "
               "its links. Learned by messages: the line's total (and on a ring the offset) in 2(k-1) steps, and the "
               "loads beyond each link. The machine detects when all lines of a dimension are balanced, and with one "
               "port when all links of a colour are done.",
    .source = METHOD_WU_SHU ", Figs 3, 5, 6, 8 and 10",
    .findings = "Theorem 1 (in n dimensions the spread is at most n) is true, but its printed proof is wrong. "
                "Send-first needs >= where the paper prints >, or a run can wait for ever. Receive-first takes at most "
                "k-1 steps on a chain and floor(k/2) on a ring; send-first never takes more. The ring's flow has the "
                "least cost for these quotas. Giving the T mod k extra tasks to other processors would often be "
                "cheaper. The paper's gain in locality over gde needs receive-first.",
};

static const struct ek_rounds_part dde_rounds = {
    .next = method_walk_next,
    .announce = dde_announce,
    .act = dde_act,
    .reads_arrivals = true,
    .block_tokens = dde_block,
    .counts = EK_COUNTS_SCAN,
    .paper_steps = paper_steps,
};

const struct ek_method core_method_dde = {DDE_ROW, .texts = &dde_texts, .variant = dde_variant, .rounds = &dde_rounds};
