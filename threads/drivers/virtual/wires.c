// SPDX-License-Identifier: MIT
// Messages under way.
#include "threads/drivers/virtual/wires.h"

#include <stdlib.h>
#include <string.h>

#include "threads/free/post.h"

// Messages to successive processors lie near each other: each block of processors has its own free ones.
enum {
    BLOCK = VIRTUAL_BLOCK,
    CHUNK = 16 // messages that a block without a free one gets
};

// Makes room for one more element in an array of `*size` elements, of which `count` are used. Returns false if there is
// no memory.
static bool make_room(void *array, size_t count, size_t *size, size_t bytes)
{
    if (count < *size) {
        return true;
    }
    void *old;
    memcpy(&old, array, sizeof old);
    size_t more = *size > 0 ? *size + *size / 2 + 1 : 64;
    void *grown = more <= SIZE_MAX / bytes ? realloc(old, more * bytes) : NULL;
    if (grown) {
        memcpy(array, &grown, sizeof grown);
        *size = more;
    }
    return grown;
}

// Returns the number of messages that wait for the wire behind this port, which start after `now`. Forgets those that
// have started.
static uint32_t count_waiting(struct virtual_machine *machine, uint32_t port, uint64_t now)
{
    if (!machine->wires_wait) {
        return 0;
    }
    struct virtual_wire *wire = &machine->wire[port];
    uint32_t capacity = machine->run->boxes.capacity;
    const uint64_t *starts = machine->starts + (size_t)port * capacity;
    while (wire->waiting > 0 && starts[wire->first] <= now) {
        wire->first = (uint16_t)((wire->first + 1u) % capacity);
        wire->waiting--;
    }
    return wire->waiting;
}

static void note_waiting(struct virtual_machine *machine, uint32_t port, uint64_t start)
{
    struct virtual_wire *wire = &machine->wire[port];
    uint32_t capacity = machine->run->boxes.capacity;
    machine->starts[(size_t)port * capacity + (wire->first + (uint32_t)wire->waiting) % capacity] = start;
    wire->waiting++;
}

// `room` of the port counts the messages of this turn that wait for its wire.
static bool put(struct free_worker *worker, uint32_t port, struct mail_message message)
{
    struct virtual_worker *own = virtual_worker_of(worker);
    struct free_port *here = &worker->run->port[port];
    if (count_waiting(own->machine, port, worker->look.now) + here->room >= worker->run->boxes.capacity) {
        return false;
    }
    if (!make_room(&own->sent, own->sent_count, &own->sent_size, sizeof *own->sent)) {
        own->no_memory = true;
        return true;
    }
    own->sent[own->sent_count++] = (struct virtual_sent){.message = message, .port = port};
    here->room++;
    return true;
}

static void take(struct free_worker *worker, uint32_t port)
{
    struct virtual_worker *own = virtual_worker_of(worker);
    struct free_arrival *arrival = &worker->run->arrival[port];
    uint32_t second = arrival->second;
    own->received++;
    if (second == 0) {
        arrival->at = VIRTUAL_NEVER;
        return;
    }
    struct virtual_message *message = &own->message[second];
    arrival->first = message->message;
    arrival->at = message->arrives;
    arrival->second = message->next;
    uint32_t *free = &own->free[own->place / BLOCK];
    message->next = *free;
    *free = second;
}

static void each(const struct free_run *run, uint32_t port,
                 void (*visit)(void *context, const struct mail_message *message), void *context)
{
    uint32_t p = run->topology->neighbour[run->topology->twin[port]];
    const struct virtual_worker *own = virtual_worker_of(&run->worker[free_worker_of(run, p)]);
    const struct free_arrival *arrival = &run->arrival[port];
    if (arrival->at < VIRTUAL_NEVER) {
        visit(context, &arrival->first);
    }
    for (uint32_t index = arrival->second; index > 0; index = own->message[index].next) {
        visit(context, &own->message[index].message);
    }
}

const struct free_wires virtual_wires = {.put = put, .take = take, .each = each};

