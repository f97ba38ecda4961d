// SPDX-License-Identifier: MIT
// The objects of a run.
#include "threads/cargo/objects.h"

#include <float.h>
#include <string.h>

#include "base/error.h"

void cargo_objects_plan(struct cargo_objects *objects, const struct machine_plan *machine,
                        const struct ek_topology *topology, struct base_arena *memory)
{
    uint64_t processors = topology->processors, ports = topology->ports, count = machine->objects->count;
    bool turns = machine->engine->timing == EK_IN_TURNS;
    *objects = (struct cargo_objects){.set = machine->objects,
                                      .vt = machine->vt,
                                      .topology = topology,
                                      .choose = machine->choose,
                                      .carries = !machine->drops_rest};
    base_arena_plan(memory, &objects->held, processors, sizeof *objects->held);
    base_arena_plan(memory, &objects->fixed, processors, sizeof *objects->fixed);
    base_arena_plan(memory, &objects->said, processors, sizeof *objects->said);
    base_arena_plan(memory, &objects->bytes_sent, processors, sizeof *objects->bytes_sent);
    base_arena_plan(memory, &objects->moved, processors, sizeof *objects->moved);
    base_arena_plan(memory, &objects->parcel, ports, sizeof *objects->parcel);
    base_arena_plan(memory, &objects->rest, ports, sizeof *objects->rest);
    base_arena_plan(memory, &objects->next, count, sizeof *objects->next);
    base_arena_plan(memory, &objects->place, count, sizeof *objects->place);
    base_arena_plan(memory, &objects->moves, count, sizeof *objects->moves);
    base_arena_plan(memory, &objects->crossed, turns ? count : 0, sizeof *objects->crossed);
    base_arena_plan(memory, &objects->score, machine->choose == CORE_CHOOSE_COMMUNICATING ? count : 0,
                    sizeof *objects->score);
}

void cargo_objects_begin(struct cargo_objects *objects)
{
    const struct core_object_set *set = objects->set;
    const struct core_object_list empty = {.head = CORE_NO_OBJECT};
    for (uint32_t p = 0; p < objects->topology->processors; p++) {
        objects->held[p] = empty;
    }
    for (uint32_t port = 0; port < objects->topology->ports; port++) {
        objects->parcel[port] = empty;
    }
    for (uint32_t i = set->count; i-- > 0;) { // each object is put before the lighter ones
        const struct core_object *object = &set->object[i];
        objects->place[i] = object->place;
        objects->print += core_object_print(object);
        if (object->fixed) {
            objects->fixed[object->place] += object->weight;
        } else {
            core_objects_prepend(&objects->held[object->place], objects->next, i, object->weight);
        }
    }
}

static uint64_t units_of(const struct cargo_objects *objects, uint32_t processor)
{
    return objects->held[processor].weight + objects->fixed[processor];
}

double cargo_objects_load(const struct cargo_objects *objects, uint32_t processor)
{
    return core_object_load(objects->set, units_of(objects, processor));
}

void cargo_objects_say(struct cargo_objects *objects, uint32_t processor)
{
    objects->said[processor] = units_of(objects, processor);
}

// Returns what objects may exceed an amount by. The amount is a share of loads of this size, and its error a few times
// the rounding of a double.
static double slack_of(uint64_t load)
{
    static const double LEAST = 1e-9, ROUNDINGS = 16.0;
    return LEAST + ROUNDINGS * DBL_EPSILON * (double)load;
}

// Moves the objects of a request to the parcel of a port, and counts them.
static double fill(struct cargo_objects *objects, struct core_object_request *request, uint32_t port)
{
    struct core_object_list *parcel = &objects->parcel[port];
    uint32_t p = request->giver;
    request->choose = objects->choose;
    request->place = objects->place;
    request->score = objects->score;
    core_objects_choose(objects->set, request, &objects->held[p], objects->next, parcel);
    for (uint32_t i = parcel->head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        objects->moves[i]++;
        objects->bytes_sent[p] += objects->set->object[i].bytes;
    }
    objects->moved[p] += parcel->weight;
    return (double)parcel->weight;
}

// Serves a port. `own` and `other` are the loads at the two ends of its link, in units.
static double serve(struct cargo_objects *objects, struct core_object_request *request, uint32_t port, double amount,
                    uint64_t own, uint64_t other)
{
    double asked = amount * objects->set->scale;
    if (asked <= 0.0) {
        objects->rest[port] = 0.0;
        return 0.0;
    }
    request->amount = asked + (objects->carries ? objects->rest[port] : 0.0);
    request->slack = slack_of(own);
    request->below = own > other ? own - other : 0;
    request->receiver = objects->topology->neighbour[port];
    double given = fill(objects, request, port);
    objects->rest[port] = request->amount - given;
    return given / objects->set->scale;
}

