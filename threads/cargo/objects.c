// SPDX-License-Identifier: MIT
// The objects of a run.
#include "threads/cargo/objects.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "threads/api/axis.h"
#include "topologies/topology.h"

void cargo_objects_plan(struct cargo_objects *objects, const struct machine_plan *machine,
                        const struct ek_topology *topology, struct base_arena *memory)
{
    uint64_t processors = topology->processors, ports = topology->ports, count = machine->objects->count;
    bool turns = machine->engine->timing == EK_IN_TURNS, communicates = machine->choose == CORE_CHOOSE_COMMUNICATING;
    *objects = (struct cargo_objects){.set = machine->objects,
                                      .vt = machine->vt,
                                      .topology = topology,
                                      .choose = machine->choose,
                                      .carries = !machine->drops_rest,
                                      .machine = machine};
    base_arena_plan(memory, &objects->here, machine->ranks && machine_moves_objects(machine) ? processors : 0,
                    sizeof *objects->here);
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
    base_arena_plan(memory, &objects->recent, turns && communicates && machine->ranks ? count : 0,
                    sizeof *objects->recent);
    base_arena_plan(memory, &objects->score, communicates ? count : 0, sizeof *objects->score);
    const struct ek_placement_part *part = machine->method->placement;
    base_arena_plan(memory, &objects->placing, part ? part->bytes(machine->objects, topology->processors) : 0, 1);
}

static void add(struct cargo_objects_sum *sum, const struct core_object *object)
{
    sum->count++;
    sum->print += core_object_print(object);
}

void cargo_objects_add(const struct cargo_objects *objects, const struct core_object_list *list,
                       struct cargo_objects_sum *sum)
{
    for (uint32_t i = list->head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        add(sum, &objects->set->object[i]);
    }
}

// Finds the processors of this process.
static void find_here(struct cargo_objects *objects)
{
    const struct rank_placement *placement = &objects->machine->placement;
    for (uint32_t i = 0; objects->here && i < placement->spans; i++) {
        for (uint32_t p = placement->begin[i]; p < placement->begin[i + 1]; p++) {
            objects->here[p] = placement->rank[i] == objects->machine->ranks->rank;
        }
    }
}

uint64_t cargo_objects_bytes(const struct cargo_objects *objects, const struct core_object_list *list)
{
    uint64_t bytes = 0;
    for (uint32_t i = list->head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        bytes += objects->set->object[i].bytes;
    }
    return bytes;
}

void cargo_objects_begin(struct cargo_objects *objects)
{
    const struct core_object_set *set = objects->set;
    const struct core_object_list empty = {.head = CORE_NO_OBJECT};
    objects->landed_list = empty;
    find_here(objects);
    objects->all = objects->movable = objects->landed = (struct cargo_objects_sum){0};
    for (uint32_t p = 0; p < objects->topology->processors; p++) {
        objects->held[p] = empty;
    }
    for (uint32_t port = 0; port < objects->topology->ports; port++) {
        objects->parcel[port] = empty;
    }
    for (uint32_t i = set->count; i-- > 0;) { // each object is put before the lighter ones
        const struct core_object *object = &set->object[i];
        objects->place[i] = object->place;
        add(&objects->all, object);
        if (object->fixed) {
            objects->fixed[object->place] += object->weight;
            continue;
        }
        add(&objects->movable, object);
        if (!objects->here || objects->here[object->place]) {
            core_objects_prepend(&objects->held[object->place], objects->next, i, object->weight);
        }
    }
}

double cargo_objects_load(const struct cargo_objects *objects, uint32_t processor)
{
    return core_object_load(objects->set, cargo_objects_units(objects, processor));
}

void cargo_objects_say(struct cargo_objects *objects, uint32_t processor)
{
    objects->said[processor] = cargo_objects_units(objects, processor);
}

void cargo_objects_see(struct cargo_objects *objects, uint32_t processor)
{
    objects->held[processor].weight = objects->said[processor] - objects->fixed[processor];
}

// Returns what objects may exceed an amount by. The amount is a share of loads of this size, and its error a few times
// the rounding of a double.
static double slack_of(uint64_t load)
{
    static const double LEAST = 1e-9, ROUNDINGS = 16.0;
    return LEAST + ROUNDINGS * DBL_EPSILON * (double)load;
}

bool cargo_objects_fits(const struct cargo_objects *objects, uint64_t weight, double amount, uint64_t own)
{
    double asked = amount * objects->set->scale;
    return (double)weight <= asked + slack_of(own) ||
           (objects->choose == CORE_CHOOSE_NEAREST && (double)weight + slack_of(own) < 2.0 * asked);
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
    }
    objects->bytes_sent[p] += cargo_objects_bytes(objects, parcel);
    objects->moved[p] += parcel->weight;
    return (double)parcel->weight;
}

double cargo_objects_serve(struct cargo_objects *objects, struct core_object_request *request, uint32_t port,
                           double amount, uint64_t own, uint64_t other)
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
    uint32_t receiver = objects->topology->neighbour[port];
    return cargo_objects_serve(objects, &request, port, amount, objects->said[p], objects->said[receiver]);
}

void cargo_objects_hold(struct cargo_objects *objects, uint32_t p, struct core_object_list *list)
{
    for (uint32_t i = list->head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        objects->place[i] = p;
    }
    core_objects_receive(&objects->held[p], objects->next, list);
}

