// SPDX-License-Identifier: MIT
// The effects of operations, computed from the turns of a replay. A *part* is a processor's share in an operation: from
// the turn in which it begins the operation, or sends a TELL, to the turn in which it ends the operation, or is
// released. All turns have one order, so all parts are timed by one count, their *moments*. Whenever no part is open,
// all spheres are complete and are reported.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure.h"
#include "core/domains/overlap_pairs.h"
#include "threads/machine/machine.h"
#include "threads/machine/effects.h"
#include "threads/machine/plan.h"
#include "threads/api/replay.h"
#include "base/cursor.h"
#include "topologies/topology.h"

#define NO_OPERATION UINT32_MAX

// A part that is open.
struct open_part {
    uint64_t moment;
    double held;
    uint32_t operation; // NO_OPERATION: the part is not open
};

// An operation; or a sphere, in the operation that represents it.
struct span {
    uint64_t begin, end; // turns
    uint32_t processors;
    uint32_t met; // the last processor that was counted, plus 1
    bool reported;
};

struct ek_overlaps {
    const struct machine_plan *machine;
    void (*take)(void *context, const struct ek_sphere *sphere);
    void *context;
    double mean;
    double *held;           // by processor
    struct open_part *own;  // by processor: in its own operation
    struct open_part *part; // by port: in the neighbour's
    uint64_t open, moment;

    struct core_overlaps pending;
    struct span *span; // by operation
    size_t parts_most, operations_most;
    struct core_effects effects;
    uint64_t pairs[CORE_EFFECTS];
};

static bool no_memory(struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, "", "there is no memory for so many overlapping operations");
}

// Makes room for one more element.
static bool grow(void **place, size_t count, size_t *most, size_t size)
{
    if (count < *most) {
        return true;
    }
    void *more = count < NO_OPERATION / 2 ? realloc(*place, (2 * count + 64) * size) : NULL;
    if (more) {
        *place = more;
        *most = 2 * count + 64;
    }
    return more;
}

static bool room_for_operation(struct ek_overlaps *overlaps)
{
    struct core_overlaps *pending = &overlaps->pending;
    size_t most = overlaps->operations_most; // both arrays grow together
    return grow((void **)&overlaps->span, pending->operations, &most, sizeof *overlaps->span) &&
           grow((void **)&pending->operation, pending->operations, &overlaps->operations_most,
                sizeof *pending->operation);
}

// Closes a part. It may not be open if the run violates the protocol.
static bool add_part(struct ek_overlaps *overlaps, uint32_t p, struct open_part *part, uint64_t turn)
{
    struct core_overlaps *pending = &overlaps->pending;
    if (part->operation == NO_OPERATION) {
        return true;
    }
    if (!grow((void **)&pending->part, pending->parts, &overlaps->parts_most, sizeof *pending->part)) {
        return false;
    }
    core_overlaps_part(pending, (struct core_part){.begin = part->moment,
                                                   .end = ++overlaps->moment,
                                                   .before = part->held,
                                                   .after = overlaps->held[p],
                                                   .processor = p,
                                                   .operation = part->operation});
    struct span *span = &overlaps->span[part->operation];
    span->end = turn > span->end ? turn : span->end;
    part->operation = NO_OPERATION;
    overlaps->open--;
    return true;
}

static void enter(struct ek_overlaps *overlaps, uint32_t p, struct open_part *part, uint32_t operation)
{
    if (operation == NO_OPERATION || part->operation != NO_OPERATION) {
        return;
    }
    *part = (struct open_part){.moment = ++overlaps->moment, .held = overlaps->held[p], .operation = operation};
    overlaps->open++;
}

static void drop(struct ek_overlaps *overlaps, struct open_part *part)
{
    overlaps->open -= part->operation != NO_OPERATION;
    part->operation = NO_OPERATION;
}

static bool begin_operation(struct ek_overlaps *overlaps, const struct ek_turn_made *turn)
{
    if (!room_for_operation(overlaps)) {
        return false;
    }
    uint32_t operation = core_overlaps_operation(&overlaps->pending, turn->processor);
    overlaps->span[operation] = (struct span){.begin = turn->number, .end = turn->number};
    enter(overlaps, turn->processor, &overlaps->own[turn->processor], operation);
    return true;
}

// Discards an attempt in which no neighbour took part: it is not an operation.
static void leave(struct ek_overlaps *overlaps, struct open_part *own)
{
    if (own->operation == NO_OPERATION) {
        return;
    }
    overlaps->pending.operation[own->operation].invoker = NO_OPERATION;
    core_overlaps_missing(&overlaps->pending, own->operation);
    drop(overlaps, own);
}

