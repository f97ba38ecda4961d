// SPDX-License-Identifier: MIT
// The events of a run in the order of time. Exponential times have no memory, so after each event the time to the next
// failure is drawn anew, with the rates of the links and processors that are up then. The repairs to come are in a
// binary heap, the earliest on top.
#include <assert.h>
#include <math.h>

#include "core/axes/fault.h"
#include "base/random.h"
#include "topologies/topology.h"

static const uint64_t NEVER = UINT64_MAX;

void core_fault_source_plan(struct core_fault_source *source, const struct core_faults *faults,
                            const struct ek_topology *topology, uint64_t seed, struct base_arena *memory)
{
    size_t places = core_fault_places(topology);
    size_t most = (size_t)topology->links + topology->processors; // the largest number of links and processors that can
                                                                  // be down at once
    *source = (struct core_fault_source){
        .faults = faults, .topology = topology, .random = base_random_start(seed, 0, BASE_STREAM_FAULT)};
    if (faults->kind == CORE_FAULTS_FILE) {
        base_arena_plan(memory, &source->repairs_left, places, sizeof *source->repairs_left);
    } else if (faults->kind == CORE_FAULTS_DRAWN) {
        source->room = most < CORE_FAULT_DOWN_MAX ? (uint32_t)most : CORE_FAULT_DOWN_MAX;
        base_arena_plan(memory, &source->down, places, sizeof *source->down);
        base_arena_plan(memory, &source->repairs, source->room, sizeof *source->repairs);
    }
}

void core_fault_source_begin(struct core_fault_source *source)
{
    const struct core_faults *faults = source->faults;
    for (size_t i = 0; source->repairs_left && i < faults->count; i++) {
        source->repairs_left[core_fault_place(&faults->events[i], source->topology)] += faults->events[i].repair;
    }
}

static void swap(struct core_fault *a, struct core_fault *b)
{
    struct core_fault kept = *a;
    *a = *b;
    *b = kept;
}

static void push_repair(struct core_fault_source *source, struct core_fault repair)
{
    assert(source->count < source->room);
    struct core_fault *heap = source->repairs;
    uint32_t i = source->count++;
    heap[i] = repair;
    while (i > 0 && heap[i].at_ns < heap[(i - 1) / 2].at_ns) {
        swap(&heap[i], &heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static struct core_fault pop_repair(struct core_fault_source *source)
{
    assert(source->count > 0);
    struct core_fault *heap = source->repairs;
    struct core_fault top = heap[0];
    heap[0] = heap[--source->count];
    for (uint32_t i = 0, child = 1; child < source->count; child = 2 * i + 1) {
        child += child + 1 < source->count && heap[child + 1].at_ns < heap[child].at_ns;
        if (heap[i].at_ns <= heap[child].at_ns) {
            break;
        }
        swap(&heap[i], &heap[child]);
        i = child;
    }
    return top;
}

// Draws an exponential time in nanoseconds by inversion; 1 - u is above 0.
static double draw_ns(struct base_random *random, double mean_s)
{
    return round(mean_s * 1e9 * base_random_exponential(random));
}

// Returns the present rate of failures, and in `links` the links' part of it. The rate is 0 if everything is down, or
// if the most that may be down at once is down.
static double rate_of(const struct core_fault_source *source, double *links)
{
    const struct ek_topology *topology = source->topology;
    bool room = source->count < source->room;
    *links = room && source->links_down < topology->links ? source->faults->link_rate : 0.0;
    return *links + (room && source->processors_down < topology->processors ? source->faults->processor_rate : 0.0);
}

// Draws the link or processor that fails. Repeats the draw until the result is up. At most CORE_FAULT_DOWN_MAX are
// down, which bounds the number of draws.
static void draw_which(struct core_fault_source *source, struct core_fault *fault)
{
    const struct ek_topology *topology = source->topology;
    do {
        uint64_t below = fault->processor ? topology->processors : topology->ports;
        fault->which = (uint32_t)base_random_below(&source->random, below);
    } while (source->down[core_fault_place(fault, topology)]);
    if (!fault->processor && topology->twin[fault->which] < fault->which) {
        fault->which = topology->twin[fault->which];
    }
}

// Records that a link or processor went down or came up.
static void change(struct core_fault_source *source, const struct core_fault *fault)
{
    bool *down = &source->down[core_fault_place(fault, source->topology)];
    uint32_t *count = fault->processor ? &source->processors_down : &source->links_down;
    assert(*down == fault->repair);
    *down = !fault->repair;
    *count = fault->repair ? *count - 1 : *count + 1;
}

static bool next_drawn(struct core_fault_source *source, struct core_fault *fault)
{
    double links;
    double rate = rate_of(source, &links);
    double wait = rate > 0.0 ? draw_ns(&source->random, 1.0 / rate) : INFINITY;
    uint64_t failure_ns = wait < 0x1p62 ? source->now_ns + (uint64_t)wait : NEVER;
    if (source->count > 0 && source->repairs[0].at_ns <= failure_ns) {
        *fault = pop_repair(source);
    } else if (failure_ns >= NEVER / 2) {
        return false;
    } else {
        *fault = (struct core_fault){.at_ns = failure_ns};
        fault->processor = base_random_unit(&source->random) * rate >= links;
        draw_which(source, fault);
        struct core_fault repair = *fault;
        repair.repair = true;
        repair.at_ns += (uint64_t)draw_ns(&source->random, source->faults->repair_s);
        push_repair(source, repair);
    }
    change(source, fault);
    return true;
}

static bool next_of_file(struct core_fault_source *source, struct core_fault *fault)
{
    if (source->next == source->faults->count) {
        return false;
    }
    *fault = source->faults->events[source->next++];
    uint32_t *left = &source->repairs_left[core_fault_place(fault, source->topology)];
    if (fault->repair) {
        --*left;
        source->pending--;
    } else {
        source->pending += *left > 0;
    }
    return true;
}

bool core_fault_next(struct core_fault_source *source, struct core_fault *fault)
{
    bool any = false;
    if (source->faults->kind != CORE_FAULTS_NONE) {
        any = source->faults->kind == CORE_FAULTS_FILE ? next_of_file(source, fault) : next_drawn(source, fault);
    }
    if (any) {
        assert(fault->at_ns >= source->now_ns);
        source->now_ns = fault->at_ns;
    }
    return any;
}

bool core_faults_repairs_pending(const struct core_fault_source *source)
{
    return source->count > 0 || source->pending > 0;
}
