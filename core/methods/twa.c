// SPDX-License-Identifier: MIT
// Tree walking: Shu & Wu 1995 on a tree, and as Wu & Shu apply it to a chain (DDE, section 3). Sums walk up the tree,
// or a tree over the chain, the total walks down, and tasks move along the tree's links until each processor has its
// quota.
#include "core/methods/kernels/block.h"
#include "core/methods/methods.h"
#include "core/methods/lines/walk.h"
#include "core/parameter.h"
#include "topologies/family.h"
#include "topologies/product.h"

static inline void twa_announce(const struct ek_turn *turn, double *values)
{
    if (turn->view.step->count == EK_COUNT_SCAN) {
        struct method_place place = method_walk_place(&turn->view);
        method_walk_announce(turn, &place, values);
    }
}

static inline void twa_act(struct ek_turn *turn, double *amounts)
{
    struct method_place place = method_walk_place(&turn->view);
    method_walk_arrive(turn);
    if (turn->view.step->count == EK_COUNT_SCAN) {
        method_walk_receive(turn, &place);
        uint64_t number = turn->view.step->number; // with one port the step may have colours to come
        turn->awake = method_walk_announces(&place, number) || method_walk_announces(&place, number + 1);
    }
    method_walk_continue(turn, &place, amounts);
}

static void twa_block(struct ek_block *block)
{
    ek_block_program(block, twa_announce, twa_act);
}

// Lists the links of the binomial tree. The children of p are p + 2^i for all i below p's lowest set bit; links of bit
// i have colour i.
static void list_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    uint32_t processors = draft->topology->processors;
    for (uint32_t p = 0; p < processors; p++) {
        uint32_t colour = 0;
        for (uint32_t bit = 1; bit < processors - p && !(p & bit); bit <<= 1) {
            topo_builder_link(builder, p, p + bit, 0, 1, colour++);
        }
    }
}

static uint32_t bits_of(uint32_t n)
{
    uint32_t bits = 0;
    for (; n > 0; n >>= 1) {
        bits++;
    }
    return bits;
}

// In the order of the names: middle, binomial, whole.
static const enum method_tree trees[] = {METHOD_TREE_MIDDLE, METHOD_TREE_BINOMIAL, METHOD_TREE_WHOLE};

static const char *known_tree(size_t index)
{
    static const char *const names[] = {"middle", "binomial", "whole"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static bool is_chain(const struct ek_topology *topology)
{
    return topology->dimensions == 1 && topo_line_of(topology, 0) == TOPO_PATH;
}

// Returns whether the topology is a tree whose links all belong to one dimension.
static bool is_tree(const struct ek_topology *topology)
{
    return topology->dimensions <= 1 && topology->links + 1 == topology->processors;
}

static bool check_topology(const struct ek_topology *topology, enum method_tree tree, bool given,
                           struct ek_error *error)
{
    if (tree == METHOD_TREE_WHOLE && !is_tree(topology)) {
        return base_fail_at(error, "topology", 0,
                            "twa balances chains and trees only: use one, as in chain:16, tree:2:4 or star:8, or the "
                            "method dde");
    }
    if (tree != METHOD_TREE_WHOLE && given && !is_chain(topology)) {
        return base_fail_at(error, "topology", 0,
                            "twa:middle and twa:binomial are trees over a chain: use a chain, as in chain:16, or on a "
                            "tree the method twa");
    }
    return true;
}

static void twa_release(struct ek_plan *plan)
{
    method_walk_destroy(plan);
    ek_topology_destroy(plan->overlay);
    plan->overlay = NULL;
}

static bool twa_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    uint32_t processors = topology->processors;
    size_t index;
    if (!core_parameter_name(parameter, at, "tree", known_tree, &index, error)) {
        return false;
    }
    const enum method_tree tree = parameter || is_chain(topology) ? trees[index] : METHOD_TREE_WHOLE;
    if (!check_topology(topology, tree, parameter, error)) {
        return false;
    }
    if (tree == METHOD_TREE_BINOMIAL) {
        plan->overlay = topo_overlay(NULL, processors, processors - 1, bits_of(processors - 1), list_links, error);
        if (!plan->overlay) {
            return false;
        }
    }
    return method_walk_prepare(plan, setting, tree, false, 0, error);
}

static const struct ek_texts twa_texts = {
    .title = "tree walking algorithm",
    .parameter = "TREE",
    .example = "twa:middle --topology chain:16",
    .equation = "with T the total load of the k processors, the quota of j is q_j = floor(T/k) + (j < T mod k), "
                "with j counted along the chain or in the tree's preorder. The flow from a subtree to its parent is "
                "the sum over the subtree of (w_j - q_j)",
    .steps = "The run is one operation: the steps of the scan, then as many steps of exchange as needed. With one port "
             "each step of middle and whole becomes one step for each colour. Those of binomial then use one level of "
             "the tree "
             "each, first all levels upwards and then downwards: the scan takes 2 ceil(log2 k) steps.",
    .optimum = "TREE is middle, binomial or whole. middle (the default on a chain): the chain's own links, rooted at "
               "k/2, with a scan of 2 floor(k/2) "
               "steps. binomial: recursive doubling, in which the parent of j is j with its lowest set bit cleared, "
               "with a scan of 2 floor(log2 k) steps. whole (the default on tree:K:DEPTH, star:N and other trees): the "
               "topology is the tree, rooted at processor 0, with a scan of twice its height.",
    .assumes =
        "Known before the run: k, the processor's own position, and the processors at the other ends of its links in "
        "the tree; with whole also the sizes of their subtrees. Learned by messages: the subtrees' sums and the total. "
        "binomial assumes wormhole routing: a link of "
        "the tree stands for a path in the chain, costs one step whatever its length, and counts once in moved.",
    .source =
        "Shu & Wu, Runtime parallel scheduling for distributed memory computers, 1995; " METHOD_WU_SHU ", section 3",
    .findings =
        "With middle the flows are those of dde, and a run takes at most 2k steps. With binomial it takes at most 4 "
        "log2 k, with whole and all ports at most four times the height of the tree. On a tree no other flow gives "
        "these quotas, so none moves less. The paper does not state which processors get the T mod k extra tasks: here "
        "the lowest positions do.",
};

static const struct ek_rounds_part twa_rounds = {
    .next = method_walk_next,
    .announce = twa_announce,
    .act = twa_act,
    .reads_arrivals = true,
    .block_tokens = twa_block,
    .counts = EK_COUNTS_SCAN,
};

const struct ek_method core_method_twa = {
    .name = "twa",
    .texts = &twa_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT},
    .links = EK_LINKS_SCHEDULED,
    .direct = true,
    .prepare = twa_prepare,
    .destroy = twa_release,
    .facts = method_walk_facts,
    .rounds = &twa_rounds,
};
