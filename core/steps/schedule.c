// SPDX-License-Identifier: MIT
// Finds the next step: by the method's own schedule, or by the links that take part.
#include "core/steps/schedule.h"
#include "topologies/topology.h"

// An operation of diffusion is one step over all links; an operation of dimension exchange has a step for each colour.
// A topology without links still has operations.
static enum ek_next next_by_links(const struct ek_method *method, const struct ek_plan *plan,
                                  const struct ek_topology *topology, const struct ek_moment *moment,
                                  struct ek_step *step)
{
    bool by_colour = method->links == EK_LINKS_COLOUR;
    uint64_t steps = method->links == EK_LINKS_CHOSEN ? plan->steps : by_colour ? topology->colours : 1;
    if (moment->index >= (steps > 0 ? steps : 1)) {
        return EK_NEXT_OPERATION_ENDS;
    }
    step->number = moment->index;
    step->colour_from = by_colour ? (uint32_t)moment->index : 0;
    step->colour_end = by_colour ? step->colour_from + 1 : topology->colours;
    return EK_NEXT_STEP;
}

enum ek_next core_schedule_next(const struct ek_method *method, const struct ek_plan *plan,
                                const struct ek_topology *topology, const struct ek_moment *moment,
                                struct ek_step *step)
{
    struct ek_moment now = *moment;
    now.last = *step;
    *step = (struct ek_step){0};
    if (plan->operations > 0 && moment->operation >= plan->operations) {
        return EK_NEXT_RUN_ENDS;
    }
    enum ek_next next = method->rounds->next ? method->rounds->next(plan, &now, step)
                                             : next_by_links(method, plan, topology, moment, step);
    if (next == EK_NEXT_OPERATION_ENDS) {
        *step = now.last; // the next operation follows that step
    }
    step->index = moment->index;
    return next;
}
