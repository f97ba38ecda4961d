// SPDX-License-Identifier: MIT
// A tick of the workload.
#include "core/cargo/tick.h"

#include <math.h>

struct core_ticked core_cargo_tick(const struct core_workload *workload, uint64_t seed, uint32_t processor,
                                   uint64_t tick, double *held, double *native)
{
    struct core_ticked ticked = {0};
    double wanted;
    core_workload_at(workload, seed, processor, tick, &ticked.generated, &wanted);
    double there = *held + ticked.generated;
    ticked.consumed = workload->owed ? wanted : fmin(wanted, fmax(there, 0.0));
    ticked.unmet = wanted - ticked.consumed;
    *held = there - ticked.consumed;
    if (native) {
        double begun =
            fmin(*native + ticked.generated, fmax(there, 0.0)); // a rule may have sent more than the processor held
        *native = fmin(begun, fmax(*held, 0.0));
        ticked.at_home = begun - *native;
    }
    return ticked;
}
