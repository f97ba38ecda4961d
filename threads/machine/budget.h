// SPDX-License-Identifier: MIT
// Budgets: the memory and the threads that a machine needs, compared with the limits of the system. A budget is checked
// before the topology is made, with what is known then, and again before the run.
#ifndef THREADS_MACHINE_BUDGET_H
#define THREADS_MACHINE_BUDGET_H

#include "threads/machine/plan.h"

struct machine_budget {
    uint64_t topology;  // bytes of the topology; 0 if it has been made
    uint64_t making;    // the most bytes in use while it is made; 0 if it has been made
    uint64_t distances; // bytes of the table of distances between processors; 0 if it has been made
    uint64_t run;       // bytes that the engine takes for a run
    unsigned workers;
    bool large_stacks; // of the workers
};

// Return the budget of a machine. machine_budget_of is for a machine whose topology has been made.
// machine_budget_before returns a lower bound: `outline` is the topology with its numbers, but without arrays. The axes
// that do not depend on the topology have been read.
struct machine_budget machine_budget_of(const struct machine_plan *plan);
struct machine_budget machine_budget_before(const struct machine_plan *plan, const struct ek_topology *outline,
                                            uint64_t making);

// Returns whether the limits allow the memory and the threads of the budget. If not, `error` has the limit, the amount
// that it allows, and the amount needed. `at` is the character of the topology's spec that the error blames;
// BASE_NOWHERE blames none.
bool machine_budget_fits(const struct machine_budget *budget, size_t at, struct ek_error *error);

// Returns whether the budget allows this topology. The reader of the topology calls the function before it makes the
// topology (struct topo_permit). `context` is the machine's plan.
bool machine_budget_ask(void *context, const struct ek_topology *outline, uint64_t making, size_t at,
                        struct ek_error *error);

// Returns whether the topology of this outline needs no arrays, because the engine can compute the rows. `context` is
// the machine's plan (struct topo_permit).
bool machine_computes_rows(void *context, const struct ek_topology *outline);

// Returns whether this rank stores only the rows of its own processors, *begin .. *end-1 (struct topo_permit). The run
// then needs no other rows, and the topology is too large for its diameter and least flows to be computed.
bool machine_stores_part(void *context, const struct ek_topology *outline, uint32_t *begin, uint32_t *end);

#endif
