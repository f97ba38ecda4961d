// SPDX-License-Identifier: MIT
// Recursive doubling: Wu & Shu, section 3 and Fig. 7. Level l of the tree over a line has the links from p to p + 2^l,
// for p a multiple of 2^(l+1). Sums go up level by level. Then two numbers go down: the line's total, and the flow over
// the line's link below a position. From these two and the sums of its subtree a processor knows both of its flows, and
// tasks move along the line. The tree's links stand for paths of a machine with wormhole routing.
//
// A message of the paper can have several numbers, called *items* here, and a step carries one item over a link.
// Downwards the items are the total and the flow. Upwards on a ring the items are all loads of a subtree, since the
// offset of the flows depends on all loads. The first item of a message counts as a step of the scan, the others as
// reduction steps.
#include "core/methods/lines/doubling.h"
#include "topologies/product.h"

#include <math.h>

#include "core/methods/lines/walk_ring.h"
#include "topologies/build.h"
#include "topologies/family.h"

enum { TOTAL, FLOW_BELOW, DOWN }; // the items of a message downwards

// The number of a step of the scan consists of its level and the item that it carries. The levels upwards are counted
// first, then the levels downwards.
static uint64_t number_of(uint32_t level, uint32_t item)
{
    return (uint64_t)level << 32 | item;
}

static uint32_t level_of(const struct ek_step *step)
{
    return (uint32_t)(step->number >> 32);
}

static uint32_t item_of(const struct ek_step *step)
{
    return (uint32_t)step->number;
}

static uint32_t height_of(uint32_t side)
{
    uint32_t height = 0;
    while ((side - 1) >> height > 0) {
        height++;
    }
    return height;
}

static bool goes_up(const struct method_line *line, const struct ek_step *step)
{
    return level_of(step) < height_of(line->side);
}

// Returns the level of the links that the step uses.
static uint32_t bit_of(const struct method_line *line, const struct ek_step *step)
{
    return goes_up(line, step) ? level_of(step) : 2 * height_of(line->side) - 1 - level_of(step);
}

// Returns whether the longest link is the ring's wrap link.
static bool is_wrap(uint32_t side, bool ring, uint32_t bit)
{
    return ring && 1U << bit == side - 1;
}

// Returns the number of levels with links that are not in the line. Level 0 consists of links of the line.
static uint32_t own_levels(uint32_t side, bool ring)
{
    uint32_t height = height_of(side);
    return height < 2 ? 0 : height - 1 - is_wrap(side, ring, height - 1);
}

// Returns the colour of a level. The colours of the links that are not in the lines come after all others, one for each
// level.
static uint32_t colour_of(const struct method_walk *walk, uint32_t dimension, uint32_t bit)
{
    const struct method_line *line = &walk->line[dimension];
    if (bit == 0) {
        return line->colour_from;
    }
    if (is_wrap(line->side, line->ring, bit)) {
        return line->colour_end - 1;
    }
    uint32_t colour = 0;
    for (uint32_t d = 0; d < walk->dimensions; d++) {
        colour = walk->line[d].colour_end > colour ? walk->line[d].colour_end : colour;
    }
    for (uint32_t d = 0; d < dimension; d++) {
        colour += own_levels(walk->line[d].side, walk->line[d].ring);
    }
    return colour + bit - 1;
}

static void add_base_link(const struct ek_topology *base, struct topo_builder *builder, uint32_t processor,
                          unsigned dimension, int direction)
{
    uint32_t port = ek_topology_port(base, processor, dimension, direction);
    topo_builder_link(builder, processor, base->neighbour[port], dimension, direction, base->colour[port]);
}

static void list_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    const struct ek_topology *base = draft->base;
    for (uint32_t p = 0; p < base->processors; p++) {
        uint32_t stride = 1;
        uint32_t colour = base->colours;
        for (uint32_t d = 0; d < base->dimensions; d++) {
            uint32_t side = base->side[d];
            uint32_t position = p / stride % side;
            bool ring = topo_line_of(base, d) == TOPO_RING;
            if (position + 1 < side) {
                add_base_link(base, builder, p, d, 1);
            }
            for (uint32_t bit = 1; position % (2U << bit) == 0 && 1U << bit < side - position; bit++) {
                if (!is_wrap(side, ring, bit)) {
                    topo_builder_link(builder, p, p + (stride << bit), d, 1, colour + bit - 1);
                }
            }
            if (position == 0 && ring) {
                add_base_link(base, builder, p, d, -1);
            }
            colour += own_levels(side, ring);
            stride *= side;
        }
    }
}

