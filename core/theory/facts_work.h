// SPDX-License-Identifier: MIT
// Facts about work, in the long run and until the run's limit: the cut condition, the distance from the mean, the
// expected variance.
#ifndef CORE_THEORY_FACTS_WORK_H
#define CORE_THEORY_FACTS_WORK_H

#include "core/theory/facts.h"

void core_facts_add_work(const struct ek_method *method, const struct ek_plan *plan, const struct ek_outlook *outlook,
                         struct ek_facts *facts);

#endif
