// SPDX-License-Identifier: MIT
// Walks over lines: what dde and twa share. The processors of a line (a chain or ring along one dimension) are the
// nodes of a tree. Sums of loads walk up the tree and the line's total walks down, a number per link and step; then
// each processor knows its quota and the flow over its links, and tasks are exchanged. Wu & Shu, DDE, Figs 3, 5, 6; Shu
// & Wu 1995 (the Tree Walking Algorithm).
#ifndef CORE_METHODS_LINES_WALK_H
#define CORE_METHODS_LINES_WALK_H

#include "core/theory/facts.h"

#define METHOD_WU_SHU "Wu & Shu, DDE: a modified dimension exchange method for load balancing in k-ary n-cubes"

// The tree over a line of k.
enum method_tree {
    METHOD_TREE_END,      // the line itself, its root position 0
    METHOD_TREE_MIDDLE,   // the line itself, its root position k/2
    METHOD_TREE_BINOMIAL, // recursive doubling: the parent is the position with its lowest set bit cleared
    METHOD_TREE_DOUBLING  // the scan over that tree, a level a step, and tasks along the line itself
};

// The lines of one dimension.
struct method_line {
    uint32_t side;
    uint32_t stride;
    bool ring;
    uint32_t colour_from, colour_end; // of their links
    uint32_t after;                   // the dimension that comes next; walk->dimensions: none
};

// plan->data.
struct method_walk {
    const struct ek_topology *topology;
    enum method_tree tree;
    bool send_first;
    bool one_port;
    uint32_t dimensions;
    uint32_t first;            // the dimension that comes first, or `dimensions`
    struct method_line line[]; // by dimension
};

// What a processor keeps: the line's total, and what is taken off every flow of a ring (with doubling: the flow from
// the position below). Its ports keep one number each: in the scan the sum of what was said there, in the exchange the
// tasks still to be sent, or below 0 to be received.
enum { METHOD_WALK_TOTAL, METHOD_WALK_OFF, METHOD_WALK_WORDS };

// Where a processor is in the line of this step.
struct method_place {
    const struct method_walk *walk;
    const struct method_line *line;
    uint32_t position;
    uint32_t parent;    // its position; UINT32_MAX at the root
    uint32_t from, end; // the positions of its subtree
};

// Settles the plan for a product of chains and rings; `words` are kept by each processor beside METHOD_WALK_WORDS. A
// tree's own links are plan->overlay.
bool method_walk_prepare(struct ek_plan *plan, const struct ek_setting *setting, enum method_tree tree, bool send_first,
                         uint64_t words, struct ek_error *error);
void method_walk_destroy(struct ek_plan *plan);

// Dimension by dimension the scan, then the exchange for as long as a processor has tasks to send.
enum ek_next method_walk_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step);

struct method_place method_walk_place(const struct ek_view *view);

// The position at the other end of a port of this dimension.
uint32_t method_walk_position(const struct ek_view *view, const struct method_place *place, unsigned port);

// The steps from the leaves to the root of the line's tree; with doubling its levels.
uint64_t method_walk_height(const struct method_walk *walk, const struct method_line *line);

// How much of `total` tasks the positions from..end-1 of a line are to have: the first total mod side have one more
// than the rest.
double method_walk_quota(double total, uint32_t side, uint32_t from, uint32_t end);

// Keeps the own quota, where the report shows it.
void method_walk_note_quota(struct ek_turn *turn, const struct method_place *place, double total);

// Whether a processor says something in step `number` of the scan.
bool method_walk_speaks(const struct method_place *place, uint64_t number);

// A step of the scan: a processor says its subtree's sum to its parent and the total to its children; and listens.
void method_walk_announce(const struct ek_turn *turn, const struct method_place *place, double *values);
void method_walk_hear(struct ek_turn *turn, const struct method_place *place);

// What is known of the load of the own subtree: in the scan a port has what was said on it.
double method_walk_subtree_load(const struct ek_turn *turn);

// Tasks that are to be sent are sent if they can be, as the order of the exchange has it.
void method_walk_exchange(struct ek_turn *turn, const struct method_place *place, double *amounts);

// The rest of a program's act: first it notes the tasks that arrived; last, after hearing, it finds the flows where the
// scan ends, or exchanges tasks, and stays awake if it can do something in the next step.
void method_walk_arrive(struct ek_turn *turn);
void method_walk_go_on(struct ek_turn *turn, const struct method_place *place, double *amounts);

// The bounds on steps and spread, and the least number of transfers of one line.
void method_walk_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts);

#endif
