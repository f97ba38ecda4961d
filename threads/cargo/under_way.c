// SPDX-License-Identifier: MIT
// Tasks and best values under way.
#include "threads/cargo/under_way.h"

#include <stdlib.h>
#include <string.h>

#include "core/program.h"
#include "threads/mail/way.h"

struct parcel {
    struct mail_link link;
    struct core_task_queue tasks;
    uint64_t packed;       // tasks on the way to another process, or from there: `tasks` is empty
    unsigned char bytes[]; // of them
};

// A new best value, and the message that brings it.
struct value {
    struct mail_link link;
    uint64_t message;
    int64_t best;
};

struct cargo_teller {
    struct mail_way way;  // of values
    uint64_t sent, taken; // messages so far
    int64_t told;         // the best value that the sender has told
};

static void free_all(struct mail_way *way)
{
    while (mail_way_first(way)) {
        free(mail_way_remove(way)); // the link is its first member
    }
}

// Returns the bytes of a task. Another worker may stand for another process, and has no store.
static size_t task_bytes(const struct cargo_tasks *tasks)
{
    return tasks->worker[tasks->first_worker].store.bytes;
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

// Returns an empty parcel with room for this number of packed tasks, or NULL if there is no memory.
static struct parcel *new_parcel(struct cargo_tasks *tasks, uint64_t packed)
{
    struct parcel *parcel = malloc(sizeof *parcel + packed * task_bytes(tasks));
    if (parcel) {
        *parcel = (struct parcel){.packed = packed};
    }
    return parcel;
}

uint64_t cargo_post(struct cargo_worker *worker, uint32_t p, uint32_t port, uint64_t count)
{
    struct cargo_tasks *tasks = worker->tasks;
    struct core_task_queue *held = &tasks->processor[p].held;
    count = count < held->count ? count : held->count;
    struct parcel *parcel = count > 0 ? new_parcel(tasks, cargo_crosses(tasks, port) ? count : 0) : NULL;
    if (!parcel || !core_task_give(held, &worker->store, count, !tasks->give_newest, &parcel->tasks)) {
        worker->short_of_memory = worker->short_of_memory || (count > 0 && !parcel);
        free(parcel);
        return 0;
    }
    if (parcel->packed > 0) {
        core_task_pack(&parcel->tasks, &worker->store, parcel->bytes);
    }
    mail_way_push(&tasks->parcels[port], &parcel->link);
    tasks->processor[p].sent++;
    return count;
}

void cargo_take(struct cargo_worker *worker, uint32_t p, uint32_t port)
{
    struct cargo_tasks *tasks = worker->tasks;
    struct core_task_queue *held = &tasks->processor[p].held;
    struct parcel *parcel = (struct parcel *)mail_way_remove(&tasks->parcels[port]);
    if (!core_task_unpack(&parcel->tasks, &worker->store, parcel->bytes, parcel->packed)) {
        worker->short_of_memory = true;
    }
    core_task_receive(held, &worker->store, &parcel->tasks);
    free(parcel);
    worker->most_held = held->count > worker->most_held ? held->count : worker->most_held;
    tasks->processor[p].taken++;
}

void cargo_turn_back(struct cargo_tasks *tasks, uint32_t port, uint32_t back)
{
    mail_way_push(&tasks->parcels[back], mail_way_remove(&tasks->parcels[port]));
}

// ---- best values ----

// Notes that the next message from the port brings this value, if it is better than those that have been told. Returns
// false if there is no memory.
static bool tell(struct cargo_teller *teller, int64_t best)
{
    uint64_t message = teller->sent++;
    if (best >= teller->told) {
        return true;
    }
    struct value *value = malloc(sizeof *value);
    if (!value) {
        return false;
    }
    *value = (struct value){.message = message, .best = best};
    mail_way_push(&teller->way, &value->link);
    teller->told = best;
    return true;
}

// Returns the value that the next message from the port brings, EK_NO_VALUE if it brings none.
static int64_t hear(struct cargo_teller *teller)
{
    uint64_t message = teller->taken++;
    struct value *value = (struct value *)mail_way_first(&teller->way);
    if (!value || value->message != message) {
        return EK_NO_VALUE;
    }
    int64_t best = value->best;
    free(mail_way_remove(&teller->way));
    return best;
}

void cargo_note_sent(struct cargo_worker *worker, uint32_t p, uint32_t port)
{
    if (!tell(&worker->tasks->teller[port], worker->tasks->processor[p].best)) {
        worker->short_of_memory = true;
    }
}

void cargo_note_taken(struct cargo_worker *worker, uint32_t p, uint32_t port)
{
    struct cargo_processor *processor = &worker->tasks->processor[p];
    int64_t best = hear(&worker->tasks->teller[port]);
    processor->best = best < processor->best ? best : processor->best;
}

// ---- links between processes ----

size_t cargo_crossing_bytes(const struct cargo_tasks *tasks, uint64_t count)
{
    return (cargo_has_values(tasks) ? sizeof(int64_t) : 0) + count * task_bytes(tasks);
}

void cargo_leave(struct cargo_tasks *tasks, uint32_t port, uint64_t count, void *to)
{
    unsigned char *at = to;
    if (cargo_has_values(tasks)) {
        int64_t best = hear(&tasks->teller[port]);
        memcpy(at, &best, sizeof best);
        at += sizeof best;
    }
    if (count > 0) {
        struct parcel *parcel = (struct parcel *)mail_way_remove(&tasks->parcels[port]);
        memcpy(at, parcel->bytes, count * task_bytes(tasks));
        free(parcel);
    }
}

bool cargo_enter(struct cargo_tasks *tasks, uint32_t port, uint64_t count, const void *from)
{
    const unsigned char *at = from;
    if (cargo_has_values(tasks)) {
        int64_t best;
        memcpy(&best, at, sizeof best);
        at += sizeof best;
        if (!tell(&tasks->teller[port], best)) {
            return false;
        }
    }
    struct parcel *parcel = count > 0 ? new_parcel(tasks, count) : NULL;
    if (parcel) {
        memcpy(parcel->bytes, at, count * task_bytes(tasks));
        mail_way_push(&tasks->parcels[port], &parcel->link);
    }
    return count == 0 || parcel;
}
