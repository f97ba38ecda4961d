// SPDX-License-Identifier: MIT
// Walks over lines: trees, quotas, flows and the task exchange. The subtree of position j consists of the positions
// from j outwards, in the binomial tree of j .. j + (lowest set bit of j) - 1. It is always an interval, so every quota
// follows from the total. The same holds for the tree of a factor that is neither a path nor a ring (branches.h).
#include "core/methods/lines/walk.h"

#include <math.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/debug.h"
#include "topologies/product.h"

static const uint64_t BYTES_MAX = 1u << 31; // the most that the state of all processors may take

static const uint32_t NO_POSITION = UINT32_MAX;

static uint32_t root_of(enum method_tree tree, uint32_t side)
{
    return tree == METHOD_TREE_MIDDLE ? side / 2 : 0;
}

static bool is_binomial(enum method_tree tree)
{
    return tree == METHOD_TREE_BINOMIAL || tree == METHOD_TREE_DOUBLING;
}

static uint32_t parent_of(enum method_tree tree, const struct method_line *line, uint32_t position)
{
    uint32_t root = root_of(tree, line->side);
    if (line->branches) {
        return line->branches->parent[position];
    }
    if (position == root) {
        return NO_POSITION;
    }
    if (is_binomial(tree)) {
        return position & (position - 1);
    }
    return position > root ? position - 1 : position + 1;
}

static void subtree_of(enum method_tree tree, const struct method_line *line, uint32_t position, uint32_t *from,
                       uint32_t *end)
{
    uint32_t side = line->side;
    uint32_t root = root_of(tree, side);
    if (line->branches) {
        *from = position;
        *end = line->branches->end[position];
        return;
    }
    uint32_t lowest = position & (~position + 1);
    bool short_of_end = is_binomial(tree) && position != root && lowest < side - position;
    *from = position > root ? position : 0;
    *end = position < root ? position + 1 : short_of_end ? position + lowest : side;
}

static uint64_t log2_of(uint32_t n)
{
    uint64_t log = 0;
    while (n >>= 1) {
        log++;
    }
    return log;
}

// Returns the number of steps after which a subtree other than the whole tree has been summed.
static uint64_t height_of(enum method_tree tree, uint32_t size)
{
    return tree == METHOD_TREE_BINOMIAL ? log2_of(size) : size - 1;
}

static uint64_t depth_of(const struct method_place *place)
{
    uint32_t root = root_of(place->walk->tree, place->line->side);
    if (place->line->branches) {
        return place->line->branches->depth[place->position];
    }
    if (place->walk->tree != METHOD_TREE_BINOMIAL) {
        return place->position > root ? place->position - root : root - place->position;
    }
    uint64_t depth = 0;
    for (uint32_t above = place->position; above != root; above &= above - 1) {
        depth++;
    }
    return depth;
}

uint64_t method_walk_height(const struct method_walk *walk, const struct method_line *line)
{
    if (line->branches) {
        return line->branches->height[0];
    }
    switch (walk->tree) {
    case METHOD_TREE_MIDDLE:
        return line->side / 2;
    case METHOD_TREE_DOUBLING:
        return line->side > 1 ? log2_of(line->side - 1) + 1 : 0;
    default:
        return height_of(walk->tree, line->side);
    }
}

static uint32_t position_of(const struct method_line *line, uint32_t processor)
{
    uint32_t coordinate = processor / line->stride % line->side;
    return line->branches ? line->branches->position[coordinate] : coordinate;
}

struct method_place method_walk_place(const struct ek_view *view)
{
    const struct method_walk *walk = view->plan->data;
    BASE_DEBUG_ASSERT(view->step->stage < walk->dimensions);
    struct method_place place = {.walk = walk, .line = &walk->line[view->step->stage]};
    place.position = position_of(place.line, view->processor);
    place.parent = parent_of(walk->tree, place.line, place.position);
    subtree_of(walk->tree, place.line, place.position, &place.from, &place.end);
    return place;
}

static uint32_t port_of(const struct method_walk *walk, const struct ek_view *view, unsigned port)
{
    return walk->topology->first[view->processor] + port;
}

uint32_t method_walk_position(const struct ek_view *view, const struct method_place *place, unsigned port)
{
    return position_of(place->line, place->walk->topology->neighbour[port_of(place->walk, view, port)]);
}

static bool in_line(const struct ek_view *view, unsigned port)
{
    return view->dimension[port] == view->step->stage;
}

double method_walk_quota(double total, uint32_t side, uint32_t from, uint32_t end)
{
    BASE_DEBUG_ASSERT(total >= 0.0 && total <= 0x1p53 && from <= end && end <= side);
    uint64_t tasks = (uint64_t)total;
    uint64_t rest = tasks % side;
    uint64_t more = (end < rest ? end : rest) - (from < rest ? from : rest);
    return (double)(tasks / side * (end - from) + more);
}

