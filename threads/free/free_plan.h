// SPDX-License-Identifier: MIT
// What the protocol of free timing can run, and its defaults. Free and virtual timing share both.
#ifndef THREADS_FREE_FREE_PLAN_H
#define THREADS_FREE_FREE_PLAN_H

#include "threads/machine/plan.h"

// Checks that the protocol can run the method, and announce as the experiment wants.
bool free_check(const struct machine_plan *plan, struct ek_error *error);

// Sets the stop criterion of an experiment that has none. If processors invoke by their loads, the run ends when none
// invokes any more; with objects it ends when none can move. If work comes for ever, the run has no criterion.
void free_settle_stop(struct machine_plan *plan);

#endif
