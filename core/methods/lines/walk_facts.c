// SPDX-License-Identifier: MIT
// What is known of a walk before it begins: the steps of the scan, bounds on the exchange and on the final spread, and
// the least load that must move in a single line or tree.
#include <math.h>
#include <stdlib.h>

#include "core/methods/lines/walk.h"
#include "topologies/topology.h"

static int compare_flows(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

// Returns the least sum of flows that gives each processor of a path or ring its quota. On a ring all flows may be
// changed by the same amount: subtracting the median is cheapest. flow[side] is overwritten.
static double least_in_line(const struct ek_outlook *outlook, double total, bool ring, double *flow)
{
    uint32_t side = outlook->topology->processors;
    double over = 0.0;
    for (uint32_t i = 0; i < side; i++) {
        over += outlook->load[i] - method_walk_quota(total, side, i, i + 1);
        flow[i] = over; // the last flow, over the wrap link, is 0
    }
    qsort(flow, side, sizeof *flow, compare_flows);
    double offset = ring ? flow[side / 2] : 0.0;
    double sum = 0.0;
    for (uint32_t i = 0; i < side; i++) {
        sum += fabs(flow[i] - offset);
    }
    return sum;
}

// Returns the sum over all links of a tree of |w - q|, with w the load and q the quota of the subtree below the link.
// No other flow along the tree gives each processor its quota. load[side] is overwritten: by position, then summed over
// subtrees. Children have higher positions than their parents.
static double sum_in_tree(const struct ek_outlook *outlook, double total, const struct method_branches *tree,
                          double *load)
{
    uint32_t side = outlook->topology->processors;
    for (uint32_t p = 0; p < side; p++) {
        load[tree->position[p]] = outlook->load[p];
    }
    double sum = 0.0;
    for (uint32_t j = side - 1; j > 0; j--) {
        sum += fabs(load[j] - method_walk_quota(total, side, j, tree->end[j]));
        load[tree->parent[j]] += load[j];
    }
    return sum;
}

// Returns the least sum of flows in a single line, or in a tree of all processors. Returns a negative number if there
// is no memory.
static double least_transfers(const struct ek_outlook *outlook, const struct method_line *line)
{
    double *room = malloc(line->side * sizeof *room);
    if (!room) {
        return -1.0;
    }
    double total = 0.0;
    for (uint32_t i = 0; i < line->side; i++) {
        total += outlook->load[i];
    }
    double least = line->branches ? sum_in_tree(outlook, total, line->branches, room)
                                  : least_in_line(outlook, total, line->ring, room);
    free(room);
    return least;
}

// Returns the length of the longest path of a task in a line. Receive-first takes at most this many steps, and
// send-first never takes more than receive-first.
static uint64_t exchange_most(const struct method_walk *walk, const struct method_line *line)
{
    if (walk->tree == METHOD_TREE_BINOMIAL || line->branches) {
        return 2 * method_walk_height(walk, line);
    }
    return line->ring ? line->side / 2 : line->side - 1;
}

// The lines of a walk together.
struct lines {
    unsigned count; // of those that have links
    bool branched;
    const struct method_line *last;
    uint64_t scan, exchange_steps;
};

static struct lines sum_lines(const struct method_walk *walk, bool by_colour)
{
    struct lines sum = {0};
    for (uint32_t d = 0; d < walk->dimensions; d++) {
        const struct method_line *line = &walk->line[d];
        if (line->side > 1) {
            sum.scan += method_walk_scan_numbers(walk, line) * (by_colour ? line->colour_end - line->colour_from : 1);
            sum.exchange_steps += exchange_most(walk, line);
            sum.count++;
            sum.branched = sum.branched || line->branches;
            sum.last = line;
        }
    }
    return sum;
}

static void add_scan(const struct method_walk *walk, const struct lines *lines, bool by_colour, struct ek_facts *facts)
{
    static const char *const scans[] = {
        [METHOD_TREE_END] = "2(k-1) from position 0",
        [METHOD_TREE_MIDDLE] = "2 floor(k/2) from position k/2",
        [METHOD_TREE_BINOMIAL] = "2 floor(log2 k) over the binomial tree",
        [METHOD_TREE_DOUBLING] = "2 ceil(log2 k) by recursive doubling",
    };
    static const char *const more = ", times the number of its colours because of the one port";
    if (walk->tree == METHOD_TREE_WHOLE) {
        core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "scan_steps_all", (double)lines->scan, "scan_steps",
                       "The steps in which sums go to processor 0 and the total comes back: twice the height of the "
                       "tree%s.",
                       by_colour ? more : "");
        return;
    }
    core_facts_add(
        facts, CORE_NEEDS_PLAIN | CORE_AT_END, "scan_steps_all", (double)lines->scan, "scan_steps",
        "The steps in which sums go to the root of a line's tree and the total comes back: %s, for a line "
        "of k in each dimension%s%s.",
        method_walk_is_by_level(walk) ? "2 ceil(log2 k) over the binomial tree, one level a step" : scans[walk->tree],
        lines->branched ? ", and twice the height of the tree of another factor" : "", by_colour ? more : "");
}

static void add_exchange(const struct method_walk *walk, const struct lines *lines, struct ek_facts *facts)
{
    if (walk->one_port) {
        return;
    }
    if (walk->tree == METHOD_TREE_WHOLE) {
        core_facts_add(facts, CORE_NEEDS_PLAIN, "exchange_steps_most", (double)lines->exchange_steps, "exchange_steps",
                       "The longest path of a task: twice the height of the tree.");
        return;
    }
    core_facts_add(facts, CORE_NEEDS_PLAIN, "exchange_steps_most", (double)lines->exchange_steps, "exchange_steps",
                   "The longest path of a task, summed over the dimensions: k-1 on a chain, floor(k/2) on a ring, "
                   "2 floor(log2 k) in the binomial tree%s.",
                   lines->branched ? ", twice the height of the tree of another factor" : "");
}

static void add_least(const struct method_walk *walk, const struct lines *lines, const struct ek_outlook *outlook,
                      struct ek_facts *facts)
{
    const bool whole = walk->tree == METHOD_TREE_WHOLE;
    if (lines->count != 1 || (lines->branched && !whole) || walk->tree == METHOD_TREE_BINOMIAL) {
        return;
    }
    double least = least_transfers(outlook, lines->last);
    if (least >= 0.0) {
        core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "moved_least", least, "moved",
                       whole ? "The fewest transfers from the load of run 0 to these quotas: the sum over all links of "
                               "|w - q|, with w the load and q the quota of the subtree below. It can be cheaper to "
                               "give the T mod k extra tasks to other processors."
                             : "The fewest transfers from the load of run 0 to these quotas (Wu & Shu, Lemma 2). It "
                               "can be cheaper to give the T mod k extra tasks to other processors.");
    }
}

void method_walk_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct method_walk *walk = plan->data;
    bool by_colour = walk->one_port && !method_walk_is_by_level(walk) && walk->tree != METHOD_TREE_DOUBLING;
    const struct lines lines = sum_lines(walk, by_colour);
    core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "spread_most", plan->spread_most, "spread_final",
                   walk->tree == METHOD_TREE_WHOLE
                       ? "The quotas differ by at most 1 (by 0 if there is one processor), and the loads end there."
                       : "The number of dimensions, which no difference of final loads exceeds (Wu & Shu, Theorem 1).");
    add_scan(walk, &lines, by_colour, facts);
    add_exchange(walk, &lines, facts);
    add_least(walk, &lines, outlook, facts);
}