// Returns the port of p that leads to q. A processor's ports are in the order of its neighbours.
static uint32_t port_to(const struct ek_topology *topology, uint32_t p, uint32_t q)
{
    uint32_t low = topology->first[p];
    uint32_t high = topology->first[p + 1];
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (topology->neighbour[middle] <= q) {
            low = middle;
        } else {
            high = middle;
        }
    }
    assert(topology->neighbour[low] == q);
    return low;
}

static bool add_event(struct ek_overlaps *overlaps, const struct ek_turn_made *turn, const struct ek_event *event)
{
    uint32_t p = turn->processor;
    struct open_part *own = &overlaps->own[p];
    struct open_part *part = NULL;
    switch (event->kind) {
    case EK_EVENT_BEGINS:
        return begin_operation(overlaps, turn);
    case EK_EVENT_ENDS:
        return add_part(overlaps, p, own, turn->number);
    case EK_EVENT_LEAVES:
        leave(overlaps, own);
        return true;
    case EK_EVENT_WORKS:
        overlaps->held[p] += event->amount;
        return true;
    case EK_EVENT_LET_GO:
        part = &overlaps->part[port_to(overlaps->machine->topology, p, event->other)];
        if (isnan(event->amount)) {
            drop(overlaps, part);
            return true;
        }
        return add_part(overlaps, p, part, turn->number);
    case EK_EVENT_TAKES:
        overlaps->held[p] += event->carries ? event->amount : 0.0;
        return true;
    case EK_EVENT_SENDS:
        overlaps->held[p] -= event->carries ? event->amount : 0.0;
        if (strcmp(event->message, "tell") == 0) { // the invoker waits for it in its current operation
            part = &overlaps->part[port_to(overlaps->machine->topology, p, event->other)];
            enter(overlaps, p, part, overlaps->own[event->other].operation);
        }
        return true;
    }
    return true;
}

// Sums up the turns and processors of each sphere in the operation that represents it.
static void gather_spheres(struct ek_overlaps *overlaps)
{
    struct core_overlaps *pending = &overlaps->pending;
    for (uint32_t i = 0; i < pending->operations; i++) {
        const struct span *span = &overlaps->span[i];
        struct span *sphere = &overlaps->span[core_overlaps_sphere(pending, i)];
        sphere->begin = span->begin < sphere->begin ? span->begin : sphere->begin;
        sphere->end = span->end > sphere->end ? span->end : sphere->end;
    }
    for (uint32_t i = 0; i < pending->parts; i++) {
        struct span *sphere = &overlaps->span[core_overlaps_sphere(pending, pending->part[i].operation)];
        sphere->processors += sphere->met != pending->part[i].processor + 1;
        sphere->met = pending->part[i].processor + 1;
    }
}

static void report_spheres(struct ek_overlaps *overlaps)
{
    static const enum ek_overlap_kind kinds[] = {[CORE_EFFECT_ALONE] = EK_OVERLAP_ALONE,
                                                 [CORE_EFFECT_ADJACENT] = EK_OVERLAP_ADJACENT,
                                                 [CORE_EFFECT_ONE_SHARED] = EK_OVERLAP_ONE_SHARED,
                                                 [CORE_EFFECT_TWO_SHARED] = EK_OVERLAP_TWO_SHARED,
                                                 [CORE_EFFECT_MANY] = EK_OVERLAP_MANY};
    struct core_overlaps *pending = &overlaps->pending;
    for (uint32_t i = 0; i < pending->operations; i++) {
        uint32_t number = core_overlaps_sphere(pending, i);
        const struct core_overlap_operation *sphere = &pending->operation[number];
        struct span *span = &overlaps->span[number];
        if (span->reported || sphere->unknown) {
            continue;
        }
        span->reported = true;
        overlaps->take(overlaps->context, &(struct ek_sphere){.begin = span->begin,
                                                              .end = span->end,
                                                              .operations = sphere->operations,
                                                              .processors = span->processors,
                                                              .kind = kinds[core_overlaps_kind(sphere)],
                                                              .before = sphere->sphere_before,
                                                              .after = sphere->sphere_after});
    }
}

// Evaluates the pending operations, and reports the spheres.
static bool measure(struct ek_overlaps *overlaps, struct ek_error *error)
{
    struct core_overlaps *pending = &overlaps->pending;
    if (pending->parts == 0) {
        pending->operations = 0;
        return true;
    }
    uint32_t *room = malloc(((size_t)pending->parts + pending->operations + 1) * sizeof *room);
    if (!room) {
        return no_memory(error);
    }
    core_overlaps_join(pending, overlaps->mean);
    core_overlap_pairs_count(pending, room, overlaps->pairs);
    free(room);
    gather_spheres(overlaps);
    report_spheres(overlaps);
    core_overlaps_count(pending, &overlaps->effects);
    return true;
}

