// SPDX-License-Identifier: MIT
// What work does to a run in the long run and until its limit: the cut condition, the distance from the mean, the
// expected variance.
#ifndef CORE_THEORY_FACTS_WORK_H
#define CORE_THEORY_FACTS_WORK_H

#include "core/theory/facts.h"

void core_facts_add_work(const struct ek_method *method, const struct ek_plan *plan, const struct ek_outlook *outlook,
                         struct ek_facts *facts);

#endif
