// SPDX-License-Identifier: MIT
// Facts: what the theory knows about a run before it begins. A fact is a number with a sentence that explains it and
// names its source. A method adds its own facts (`facts` in core/method.h), and core_facts_gather adds those that hold
// for many methods.
#ifndef CORE_THEORY_FACTS_H
#define CORE_THEORY_FACTS_H

#include "core/theory/outlook.h"

struct ek_spectrum;

struct ek_facts {
    const struct ek_outlook *outlook; // the run
    struct ek_fact *at;
    size_t count, room;
};

// Adds a fact if the run meets its conditions (enum core_need, with CORE_AT_END) and there is room. `beside` is the
// report's field to compare it with, or NULL; `format` makes the sentence.
void core_facts_add(struct ek_facts *facts, unsigned needs, const char *name, double value, const char *beside,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));

// Adds the method's own facts, the least flow, domain variances if not all processors invoke, and the largest
// difference between any two loads if that between neighbours is bounded.
void core_facts_gather(const struct ek_method *method, const struct ek_plan *plan, const struct ek_outlook *outlook,
                       struct ek_facts *facts);

// Adds "gamma" and, if the run has a goal, "operations_most", for a scheme whose error after k operations is at most
// (1 + k * slope) gamma^k of the first one; the slope of first order is 0. `what` says what gamma is.
void core_facts_add_factor(struct ek_facts *facts, const struct ek_outlook *outlook, double gamma, double slope,
                           const char *what);

// Does the same for a scheme whose error after k operations is at most `constant` * gamma^k of the first one.
void core_facts_add_bound(struct ek_facts *facts, const struct ek_outlook *outlook, double gamma, double constant,
                          const char *what);

// Returns whether the extremes of the spectrum of L*C^-1 are found within about a second.
bool core_facts_quick(const struct ek_topology *topology, const double *capacity);

// Finds the extremes of the spectrum of L*C^-1 (of L if `capacity` is NULL), which the caller destroys. Returns false
// if there are no extremes, or if finding them takes long. In this case a fact called `name` says so.
bool core_facts_extremes(struct ek_facts *facts, unsigned needs, const char *name, const struct ek_topology *topology,
                         const double *capacity, struct ek_spectrum *spectrum);

// Returns the least k with ((1 + k * slope) gamma^k)^2 * from <= to, or NaN if gamma is not below 1.
double core_facts_operations(double gamma, double slope, double from, double to);

#endif
