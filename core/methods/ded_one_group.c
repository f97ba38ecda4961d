// SPDX-License-Identifier: MIT
// The last stage of ded in one group. It is computed in group 0 only (Zhao, Xiao & Parhami 2009, section 3: after the
// exchange all groups have the same loads). There X goes on with numbers instead of loads. The flow of a step is a
// difference of gain * load plus memory times the flow before, so the flow of all steps is a difference too, of a
// *potential* that every processor of group 0 sums up. Node p of group 0 sends it to group p, which spreads it, and its
// member of group g sends it to node p there. So all groups learn the common flow, and move it in one step.
#include <math.h>

#include "core/methods/ded_one_group.h"
#include "topologies/topology.h"

// Returns the number that takes the place of the load in group 0. With one port a step computes once for each colour.
static double computed_load(const struct ek_turn *turn)
{
    bool begun = turn->state[METHOD_DED_COMPUTED] == (double)turn->view.step->number + 1.0;
    return turn->view.load + turn->state[METHOD_DED_CHANGE] + (begun ? 0.0 : turn->state[METHOD_DED_PENDING]);
}

static void compute_act(struct ek_turn *turn)
{
    const struct ek_view *view = &turn->view;
    const struct method_ded *ded = method_ded_of(view);
    double *state = turn->state;
    struct core_coefficients at = core_polynomial_step(&ded->polynomial[0], view->step->number);
    if (view->processor >= ded->size) {
        return;
    }
    if (state[METHOD_DED_COMPUTED] != (double)view->step->number + 1.0) {
        state[METHOD_DED_CHANGE] += state[METHOD_DED_PENDING];
        state[METHOD_DED_PENDING] = 0.0;
        state[METHOD_DED_COMPUTED] = (double)view->step->number + 1.0;
        state[METHOD_DED_LAST] = at.gain * computed_load(turn) + at.memory * state[METHOD_DED_LAST];
        state[METHOD_DED_POTENTIAL] += state[METHOD_DED_LAST];
    }
    for (unsigned port = 0; port < view->degree; port++) {
        double difference = computed_load(turn) - view->announced[port];
        if (!isnan(difference)) {
            double *flow = method_ded_port_value(view, port, METHOD_DED_FLOW);
            *flow = at.gain * difference + at.memory * *flow;
            state[METHOD_DED_PENDING] -= *flow;
        }
    }
    turn->awake = true;
}

// Returns whether a processor passes the potential on within its group in this step of METHOD_DED_SHARE. The first step
// goes from group 0 to the others, the last from every group to the others.
static bool passes_on(const struct ek_view *view, uint64_t number)
{
    return number == method_ded_of(view)->groups.depth[view->processor] + 1 &&
           number <= method_ded_of(view)->groups.height;
}

// Returns whether the tree of a group leads over this port to a child.
static bool leads_down(const struct method_ded *ded, uint32_t processor, unsigned port)
{
    const struct ek_topology *topology = ded->topology;
    uint32_t at = topology->first[processor] + port;
    uint32_t child = topology->neighbour[at];
    return ded->groups.parent[child] == topology->twin[at] - topology->first[child];
}

static void share_announce(const struct ek_turn *turn, double *values)
{
    const struct ek_view *view = &turn->view;
    const struct method_ded *ded = method_ded_of(view);
    uint32_t group = view->processor / ded->size, node = view->processor % ded->size;
    bool first = view->step->number == 0, last = view->step->number == (uint64_t)ded->groups.height + 1;
    bool swaps = first ? group == 0 : last && node > 0;
    bool passes = passes_on(view, view->step->number);
    for (unsigned port = 0; port < view->degree; port++) {
        if (swaps || (passes && leads_down(ded, view->processor, port))) {
            values[port] = turn->state[first || view->processor == 0 ? METHOD_DED_POTENTIAL : METHOD_DED_PASSED];
        }
    }
}

static void share_act(struct ek_turn *turn)
{
    const struct ek_view *view = &turn->view;
    const struct method_ded *ded = method_ded_of(view);
    bool last = view->step->number == (uint64_t)ded->groups.height + 1;
    bool own = view->processor / ded->size == view->processor % ded->size; // it has no swap link
    for (unsigned port = 0; port < view->degree; port++) {
        if (!isnan(view->announced[port])) {
            turn->state[last ? METHOD_DED_POTENTIAL : METHOD_DED_PASSED] = view->announced[port];
            turn->state[METHOD_DED_POTENTIAL] = own ? view->announced[port] : turn->state[METHOD_DED_POTENTIAL];
        }
    }
    turn->awake = passes_on(view, view->step->number) || passes_on(view, view->step->number + 1);
}

