// SPDX-License-Identifier: MIT
// Objects under way, and what their holders know of their partners.
//
// A parcel has at least one object, and an object is in one parcel at most. So the memory of a parcel is that of its
// first object, and no parcel ever lacks memory.
#include "threads/cargo/objects_under_way.h"
#include "topologies/topology.h"

#include <math.h>
#include <string.h>

// A parcel.
struct cargo_bundle {
    struct mail_link link;
    struct core_object_list list;
    uint64_t bytes;
    uint32_t behind; // the first object of the parcel that waits behind it; CORE_NO_OBJECT: none
};

// Parcels of a port that have not departed, by their first objects. Empty if `first` is CORE_NO_OBJECT.
struct cargo_departures {
    uint32_t first, last;
};

// ---- memory ----

void cargo_objects_under_way_plan(struct cargo_objects *objects, bool departs, struct base_arena *memory)
{
    const struct core_object_set *set = objects->set;
    uint64_t ports = objects->topology->ports, count = set->count;
    bool knows = objects->choose == CORE_CHOOSE_COMMUNICATING && set->partner;
    base_arena_plan(memory, &objects->way, ports, sizeof *objects->way);
    base_arena_plan(memory, &objects->bundle, count, sizeof *objects->bundle);
    base_arena_plan(memory, &objects->waiting, departs ? ports : 0, sizeof *objects->waiting);
    base_arena_plan(memory, &objects->holder, knows ? count : 0, sizeof *objects->holder);
    base_arena_plan(memory, &objects->known, knows ? 2 * (uint64_t)set->pairs : 0, sizeof *objects->known);
}

void cargo_objects_under_way_begin(struct cargo_objects *objects)
{
    const struct core_object_set *set = objects->set;
    for (uint32_t port = 0; objects->waiting && port < objects->topology->ports; port++) {
        objects->waiting[port].first = CORE_NO_OBJECT;
    }
    for (uint32_t i = 0; objects->known && i < set->count; i++) {
        atomic_store_explicit(&objects->holder[i], set->object[i].place, memory_order_relaxed); // no threads yet
        for (size_t k = set->first[i]; k < set->first[i + 1]; k++) {
            objects->known[k] = set->object[set->partner[k].index].place;
        }
    }
}

// ---- what holders know ----

// Notes that an object is held by p, or by no processor with CORE_NO_OBJECT. Relaxed, here and below: a processor only
// asks whether it is the holder itself, and only its own worker writes that it is, or that it is no longer.
static void set_holder(struct cargo_objects *objects, uint32_t index, uint32_t p)
{
    atomic_store_explicit(&objects->holder[index], p, memory_order_relaxed);
}

static bool is_held_by(const struct cargo_objects *objects, uint32_t index, uint32_t p)
{
    return atomic_load_explicit(&objects->holder[index], memory_order_relaxed) == p;
}

// Lets p, which holds some partners of an object that it has given or received, know that the object is at `place`.
// The object's own holder knows that these partners are at p.
static void meet(struct cargo_objects *objects, uint32_t index, uint32_t p, uint32_t place)
{
    const struct core_object_set *set = objects->set;
    for (size_t k = set->first[index]; k < set->first[index + 1]; k++) {
        if (is_held_by(objects, set->partner[k].index, p)) {
            objects->known[k] = p;
            objects->known[set->partner[k].back] = place;
        }
    }
}

// Notes that p has given the objects of a list to the processor at the other end of a link. They leave one by one.
static void note_left(struct cargo_objects *objects, const struct core_object_list *list, uint32_t p, uint32_t receiver)
{
    for (uint32_t i = list->head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        set_holder(objects, i, CORE_NO_OBJECT);
        meet(objects, i, p, receiver);
    }
}

static void note_come(struct cargo_objects *objects, const struct core_object_list *list, uint32_t p)
{
    for (uint32_t i = list->head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        set_holder(objects, i, p);
        meet(objects, i, p, p);
    }
}

// ---- parcels ----

static void push(struct cargo_objects *objects, uint32_t port, struct cargo_bundle *bundle)
{
    struct cargo_departures *waiting = objects->waiting ? &objects->waiting[port] : NULL;
    uint32_t head = bundle->list.head;
    bundle->behind = CORE_NO_OBJECT;
    if (waiting && waiting->first == CORE_NO_OBJECT) {
        *waiting = (struct cargo_departures){head, head};
    } else if (waiting) {
        objects->bundle[waiting->last].behind = head;
        waiting->last = head;
    }
    mail_way_push(&objects->way[port], &bundle->link);
}

