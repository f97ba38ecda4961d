// SPDX-License-Identifier: MIT
// Which objects a processor gives over a link. Each choice is one pass through the list of the giver: an object that
// does not fit now will not fit later, because the rest of the amount only shrinks.
#include "core/objects/object_choice.h"

const struct ek_choice core_choose_names[] = {
    {"fit", "again and again the heaviest object that fits into the rest of the amount"},
    {"nearest", "like fit, then the lightest one left if the sum is nearer to the amount with it"},
    {"foreign", "the heaviest one that fits, first of those that are away from home"},
    {"communicating", "of those that fit, the one that communicates most with the receiver's, by its weight"},
    {NULL, NULL}};

void core_objects_prepend(struct core_object_list *list, uint32_t *next, uint32_t index, uint64_t weight)
{
    next[index] = list->head;
    list->head = index;
    list->count++;
    list->weight += weight;
}

uint64_t core_objects_lightest(const struct core_object_set *set, const struct core_object_list *list,
                               const uint32_t *next)
{
    uint64_t lightest = UINT64_MAX;
    for (uint32_t i = list->head; i != CORE_NO_OBJECT; i = next[i]) {
        lightest = set->object[i].weight;
    }
    return lightest;
}

// Returns whether list order puts a before b: by score if there is one, else by index. Equal scores: the lower line.
static bool precedes(const struct core_object_set *set, const double *score, uint32_t a, uint32_t b)
{
    if (!score) {
        return a < b;
    }
    return score[a] != score[b] ? score[a] > score[b] : set->object[a].line < set->object[b].line;
}

// Merges two sorted chains and returns the head of the whole.
static uint32_t merge(const struct core_object_set *set, const double *score, uint32_t *next, uint32_t a, uint32_t b)
{
    uint32_t head = CORE_NO_OBJECT;
    uint32_t *place = &head;
    while (a != CORE_NO_OBJECT && b != CORE_NO_OBJECT) {
        uint32_t *first = precedes(set, score, b, a) ? &b : &a;
        *place = *first;
        place = &next[*first];
        *first = *place;
    }
    *place = a != CORE_NO_OBJECT ? a : b;
    return head;
}

// Sorts a chain by merging (Knuth, TAOCP 3, 5.2.4): part[k] is a sorted chain of 2^k objects, or empty.
static uint32_t sort(const struct core_object_set *set, const double *score, uint32_t *next, uint32_t head)
{
    enum { PARTS = 32 };
    uint32_t part[PARTS];
    for (unsigned k = 0; k < PARTS; k++) {
        part[k] = CORE_NO_OBJECT;
    }
    while (head != CORE_NO_OBJECT) {
        uint32_t chain = head;
        unsigned k = 0;
        head = next[chain];
        next[chain] = CORE_NO_OBJECT;
        for (; part[k] != CORE_NO_OBJECT; k++) {
            chain = merge(set, score, next, part[k], chain);
            part[k] = CORE_NO_OBJECT;
        }
        part[k] = chain;
    }
    for (unsigned k = 0; k < PARTS; k++) {
        head = merge(set, score, next, part[k], head);
    }
    return head;
}

void core_objects_receive(struct core_object_list *held, uint32_t *next, struct core_object_list *parcel)
{
    if (parcel->head != CORE_NO_OBJECT) {
        uint32_t head = sort(NULL, NULL, next, parcel->head);
        held->head = merge(NULL, NULL, next, held->head, head);
        held->count += parcel->count;
        held->weight += parcel->weight;
        *parcel = (struct core_object_list){.head = CORE_NO_OBJECT};
    }
}

// A choice under way.
struct choice {
    const struct core_object_set *set;
    const struct core_object_request *request;
    struct core_object_list *held, *parcel;
    uint32_t *next;
};

static bool may_go(const struct choice *choice, uint32_t index)
{
    const struct core_object_request *request = choice->request;
    return choice->set->object[index].weight < request->below &&
           (!request->crossed || request->crossed[index] != request->now);
}

// Returns the rest of the amount.
static double rest_of(const struct choice *choice)
{
    return choice->request->amount - (double)choice->parcel->weight;
}

static bool fits(const struct choice *choice, uint32_t index)
{
    return (double)choice->set->object[index].weight <= rest_of(choice) + choice->request->slack;
}

// Moves the object at this place of the giver's list to the parcel.
static void give(struct choice *choice, uint32_t *place)
{
    uint32_t index = *place;
    uint64_t weight = choice->set->object[index].weight;
    *place = choice->next[index];
    choice->held->count--;
    choice->held->weight -= weight;
    core_objects_prepend(choice->parcel, choice->next, index, weight);
}

// Gives all that fit, in the order of the list. `away`: only those that are away from home.
static void give_fitting(struct choice *choice, bool away)
{
    uint32_t *place = &choice->held->head;
    while (*place != CORE_NO_OBJECT) {
        uint32_t index = *place;
        bool concerns = !away || choice->set->object[index].home != choice->request->giver;
        if (concerns && may_go(choice, index) && fits(choice, index)) {
            give(choice, place);
        } else {
            place = &choice->next[index];
        }
    }
}

// Gives the lightest object left, if the sum is nearer to the amount with it.
static void give_nearest(struct choice *choice)
{
    uint32_t *lightest = NULL;
    const struct core_object *object = choice->set->object;
    for (uint32_t *place = &choice->held->head; *place != CORE_NO_OBJECT; place = &choice->next[*place]) {
        if (may_go(choice, *place) && (!lightest || object[*place].weight < object[*lightest].weight)) {
            lightest = place;
        }
    }
    if (lightest && (double)object[*lightest].weight + choice->request->slack < 2.0 * rest_of(choice)) {
        give(choice, lightest);
    }
}

// Returns the bytes that an object exchanges with the receiver's objects, by its weight.
static double score_of(const struct choice *choice, uint32_t index)
{
    const struct core_object_set *set = choice->set;
    const struct core_object_request *request = choice->request;
    double bytes = 0.0;
    for (size_t k = set->first[index]; k < set->first[index + 1]; k++) {
        uint32_t place = request->known ? request->known[k] : request->place[set->partner[k].index];
        bytes += place == request->receiver ? set->partner[k].bytes : 0.0;
    }
    return bytes / (double)set->object[index].weight;
}

static void give_communicating(struct choice *choice)
{
    double *score = choice->request->score;
    for (uint32_t i = choice->held->head; i != CORE_NO_OBJECT; i = choice->next[i]) {
        score[i] = choice->set->first ? score_of(choice, i) : 0.0;
    }
    choice->held->head = sort(choice->set, score, choice->next, choice->held->head);
    give_fitting(choice, false);
    choice->held->head = sort(NULL, NULL, choice->next, choice->held->head);
}

void core_objects_choose(const struct core_object_set *set, const struct core_object_request *request,
                         struct core_object_list *held, uint32_t *next, struct core_object_list *parcel)
{
    struct choice choice = {set, request, held, parcel, next};
    switch (request->choose) {
    case CORE_CHOOSE_FIT:
        give_fitting(&choice, false);
        break;
    case CORE_CHOOSE_NEAREST:
        give_fitting(&choice, false);
        give_nearest(&choice);
        break;
    case CORE_CHOOSE_FOREIGN:
        give_fitting(&choice, true);
        give_fitting(&choice, false);
        break;
    case CORE_CHOOSE_COMMUNICATING:
        give_communicating(&choice);
        break;
    }
}