struct ek_topology *method_doubling_overlay(const struct ek_topology *topology, struct ek_error *error)
{
    uint64_t links = topology->links;
    uint32_t colours = topology->colours;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        uint32_t side = topology->side[d];
        bool ring = topo_line_of(topology, d) == TOPO_RING;
        uint32_t own = own_levels(side, ring);
        colours += own;
        uint32_t wrap = ring && height_of(side) - 1 != own;
        links += (uint64_t)(topology->processors / side) * (side - 1 - side / 2 - wrap);
    }
    return topo_overlay(topology, topology->processors, (uint32_t)links, colours, list_links, error);
}

static uint32_t items_of(const struct method_line *line, const struct ek_step *step)
{
    if (!goes_up(line, step)) {
        return DOWN;
    }
    uint32_t span = 1U << level_of(step); // size of the longest subtree at this level
    return !line->ring ? 1 : span < line->side - span ? span : line->side - span;
}

static bool ends_scan(const struct method_walk *walk, const struct ek_step *step)
{
    const struct method_line *line = &walk->line[step->stage];
    return level_of(step) + 1 == 2 * height_of(line->side) && item_of(step) + 1 == DOWN;
}

// All processors wake for the first step, in which the leaves announce, and for the last step, in which all processors
// find their flows.
static void begin_step(const struct method_walk *walk, uint32_t level, uint32_t item, struct ek_step *step)
{
    step->number = number_of(level, item);
    step->count = item == 0 ? EK_COUNT_SCAN : EK_COUNT_REDUCTION;
    step->colour_from = colour_of(walk, step->stage, bit_of(&walk->line[step->stage], step));
    step->colour_end = step->colour_from + 1;
    step->wakes = step->number == 0 || ends_scan(walk, step);
}

enum ek_next method_doubling_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct method_walk *walk = plan->data;
    struct ek_moment now = *moment;
    const struct method_line *line = &walk->line[now.last.stage];
    if (now.index > 0 && now.last.count != EK_COUNT_EXCHANGE) {
        if (!ends_scan(walk, &now.last)) {
            *step = now.last;
            bool more = item_of(step) + 1 < items_of(line, step);
            begin_step(walk, level_of(step) + !more, more ? item_of(step) + 1 : 0, step);
            return EK_NEXT_STEP;
        }
        now.last.count = EK_COUNT_EXCHANGE; // continue as after any scan
        now.last.colour_end = line->colour_end;
    }
    enum ek_next next = method_walk_next(plan, &now, step);
    if (next == EK_NEXT_STEP && step->count == EK_COUNT_SCAN) {
        begin_step(walk, 0, 0, step);
    }
    return next;
}

// Returns the level of the link to the parent; the root's level is above all levels.
static uint32_t own_bit(const struct method_place *place)
{
    uint32_t bit = 0;
    while (place->position > 0 && !(place->position >> bit & 1)) {
        bit++;
    }
    return place->position > 0 ? bit : height_of(place->line->side);
}

// Returns the load of the positions from this one to just before `child`, from what the children before it announced.
static double load_before(const struct ek_turn *turn, const struct method_place *place, uint32_t child)
{
    double load = turn->view.held;
    for (unsigned port = 0; port < turn->view.degree; port++) {
        if (turn->view.dimension[port] == turn->view.step->stage &&
            method_walk_position(&turn->view, place, port) < child) {
            load += turn->view.memory[port];
        }
    }
    return load;
}

static double total_of(const struct ek_turn *turn, const struct method_place *place)
{
    return place->position == 0 ? method_walk_subtree_load(turn) : turn->state[METHOD_WALK_TOTAL];
}

// Returns the flow over the line's link below position `other`, which is this position or a child's.
static double flow_below(const struct ek_turn *turn, const struct method_place *place, uint32_t other)
{
    double flow = turn->state[METHOD_WALK_OFFSET];
    if (other == place->position) {
        return flow;
    }
    double quota = method_walk_quota(total_of(turn, place), place->line->side, place->position, other);
    return flow + load_before(turn, place, other) - quota;
}

static double item_up(const struct ek_turn *turn, const struct method_place *place)
{
    uint32_t item = item_of(turn->view.step);
    if (!place->line->ring) {
        return method_walk_subtree_load(turn);
    }
    return item >= place->end - place->from ? NAN
           : item == 0                      ? turn->view.held
                                            : turn->state[METHOD_WALK_RING_LOADS + item];
}

