// SPDX-License-Identifier: MIT
// What a run takes, topology and threads and all, held against what there is: before the topology is made, as far as it
// is known then, and again before the run.
#ifndef THREADS_MACHINE_BUDGET_H
#define THREADS_MACHINE_BUDGET_H

#include "threads/machine/plan.h"

struct machine_budget {
    uint64_t topology; // bytes that are still to be taken for it
    uint64_t making;   // and at most while it is made; 0 where it is there
    uint64_t run;      // of the engine
    unsigned workers;
};

// Return the memory that a machine takes: machine_budget_of, with its topology; machine_budget_before, at least, with
// an outline of the topology that has numbers but no arrays yet. The axes that do not depend on the topology have been
// read.
struct machine_budget machine_budget_of(const struct machine_plan *plan);
struct machine_budget machine_budget_before(const struct machine_plan *plan, const struct ek_topology *outline,
                                            uint64_t making);

// Whether there is as much, by every limit that holds, and as many threads; else `error` names the limit, what there
// is, and what is needed. `at` is what to blame in the topology's spec, -1: nothing.
bool machine_budget_fits(const struct machine_budget *budget, size_t at, struct ek_error *error);

// Asked by the topology that is being read for the machine `context` (struct topo_permit).
bool machine_budget_ask(void *context, const struct ek_topology *outline, uint64_t making, size_t at,
                        struct ek_error *error);

#endif
