// SPDX-License-Identifier: MIT
// The stages of ded: the kinds of steps, and the state of a processor. Both files of ded read them.
#ifndef CORE_METHODS_DED_STAGES_H
#define CORE_METHODS_DED_STAGES_H

#include "core/steps/forest.h"
#include "core/theory/facts.h"
#include "core/theory/schemes.h"

// The kind of a step. A step's stage is its kind, plus METHOD_DED_KINDS after the exchange. Its number counts the steps
// of X since the beginning or the exchange, or those of METHOD_DED_SHARE. With one-group the last stage has the last
// three kinds.
enum method_ded_kind {
    METHOD_DED_TOTALS,
    METHOD_DED_ERRORS,
    METHOD_DED_BALANCE,
    METHOD_DED_EXCHANGE,
    METHOD_DED_COMPUTE,
    METHOD_DED_SHARE,
    METHOD_DED_MOVE,
    METHOD_DED_KINDS
};

// The state of a processor: its group's total load; the sum of all squared errors; and, with targets, the difference
// between its share of the group's load and its share of all load. With one-group: what the computed steps have
// changed, what the step numbered METHOD_DED_COMPUTED - 1 will have changed, the potential and its last step, and the
// potential to pass on. At each port: the flow of the last step, and the sums that the port's subtree announced.
enum method_ded_state {
    METHOD_DED_TOTAL,
    METHOD_DED_ERROR,
    METHOD_DED_OFFSET,
    METHOD_DED_CHANGE,
    METHOD_DED_PENDING,
    METHOD_DED_COMPUTED,
    METHOD_DED_POTENTIAL,
    METHOD_DED_LAST,
    METHOD_DED_PASSED,
    METHOD_DED_STATE_DOUBLES
};
enum method_ded_port { METHOD_DED_FLOW, METHOD_DED_SUBTOTAL, METHOD_DED_SUBERROR, METHOD_DED_PORT_DOUBLES };

struct method_ded {
    const struct ek_topology *topology;
    uint32_t size; // the number of processors in a group, and of groups
    uint32_t group_colours, colours;
    bool iterative, to_target, one_group;
    uint64_t steps;       // most steps of X in a stage
    double limit;         // of a stage's error
    uint32_t polynomials; // 1, or the number of groups
    struct core_polynomial *polynomial;
    double *capacity; // [groups] the sum of the capacities of a group's processors
    double capacity_all;
    struct core_forest groups, machine; // one tree for each group, and one tree over all processors
};

static inline const struct method_ded *method_ded_of(const struct ek_view *view)
{
    return view->plan->data;
}

static inline enum method_ded_kind method_ded_kind_of(const struct ek_step *step)
{
    return (enum method_ded_kind)(step->stage % METHOD_DED_KINDS);
}

static inline double *method_ded_port_value(const struct ek_view *view, unsigned port, enum method_ded_port value)
{
    return &view->memory[port * METHOD_DED_PORT_DOUBLES + value];
}

// Describes a step of this kind of the first part (0), or of the part after the exchange (1).
static inline void method_ded_begin_step(const struct method_ded *ded, enum method_ded_kind kind, unsigned part,
                                         struct ek_step *step)
{
    step->stage = kind + part * METHOD_DED_KINDS;
    bool swaps = kind == METHOD_DED_SHARE && (step->number == 0 || step->number > ded->groups.height);
    step->count = kind == METHOD_DED_TOTALS || kind == METHOD_DED_ERRORS || kind == METHOD_DED_SHARE
                      ? EK_COUNT_REDUCTION
                      : EK_COUNT_STEP;
    step->colour_from = kind == METHOD_DED_EXCHANGE || swaps ? ded->group_colours : 0;
    step->colour_end =
        kind == METHOD_DED_ERRORS || kind == METHOD_DED_EXCHANGE || swaps ? ded->colours : ded->group_colours;
}

#endif
