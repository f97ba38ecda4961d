// SPDX-License-Identifier: MIT
// Measures the effect of operations on the variance of their domains, by the kind of overlap (Xu, Monien, Lüling & Lau
// 1995, section 4 and Fig. 3).
//
// The *domain* of an operation consists of its invoker and the neighbours that take part. Each processor of the domain
// has a *part* in the operation: an interval of time. Two operations *overlap* if a processor is in both at the same
// time. A *sphere* is a set of operations that are connected by overlaps. At each of its processors a sphere lasts from
// that processor's first part to its last; any part in between belongs to the sphere too. So during this time only the
// sphere and work change the loads of its processors.
#ifndef CORE_DOMAINS_OVERLAPS_H
#define CORE_DOMAINS_OVERLAPS_H

#include "base/arena.h"

// The kinds of overlap that the paper distinguishes.
enum core_effect_kind {
    CORE_EFFECT_ALONE,      // spheres of one operation
    CORE_EFFECT_OVERLAPPED, // each operation of all other spheres, with the variance of its own domain
    CORE_EFFECT_ADJACENT,   // spheres of two operations, where one invoker is in the other's domain
    CORE_EFFECT_ONE_SHARED, // spheres of two operations that share one neighbour, or two
    CORE_EFFECT_TWO_SHARED,
    CORE_EFFECT_MANY, // all other spheres
    CORE_EFFECTS
};

// Sums over domains or spheres. `before` and `after` are sums of (w - mean)^2 of the loads before and after.
struct core_effect {
    uint64_t count;
    double before, after, before_squares, after_squares, products;
};

// The effects of all operations, by kind. An operation is `unknown` if a part of it is missing, or if it is not known
// whether it overlapped and no overlap is known. A sphere with a missing part is left out, but not the domains of its
// operations.
struct core_effects {
    struct core_effect of[CORE_EFFECTS];
    uint64_t unknown;
};

// A processor's part in an operation. The invoker's part lasts as long as the operation; a neighbour's part begins when
// it announces its load and ends when the invoker releases it.
struct core_part {
    uint64_t begin, end;  // times of the processor, begin < end
    double before, after; // its loads at these times
    uint32_t processor;
    uint32_t operation;
};

struct core_overlap_operation {
    uint32_t invoker;
    uint32_t parent;      // in the forest of spheres; a root is its own parent
    bool missing;         // one of its parts is missing
    bool unknown;         // it is not known whether it overlapped; at a root: of its sphere
    double before, after; // of its own domain

    // Valid at a root: of its sphere.
    uint32_t operations;
    uint32_t shared; // processors that are in two of its operations
    bool adjacent;
    double sphere_before, sphere_after;

    // Used while the parts of one processor are visited.
    uint32_t last;  // index of the sphere's last part
    uint32_t first; // the operation of its first part, plus 1; 0: none yet
    uint64_t end;   // the latest end of a part, and the load then
    double load;
};

struct core_overlaps {
    struct core_part *part;
    struct core_overlap_operation *operation;
    uint32_t parts, operations;
};

// Plans memory for these numbers of parts and operations.
void core_overlaps_plan(struct core_overlaps *work, uint64_t parts, uint64_t operations, struct base_arena *memory);

// Record operations and parts: core_overlaps_operation adds an operation and returns its number, core_overlaps_part
// adds a part (also the invoker's), core_overlaps_missing marks an operation with a missing part, and
// core_overlaps_unknown marks one that may have overlapped with unrecorded operations. An operation of which hardly
// anything is known has the invoker UINT32_MAX and is not counted.
uint32_t core_overlaps_operation(struct core_overlaps *work, uint32_t invoker);
void core_overlaps_part(struct core_overlaps *work, struct core_part part);
void core_overlaps_missing(struct core_overlaps *work, uint32_t operation);
void core_overlaps_unknown(struct core_overlaps *work, uint32_t operation);

// Adds the effects of the recorded operations, about this mean, to `effects`, and forgets the operations. The cost is
// that of sorting the parts. The parts are sorted several times if parts in between join spheres.
void core_overlaps_measure(struct core_overlaps *work, double mean, struct core_effects *effects);

// Do the same in two steps, core_overlaps_join and core_overlaps_count. Between the two the parts are sorted by
// processor and begin, and core_overlaps_sphere returns the root of an operation's sphere. A sphere's kind is valid
// unless it is `unknown`.
void core_overlaps_join(struct core_overlaps *work, double mean);
uint32_t core_overlaps_sphere(struct core_overlaps *work, uint32_t operation);
enum core_effect_kind core_overlaps_kind(const struct core_overlap_operation *sphere);
void core_overlaps_count(struct core_overlaps *work, struct core_effects *effects);

// Returns the kind of two operations that overlap, by the number of processors in both.
enum core_effect_kind core_overlaps_kind_of_two(bool adjacent, uint32_t shared);

// Adds one measurement.
void core_effect_add(struct core_effect *effect, double before, double after);

// Return the share of the variance that is left, `after` divided by `before`, and the standard error of this ratio of
// means. Without measurements both are NaN. With a single measurement the error is NaN.
double core_effect_left(const struct core_effect *effect);
double core_effect_left_error(const struct core_effect *effect);

#endif
