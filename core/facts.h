// SPDX-License-Identifier: MIT
// What is known of a run before it begins: numbers of the papers' theory, each with a sentence that says what it is
// and its source. Those of one method are added by the method (`facts` in core/method.h), those of many by
// core_facts_gather.
#ifndef CORE_FACTS_H
#define CORE_FACTS_H

#include "core/delay.h"
#include "core/invoke.h"
#include "core/method.h"
#include "core/stop.h"
#include "core/work.h"

// A run as the theory sees it.
struct ek_outlook {
    const struct ek_topology *topology;
    enum ek_units units;
    enum ek_ports ports;
    const double *capacity; // by processor, or NULL: all 1
    bool to_target;         // --weighting target
    double *load;           // by processor: what run 0 begins with
    const double *surplus;  // by processor: how much of that is above its share of all load
    double distance;        // sum of the squares of the surplus
    const struct core_stop *stop;
    const struct core_invoke *invoke;
    const struct core_workload *work;
    const struct core_delay *delay;
    double link_limit; // INFINITY: none
    bool clock_steps;  // --clock step
    bool turns;        // --timing turns
};

struct ek_facts {
    struct ek_fact *at;
    size_t count, room;
};

// Adds a fact, if there is room.
void core_facts_add(struct ek_facts *facts, const char *name, double value, const char *beside, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// The method's own facts, then the least flow, then domain variances where not everybody invokes.
void core_facts_gather(const struct ek_method *method, const struct ek_plan *plan, const struct ek_outlook *outlook,
                       struct ek_facts *facts);

// Whether nothing but the method changes the loads, with the present loads and everybody at once.
bool core_outlook_plain(const struct ek_outlook *outlook);

// What the method shrinks until the run may end, as a sum of squares: the stop criterion's limit; false where it has
// none of this kind.
bool core_outlook_goal(const struct ek_outlook *outlook, double *limit);

// Adds "gamma" and, where the run has a goal, "operations_most" for a scheme whose error after k operations is at most
// (1 + k * slope) gamma^k of the first: first order has slope 0. `what` says what gamma is.
void core_facts_add_factor(struct ek_facts *facts, const struct ek_outlook *outlook, double gamma, double slope,
                           const char *what);

// Finds the extremes of the spectrum of L*C^-1 (capacity NULL: of L), to be freed. False where there are none, and
// where it would take long: a fact of this name then says so.
bool core_facts_extremes(struct ek_facts *facts, const char *name, const struct ek_topology *topology,
                         const double *capacity, struct ek_spectrum *spectrum);

// The least k with ((1 + k * slope) gamma^k)^2 * from <= to; NaN where gamma is not below 1.
double core_facts_operations(double gamma, double slope, double from, double to);

#endif