// Adds free messages to a block. Returns false if there is no memory.
static bool add_free(struct virtual_worker *own, uint32_t block)
{
    for (unsigned k = 0; k < CHUNK; k++) {
        if (own->messages == UINT32_MAX ||
            !make_room(&own->message, own->messages, &own->messages_size, sizeof *own->message)) {
            own->no_memory = own->no_memory || k == 0;
            return k > 0;
        }
        uint32_t index = (uint32_t)own->messages++;
        own->message[index].next = own->free[block];
        own->free[block] = index;
    }
    return true;
}

// Returns the index of a message for the processor at this place, or 0 if there is no memory.
static uint32_t new_message(struct virtual_worker *own, uint32_t place)
{
    uint32_t block = place / BLOCK;
    if (own->free[block] == 0 && !add_free(own, block)) {
        return 0;
    }
    uint32_t index = own->free[block];
    own->free[block] = own->message[index].next;
    return index;
}

// Adds a message behind the first one on the way to a port.
static void add_behind(struct virtual_worker *own, uint32_t place, struct free_arrival *arrival,
                       const struct mail_message *message, uint64_t arrives)
{
    uint32_t index = new_message(own, place);
    if (index == 0) {
        return;
    }
    own->message[index] = (struct virtual_message){.message = *message, .arrives = arrives};
    if (arrival->second == 0) {
        arrival->second = index;
    } else {
        own->message[arrival->last].next = index;
    }
    arrival->last = index;
}

// Adds a message to those on the way to a port of processor p, which belongs to this worker.
static void add_arrival(struct virtual_worker *own, uint32_t p, uint32_t port, const struct mail_message *message,
                        uint64_t arrives)
{
    struct free_arrival *arrival = &own->machine->arrival[port];
    uint32_t place = p - own->worker->begin;
    if (arrival->at < VIRTUAL_NEVER) {
        add_behind(own, place, arrival, message, arrives);
        return; // the processor wakes for the first message
    }
    arrival->first = *message;
    arrival->at = arrives;
    virtual_agenda_wake(&own->agenda, place, arrives);
}

static void add_crossing(struct virtual_worker *own, unsigned to, uint32_t port, const struct mail_message *message,
                         uint64_t arrives)
{
    struct virtual_batch *batch = &own->batch[own->machine->window.parity][to];
    if (!make_room(&batch->crossing, batch->count, &batch->size, sizeof *batch->crossing)) {
        own->no_memory = true;
        return;
    }
    batch->crossing[batch->count++] = (struct virtual_crossing){.message = *message, .arrives = arrives, .port = port};
    batch->first = arrives < batch->first ? arrives : batch->first;
}

// Returns for how long a message that departs over this port occupies its wire. Of objects, each unit of load is a byte
// of their sizes.
static uint64_t occupies(const struct virtual_machine *machine, uint32_t port, const struct mail_message *message)
{
    struct free_run *run = machine->run;
    if (!machine->load_occupies || !free_message_carries(message)) {
        return machine->wire_ns;
    }
    bool parcel = run->moves_objects && message->amount > 0.0;
    double load = parcel ? (double)cargo_objects_depart(&run->objects, port) : message->amount;
    double ns = core_cost_occupies(&run->machine->links.costs, load);
    return ns < (double)VIRTUAL_CLOCK_MAX ? (uint64_t)ns : VIRTUAL_CLOCK_MAX;
}

// Puts a message on its wire when the wire is free, but not before `departs`. Returns when it has left the wire, which
// it occupies for a while. If it still waits for the wire when the turn ends, it takes a place there.
static uint64_t put_on_wire(struct virtual_machine *machine, uint32_t first_port, const struct virtual_sent *sent,
                            uint64_t occupied, uint64_t departs, uint64_t ends)
{
    if (!machine->wires_wait) {
        return departs + occupied;
    }
    uint64_t *free_at = &machine->wire[machine->run->one_port ? first_port : sent->port].free_at;
    uint64_t starts = departs > *free_at ? departs : *free_at;
    if (starts > ends) {
        note_waiting(machine, sent->port, starts);
    }
    *free_at = starts + occupied;
    return *free_at;
}

// The costs of a message.
struct message_costs {
    uint64_t occupied, latency;
};

