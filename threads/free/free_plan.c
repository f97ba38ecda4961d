// SPDX-License-Identifier: MIT
// What the protocol can run.
#include "threads/free/free_plan.h"

#include <stdio.h>

#include "base/cursor.h"
#include "threads/free/free_letters.h"
#include "threads/free/pushed.h"

bool free_check(const struct machine_plan *plan, struct ek_error *error)
{
    if (plan->method->letters) {
        return (!plan->pushed || free_push_possible(plan, error)) && free_letters_possible(plan, error);
    }
    if (!plan->method->free) {
        return base_fail_at(error, "method", 0,
                            "%s works in rounds only: use timing rounds, or a method like adf or ade",
                            plan->method->name);
    }
    if (plan->rounding != CORE_ROUNDING_DOWN && plan->method->free->operate && !plan->pushed) {
        return base_fail_at(error, "rounding", 0,
                            "when loads are asked for, %s computes whole amounts itself: use rounding down, announce "
                            "pushed, or a method like adf",
                            plan->method->name);
    }
    return !plan->pushed || free_push_possible(plan, error);
}

void free_settle_stop(struct machine_plan *plan)
{
    bool endless = core_workload_continues(&plan->work, UINT64_MAX);
    if (endless || (core_invoke_by_load(&plan->invoke) && !machine_moves_objects(plan))) {
        plan->stop.kind = endless ? CORE_STOP_NEVER : CORE_STOP_ITSELF;
        snprintf(plan->stop_spec, sizeof plan->stop_spec, "%s", endless ? "never" : "nobody invokes");
    }
}
