// SPDX-License-Identifier: MIT
// Direct dimension exchange: Wu & Shu, Figs 3, 5, 6, 8, 10. Dimension after dimension each line is balanced at once:
// sums walk to a root and the total back, from position 0 (walk.c, walk_ring.c), from k/2 (the same) or by recursive
// doubling (doubling.c); then tasks are exchanged along the line. Quotas and flows do not depend on the scan.
#include <string.h>

#include "core/methods/kernels/block.h"
#include "core/methods/lines/doubling.h"
#include "core/methods/methods.h"
#include "core/methods/lines/walk_ring.h"
#include "core/parameter.h"

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
        (place.line->ring ? method_walk_ring_hear : method_walk_hear)(turn, &place);
        uint64_t number = turn->view.step->number; // with one port it may have colours to come
        bool (*speaks)(const struct method_place *, uint64_t) =
            place.line->ring ? method_walk_ring_speaks : method_walk_speaks;
        turn->awake = speaks(&place, number) || speaks(&place, number + 1);
    }
    method_walk_go_on(turn, &place, amounts);
}

static void dde_block(struct ek_block *block)
{
    ek_block_program(block, dde_announce, dde_act);
}

static void doubling_block(struct ek_block *block)
{
    ek_block_program(block, method_doubling_announce, method_doubling_act);
}

// The parts of the parameter: the order of the exchange, and the tree of the scan.
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
                                    "this is given twice: dde takes one order of the exchange and one scan, as in "
                                    "dde:send-first,middle");
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

static bool dde_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    enum method_tree tree = METHOD_TREE_END;
    bool send_first = false;
    if (parameter && !read_options(parameter, at, &tree, &send_first, error)) {
        return false;
    }
    if (setting->topology->dimensions == 0) {
        return base_fail_at(error, "topology", 0,
                            "dde balances lines: use a chain, ring, mesh, torus, hypercube or kary, as in torus:8x8");
    }
    if (tree == METHOD_TREE_DOUBLING) {
        plan->overlay = method_doubling_overlay(setting->topology, error);
        if (!plan->overlay) {
            return false;
        }
    }
    return method_walk_prepare(plan, setting, tree, send_first, method_walk_ring_words(setting->topology), error);
}

// The machine's scan has other lengths, 2(k-1) or 2 floor(k/2) a line; nothing that is compared depends on the root.
static const char *paper_steps(const struct ek_plan *plan, const struct ek_counted *counted, uint64_t *steps)
{
    const struct method_walk *walk = plan->data;
    uint64_t scan = 0;
    for (uint32_t d = 0; d < walk->dimensions; d++) {
        scan += walk->line[d].side > 1 ? walk->line[d].side : 0;
    }
    *steps = scan + counted->exchange_steps;
    return scan == counted->scan_steps
               ? NULL
               : "Wu & Shu (Fig. 14) count k steps of information for a dimension of k, k/2 to the root and k/2 back";
}

// By doubling it has another schedule.
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

static const struct ek_method dde_doubling = {
    .name = "dde",
    .texts = &dde_doubling_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT},
    .links = EK_LINKS_SCHEDULED,
    .order = EK_ORDER_ASCENDING,
    .direct = true,
    .prepare = dde_prepare,
    .destroy = dde_release,
    .facts = method_walk_facts,
    .rounds = &dde_doubling_rounds,
};

static const struct ek_method *dde_variant(const char *parameter)
{
    return strstr(parameter, "doubling") ? &dde_doubling : &core_method_dde;
}

static const struct ek_texts dde_texts = {
    .title = "direct dimension exchange",
    .parameter = "EXCHANGE,SCAN",
    .example = "dde",
    .equation = "dimension after dimension, each line of k processors at once: total T, quota q_j = floor(T/k) + (j < "
                "T mod k), flow on (e, e+1) = sum over j <= e of (w_j - q_j); on a ring, where more than half of the "
                "flows (the wrap link's 0 counted) have one sign, the ceil(k/2)-th farthest from 0 of those is taken "
                "off every flow",
    .steps = "The run is one operation: for each dimension, of lines of k, 2(k-1) steps of scan (middle: 2 floor(k/2), "
             "doubling: 2 ceil(log2 k)) and then as many of exchange as it takes. With one port they go colour by "
             "colour, a step each; a step of doubling is over one colour. Numbers of a message beyond the first, which "
             "doubling has, are counted apart (reduction_steps).",
    .optimum = "receive-first (the default): a processor sends once all that it is to receive has come in, and as "
               "many tasks as possible stay. send-first: it sends as soon as it has enough: fewer steps, fewer tasks "
               "stay. After a comma or alone the scan: middle, its root is k/2, not position 0; doubling, it goes over "
               "a binomial tree, as that of twa:binomial, whose links stand for paths of a machine with wormhole "
               "routing. Quotas, flows and loads do not depend on it.",
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

const struct ek_method core_method_dde = {
    .name = "dde",
    .texts = &dde_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT},
    .links = EK_LINKS_SCHEDULED,
    .order = EK_ORDER_ASCENDING,
    .direct = true,
    .variant = dde_variant,
    .prepare = dde_prepare,
    .destroy = dde_release,
    .facts = method_walk_facts,
    .rounds = &dde_rounds,
};
