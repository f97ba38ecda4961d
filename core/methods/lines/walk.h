// SPDX-License-Identifier: MIT
// Walks over lines: the part that dde and twa share (Wu & Shu, DDE, Figs 3, 5, 6; Shu & Wu 1995, the Tree Walking
// Algorithm). A *line* is a chain or ring of processors along one dimension, or a copy of another factor of a product.
// Its processors are the nodes of a tree. In
// the *scan* sums of loads walk up the tree and the line's total walks down, one number per link and step. Then each
// processor knows its quota and the flow over its links, and tasks are exchanged.
#ifndef CORE_METHODS_LINES_WALK_H
#define CORE_METHODS_LINES_WALK_H

#include "core/methods/lines/branches.h"
#include "core/theory/facts.h"

#define METHOD_WU_SHU "Wu & Shu, DDE: a modified dimension exchange method for load balancing in k-ary n-cubes"

// The tree over a line of k positions.
enum method_tree {
    METHOD_TREE_END,      // the line itself, rooted at position 0
    METHOD_TREE_MIDDLE,   // the line itself, rooted at position k/2
    METHOD_TREE_BINOMIAL, // recursive doubling: the parent is the position with its lowest set bit cleared
    METHOD_TREE_DOUBLING, // the scan uses the binomial tree, one level a step; tasks move along the line
    METHOD_TREE_WHOLE     // the topology itself, a tree of all processors with its root at processor 0: one line
};

// The lines of one dimension.
struct method_line {
    uint32_t side;
    uint32_t stride;
    bool ring;
    struct method_branches *branches; // the tree of a line that is neither a path nor a ring, else NULL
    uint32_t colour_from, colour_end; // of the line's links
    uint32_t after;                   // the next dimension; walk->dimensions after the last
};

// plan->data.
struct method_walk {
    const struct ek_topology *topology;
    enum method_tree tree;
    bool send_first;
    bool one_port;
    uint32_t dimensions;
    uint32_t first;            // the first dimension, or `dimensions` if none has links
    struct method_line line[]; // by dimension
};

// The state of a processor: the line's total, and the offset that is subtracted from every flow of a ring (with
// doubling: the flow from the position below). The memory of a port is one number: in the scan the sum received there;
// in the exchange the number of tasks still to be sent, negative if they are to be received.
enum { METHOD_WALK_TOTAL, METHOD_WALK_OFFSET, METHOD_WALK_DOUBLES };

// A processor's place in the line of the present step.
struct method_place {
    const struct method_walk *walk;
    const struct method_line *line;
    uint32_t position;
    uint32_t parent;    // position of the parent; UINT32_MAX at the root
    uint32_t from, end; // the positions of its subtree
};

// Fills the plan for a product, or for a tree with METHOD_TREE_WHOLE. The state of a processor has `doubles` doubles in
// addition to METHOD_WALK_DOUBLES. If the tree has links that are not in the topology, plan->overlay must be set
// before.
bool method_walk_prepare(struct ek_plan *plan, const struct ek_setting *setting, enum method_tree tree, bool send_first,
                         uint64_t doubles, struct ek_error *error);
void method_walk_destroy(struct ek_plan *plan);

// Describes the next step: in each dimension first the scan, then the exchange for as long as a processor has tasks to
// send.
enum ek_next method_walk_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step);

struct method_place method_walk_place(const struct ek_view *view);

// Returns the position at the other end of a port of this dimension.
uint32_t method_walk_position(const struct ek_view *view, const struct method_place *place, unsigned port);

// Returns the number of steps from the leaves to the root of the line's tree; with doubling the number of levels.
uint64_t method_walk_height(const struct method_walk *walk, const struct method_line *line);

// Returns whether each step uses the links of one level of the binomial tree, which are those of one colour: first all
// levels upwards, then all downwards. No processor has two links of a level, so this serves one port.
bool method_walk_is_by_level(const struct method_walk *walk);

// Returns the number of different step numbers in the scan of a line.
uint64_t method_walk_scan_numbers(const struct method_walk *walk, const struct method_line *line);

// Returns the sum of the quotas of positions from..end-1 of a line with `total` tasks. The first (total mod side)
// positions have one task more than the others.
double method_walk_quota(double total, uint32_t side, uint32_t from, uint32_t end);

// Records the processor's own quota if the report shows quotas.
void method_walk_note_quota(struct ek_turn *turn, const struct method_place *place, double total);

// Returns whether a processor announces something in step `number` of the scan.
bool method_walk_announces(const struct method_place *place, uint64_t number);

// Do one step of the scan: a processor announces its subtree's sum to its parent or the total to its children, and
// receives the sums and the total announced to it.
void method_walk_announce(const struct ek_turn *turn, const struct method_place *place, double *values);
void method_walk_receive(struct ek_turn *turn, const struct method_place *place);

// Returns the load of the processor's subtree, as far as it has been announced.
double method_walk_subtree_load(const struct ek_turn *turn);

// Sends the tasks that can be sent now, in the order of the exchange.
void method_walk_exchange(struct ek_turn *turn, const struct method_place *place, double *amounts);

// Do the beginning and the end of a program's `act`. method_walk_arrive records the tasks that arrived.
// method_walk_continue finds the flows if the scan ends, or exchanges tasks. The processor stays awake if it has to act
// in the next step.
void method_walk_arrive(struct ek_turn *turn);
void method_walk_continue(struct ek_turn *turn, const struct method_place *place, double *amounts);

// Adds the bounds on steps and spread, and the least number of transfers of a single line or tree.
void method_walk_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts);

#endif