// Returns the costs of a message whose latency can differ from that of others.
static struct message_costs costs_of(const struct virtual_machine *machine, const struct virtual_sent *sent)
{
    const struct free_run *run = machine->run;
    const struct core_delay *delay = core_links_delay_of(&run->machine->links, free_message_carries(&sent->message));
    uint64_t number = machine->order[sent->port].departed++;
    struct message_costs costs = {.occupied = occupies(machine, sent->port, &sent->message),
                                  .latency = core_delay_at(delay, run->seed, sent->port, number)};
    if (machine->within) {
        struct core_within_draws draws =
            core_within_begin(machine->within, run->seed, BASE_STREAM_WIRE_COSTS, sent->port, number);
        costs.occupied = core_within_draw(&draws, costs.occupied);
        costs.latency = core_within_draw(&draws, costs.latency);
    }
    return costs;
}

// Returns when a message arrives that departs at this time. The messages of a wire stay in order.
static uint64_t send_over(struct virtual_machine *machine, uint32_t first_port, const struct virtual_sent *sent,
                          uint64_t departs, uint64_t ends)
{
    if (machine->alike) {
        uint64_t occupied = occupies(machine, sent->port, &sent->message);
        return put_on_wire(machine, first_port, sent, occupied, departs, ends) + machine->latency_ns;
    }
    struct message_costs costs = costs_of(machine, sent);
    uint64_t arrives = put_on_wire(machine, first_port, sent, costs.occupied, departs, ends) + costs.latency;
    struct virtual_order *order = &machine->order[sent->port];
    order->arrived = arrives > order->arrived ? arrives : order->arrived;
    return order->arrived;
}

void virtual_wires_depart(struct virtual_worker *own, uint32_t p, uint64_t sending_from, uint64_t each, uint64_t ends)
{
    const struct free_run *run = own->machine->run;
    const struct ek_topology *topology = run->topology;
    bool alone = run->machine->workers == 1;
    for (size_t i = 0; i < own->sent_count; i++) {
        const struct virtual_sent *sent = &own->sent[i];
        uint32_t port = sent->port;
        uint32_t other = topology->neighbour[port];
        run->port[port].room = 0;
        sending_from += each;
        uint64_t arrives = send_over(own->machine, topology->first[p], sent, sending_from, ends);
        own->too_late = own->too_late || arrives > VIRTUAL_CLOCK_MAX;
        if (alone || free_worker_of(run, other) == own->worker->index) {
            add_arrival(own, other, topology->twin[port], &sent->message, arrives);
        } else {
            add_crossing(own, free_worker_of(run, other), topology->twin[port], &sent->message, arrives);
        }
    }
    own->departed += own->sent_count;
    own->sent_count = 0;
}

void virtual_wires_arrive(struct virtual_worker *own, const struct virtual_crossing *crossing)
{
    const struct ek_topology *topology = own->machine->run->topology;
    uint32_t p = topology->neighbour[topology->twin[crossing->port]];
    add_arrival(own, p, crossing->port, &crossing->message, crossing->arrives);
}

void virtual_wires_deliver(struct virtual_worker *own, unsigned parity)
{
    const struct virtual_machine *machine = own->machine;
    for (unsigned w = machine->first; w < machine->last; w++) {
        struct virtual_batch *batch = &machine->worker[w].batch[parity][own->worker->index];
        for (size_t i = 0; i < batch->count; i++) {
            virtual_wires_arrive(own, &batch->crossing[i]);
        }
        batch->count = 0;
        batch->first = VIRTUAL_NEVER;
    }
}

uint64_t virtual_wires_first(const struct virtual_worker *own, unsigned parity)
{
    uint64_t first = VIRTUAL_NEVER;
    for (unsigned w = 0; w < own->machine->run->machine->workers; w++) {
        uint64_t other = own->batch[parity][w].first;
        first = other < first ? other : first;
    }
    return first;
}

uint64_t virtual_wires_room_at(const struct virtual_worker *own, uint32_t p)
{
    const struct virtual_machine *machine = own->machine;
    const struct free_run *run = machine->run;
    uint64_t earliest = VIRTUAL_NEVER;
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (run->port[port].kept.count > 0) {
            const struct virtual_wire *wire = machine->wires_wait ? &machine->wire[port] : NULL;
            bool full = wire && wire->waiting == run->boxes.capacity;
            uint64_t at = full ? machine->starts[(size_t)port * run->boxes.capacity + wire->first] : 0;
            earliest = at < earliest ? at : earliest;
        }
    }
    return earliest;
}
