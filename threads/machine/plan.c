// SPDX-License-Identifier: MIT
// Values that follow from a plan.
#include "threads/machine/plan.h"
#include "threads/api/experiment.h"

#include <math.h>

bool machine_direct(const struct machine_plan *plan)
{
    return plan->method->direct || plan->method_plan.operations > 0;
}

enum ek_units machine_flow_units(const struct machine_plan *plan)
{
    return plan->rounding == CORE_ROUNDING_DOWN ? plan->units : EK_REAL;
}

ek_flow *machine_flow(const struct machine_plan *plan)
{
    const struct ek_rule *rule = plan->method->rule;
    if (plan->method_plan.flow) {
        return plan->method_plan.flow;
    }
    return machine_flow_units(plan) == EK_TOKENS ? rule->flow_tokens : rule->flow;
}

bool machine_limited(const struct machine_plan *plan)
{
    const struct ek_experiment *experiment = plan->experiment;
    return experiment->steps_max || experiment->operations_max || experiment->seconds_max > 0.0;
}

enum ek_matrix machine_matrix(const struct machine_plan *plan)
{
    bool alike = !plan->capacity || plan->to_target;
    const struct ek_free_part *part = plan->method->free;
    bool same = !plan->engine->overlapping || (part && !part->operate && !plan->pushed);
    return alike && same && !isnan(plan->method_plan.parameter) ? plan->method->matrix : EK_MATRIX_UNKNOWN;
}

unsigned long machine_interrupts(const struct machine_plan *plan)
{
    return atomic_load_explicit(plan->interrupts, memory_order_relaxed);
}

unsigned machine_workers_for(const struct machine_plan *plan, uint32_t processors)
{
    return plan->carrier->workers(processors, plan->engine->shared(plan), host_places_count(plan->places),
                                  plan->workers_asked);
}