void method_walk_note_quota(struct ek_turn *turn, const struct method_place *place, double total)
{
    const struct ek_plan *plan = turn->view.plan;
    if (plan->quotas > 0) {
        double quota = method_walk_quota(total, place->line->side, place->position, place->position + 1);
        turn->state[plan->state_doubles - plan->quotas + turn->view.step->stage] = quota + 1.0;
    }
}

double method_walk_subtree_load(const struct ek_turn *turn)
{
    double sum = turn->view.held;
    for (unsigned port = 0; port < turn->view.degree; port++) {
        sum += in_line(&turn->view, port) ? turn->view.memory[port] : 0.0;
    }
    return sum;
}

static double total_of(const struct ek_turn *turn, const struct method_place *place)
{
    return place->parent == NO_POSITION ? method_walk_subtree_load(turn) : turn->state[METHOD_WALK_TOTAL];
}

bool method_walk_is_by_level(const struct method_walk *walk)
{
    return walk->one_port && walk->tree == METHOD_TREE_BINOMIAL;
}

static uint32_t levels_of(const struct method_line *line)
{
    return line->colour_end - line->colour_from;
}

uint64_t method_walk_scan_numbers(const struct method_walk *walk, const struct method_line *line)
{
    return 2 * (method_walk_is_by_level(walk) ? levels_of(line) : method_walk_height(walk, line));
}

static bool announces_up(const struct method_place *place, uint64_t number)
{
    if (place->line->branches) {
        return number == place->line->branches->height[place->position];
    }
    return method_walk_is_by_level(place->walk) ? number < levels_of(place->line)
                                                : number == height_of(place->walk->tree, place->end - place->from);
}

static bool announces_down(const struct method_place *place, uint64_t number)
{
    return method_walk_is_by_level(place->walk)
               ? number >= levels_of(place->line)
               : number == method_walk_height(place->walk, place->line) + depth_of(place);
}

// Returns whether the neighbour at position `other` is a child in the tree. On a path all but the parent are.
static bool is_child(const struct method_place *place, uint32_t other)
{
    return !place->line->branches || place->line->branches->parent[other] == place->position;
}

bool method_walk_announces(const struct method_place *place, uint64_t number)
{
    return announces_up(place, number) || announces_down(place, number);
}

void method_walk_announce(const struct ek_turn *turn, const struct method_place *place, double *values)
{
    const struct ek_view *view = &turn->view;
    uint64_t number = view->step->number;
    bool up = announces_up(place, number);
    bool down = announces_down(place, number);
    if (!up && !down) {
        return;
    }
    for (unsigned port = 0; port < view->degree; port++) {
        if (in_line(view, port)) {
            uint32_t other = method_walk_position(view, place, port);
            bool to_parent = other == place->parent;
            if (up && to_parent) {
                values[port] = method_walk_subtree_load(turn);
            } else if (down && !to_parent && is_child(place, other)) {
                values[port] = total_of(turn, place);
            }
        }
    }
}

void method_walk_receive(struct ek_turn *turn, const struct method_place *place)
{
    const struct ek_view *view = &turn->view;
    for (unsigned port = 0; port < view->degree; port++) {
        if (in_line(view, port) && !isnan(view->announced[port])) {
            bool from_parent = method_walk_position(view, place, port) == place->parent;
            *(from_parent ? &turn->state[METHOD_WALK_TOTAL] : &view->memory[port]) += view->announced[port];
        }
    }
}

// Returns the flow over a port. The flow to the parent is the surplus of the processor's subtree. The flow to a child
// is the deficit of the child's subtree. On a ring the offset is subtracted from the flow upwards.
static double flow_over(const struct ek_turn *turn, const struct method_place *place, unsigned port, double total,
                        double load)
{
    enum method_tree tree = place->walk->tree;
    uint32_t side = place->line->side;
    uint32_t other = method_walk_position(&turn->view, place, port);
    double offset = turn->state[METHOD_WALK_OFFSET] * turn->view.direction[port];
    if (other == place->parent) {
        return load - method_walk_quota(total, side, place->from, place->end) - offset;
    }
    if (parent_of(tree, place->line, other) != place->position) {
        return -offset; // the wrap link, or a link of a factor that is not in its tree
    }
    uint32_t from, end;
    subtree_of(tree, place->line, other, &from, &end);
    return method_walk_quota(total, side, from, end) - turn->view.memory[port] - offset;
}

