// SPDX-License-Identifier: MIT
// The scan around a ring: Wu & Shu, Figs 8 and 10. If the root is position 0, the loads walk down, one link a step.
// Then the offset walks around in the same direction while the total walks up. If the root is k/2, every load walks
// both ways to the opposite position. So all processors learn the total, and only the offset has to come back.
#include "core/methods/lines/walk_ring.h"
#include "topologies/product.h"

#include <math.h>
#include <stdlib.h>

uint64_t method_walk_ring_doubles(const struct ek_topology *topology)
{
    uint64_t longest = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        bool ring = topo_line_of(topology, d) == TOPO_RING;
        longest = ring && topology->side[d] > longest ? topology->side[d] : longest;
    }
    return longest > 0 ? METHOD_WALK_RING_LOADS - METHOD_WALK_DOUBLES + longest : 0;
}

static int compare_flows(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

double method_walk_ring_offset(double *load, uint32_t side)
{
    double total = 0.0;
    double flow = 0.0;
    for (uint32_t i = 0; i < side; i++) {
        total += load[i];
    }
    for (uint32_t i = 0; i < side; i++) {
        flow += load[i] - method_walk_quota(total, side, i, i + 1);
        load[i] = flow;
    }
    qsort(load, side, sizeof *load, compare_flows);
    double low = load[(side - 1) / 2];
    double high = load[side / 2];
    return low > 0.0 ? high : high < 0.0 ? low : 0.0;
}

// The scan with the root at position 0, downwards. In step s position j passes on the load of position j + s. Later
// position 0, and then k-1, k-2, ..., pass on the offset.
static bool relays(const struct method_place *place, uint64_t number)
{
    return place->position > 0 && place->position + number < place->line->side;
}

static bool passes_offset_down(const struct method_place *place, uint64_t number)
{
    uint32_t side = place->line->side;
    return number == side - 1 + (side - place->position) % side;
}

static double value_down(const struct ek_turn *turn, const struct method_place *place)
{
    uint64_t number = turn->view.step->number;
    if (relays(place, number)) {
        return number == 0 ? turn->view.held : turn->state[METHOD_WALK_RING_RELAY + 2 * (number % 2)];
    }
    return passes_offset_down(place, number) ? turn->state[METHOD_WALK_OFFSET] : NAN;
}

static void announce_from_end(const struct ek_turn *turn, const struct method_place *place, double *values)
{
    method_walk_announce(turn, place, values);
    for (unsigned port = 0; port < turn->view.degree; port++) {
        if (turn->view.dimension[port] == turn->view.step->stage && turn->view.direction[port] < 0) {
            values[port] = value_down(turn, place);
        }
    }
}

// Receives a load from the next position, and adds it to the sum of that link.
static void receive_load(struct ek_turn *turn, const struct method_place *place, unsigned port)
{
    uint32_t side = place->line->side;
    uint64_t number = turn->view.step->number;
    double load = turn->view.announced[port];
    turn->view.memory[port] += load;
    turn->state[METHOD_WALK_RING_RELAY + 2 * ((number + 1) % 2)] = load;
    if (place->position == 0) {
        turn->state[METHOD_WALK_RING_LOADS + number + 1] = load;
        if (number + 2 == side) {
            turn->state[METHOD_WALK_RING_LOADS] = turn->view.held;
            turn->state[METHOD_WALK_OFFSET] = method_walk_ring_offset(turn->state + METHOD_WALK_RING_LOADS, side);
        }
    }
}

static void receive_from_end(struct ek_turn *turn, const struct method_place *place)
{
    const struct ek_view *view = &turn->view;
    for (unsigned port = 0; port < view->degree; port++) {
        if (view->dimension[port] != view->step->stage || isnan(view->announced[port])) {
            continue;
        }
        if (method_walk_position(view, place, port) == place->parent) {
            turn->state[METHOD_WALK_TOTAL] = view->announced[port];
        } else if (view->step->number + 1 < place->line->side) {
            receive_load(turn, place, port);
        } else {
            turn->state[METHOD_WALK_OFFSET] = view->announced[port];
        }
    }
}

// The scan with the root at k/2. In step s a load walks on to the position s + 1 away, upwards and downwards. On an
// even ring the opposite position receives it from below only. The same holds for the offset later.
static bool is_opposite(const struct method_place *place, uint64_t away)
{
    return place->line->side % 2 == 0 && away + 1 == place->line->side / 2;
}

// Returns the distance from position `from` up to position `to`.
static uint32_t upwards(const struct method_line *line, uint32_t from, uint32_t to)
{
    return (to + line->side - from) % line->side;
}

static bool passes_offset(const struct method_place *place, uint64_t number, int direction)
{
    const struct method_line *line = place->line;
    uint32_t root = line->side / 2;
    uint64_t away = number - root;
    bool there =
        direction > 0 ? upwards(line, root, place->position) == away : upwards(line, place->position, root) == away;
    return number >= root && there && !(direction < 0 && is_opposite(place, away));
}

static void announce_from_middle(const struct ek_turn *turn, const struct method_place *place, double *values)
{
    uint64_t number = turn->view.step->number;
    for (unsigned port = 0; port < turn->view.degree; port++) {
        int direction = turn->view.direction[port];
        if (turn->view.dimension[port] != turn->view.step->stage) {
            continue;
        }
        if (passes_offset(place, number, direction)) {
            values[port] = turn->state[METHOD_WALK_OFFSET];
        } else if (number < place->line->side / 2 && !(direction < 0 && is_opposite(place, number))) {
            uint64_t relay = METHOD_WALK_RING_RELAY + 2 * (number % 2) + (direction > 0);
            values[port] = number == 0 ? turn->view.held : turn->state[relay];
        }
    }
}

// Receives a load that began number + 1 positions away, and adds it to the total. Each processor also adds its own load
// once. It adds the received load to the port's sum only if the load belongs to the subtree at this port.
static void receive_both_ways(struct ek_turn *turn, const struct method_place *place, unsigned port)
{
    uint32_t side = place->line->side;
    uint64_t number = turn->view.step->number;
    double load = turn->view.announced[port];
    bool from_below = turn->view.direction[port] < 0;
    uint32_t away = (uint32_t)number + 1;
    uint32_t origin = (from_below ? place->position + side - away : place->position + away) % side;
    turn->state[METHOD_WALK_RING_RELAY + 2 * ((number + 1) % 2) + from_below] = load;
    turn->state[METHOD_WALK_TOTAL] += load + (from_below && number == 0 ? turn->view.held : 0.0);
    bool below = place->position <= side / 2 && origin < place->position;
    bool above = place->position >= side / 2 && origin > place->position;
    if (from_below ? below : above) {
        turn->view.memory[port] += load;
    }
    if (place->position == side / 2) {
        turn->state[METHOD_WALK_RING_LOADS + origin] = load;
    }
}

static void receive_from_middle(struct ek_turn *turn, const struct method_place *place)
{
    const struct ek_view *view = &turn->view;
    uint32_t root = place->line->side / 2;
    for (unsigned port = 0; port < view->degree; port++) {
        if (view->dimension[port] != view->step->stage || isnan(view->announced[port])) {
            continue;
        }
        if (view->step->number < root) {
            receive_both_ways(turn, place, port);
        } else {
            turn->state[METHOD_WALK_OFFSET] = view->announced[port];
        }
    }
    bool all = view->step->number + 1 == root && view->step->colour_end == place->line->colour_end;
    if (all && place->position == root) {
        turn->state[METHOD_WALK_RING_LOADS + root] = view->held;
        turn->state[METHOD_WALK_OFFSET] =
            method_walk_ring_offset(turn->state + METHOD_WALK_RING_LOADS, place->line->side);
    }
}

bool method_walk_ring_announces(const struct method_place *place, uint64_t number)
{
    if (place->walk->tree == METHOD_TREE_MIDDLE) {
        return number < place->line->side / 2 || passes_offset(place, number, 1) || passes_offset(place, number, -1);
    }
    return method_walk_announces(place, number) || relays(place, number) || passes_offset_down(place, number);
}

void method_walk_ring_announce(const struct ek_turn *turn, const struct method_place *place, double *values)
{
    (place->walk->tree == METHOD_TREE_MIDDLE ? announce_from_middle : announce_from_end)(turn, place, values);
}

void method_walk_ring_receive(struct ek_turn *turn, const struct method_place *place)
{
    (place->walk->tree == METHOD_TREE_MIDDLE ? receive_from_middle : receive_from_end)(turn, place);
}