static void move_act(struct ek_turn *turn, double *amounts)
{
    for (unsigned port = 0; port < turn->view.degree; port++) {
        double flow = turn->state[METHOD_DED_POTENTIAL] - turn->view.announced[port];
        amounts[port] = isnan(flow) ? 0.0 : flow;
    }
}

void method_ded_one_group_announce(const struct ek_turn *turn, double *values)
{
    enum method_ded_kind kind = method_ded_kind_of(turn->view.step);
    if (kind == METHOD_DED_SHARE) {
        share_announce(turn, values);
        return;
    }
    bool computes = kind == METHOD_DED_COMPUTE;
    bool silent = computes && turn->view.processor >= method_ded_of(&turn->view)->size;
    double value = silent ? NAN : computes ? computed_load(turn) : turn->state[METHOD_DED_POTENTIAL];
    for (unsigned port = 0; port < turn->view.degree; port++) {
        values[port] = value;
    }
}

void method_ded_one_group_act(struct ek_turn *turn, double *amounts)
{
    switch (method_ded_kind_of(turn->view.step)) {
    case METHOD_DED_COMPUTE:
        compute_act(turn);
        break;
    case METHOD_DED_SHARE:
        share_act(turn);
        break;
    default:
        move_act(turn, amounts);
        break;
    }
}

// Describes the next step of the last stage with one-group, which is one operation.
enum ek_next method_ded_one_group_next(const struct method_ded *ded, const struct ek_moment *moment,
                                       struct ek_step *step)
{
    static const enum method_ded_kind kinds[] = {METHOD_DED_COMPUTE, METHOD_DED_SHARE, METHOD_DED_MOVE};
    const uint64_t counts[] = {ded->steps, (uint64_t)ded->groups.height + 2, 1};
    enum method_ded_kind last = method_ded_kind_of(&moment->last);
    unsigned at = last == METHOD_DED_EXCHANGE ? 0 : last - METHOD_DED_COMPUTE;
    step->number = last == METHOD_DED_EXCHANGE ? 0 : moment->last.number + 1;
    if (step->number == counts[at]) {
        step->number = 0;
        at++;
    }
    if (last == METHOD_DED_MOVE) {
        return moment->index > 0 ? EK_NEXT_OPERATION_ENDS : EK_NEXT_RUN_ENDS;
    }
    method_ded_begin_step(ded, kinds[at], 1, step);
    step->wakes = step->number == 0 || step->number + 1 == counts[at];
    return EK_NEXT_STEP;
}

// Adds the counts of a run, and the announcements that the last stage saves. In each group it would take `steps` steps,
// with two announcements over each link of the group. Here these are in group 0 only; the potentials of the other nodes
// of group 0 go over a swap link, over each tree link of every group, and over the swap links to all groups but group
// 0; and they are announced once over each link of the groups.
void method_ded_one_group_facts(const struct method_ded *ded, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const double n = ded->size, links = outlook->topology->group->links, steps = (double)ded->steps;
    const double spread = 2.0 * n * (n - 1.0);
    const double first = 2.0 * links * n * steps + n * (n - 1.0);
    const double last = 2.0 * links * steps + spread + 2.0 * links * n;
    const uint32_t by_port = outlook->ports == EK_ONE_PORT ? ded->group_colours : 1;
    core_facts_add(
        facts, CORE_NEEDS_PLAIN | CORE_AT_END, "operations_all", steps + 2.0, "operations",
        "A step for each distinct nonzero eigenvalue of G, the exchange, and one operation that computes the "
        "same steps in group 0 and moves their flow in all groups (Zhao, Xiao & Parhami 2009, section 3).");
    core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "reduction_steps_all",
                   2.0 + (double)ded->groups.height * by_port, "reduction_steps",
                   "The steps in which the flow of group 0 comes to the others: over the swap links, through every "
                   "group, and over the swap links again.");
    core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "messages_least", first + last, "messages",
                   "The announcements, without parcels: two over each link of the groups in each step of X and over "
                   "each swap link; then two over each link of group 0 in each step, 2n(n-1) that spread the flow, and "
                   "two over each link of the groups to move it.");
    core_facts_add(facts, CORE_NEEDS_PLAIN, "messages_saved", 2.0 * links * n * steps - last, NULL,
                   "The announcements that the last stage saves because it is computed in one group; negative if it "
                   "takes more. X takes %g steps, so it saves them if (n-1)|E|k > n(n-1) + n|E|, with the links E of G "
                   "and k steps.",
                   steps);
}
