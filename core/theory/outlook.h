// SPDX-License-Identifier: MIT
// A run as the theory sees it before it begins, and the table of what a sentence of the theory can take for granted of
// it. Each sentence names what it needs where it stands; it is told only of runs that have all of that.
#ifndef CORE_THEORY_OUTLOOK_H
#define CORE_THEORY_OUTLOOK_H

#include "core/axes/invoke.h"
#include "core/links/link.h"
#include "core/method.h"
#include "core/axes/stop.h"
#include "core/axes/work.h"

enum core_timing { CORE_TIMING_ROUNDS, CORE_TIMING_TURNS, CORE_TIMING_FREE };

struct ek_outlook {
    const struct ek_topology *topology;
    enum ek_matrix matrix; // of an operation of everybody, and in free timing of one processor's
    enum ek_units units;
    enum ek_ports ports;
    enum core_timing timing;
    const double *capacity;        // by processor, or NULL: all 1
    bool to_target;                // --weighting target
    double *load;                  // by processor: what run 0 begins with
    const double *surplus;         // by processor: how much of that is above its share of all load
    double distance;               // sum of the squares of the surplus
    const struct core_load *drawn; // how that load comes about
    const struct core_stop *stop;
    const struct core_invoke *invoke;
    const struct core_workload *work;
    const struct ek_link_model *links;
    bool clock_steps;        // --clock step
    bool faults;             // links and processors fail
    bool overlaps;           // what operations do to their domains is measured
    bool once;               // operations that overlap use a link that they share once
    uint64_t operations_max; // 0: no limit
    uint64_t steps_max;
};

// What a sentence can need of a run.
enum core_need {
    CORE_NEEDS_NOTHING = 0,
    CORE_NEEDS_ROUNDS = 1,          // processors act at once, in steps
    CORE_NEEDS_TURNS = 1 << 1,      // they act one after another
    CORE_NEEDS_FREE = 1 << 2,       // they act each at its own pace
    CORE_NEEDS_EVERYBODY = 1 << 3,  // --invoke always
    CORE_NEEDS_SINGLES = 1 << 4,    // operations of single processors
    CORE_NEEDS_ANYBODY = 1 << 5,    // who invokes does not depend on the loads
    CORE_NEEDS_NO_WORK = 1 << 6,    // only balancing changes the loads
    CORE_NEEDS_EVEN_WORK = 1 << 7,  // none, or every processor's is drawn alike
    CORE_NEEDS_NO_DELAY = 1 << 8,   // announcements are of now, parcels come at once
    CORE_NEEDS_NO_LIMIT = 1 << 9,   // links carry whatever is sent
    CORE_NEEDS_NO_FAULTS = 1 << 10, // links and processors stay
    CORE_NEEDS_REAL = 1 << 11,      // nothing is rounded to whole tokens
    CORE_NEEDS_ALIKE = 1 << 12,     // all capacities are 1
    CORE_NEEDS_HELD = 1 << 13,      // held loads are compared, not their distance from a target
    CORE_NEEDS_REGULAR = 1 << 14,   // all processors have as many links
    CORE_NEEDS_OVERLAPS = 1 << 15,  // what operations do to their domains is measured
    CORE_NEEDS_ONCE = 1 << 16,      // operations that overlap use a link that they share once
    CORE_NEEDS_ALL_WORK = 1 << 17,  // work comes to all in every tick: none is suspended while a processor balances
};

// Not a need, but given with them: what is true when the run comes to its end, and nothing is said of one that was cut.
#define CORE_AT_END (1U << 18)

// Nothing but the method changes the loads, everybody acts at once, over all links, from the present loads.
#define CORE_NEEDS_PLAIN                                                                                               \
    (CORE_NEEDS_ROUNDS | CORE_NEEDS_EVERYBODY | CORE_NEEDS_NO_WORK | CORE_NEEDS_NO_DELAY | CORE_NEEDS_NO_LIMIT |       \
     CORE_NEEDS_NO_FAULTS)

// Whether the run has all that is needed.
bool core_outlook_has(const struct ek_outlook *outlook, unsigned needs);

// What the method shrinks until the run may end, as a sum of squares: the stop criterion's limit; false where it has
// none of this kind.
bool core_outlook_goal(const struct ek_outlook *outlook, double *limit);

#endif
