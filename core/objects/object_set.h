// SPDX-License-Identifier: MIT
// Objects: indivisible pieces of load. Each object has a weight, a size in bytes and a home processor, and may
// communicate with other objects.
//
// Weights are exact. A source gives them in whole multiples of 1e-9, and the set keeps them as whole multiples of its
// *unit*, the largest power of ten that divides all of them. So sums of weights are exact, and a load, which is such a
// sum divided by a power of ten, is rounded once.
//
// An object is named by its *index*. Indices go from the heaviest object to the lightest one, and for equal weights by
// the line of the source.
#ifndef CORE_OBJECTS_OBJECT_SET_H
#define CORE_OBJECTS_OBJECT_SET_H

#include "base/cursor.h"

#define CORE_NO_OBJECT UINT32_MAX

enum { CORE_OBJECT_DECIMALS = 9 }; // digits of a weight after the point

struct core_object {
    uint64_t weight; // in units; a source writes multiples of 1e-9. 0: the object never moves
    uint64_t bytes;
    uint32_t place; // the processor that holds it at the start
    uint32_t home;
    uint32_t line; // its number in the source, from 0
    bool fixed;    // it stays where it is
};

// Two objects that exchange so many bytes.
struct core_object_pair {
    uint32_t a, b; // indices; a source writes lines
    double bytes;
};

// A partner of an object.
struct core_object_partner {
    uint32_t index;
    double bytes;
    size_t back; // where the partner's list has this object
};

struct core_object_set {
    struct core_object *object; // [count]
    uint32_t count;
    struct core_object_pair *pair; // [pairs]
    size_t pairs;
    unsigned decimals; // a unit is 10^-decimals
    double scale;      // 10^decimals
    uint64_t total;    // sum of the weights, in units

    uint32_t *of_line;                   // [count] the index of the object of a line
    size_t *first;                       // [count + 1] partner[first[i] .. first[i + 1] - 1] are those of object i
    struct core_object_partner *partner; // NULL if no objects communicate
};

// Append an object, and a pair of lines. Return false if there is no memory.
bool core_object_add(struct core_object_set *set, struct core_object object);
bool core_object_pair_add(struct core_object_set *set, struct core_object_pair pair);

// Completes a set whose objects and pairs a source has written: sorts the objects, and finds the unit. Fails at the
// character `at` of the spec if there are no objects, or if their sums could be inexact.
bool core_object_set_finish(struct core_object_set *set, struct base_cursor *spec, size_t at);

void core_object_set_destroy(struct core_object_set *set);

// Reads a weight: a decimal number above 0 with at most 9 digits after the point. Its value is in multiples of 1e-9.
bool core_object_read_weight(struct base_cursor *cursor, uint64_t *weight);

// Returns the load of objects that weigh so many units together.
static inline double core_object_load(const struct core_object_set *set, uint64_t units)
{
    return (double)units / set->scale;
}

// Returns the bytes that are exchanged by objects of different processors. place[i] is the processor of object i.
double core_object_edge_cut(const struct core_object_set *set, const uint32_t *place);

// Returns a number that depends on everything that makes up an object. The sum of such numbers does not depend on the
// order of objects.
uint64_t core_object_print(const struct core_object *object);

#endif