static void find_flows(struct ek_turn *turn, const struct method_place *place)
{
    double total = total_of(turn, place);
    double load = method_walk_subtree_load(turn);
    method_walk_note_quota(turn, place, total);
    for (unsigned port = 0; port < turn->view.degree; port++) {
        if (in_line(&turn->view, port)) {
            turn->view.memory[port] = flow_over(turn, place, port, total, load);
            turn->waits = turn->waits || turn->view.memory[port] > 0.0;
        }
    }
    turn->awake = turn->waits;
    turn->state[METHOD_WALK_TOTAL] = turn->state[METHOD_WALK_OFFSET] = 0.0;
}

static bool takes_part(const struct method_walk *walk, const struct ek_view *view, unsigned port)
{
    uint32_t colour = walk->topology->colour[port_of(walk, view, port)];
    return colour >= view->step->colour_from && colour < view->step->colour_end;
}

static bool lacks_load(const struct ek_view *view)
{
    for (unsigned port = 0; port < view->degree; port++) {
        if (in_line(view, port) && view->memory[port] < 0.0) {
            return true;
        }
    }
    return false;
}

// Receive-first sends all tasks once the tasks to be received have arrived. Send-first sends over a port as soon as the
// load suffices for it. A processor that sends to both sides receives from neither and has enough for both, so the
// order of its two transfers does not matter.
void method_walk_exchange(struct ek_turn *turn, const struct method_place *place, double *amounts)
{
    const struct ek_view *view = &turn->view;
    bool waiting = lacks_load(view);
    double held = view->held;
    for (unsigned port = 0; port < view->degree; port++) {
        double flow = view->memory[port];
        if (!in_line(view, port) || !(flow > 0.0)) {
            continue;
        }
        bool ready = place->walk->send_first ? held >= flow : !waiting;
        if (ready && takes_part(place->walk, view, port)) {
            BASE_DEBUG_ASSERT(held >= flow);
            amounts[port] = flow;
            view->memory[port] = 0.0;
            held -= flow;
        } else {
            turn->waits = true;
            turn->awake = turn->awake || ready; // otherwise the arrival of tasks wakes it
        }
    }
}

// Returns whether flows can be found after this step. It must be the scan's last step and, with one port, the step's
// last colour.
static bool ends_scan(const struct method_walk *walk, const struct ek_step *step)
{
    const struct method_line *line = &walk->line[step->stage];
    bool whole = method_walk_is_by_level(walk) || step->colour_end == line->colour_end;
    return whole && step->number + 1 == method_walk_scan_numbers(walk, line);
}

void method_walk_arrive(struct ek_turn *turn)
{
    for (unsigned port = 0; port < turn->view.degree; port++) {
        turn->view.memory[port] += turn->arrived[port];
    }
}

void method_walk_continue(struct ek_turn *turn, const struct method_place *place, double *amounts)
{
    if (turn->view.step->count == EK_COUNT_EXCHANGE) {
        method_walk_exchange(turn, place, amounts);
    } else if (ends_scan(place->walk, turn->view.step)) {
        find_flows(turn, place);
    }
}

// Returns the colour of the links that a step by level uses.
static uint32_t colour_of_level(const struct method_line *line, uint64_t number)
{
    uint32_t levels = levels_of(line);
    uint32_t at = (uint32_t)(number % (2 * levels));
    return line->colour_from + (at < levels ? at : 2 * levels - 1 - at);
}

// With one port a step of the method becomes one step for each colour, and each of these steps sends what can be sent.
// In the binomial tree it becomes a step over the links of one level.
// All processors wake for the first step of a scan, in which the leaves announce, and for its last step, in which all
// processors find their flows.
static enum ek_next begin_step(const struct method_walk *walk, uint32_t colour_from, struct ek_step *step)
{
    const struct method_line *line = &walk->line[step->stage];
    step->colour_from = method_walk_is_by_level(walk) ? colour_of_level(line, step->number) : colour_from;
    step->colour_end = walk->one_port ? step->colour_from + 1 : line->colour_end;
    bool begins = step->number == 0 && step->colour_from == line->colour_from;
    step->wakes = step->count == EK_COUNT_SCAN && (begins || ends_scan(walk, step));
    return EK_NEXT_STEP;
}