double cargo_objects_send(struct cargo_objects *objects, uint32_t p, uint32_t port, double amount)
{
    struct core_object_request request = {.giver = p};
    return serve(objects, &request, port, amount, objects->said[p], objects->said[objects->topology->neighbour[port]]);
}

void cargo_objects_receive(struct cargo_objects *objects, uint32_t p, uint32_t port)
{
    struct core_object_list *parcel = &objects->parcel[port];
    for (uint32_t i = parcel->head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        objects->place[i] = p;
    }
    core_objects_receive(&objects->held[p], objects->next, parcel);
}

double cargo_objects_cross(struct cargo_objects *objects, uint32_t p, uint32_t port, double amount, uint64_t step)
{
    uint32_t receiver = objects->topology->neighbour[port];
    struct core_object_request request = {.giver = p, .crossed = objects->crossed, .now = step + 1};
    double given = serve(objects, &request, port, amount, units_of(objects, p), units_of(objects, receiver));
    for (uint32_t i = objects->parcel[port].head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        objects->crossed[i] = step + 1;
    }
    cargo_objects_receive(objects, receiver, port);
    return given;
}

bool cargo_objects_keep(const struct cargo_objects *objects)
{
    uint32_t port = 0;
    while (port < objects->topology->ports && (!objects->carries || objects->rest[port] == 0.0)) {
        port++;
    }
    return port < objects->topology->ports;
}

bool cargo_objects_rest(const struct cargo_objects *objects)
{
    const struct ek_topology *topology = objects->topology;
    for (uint32_t p = 0; p < topology->processors; p++) {
        uint64_t least = UINT64_MAX, own = units_of(objects, p);
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint64_t other = units_of(objects, topology->neighbour[port]);
            least = other < least ? other : least;
        }
        if (least < own && core_objects_lightest(objects->set, &objects->held[p], objects->next) < own - least) {
            return false;
        }
    }
    return true;
}

// Serves the link of a port once, as far as `due` says. Returns whether objects moved. Each move brings what is due
// over the link nearer to 0, so this happens a finite number of times.
static bool settle_port(struct cargo_objects *objects, double *due, uint32_t p, uint32_t port, double slack)
{
    uint32_t receiver = objects->topology->neighbour[port];
    struct core_object_request request = {
        .giver = p, .receiver = receiver, .amount = due[port], .slack = slack, .below = UINT64_MAX};
    double given = due[port] > slack ? fill(objects, &request, port) : 0.0;
    due[port] -= given;
    due[objects->topology->twin[port]] += given;
    bool any = objects->parcel[port].head != CORE_NO_OBJECT;
    cargo_objects_receive(objects, receiver, port);
    return any;
}

// Counts the objects that are not where they began. Each has moved once, whatever links its load crossed.
static void count_migrated(struct cargo_objects *objects)
{
    const struct core_object_set *set = objects->set;
    memset(objects->bytes_sent, 0, objects->topology->processors * sizeof *objects->bytes_sent);
    memset(objects->moved, 0, objects->topology->processors * sizeof *objects->moved);
    for (uint32_t i = 0; i < set->count; i++) {
        const struct core_object *object = &set->object[i];
        objects->moves[i] = objects->place[i] != object->place;
        objects->bytes_sent[object->place] += objects->moves[i] ? object->bytes : 0;
        objects->moved[object->place] += objects->moves[i] ? object->weight : 0;
    }
}

// The method stopped near balance, so the numbers are known only so far.
void cargo_objects_settle(struct cargo_objects *objects, const double *sent)
{
    static const double NEAR = 1e-4; // of the mean load
    const struct ek_topology *topology = objects->topology;
    double *due = objects->rest; // the rests of amounts have no other use here
    double slack = NEAR * (double)objects->set->total / topology->processors;
    bool any = true;
    for (uint32_t port = 0; port < topology->ports; port++) {
        due[port] = (sent[port] - sent[topology->twin[port]]) * objects->set->scale;
    }
    while (any) {
        any = false;
        for (uint32_t p = 0; p < topology->processors; p++) {
            for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
                any = settle_port(objects, due, p, port, slack) || any;
            }
        }
    }
    count_migrated(objects);
}

bool cargo_objects_good(const struct cargo_objects *objects, struct ek_error *error)
{
    const struct core_object_set *set = objects->set;
    uint64_t print = 0, count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->object[i].fixed) {
            print += core_object_print(&set->object[i]);
            count++;
        }
    }
    for (uint32_t p = 0; p < objects->topology->processors; p++) {
        for (uint32_t i = objects->held[p].head; i != CORE_NO_OBJECT && count <= set->count; i = objects->next[i]) {
            print += core_object_print(&set->object[i]) + (objects->place[i] != p); // a wrong place is a change too
            count++;
        }
    }
    return (print == objects->print && count == set->count) ||
           base_fail(error, EK_VIOLATION, "objects",
                     "the processors do not hold the objects that there were: an object was lost, doubled or changed");
}
