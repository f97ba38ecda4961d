// SPDX-License-Identifier: MIT
// Which objects a processor gives over a link (axis `choose`). The method says an amount. The objects chosen add up to
// this amount as nearly as the rule allows.
//
// The objects of a processor are a list in the order of their indices, so from the heaviest to the lightest. `next` has
// the index that follows each object in its list; each object is in one list only.
#ifndef CORE_OBJECTS_OBJECT_CHOICE_H
#define CORE_OBJECTS_OBJECT_CHOICE_H

#include "core/objects/object_set.h"

enum core_choose {
    CORE_CHOOSE_FIT,          // again and again the heaviest object that still fits
    CORE_CHOOSE_NEAREST,      // the same, and then the lightest one left if the sum is nearer to the amount with it
    CORE_CHOOSE_FOREIGN,      // the heaviest one that fits: first of those away from home, then of the others
    CORE_CHOOSE_COMMUNICATING // of those that fit, the one that communicates most with the receiver's, by its weight
};

// The names of the values, in the order of enum core_choose.
extern const struct ek_choice core_choose_names[];

struct core_object_list {
    uint32_t head;   // CORE_NO_OBJECT: the list is empty
    uint32_t count;  // of the objects that may move. The fixed ones of a processor are in no list
    uint64_t weight; // of the objects in the list, in units
};

// A request to a giver: how much, and which objects may go.
struct core_object_request {
    enum core_choose choose;
    double amount;            // in units
    double slack;             // objects fit into the amount if they exceed it by no more: the rounding of its sum
    uint64_t below;           // only objects lighter than this go
    uint32_t giver, receiver; // processors
    const uint32_t *place;    // by index: the processor that holds the object
    const uint32_t *known;    // by partner: the processor that holds it, as its giver knows it; NULL: `place` counts
    const uint64_t *crossed;  // by index: when it crossed a link; NULL: objects may always cross
    uint64_t now;             // objects that crossed now stay
    double *score;            // by index: room for `communicating`, which changes only the giver's objects
};

// Moves the chosen objects from the giver's list to `parcel`, which is empty. Their order there has no meaning.
void core_objects_choose(const struct core_object_set *set, const struct core_object_request *request,
                         struct core_object_list *held, uint32_t *next, struct core_object_list *parcel);

// Moves the objects of a parcel to the list of its receiver.
void core_objects_receive(struct core_object_list *held, uint32_t *next, struct core_object_list *parcel);

// Puts an object before all others of a list.
void core_objects_prepend(struct core_object_list *list, uint32_t *next, uint32_t index, uint64_t weight);

// Returns the weight of the lightest object in a list, UINT64_MAX if the list is empty.
uint64_t core_objects_lightest(const struct core_object_set *set, const struct core_object_list *list,
                               const uint32_t *next);

#endif
