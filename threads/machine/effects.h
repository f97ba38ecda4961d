// SPDX-License-Identifier: MIT
// Reports of the effects of operations on the variance of their domains, in every timing.
#ifndef THREADS_MACHINE_EFFECTS_H
#define THREADS_MACHINE_EFFECTS_H

#include "core/domains/overlaps.h"

struct ek_report;

struct ek_effects machine_effects_of(const struct core_effects *effects);

// Writes the effects to a report.
void machine_effects_report(const struct core_effects *effects, struct ek_report *report);

#endif
