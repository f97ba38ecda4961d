// SPDX-License-Identifier: MIT
// Lists of what is under way in one direction of a link. The sender pushes its newest element in front of a stack. The
// receiver takes the whole stack when it needs an element that it does not have yet, and turns it over.
#include "threads/cargo/under_way.h"

#include <stdlib.h>
#include <string.h>

// A parcel under way is known by its oldest block. The block's `older` is the newest block of the parcel, and the
// `newer` of that one is the oldest block of the parcel behind it.
struct cargo_parcels {
    _Atomic(struct core_task_block *) pushed; // the newest parcel first
    struct core_task_block *first;            // the receiver's: the oldest parcel first
};

// A new best value, and the message that brings it.
struct cargo_value {
    struct cargo_value *next;
    uint64_t message;
    int64_t best;
};

struct cargo_teller {
    _Atomic(struct cargo_value *) pushed; // the newest value first
    struct cargo_value *first;            // the receiver's: the oldest value first
    uint64_t sent, taken;                 // messages so far
    int64_t told;                         // the best value that the sender has told
};

void cargo_under_way_plan(struct cargo_tasks *tasks, uint32_t ports, struct base_arena *memory)
{
    bool values = tasks->program->result == EK_RESULT_LEAST;
    tasks->ports = ports;
    base_arena_plan(memory, &tasks->parcels, ports, sizeof *tasks->parcels);
    base_arena_plan(memory, &tasks->teller, values ? ports + UINT64_C(1) : 0, sizeof *tasks->teller);
}

void cargo_under_way_begin(struct cargo_tasks *tasks)
{
    cargo_under_way_end(tasks);
    for (uint32_t port = 0; port < tasks->ports; port++) {
        memset(&tasks->parcels[port], 0, sizeof tasks->parcels[port]);
    }
    for (uint32_t port = 0; cargo_has_values(tasks) && port < tasks->ports; port++) {
        memset(&tasks->teller[port], 0, sizeof tasks->teller[port]);
        tasks->teller[port].told = tasks->problem->best;
    }
}

static void free_values(struct cargo_value *value)
{
    while (value) {
        struct cargo_value *next = value->next;
        free(value);
        value = next;
    }
}

void cargo_under_way_end(struct cargo_tasks *tasks)
{
    for (uint32_t port = 0; tasks->teller && port < tasks->ports; port++) {
        free_values(tasks->teller[port].first);
        free_values(atomic_load_explicit(&tasks->teller[port].pushed, memory_order_relaxed)); // no worker runs
    }
}

// ---- parcels ----

static void push_parcel(struct cargo_parcels *parcels, struct core_task_block *oldest)
{
    struct core_task_block *newest = oldest->older;
    newest->newer = atomic_load_explicit(&parcels->pushed, memory_order_relaxed);
    // Release: pairs with the acquire in first_parcel.
    while (!atomic_compare_exchange_weak_explicit(&parcels->pushed, &newest->newer, oldest, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

// Removes the oldest parcel, and returns its oldest block. There must be a parcel.
static struct core_task_block *first_parcel(struct cargo_parcels *parcels)
{
    if (!parcels->first) {
        // Acquire: pairs with the release in push_parcel.
        struct core_task_block *pushed = atomic_exchange_explicit(&parcels->pushed, NULL, memory_order_acquire);
        while (pushed) {
            struct core_task_block *behind = pushed->older->newer;
            pushed->older->newer = parcels->first;
            parcels->first = pushed;
            pushed = behind;
        }
    }
    struct core_task_block *oldest = parcels->first;
    parcels->first = oldest->older->newer;
    return oldest;
}

uint64_t cargo_post(struct cargo_worker *worker, uint32_t p, uint32_t port, uint64_t count)
{
    struct cargo_tasks *tasks = worker->tasks;
    struct core_task_queue *held = &tasks->processor[p].held;
    struct core_task_queue parcel = {0};
    count = count < held->count ? count : held->count;
    if (count == 0 || !core_task_give(held, &worker->store, count, !tasks->give_newest, &parcel)) {
        return 0;
    }
    parcel.oldest->older = parcel.newest;
    push_parcel(&tasks->parcels[port], parcel.oldest);
    tasks->processor[p].sent++;
    return count;
}

void cargo_take(struct cargo_worker *worker, uint32_t p, uint32_t port, uint64_t count)
{
    struct cargo_tasks *tasks = worker->tasks;
    struct core_task_queue *held = &tasks->processor[p].held;
    struct core_task_block *oldest = first_parcel(&tasks->parcels[port]);
    struct core_task_queue parcel = {.oldest = oldest, .newest = oldest->older, .count = count};
    parcel.newest->newer = NULL;
    parcel.oldest->older = NULL;
    core_task_receive(held, &worker->store, &parcel);
    worker->most_held = held->count > worker->most_held ? held->count : worker->most_held;
    tasks->processor[p].taken++;
}

void cargo_turn_back(struct cargo_tasks *tasks, uint32_t port, uint32_t back)
{
    push_parcel(&tasks->parcels[back], first_parcel(&tasks->parcels[port]));
}

// ---- best values ----

void cargo_note_sent(struct cargo_worker *worker, uint32_t p, uint32_t port)
{
    struct cargo_teller *teller = &worker->tasks->teller[port];
    int64_t best = worker->tasks->processor[p].best;
    uint64_t message = teller->sent++;
    if (best >= teller->told) {
        return;
    }
    struct cargo_value *value = malloc(sizeof *value);
    if (!value) {
        worker->short_of_memory = true;
        return;
    }
    *value = (struct cargo_value){.message = message, .best = best};
    value->next = atomic_load_explicit(&teller->pushed, memory_order_relaxed);
    // Release: pairs with the acquire in take_values.
    while (!atomic_compare_exchange_weak_explicit(&teller->pushed, &value->next, value, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    teller->told = best;
}

// Takes over the values that were pushed, behind those that the receiver has.
static void take_values(struct cargo_teller *teller)
{
    // Acquire: pairs with the release in cargo_note_sent.
    struct cargo_value *pushed = atomic_exchange_explicit(&teller->pushed, NULL, memory_order_acquire);
    while (pushed) {
        struct cargo_value *behind = pushed->next;
        pushed->next = teller->first;
        teller->first = pushed;
        pushed = behind;
    }
}

void cargo_note_taken(struct cargo_worker *worker, uint32_t p, uint32_t port)
{
    struct cargo_teller *teller = &worker->tasks->teller[port];
    struct cargo_processor *processor = &worker->tasks->processor[p];
    uint64_t message = teller->taken++;
    // Relaxed: the message was received, so its value is there.
    if (!teller->first && atomic_load_explicit(&teller->pushed, memory_order_relaxed)) {
        take_values(teller);
    }
    struct cargo_value *value = teller->first;
    if (value && value->message == message) {
        processor->best = value->best < processor->best ? value->best : processor->best;
        teller->first = value->next;
        free(value);
    }
}