void method_doubling_announce(const struct ek_turn *turn, double *values)
{
    const struct ek_view *view = &turn->view;
    if (view->step->count == EK_COUNT_EXCHANGE) {
        return;
    }
    struct method_place place = method_walk_place(view);
    bool up = goes_up(place.line, view->step);
    uint32_t bit = bit_of(place.line, view->step);
    uint32_t own = own_bit(&place);
    for (unsigned port = 0; port < view->degree; port++) {
        if (view->dimension[port] != view->step->stage) {
            continue;
        }
        uint32_t other = method_walk_position(view, &place, port);
        if (up && own == bit && other == place.parent) {
            values[port] = item_up(turn, &place);
        } else if (!up && own > bit && other == place.position + (1U << bit)) {
            values[port] = item_of(view->step) == TOTAL ? total_of(turn, &place) : flow_below(turn, &place, other);
        }
    }
}

static void receive_from_child(struct ek_turn *turn, const struct method_place *place, unsigned port)
{
    double load = turn->view.announced[port];
    turn->view.memory[port] += load;
    if (place->line->ring) {
        uint32_t span = 1U << level_of(turn->view.step);
        turn->state[METHOD_WALK_RING_LOADS + span + item_of(turn->view.step)] = load;
    }
}

// At a ring's root, finds the offset of all flows once all loads have arrived. The offset is the flow from below, over
// the wrap link.
static void close_ring(struct ek_turn *turn, const struct method_place *place)
{
    const struct ek_step *at = turn->view.step;
    bool all = level_of(at) + 1 == height_of(place->line->side) && item_of(at) + 1 == items_of(place->line, at);
    if (all && place->line->ring && place->position == 0) {
        double *loads = turn->state + METHOD_WALK_RING_LOADS;
        loads[0] = turn->view.held;
        turn->state[METHOD_WALK_OFFSET] = -method_walk_ring_offset(loads, place->line->side);
    }
}

static void receive(struct ek_turn *turn, const struct method_place *place)
{
    const struct ek_view *view = &turn->view;
    for (unsigned port = 0; port < view->degree; port++) {
        if (view->dimension[port] != view->step->stage || isnan(view->announced[port])) {
            continue;
        }
        if (method_walk_position(view, place, port) != place->parent) {
            receive_from_child(turn, place, port);
        } else {
            turn->state[item_of(view->step) == TOTAL ? METHOD_WALK_TOTAL : METHOD_WALK_OFFSET] = view->announced[port];
        }
    }
    close_ring(turn, place);
}

// Finds the flows over the line's own links; the tree's links carry no tasks.
static void find_flows(struct ek_turn *turn, const struct method_place *place)
{
    const struct ek_view *view = &turn->view;
    const struct ek_topology *topology = place->walk->topology;
    double total = total_of(turn, place);
    double below = flow_below(turn, place, place->position);
    double quota = method_walk_quota(total, place->line->side, place->position, place->position + 1);
    method_walk_note_quota(turn, place, total);
    for (unsigned port = 0; port < view->degree; port++) {
        if (view->dimension[port] == view->step->stage) {
            uint32_t colour = topology->colour[topology->first[view->processor] + port];
            bool own = colour >= place->line->colour_from && colour < place->line->colour_end;
            double flow = view->direction[port] < 0 ? -below : below + view->held - quota;
            view->memory[port] = own ? flow : 0.0;
            turn->waits = turn->waits || view->memory[port] > 0.0;
        }
    }
    turn->awake = turn->waits;
    turn->state[METHOD_WALK_TOTAL] = turn->state[METHOD_WALK_OFFSET] = 0.0;
}

void method_doubling_act(struct ek_turn *turn, double *amounts)
{
    struct method_place place = method_walk_place(&turn->view);
    const struct ek_step *at = turn->view.step;
    if (at->count == EK_COUNT_EXCHANGE) {
        method_walk_arrive(turn);
        method_walk_exchange(turn, &place, amounts);
        return;
    }
    receive(turn, &place);
    // A processor is awake until it has announced its sum, and again from the arrival of the total.
    turn->awake = bit_of(place.line, at) <= own_bit(&place);
    if (ends_scan(place.walk, at)) {
        find_flows(turn, &place);
    }
}