static struct cargo_bundle *first_of(struct cargo_objects *objects, uint32_t port)
{
    return (struct cargo_bundle *)mail_way_first(&objects->way[port]); // the link is its first member
}

double cargo_objects_post(struct cargo_objects *objects, uint32_t p, uint32_t port, double amount, double other)
{
    struct core_object_request request = {.giver = p, .known = objects->known};
    uint64_t own = cargo_objects_units(objects, p);
    double given = cargo_objects_serve(objects, &request, port, amount, own, cargo_objects_units_of(objects, other));
    struct core_object_list *parcel = &objects->parcel[port];
    if (parcel->head == CORE_NO_OBJECT) {
        return 0.0;
    }
    struct cargo_bundle *bundle = &objects->bundle[parcel->head];
    *bundle = (struct cargo_bundle){.list = *parcel};
    *parcel = (struct core_object_list){.head = CORE_NO_OBJECT};
    bundle->bytes = cargo_objects_bytes(objects, &bundle->list);
    if (objects->known) {
        note_left(objects, &bundle->list, p, request.receiver);
    }
    push(objects, port, bundle);
    return given;
}

// The lightest object fits if any does. If the rest is carried, an object that may go fits in the end.
bool cargo_objects_would_give(const struct cargo_objects *objects, uint32_t p, double amount, double other)
{
    uint64_t lightest = cargo_objects_lightest(objects, p);
    return amount > 0.0 && cargo_objects_may_go(objects, lightest, cargo_objects_load(objects, p), other) &&
           (objects->carries || cargo_objects_fits(objects, lightest, amount, cargo_objects_units(objects, p)));
}

uint64_t cargo_objects_depart(struct cargo_objects *objects, uint32_t port)
{
    struct cargo_departures *waiting = &objects->waiting[port];
    const struct cargo_bundle *bundle = &objects->bundle[waiting->first];
    waiting->first = bundle->behind;
    return bundle->bytes;
}

const struct core_object_list *cargo_objects_first(struct cargo_objects *objects, uint32_t port)
{
    return &first_of(objects, port)->list;
}

void cargo_objects_take(struct cargo_objects *objects, uint32_t p, uint32_t port)
{
    struct cargo_bundle *bundle = (struct cargo_bundle *)mail_way_remove(&objects->way[port]);
    struct core_object_list list = bundle->list;
    if (objects->known) {
        note_come(objects, &list, p);
    }
    cargo_objects_hold(objects, p, &list);
}

void cargo_objects_take_back(struct cargo_objects *objects, uint32_t p, uint32_t port)
{
    const struct cargo_bundle *bundle = first_of(objects, port);
    for (uint32_t i = bundle->list.head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        objects->moves[i]--;
    }
    objects->bytes_sent[p] -= bundle->bytes;
    cargo_objects_take(objects, p, port);
}

void cargo_objects_turn_back(struct cargo_objects *objects, uint32_t port, uint32_t back)
{
    push(objects, back, (struct cargo_bundle *)mail_way_remove(&objects->way[port]));
}

// ---- all parcels ----

// Calls `visit` for each parcel that was sent from `port` and has not arrived.
static void each(const struct cargo_objects *objects, uint32_t port,
                 void (*visit)(void *context, const struct core_object_list *list), void *context)
{
    const struct mail_way *way = &objects->way[port];
    const struct mail_link *pushed = atomic_load_explicit(&way->pushed.newest, memory_order_relaxed); // no worker runs
    for (const struct mail_link *link = way->first; link; link = link->next) {
        visit(context, &((const struct cargo_bundle *)link)->list);
    }
    for (const struct mail_link *link = pushed; link; link = link->next) {
        visit(context, &((const struct cargo_bundle *)link)->list);
    }
}

struct summing {
    const struct cargo_objects *objects;
    struct cargo_objects_sum *sum;
};

static void add_to_sum(void *context, const struct core_object_list *list)
{
    const struct summing *summing = context;
    cargo_objects_add(summing->objects, list, summing->sum);
}

