// SPDX-License-Identifier: MIT
// A run before it begins, as the theory sees it, and the conditions under which sentences of the theory hold. Each
// sentence lists the conditions that it needs; it is shown only for runs that meet them all.
#ifndef CORE_THEORY_OUTLOOK_H
#define CORE_THEORY_OUTLOOK_H

#include "core/axes/invoke.h"
#include "core/links/link.h"
#include "core/axes/stop.h"
#include "core/axes/work.h"
#include "core/cargo/rounding.h"

enum core_timing { CORE_TIMING_ROUNDS, CORE_TIMING_TURNS, CORE_TIMING_FREE };

struct ek_outlook {
    const struct ek_topology *topology;
    enum ek_matrix matrix; // the map of an operation of all processors; in free timing, of one processor
    enum ek_units units;
    enum core_rounding rounding; // of tokens
    enum ek_ports ports;
    enum core_timing timing;
    const double *capacity;        // [processors], or NULL if all are 1
    bool to_target;                // weighting target
    double *load;                  // [processors] the load that run 0 begins with; NULL: there are too many processors
    const double *surplus;         // [processors] the part of the load above the processor's share; NULL like `load`
    double distance;               // sum of the squares of `surplus`
    const struct core_load *drawn; // how the load is drawn
    const struct core_stop *stop;
    const struct core_invoke *invoke;
    const struct core_workload *work;
    const struct ek_link_model *links;
    const struct core_costs *costs; // of an operation, which the run shows in virtual time; NULL: it does not
    bool clock_steps;               // the value of the axis `clock` is `step`
    bool faults;                    // links and processors fail
    bool objects;                   // load consists of objects, which an amount rarely adds up to
    bool overlaps;                  // the effects of operations on their domains are measured
    bool link_once;                 // domains once: overlapping operations use a link between their invokers once
    uint64_t operations_max;        // 0: no limit
    uint64_t steps_max;
};

// The conditions.
enum core_need {
    CORE_NEEDS_NOTHING = 0,
    CORE_NEEDS_ROUNDS = 1,                 // processors act at the same time, in steps
    CORE_NEEDS_TURNS = 1 << 1,             // processors act one after another
    CORE_NEEDS_FREE = 1 << 2,              // each processor acts at its own pace
    CORE_NEEDS_ALL_INVOKE = 1 << 3,        // every processor invokes every operation
    CORE_NEEDS_SINGLE_INVOKERS = 1 << 4,   // single processors invoke operations
    CORE_NEEDS_BLIND_INVOCATION = 1 << 5,  // which processors invoke does not depend on the loads
    CORE_NEEDS_NO_WORK = 1 << 6,           // only balancing changes the loads
    CORE_NEEDS_EVEN_WORK = 1 << 7,         // there is no work, or every processor's is drawn from the same distribution
    CORE_NEEDS_NO_DELAY = 1 << 8,          // announcements are current, and parcels arrive at once
    CORE_NEEDS_NO_LIMIT = 1 << 9,          // links carry all that is sent
    CORE_NEEDS_NO_FAULTS = 1 << 10,        // no links or processors fail
    CORE_NEEDS_REAL = 1 << 11,             // loads are neither rounded to whole tokens nor made of objects
    CORE_NEEDS_EQUAL_CAPACITIES = 1 << 12, // all capacities are 1
    CORE_NEEDS_HELD = 1 << 13,             // held loads are compared, not their distances from targets
    CORE_NEEDS_REGULAR = 1 << 14,          // all processors have equally many links
    CORE_NEEDS_OVERLAPS = 1 << 15,         // the effects of operations on their domains are measured
    CORE_NEEDS_LINK_ONCE = 1 << 16,        // overlapping operations use a link between their invokers once
    CORE_NEEDS_ALL_WORK = 1 << 17,         // all processors work in every tick: no work is suspended
};

// Not a condition of a run, but combined with conditions: the sentence holds only at the end of a run that was not cut.
#define CORE_AT_END (1U << 18)

// Only the method changes the loads; all processors act at the same time, over all links, from the present loads.
#define CORE_NEEDS_PLAIN                                                                                               \
    (CORE_NEEDS_ROUNDS | CORE_NEEDS_ALL_INVOKE | CORE_NEEDS_NO_WORK | CORE_NEEDS_NO_DELAY | CORE_NEEDS_NO_LIMIT |      \
     CORE_NEEDS_NO_FAULTS)

// Returns whether the run meets all these conditions.
bool core_outlook_has(const struct ek_outlook *outlook, unsigned needs);

// Finds the sum of squares that the method must reach before the run may end: the stop criterion's limit. Returns false
// if the criterion is of another kind.
bool core_outlook_goal(const struct ek_outlook *outlook, double *limit);

#endif
