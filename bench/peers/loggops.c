// SPDX-License-Identifier: MIT
// A discrete-event loop under the costs of LogGP, after the idea of LogGOPSim (Hoefler, Schneider & Lumsdaine, HPDC
// 2010): all events are in one heap, by time. An event whose processor is busy goes back into the heap. There is no
// load. The messages of an operation are those of balancing (README.md) if two of four neighbours hold more: four ask,
// four tell, four settle, and two of those are answered.
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>

#include "torus.h"

// Nanoseconds: evenkeel's defaults.
enum { OVERHEAD = 200, GAP = 50, LATENCY = 1000, CALC = 100 };
static const double BYTE_TIME = 0.0, BYTES = 16.0;

enum kind { ASK, TELL, GIVE, PULL, GRANT };

// If `sends` is set, the processor sends a message, else it receives one.
struct event {
    uint64_t time;
    uint32_t processor;
    uint8_t kind, port, sends;
};

struct host {
    uint64_t free_at;        // the processor
    uint64_t wire_at[PORTS]; // when it may send again there
    int tells, grants;       // answers that its operation waits for
};

struct machine {
    struct torus torus;
    struct host *host;
    struct event *heap; // its least element first
    size_t count, size;
    uint64_t operations, messages;
};

static bool before(const struct event *a, const struct event *b)
{
    return a->time < b->time;
}

static void push(struct machine *machine, struct event event)
{
    if (machine->count == machine->size) {
        machine->size *= 2;
        machine->heap = realloc(machine->heap, machine->size * sizeof *machine->heap);
        if (!machine->heap) {
            torus_give_up("no memory");
        }
    }
    size_t at = machine->count++;
    for (; at > 0 && before(&event, &machine->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        machine->heap[at] = machine->heap[(at - 1) / 2];
    }
    machine->heap[at] = event;
}

static struct event pop(struct machine *machine)
{
    struct event *heap = machine->heap;
    const struct event least = heap[0], last = heap[--machine->count];
    size_t at = 0;
    for (size_t child = 1; child < machine->count; child = 2 * at + 1) {
        child += child + 1 < machine->count && before(&heap[child + 1], &heap[child]);
        if (!before(&heap[child], &last)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return least;
}

static void post(struct machine *machine, uint64_t now, uint32_t p, int port, enum kind kind)
{
    push(machine, (struct event){now, p, (uint8_t)kind, (uint8_t)port, 1});
}

static void operate(struct machine *machine, uint64_t now, uint32_t p)
{
    machine->host[p].tells = PORTS;
    for (int port = 0; port < PORTS; port++) {
        post(machine, now, p, port, ASK);
    }
}

// All neighbours have told.
static void settle(struct machine *machine, uint64_t now, uint32_t p)
{
    machine->host[p].grants = PORTS / 2;
    for (int port = 0; port < PORTS; port++) {
        post(machine, now, p, port, port % 2 ? PULL : GIVE);
    }
}

static void receive(struct machine *machine, struct event event)
{
    struct host *host = &machine->host[event.processor];
    const uint64_t now = host->free_at;
    switch (event.kind) {
    case ASK:
        post(machine, now, event.processor, event.port, TELL);
        break;
    case PULL:
        post(machine, now, event.processor, event.port, GRANT);
        break;
    case TELL:
        if (--host->tells == 0) {
            settle(machine, now, event.processor);
        }
        break;
    case GRANT:
        if (--host->grants == 0) {
            machine->operations++;
            operate(machine, now, event.processor);
        }
        break;
    default:
        break;
    }
}

static void send(struct machine *machine, struct event event)
{
    struct host *host = &machine->host[event.processor];
    machine->messages++;
    host->free_at = event.time + OVERHEAD;
    host->wire_at[event.port] = host->free_at + GAP + (uint64_t)(BYTES * BYTE_TIME);
    push(machine, (struct event){host->wire_at[event.port] + LATENCY,
                                 (uint32_t)torus_neighbour(machine->torus, event.processor, event.port), event.kind,
                                 (uint8_t)torus_opposite(event.port), 0});
}

// Handles the first event; returns false if it comes after `end`.
static bool step(struct machine *machine, uint64_t end)
{
    struct event event = pop(machine);
    const struct host *host = &machine->host[event.processor];
    uint64_t ready = host->free_at;
    if (event.sends && host->wire_at[event.port] > ready + OVERHEAD) {
        ready = host->wire_at[event.port] - OVERHEAD;
    }
    if (event.time >= end) {
        return false;
    }
    if (ready > event.time) {
        event.time = ready;
        push(machine, event);
    } else if (event.sends) {
        send(machine, event);
    } else {
        machine->host[event.processor].free_at = event.time + OVERHEAD + CALC;
        receive(machine, event);
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 5 || strcmp(argv[1], "virtual") != 0) {
        torus_give_up("usage: virtual ROWS COLS NANOSECONDS");
    }
    struct machine machine = {.torus = {strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10)}};
    const uint64_t end = strtoull(argv[4], NULL, 10);
    const size_t processors = torus_processors(machine.torus);
    machine.host = torus_memory(processors, sizeof *machine.host);
    machine.size = 2 * PORTS * processors;
    machine.heap = torus_memory(machine.size, sizeof *machine.heap);
    const double began = torus_seconds();
    for (size_t p = 0; p < processors; p++) {
        operate(&machine, 0, (uint32_t)p);
    }
    while (step(&machine, end)) {
    }
    torus_say(torus_seconds() - began, machine.operations, machine.messages, &(struct torus_sums){0});
    free(machine.heap);
    free(machine.host);
    return 0;
}
