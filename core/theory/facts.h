// SPDX-License-Identifier: MIT
// What is known of a run before it begins: numbers of the papers' theory, each with a sentence that says what it is
// and its source. Those of one method are added by the method (`facts` in core/method.h), those of many by
// core_facts_gather.
#ifndef CORE_THEORY_FACTS_H
#define CORE_THEORY_FACTS_H

#include "core/theory/outlook.h"

struct ek_facts {
    const struct ek_outlook *outlook; // the run that they are facts of
    struct ek_fact *at;
    size_t count, room;
};

// Adds a fact, if the run has what it needs (enum core_need; beside them CORE_AT_END) and there is room.
void core_facts_add(struct ek_facts *facts, unsigned needs, const char *name, double value, const char *beside,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));

// The method's own facts, then the least flow, domain variances where not everybody invokes, and how far apart loads
// can be where neighbours are not.
void core_facts_gather(const struct ek_method *method, const struct ek_plan *plan, const struct ek_outlook *outlook,
                       struct ek_facts *facts);

// Adds "gamma" and, where the run has a goal, "operations_most" for a scheme whose error after k operations is at most
// (1 + k * slope) gamma^k of the first: first order has slope 0. `what` says what gamma is.
void core_facts_add_factor(struct ek_facts *facts, const struct ek_outlook *outlook, double gamma, double slope,
                           const char *what);

// Finds the extremes of the spectrum of L*C^-1 (capacity NULL: of L), to be freed. False where there are none, and
// where it would take long: a fact of this name then says so, if the run has what that needs.
bool core_facts_extremes(struct ek_facts *facts, unsigned needs, const char *name, const struct ek_topology *topology,
                         const double *capacity, struct ek_spectrum *spectrum);

// The least k with ((1 + k * slope) gamma^k)^2 * from <= to; NaN where gamma is not below 1.
double core_facts_operations(double gamma, double slope, double from, double to);

#endif