bool ek_overlaps_add(struct ek_overlaps *overlaps, const struct ek_turn_made *turn, struct ek_error *error)
{
    enum { WORTH = 1024 }; // operations that are worth an evaluation
    for (size_t i = 0; i < turn->count; i++) {
        if (!add_event(overlaps, turn, &turn->events[i])) {
            return no_memory(error);
        }
    }
    overlaps->held[turn->processor] = turn->held; // corrects the rounding of the events' differences
    return overlaps->open > 0 || overlaps->pending.operations < WORTH || measure(overlaps, error);
}

// Closes a part that the run did not end: its operation is incomplete.
static bool close_part(struct ek_overlaps *overlaps, uint32_t p, struct open_part *part)
{
    if (part->operation != NO_OPERATION) {
        core_overlaps_missing(&overlaps->pending, part->operation);
    }
    return add_part(overlaps, p, part, 0);
}

static bool close_all(struct ek_overlaps *overlaps)
{
    const struct ek_topology *topology = overlaps->machine->topology;
    for (uint32_t p = 0; p < topology->processors; p++) {
        if (!close_part(overlaps, p, &overlaps->own[p])) {
            return false;
        }
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            if (!close_part(overlaps, p, &overlaps->part[port])) {
                return false;
            }
        }
    }
    return true;
}

bool ek_overlaps_end(struct ek_overlaps *overlaps, struct ek_overlaps_report *report, struct ek_error *error)
{
    if (!close_all(overlaps)) {
        return no_memory(error);
    }
    if (!measure(overlaps, error)) {
        return false;
    }
    *report = (struct ek_overlaps_report){.effects = machine_effects_of(&overlaps->effects),
                                          .adjacent = overlaps->pairs[CORE_EFFECT_ADJACENT],
                                          .one_shared = overlaps->pairs[CORE_EFFECT_ONE_SHARED],
                                          .two_shared = overlaps->pairs[CORE_EFFECT_TWO_SHARED],
                                          .many = overlaps->pairs[CORE_EFFECT_MANY]};
    return true;
}

static bool take_memory(struct ek_overlaps *overlaps, const double *loads)
{
    uint32_t processors = overlaps->machine->topology->processors;
    size_t ports = overlaps->machine->topology->ports + 1u;
    overlaps->held = malloc(processors * sizeof *overlaps->held);
    overlaps->own = malloc(processors * sizeof *overlaps->own);
    overlaps->part = malloc(ports * sizeof *overlaps->part);
    if (!overlaps->held || !overlaps->own || !overlaps->part) {
        return false;
    }
    memcpy(overlaps->held, loads, processors * sizeof *loads);
    memset(overlaps->own, 0xff, processors * sizeof *overlaps->own); // in no operation
    memset(overlaps->part, 0xff, ports * sizeof *overlaps->part);
    return true;
}

struct ek_overlaps *ek_overlaps_begin(const struct ek_machine *machine, const double *loads,
                                      void (*take)(void *context, const struct ek_sphere *sphere), void *context,
                                      struct ek_error *error)
{
    if (machine->plan.capacity || machine->plan.pushed) {
        base_fail(error, EK_BAD_INPUT, "overlaps",
                  machine->plan.pushed
                      ? "with pushed announcements operations take no time, so none overlap"
                      : "with different capacities balanced loads have a variance, so overlaps mean nothing");
        return NULL;
    }
    struct ek_overlaps *overlaps = calloc(1, sizeof *overlaps);
    if (!overlaps) {
        no_memory(error);
        return NULL;
    }
    uint32_t processors = machine->plan.topology->processors;
    overlaps->machine = &machine->plan;
    overlaps->take = take;
    overlaps->context = context;
    overlaps->mean = core_measure_sum(loads, processors) / processors;
    if (!take_memory(overlaps, loads)) {
        ek_overlaps_destroy(overlaps);
        no_memory(error);
        return NULL;
    }
    return overlaps;
}

void ek_overlaps_destroy(struct ek_overlaps *overlaps)
{
    free(overlaps->held);
    free(overlaps->own);
    free(overlaps->part);
    free(overlaps->pending.part);
    free(overlaps->pending.operation);
    free(overlaps->span);
    free(overlaps);
}
