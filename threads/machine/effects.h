// SPDX-License-Identifier: MIT
// What operations did to the variance of their domains, in whatever timing.
#ifndef THREADS_MACHINE_EFFECTS_H
#define THREADS_MACHINE_EFFECTS_H

#include "core/domains/overlaps.h"
#include "threads/api/run.h"

struct ek_effects machine_effects_of(const struct core_effects *effects);

// Fills what a report says of it.
void machine_effects_report(const struct core_effects *effects, struct ek_report *report);

#endif