void cargo_objects_sum_under_way(const struct cargo_objects *objects, uint32_t port, struct cargo_objects_sum *sum)
{
    each(objects, port, add_to_sum, &(struct summing){objects, sum});
}

struct landing {
    struct cargo_objects *objects;
    uint32_t place;
};

static void land(void *context, const struct core_object_list *list)
{
    const struct landing *landing = context;
    struct cargo_objects *objects = landing->objects;
    cargo_objects_add(objects, list, &objects->landed);
    for (uint32_t i = list->head, next; i != CORE_NO_OBJECT; i = next) {
        next = objects->next[i];
        objects->place[i] = landing->place;
        core_objects_prepend(&objects->landed_list, objects->next, i, objects->set->object[i].weight);
    }
}

void cargo_objects_land(struct cargo_objects *objects)
{
    for (uint32_t port = 0; port < objects->topology->ports; port++) {
        each(objects, port, land, &(struct landing){objects, objects->topology->neighbour[port]});
        objects->way[port] = (struct mail_way){.first = NULL};
    }
}

// ---- between processes ----

size_t cargo_objects_leaving(struct cargo_objects *objects, uint32_t port)
{
    enum { OF_OBJECT = 2 }; // its number, and its moves
    const struct core_object_list *list = cargo_objects_first(objects, port);
    size_t words = 1;
    for (uint32_t i = list->head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        words += OF_OBJECT + (objects->known ? objects->set->first[i + 1] - objects->set->first[i] : 0);
    }
    return words;
}

void cargo_objects_leave(struct cargo_objects *objects, uint32_t port, double *to)
{
    const struct core_object_set *set = objects->set;
    const struct cargo_bundle *bundle = (struct cargo_bundle *)mail_way_remove(&objects->way[port]);
    *to++ = bundle->list.count;
    for (uint32_t i = bundle->list.head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        *to++ = i;
        *to++ = objects->moves[i];
        for (size_t k = objects->known ? set->first[i] : 0; objects->known && k < set->first[i + 1]; k++) {
            *to++ = objects->known[k];
        }
    }
}

size_t cargo_objects_enter(struct cargo_objects *objects, uint32_t port, const double *from)
{
    const struct core_object_set *set = objects->set;
    struct core_object_list list = {.head = CORE_NO_OBJECT};
    const double *at = from;
    for (uint32_t count = (uint32_t)*at++; count > 0; count--) {
        uint32_t i = (uint32_t)*at++;
        objects->moves[i] = (uint32_t)*at++;
        for (size_t k = objects->known ? set->first[i] : 0; objects->known && k < set->first[i + 1]; k++) {
            objects->known[k] = (uint32_t)*at++;
        }
        core_objects_prepend(&list, objects->next, i, set->object[i].weight);
    }
    struct cargo_bundle *bundle = &objects->bundle[list.head];
    *bundle = (struct cargo_bundle){.list = list, .bytes = cargo_objects_bytes(objects, &list)};
    mail_way_push(&objects->way[port], &bundle->link);
    return (size_t)(at - from);
}

// ---- words ----

struct putting {
    const struct cargo_objects *objects;
    uint64_t *words, at; // by object; the place to write
};

static void put(void *context, const struct core_object_list *list)
{
    struct putting *putting = context;
    for (uint32_t i = list->head; i != CORE_NO_OBJECT; i = putting->objects->next[i]) {
        putting->words[i] = putting->at;
    }
    putting->at++;
}

size_t cargo_objects_words_most(const struct cargo_objects *objects)
{
    return objects->set->count + objects->topology->ports + (objects->known ? 2 * objects->set->pairs : 0);
}

// Parcels under way are numbered by their ports and their places in the lists.
uint64_t *cargo_objects_put_words(const struct cargo_objects *objects, uint64_t *words)
{
    uint32_t count = objects->set->count, ports = objects->topology->ports;
    for (uint32_t i = 0; i < count; i++) {
        words[i] = objects->place[i];
    }
    for (uint32_t port = 0; port < ports; port++) {
        each(objects, port, put, &(struct putting){objects, words, (uint64_t)(port + 1) << 32});
    }
    memcpy(words + count, objects->rest, ports * sizeof *words);
    words += count + ports;
    for (size_t k = 0; objects->known && k < 2 * objects->set->pairs; k++) {
        *words++ = objects->known[k];
    }
    return words;
}