void cargo_objects_receive(struct cargo_objects *objects, uint32_t p, uint32_t port)
{
    cargo_objects_hold(objects, p, &objects->parcel[port]);
}

double cargo_objects_cross(struct cargo_objects *objects, uint32_t p, uint32_t port, double amount, uint64_t step)
{
    uint32_t receiver = objects->topology->neighbour[port];
    struct core_object_request request = {.giver = p, .crossed = objects->crossed, .now = step + 1};
    double given = cargo_objects_serve(objects, &request, port, amount, cargo_objects_units(objects, p),
                                       cargo_objects_units(objects, receiver));
    for (uint32_t i = objects->parcel[port].head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        objects->place[i] = receiver;
        if (objects->recent) {
            objects->recent[objects->recents++] = i;
        }
    }
    if (!objects->here || objects->here[receiver]) {
        cargo_objects_arrive(objects, port, step);
    } else {
        objects->held[receiver].weight += objects->parcel[port].weight;
    }
    return given;
}

void cargo_objects_arrive(struct cargo_objects *objects, uint32_t port, uint64_t step)
{
    for (uint32_t i = objects->parcel[port].head; i != CORE_NO_OBJECT; i = objects->next[i]) {
        objects->crossed[i] = step + 1;
    }
    cargo_objects_receive(objects, objects->topology->neighbour[port], port);
}

bool cargo_objects_keep(const struct cargo_objects *objects)
{
    uint32_t port = 0;
    while (port < objects->topology->ports && (!objects->carries || objects->rest[port] == 0.0)) {
        port++;
    }
    return port < objects->topology->ports;
}

uint64_t cargo_objects_units_of(const struct cargo_objects *objects, double load)
{
    return isnan(load) ? UINT64_MAX : (uint64_t)llround(load * objects->set->scale);
}

uint64_t cargo_objects_lightest(const struct cargo_objects *objects, uint32_t p)
{
    return core_objects_lightest(objects->set, &objects->held[p], objects->next);
}

bool cargo_objects_may_go(const struct cargo_objects *objects, uint64_t weight, double own, double other)
{
    uint64_t here = cargo_objects_units_of(objects, own), there = cargo_objects_units_of(objects, other);
    return there < here && weight < here - there;
}

bool cargo_objects_rest(const struct cargo_objects *objects, const double *load)
{
    const struct ek_topology *topology = objects->topology;
    for (uint32_t p = 0; p < topology->processors; p++) {
        double least = INFINITY;
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            least = fmin(least, load[topology->neighbour[port]]);
        }
        if (least < load[p] && cargo_objects_may_go(objects, cargo_objects_lightest(objects, p), load[p], least)) {
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

uint64_t cargo_objects_place(struct cargo_objects *objects, uint64_t seed, uint64_t steps)
{
    const struct core_object_set *set = objects->set;
    const struct machine_plan *machine = objects->machine;
    uint32_t processors = objects->topology->processors;
    uint64_t messages = machine->method->placement->place(&machine->method_plan, set, processors, seed, steps,
                                                          objects->placing, objects->place);
    for (uint32_t p = 0; p < processors; p++) {
        objects->held[p] = (struct core_object_list){.head = CORE_NO_OBJECT};
    }
    for (uint32_t i = set->count; i-- > 0;) { // each object is put before the lighter ones
        if (!set->object[i].fixed) {
            core_objects_prepend(&objects->held[objects->place[i]], objects->next, i, set->object[i].weight);
        }
    }
    count_migrated(objects);
    return messages;
}

// Load needs as many operations as the diameter to cross the machine. If not all processors invoke at once, or if links
// are drawn, it needs more.
uint64_t cargo_objects_patience(const struct machine_plan *machine, int64_t diameter)
{
    enum { LEAST = 32, CROSSINGS = 4, SELDOM = 8 };
    uint64_t most = CROSSINGS * (uint64_t)(diameter > 0 ? diameter : 0);
    bool seldom = machine->invoke.kind != CORE_INVOKE_ALWAYS || machine->method->links == EK_LINKS_MATCHING ||
                  machine->engine->overlapping;
    return (most > LEAST ? most : LEAST) * (seldom ? SELDOM : 1);
}

bool cargo_objects_refuse(struct ek_error *error)
{
    return base_fail(error, EK_VIOLATION, "objects",
                     "the processors do not hold the objects that there were: an object was lost, doubled or changed");
}

// A list that a fault has closed to a ring ends when it has more objects than there are.
bool cargo_objects_good(const struct cargo_objects *objects, struct ek_error *error)
{
    const struct core_object_set *set = objects->set;
    struct cargo_objects_sum sum = objects->landed;
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->object[i].fixed) {
            add(&sum, &set->object[i]);
        }
    }
    for (uint32_t p = 0; p < objects->topology->processors; p++) {
        for (uint32_t i = objects->held[p].head; i != CORE_NO_OBJECT && sum.count <= set->count; i = objects->next[i]) {
            add(&sum, &set->object[i]);
            sum.print += objects->place[i] != p; // a wrong place is a change too
        }
    }
    return (sum.print == objects->all.print && sum.count == objects->all.count) || cargo_objects_refuse(error);
}
