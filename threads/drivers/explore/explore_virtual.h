// SPDX-License-Identifier: MIT
// Exploration in virtual time. A schedule is the run of a machine whose costs are drawn within a factor of those of the
// experiment (core/links/within.h). So every schedule is one that such a machine can make. Schedule k is that of the
// machine with the number of the experiment, plus k.
#ifndef THREADS_DRIVERS_EXPLORE_EXPLORE_VIRTUAL_H
#define THREADS_DRIVERS_EXPLORE_EXPLORE_VIRTUAL_H

#include "threads/drivers/explore/steps.h"

// Prepares the explorer, with a machine before its first turn. The caller calls explore_virtual_end in any case.
bool explore_virtual_begin(struct ek_explore *explore, const struct machine_plan *plan, struct ek_error *error);
void explore_virtual_end(struct ek_explore *explore);

// Makes schedule `number`.
enum ek_explored explore_virtual_schedule(struct ek_explore *explore, uint64_t number, struct ek_error *error);

#endif
