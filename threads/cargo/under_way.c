// SPDX-License-Identifier: MIT
// Lists of what is under way in one direction of a link. The sender pushes its newest element on a stack. The receiver
// takes all elements of the stack when it needs one that it does not have yet.
#include "threads/cargo/under_way.h"

#include <stdlib.h>
#include <string.h>

struct parcel {
    struct mail_link link;
    struct core_task_queue tasks;
};

// A new best value, and the message that brings it.
struct value {
    struct mail_link link;
    uint64_t message;
    int64_t best;
};

struct cargo_teller {
    struct cargo_way way; // of values
    uint64_t sent, taken; // messages so far
    int64_t told;         // the best value that the sender has told
};

static void free_all(struct cargo_way *way)
{
    while (cargo_way_first(way)) {
        free(cargo_way_take(way)); // the link is the first member of an element
    }
}

// ---- memory ----

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
    for (uint32_t port = 0; cargo_has_values(tasks) && port < tasks->ports; port++) {
        memset(&tasks->teller[port], 0, sizeof tasks->teller[port]);
        tasks->teller[port].told = tasks->problem->best;
    }
}

void cargo_under_way_end(struct cargo_tasks *tasks)
{
    for (uint32_t port = 0; port < tasks->ports; port++) {
        if (tasks->parcels) {
            free_all(&tasks->parcels[port]);
        }
        if (tasks->teller) {
            free_all(&tasks->teller[port].way);
        }
    }
}

// ---- parcels ----

uint64_t cargo_post(struct cargo_worker *worker, uint32_t p, uint32_t port, uint64_t count)
{
    struct cargo_tasks *tasks = worker->tasks;
    struct core_task_queue *held = &tasks->processor[p].held;
    count = count < held->count ? count : held->count;
    struct parcel *parcel = count > 0 ? calloc(1, sizeof *parcel) : NULL;
    if (!parcel || !core_task_give(held, &worker->store, count, !tasks->give_newest, &parcel->tasks)) {
        worker->short_of_memory = worker->short_of_memory || (count > 0 && !parcel);
        free(parcel);
        return 0;
    }
    cargo_way_push(&tasks->parcels[port], &parcel->link);
    tasks->processor[p].sent++;
    return count;
}

void cargo_take(struct cargo_worker *worker, uint32_t p, uint32_t port)
{
    struct cargo_tasks *tasks = worker->tasks;
    struct core_task_queue *held = &tasks->processor[p].held;
    struct parcel *parcel = (struct parcel *)cargo_way_take(&tasks->parcels[port]); // the link is its first member
    core_task_receive(held, &worker->store, &parcel->tasks);
    free(parcel);
    worker->most_held = held->count > worker->most_held ? held->count : worker->most_held;
    tasks->processor[p].taken++;
}

void cargo_turn_back(struct cargo_tasks *tasks, uint32_t port, uint32_t back)
{
    cargo_way_push(&tasks->parcels[back], cargo_way_take(&tasks->parcels[port]));
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
    struct value *value = malloc(sizeof *value);
    if (!value) {
        worker->short_of_memory = true;
        return;
    }
    *value = (struct value){.message = message, .best = best};
    cargo_way_push(&teller->way, &value->link);
    teller->told = best;
}

void cargo_note_taken(struct cargo_worker *worker, uint32_t p, uint32_t port)
{
    struct cargo_teller *teller = &worker->tasks->teller[port];
    struct cargo_processor *processor = &worker->tasks->processor[p];
    uint64_t message = teller->taken++;
    struct value *value = (struct value *)cargo_way_first(&teller->way);
    if (value && value->message == message) {
        processor->best = value->best < processor->best ? value->best : processor->best;
        free(cargo_way_take(&teller->way));
    }
}