enum ek_next method_walk_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct method_walk *walk = plan->data;
    *step = moment->last;
    if (moment->index > 0) {
        const struct method_line *line = &walk->line[step->stage];
        bool whole = method_walk_is_by_level(walk) || step->colour_end == line->colour_end;
        bool scanned = step->count == EK_COUNT_EXCHANGE || ends_scan(walk, step);
        if (!scanned || moment->busy) {
            step->count = scanned ? EK_COUNT_EXCHANGE : EK_COUNT_SCAN;
            step->number += whole;
            return begin_step(walk, whole ? line->colour_from : step->colour_end, step);
        }
    }
    step->stage = moment->index > 0 ? walk->line[step->stage].after : walk->first;
    if (step->stage == walk->dimensions) {
        return EK_NEXT_OPERATION_ENDS;
    }
    step->count = EK_COUNT_SCAN;
    step->number = 0;
    return begin_step(walk, walk->line[step->stage].colour_from, step);
}

// Sets the lines, one for each dimension of the product. Their colours are those of the product's links, or of the
// tree's links if tasks move along the tree.
static bool set_lines(struct method_walk *walk, const struct ek_setting *setting)
{
    const struct ek_topology *product = setting->topology;
    const struct ek_topology *topology = walk->tree == METHOD_TREE_BINOMIAL ? walk->topology : product;
    const bool whole = walk->tree == METHOD_TREE_WHOLE;
    uint32_t stride = 1;
    for (uint32_t d = 0; d < walk->dimensions; d++) {
        struct method_line *line = &walk->line[d];
        *line = (struct method_line){
            .side = whole ? product->processors : product->side[d], .stride = stride, .colour_from = UINT32_MAX};
        line->ring = !whole && topo_line_of(product, d) == TOPO_RING;
        stride *= line->side;
    }
    for (uint32_t colour = 0; colour < topology->colours; colour++) {
        struct method_line *line =
            &walk->line[topology->dimension[topology->ends[topology->colour_first[colour]].port]];
        line->colour_from = line->colour_from < colour ? line->colour_from : colour;
        line->colour_end = colour + 1;
    }
    for (uint32_t d = 0; d < walk->dimensions; d++) {
        bool branched = whole || topo_line_of(product, d) == TOPO_BRANCHED;
        walk->line[d].branches = branched ? method_branches_create(whole ? product : product->factor[d]) : NULL;
        if (branched && !walk->line[d].branches) {
            return false;
        }
    }
    return true;
}

// Sets the order of the dimensions; those without links are left out. Each of the others may leave a difference of 1
// (Wu & Shu, Theorem 1).
static void set_order(struct ek_plan *plan, struct method_walk *walk, const uint32_t *order)
{
    uint32_t *next = &walk->first;
    for (uint32_t i = 0; i < walk->dimensions; i++) {
        uint32_t dimension = order ? order[i] : i;
        if (walk->line[dimension].side > 1) {
            *next = dimension;
            next = &walk->line[dimension].after;
            plan->spread_most++;
        }
    }
    *next = walk->dimensions;
}

bool method_walk_prepare(struct ek_plan *plan, const struct ek_setting *setting, enum method_tree tree, bool send_first,
                         uint64_t doubles, struct ek_error *error)
{
    const struct ek_topology *product = setting->topology;
    const uint32_t dimensions = tree == METHOD_TREE_WHOLE ? 1 : product->dimensions;
    plan->quotas = setting->flows ? dimensions : 0;
    uint64_t each = (METHOD_WALK_DOUBLES + doubles + plan->quotas) * sizeof(double);
    assert(dimensions > 0);
    if (each > BYTES_MAX / product->processors) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "position 0 of a ring stores the loads of the whole ring, and %llu bytes at each of %u "
                         "processors are too many: use shorter sides",
                         (unsigned long long)each, product->processors);
    }
    struct method_walk *walk = malloc(sizeof *walk + dimensions * sizeof *walk->line);
    if (!walk) {
        return base_fail(error, EK_BAD_INPUT, "method", "there is no memory left for the method");
    }
    *walk = (struct method_walk){.topology = plan->overlay ? plan->overlay : product,
                                 .tree = tree,
                                 .send_first = send_first,
                                 .one_port = setting->ports == EK_ONE_PORT,
                                 .dimensions = dimensions};
    plan->data = walk;
    if (!set_lines(walk, setting)) {
        method_walk_destroy(plan);
        return base_fail(error, EK_BAD_INPUT, "method", "there is no memory left for the method");
    }
    set_order(plan, walk, tree == METHOD_TREE_WHOLE ? NULL : setting->order);
    plan->operations = 1;
    plan->sleeps = true;
    plan->port_doubles = 1;
    plan->state_doubles = (unsigned)(METHOD_WALK_DOUBLES + doubles) + plan->quotas;
    return true;
}

void method_walk_destroy(struct ek_plan *plan)
{
    const struct method_walk *walk = plan->data;
    for (uint32_t d = 0; walk && d < walk->dimensions; d++) {
        method_branches_destroy(walk->line[d].branches);
    }
    free((void *)walk);
    plan->data = NULL;
}
