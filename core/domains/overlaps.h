// SPDX-License-Identifier: MIT
// What operations do to the variance of their domains, by how these overlap (Xu, Monien, Lüling & Lau 1995, section 4
// and Fig. 3). The domain of an operation is its invoker with the neighbours that take part in it, each for a while.
// Two operations overlap where a processor is in both at once; those that overlap, and those that overlap with these,
// are a sphere. A sphere begins at each of its processors with that one's first part in it and ends with the last; what
// comes in between belongs to it. So the load of a sphere's processors changes by it alone, and by work.
#ifndef CORE_DOMAINS_OVERLAPS_H
#define CORE_DOMAINS_OVERLAPS_H

#include "base/arena.h"

// How operations were found, as far as the paper tells them apart.
enum core_effect_kind {
    CORE_EFFECT_ALONE,      // spheres of one operation
    CORE_EFFECT_OVERLAPPED, // each operation of the other spheres, with the variance of its own domain
    CORE_EFFECT_ADJACENT,   // spheres of two, one's invoker in the other's domain
    CORE_EFFECT_ONE_SHARED, // of two that share one neighbour, and of two that share two
    CORE_EFFECT_TWO_SHARED,
    CORE_EFFECT_MANY, // all other spheres
    CORE_EFFECTS
};

// Sums over what was measured: a domain's or a sphere's sum of (w - mean)^2 before and after.
struct core_effect {
    uint64_t count;
    double before, after, before_squares, after_squares, products;
};

// What became of the operations. Those are `unknown` of which a part is missing, or that are in no sphere with others
// as far as that is known. Of a sphere that is not known whole only its operations' own domains are.
struct core_effects {
    struct core_effect of[CORE_EFFECTS];
    uint64_t unknown;
};

// A processor's part in an operation: from when it told its load to when it was let go, of the invoker the whole.
struct core_part {
    uint64_t begin, end;  // moments of the processor, begin < end
    double before, after; // the load that it held then
    uint32_t processor;
    uint32_t operation;
};

struct core_overlap_operation {
    uint32_t invoker;
    uint32_t parent;      // in the forest of spheres; a root is its own
    bool missing;         // a part of it is not known
    bool unknown;         // nor whether it overlapped with others; a root's is its sphere's
    double before, after; // of its own domain

    // A root's are its sphere's.
    uint32_t operations;
    uint32_t shared; // processors in two of them
    bool adjacent;
    double sphere_before, sphere_after;

    // While the parts of a processor are looked at.
    uint32_t last;  // the sphere's last one
    uint32_t first; // and the operation of its first, plus 1; 0: none was met
    uint64_t end;   // the latest, and the load then
    double load;
};

struct core_overlaps {
    struct core_part *part;
    struct core_overlap_operation *operation;
    uint32_t parts, operations;
};

// Plans room for so many.
void core_overlaps_plan(struct core_overlaps *work, uint64_t parts, uint64_t operations, struct base_arena *memory);

// Adds an operation, and its number; a part, the invoker's too. Notes that a part of an operation is missing; and that
// it may have overlapped with others that are. One of which hardly anything is known has UINT32_MAX for its invoker,
// and is not counted.
uint32_t core_overlaps_operation(struct core_overlaps *work, uint32_t invoker);
void core_overlaps_part(struct core_overlaps *work, struct core_part part);
void core_overlaps_missing(struct core_overlaps *work, uint32_t operation);
void core_overlaps_unknown(struct core_overlaps *work, uint32_t operation);

// Adds what the operations did to `effects`, about this mean, and forgets them. Takes the time of sorting the parts, a
// few times where spheres are joined by what came between.
void core_overlaps_measure(struct core_overlaps *work, double mean, struct core_effects *effects);

// The same in two steps. Between them the parts are in the order of their processors, there of their begins, and each
// operation has a sphere: the operation that stands for it. A sphere's kind is known where it is not `unknown`.
void core_overlaps_join(struct core_overlaps *work, double mean);
uint32_t core_overlaps_sphere(struct core_overlaps *work, uint32_t operation);
enum core_effect_kind core_overlaps_kind(const struct core_overlap_operation *sphere);
void core_overlaps_count(struct core_overlaps *work, struct core_effects *effects);

// Of two that overlap, by the processors that are in both.
enum core_effect_kind core_overlaps_kind_of_two(bool adjacent, uint32_t shared);

// Adds what was measured of one.
void core_effect_add(struct core_effect *effect, double before, double after);

// What is left of the variance, `after` over `before`, and the standard error of that ratio of means; NAN of nothing,
// and of one alone.
double core_effect_left(const struct core_effect *effect);
double core_effect_left_error(const struct core_effect *effect);

#endif
