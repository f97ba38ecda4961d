// SPDX-License-Identifier: MIT
// Free timing: what crosses the links.
//
// A sender keeps what a full mailbox has no room for, and goes on; it puts it at its next turn, before anything else on
// that link. At most seven messages of one direction are under way at once, in the mailbox, kept and delayed together,
// so a shelf of eight is never full, with any capacity of the mailboxes:
//
//   of the own operation three: ASK waits for its answer, what follows (GIVE, PULL or RELEASE, a LOOK behind it, and in
//   an exclusive domain the RELEASE at its end) for the answer to the next ASK. Of the neighbour's operation one: each
//   message of it is an answer (TELL, REFUSE, GIVE, SEEN), and the neighbour asks nothing more before it has that. A
//   snapshot's MARKER: one snapshot at a time, complete when all markers have come. RETURN two: what came on a failed
//   link was given once as an answer and once as a gift, and the next of either needs a message in this direction,
//   behind the RETURN.
//
// So taking never waits for sending, and a cycle of full mailboxes dissolves: each of its processors still takes.
#include <assert.h>
#include <math.h>
#include <sched.h>

#include "threads/free_state.h"
#include "topologies/scan.h"

enum { KIND_BITS = 4, FLAG_BITS = 12 };

static uint64_t stamp_of(enum ek_kind_of_message kind, unsigned flag, uint64_t time)
{
    return (uint64_t)kind | (uint64_t)flag << KIND_BITS | time << (KIND_BITS + FLAG_BITS);
}

enum ek_kind_of_message ek_message_kind(const struct ek_message *message)
{
    return (enum ek_kind_of_message)(message->stamp & ((1u << KIND_BITS) - 1));
}

unsigned ek_message_flag(const struct ek_message *message)
{
    return (unsigned)(message->stamp >> KIND_BITS) & ((1u << FLAG_BITS) - 1);
}

uint64_t ek_message_time(const struct ek_message *message)
{
    return message->stamp >> (KIND_BITS + FLAG_BITS);
}

bool ek_message_carries(const struct ek_message *message)
{
    return ek_message_kind(message) == EK_GIVE || ek_message_kind(message) == EK_RETURN;
}

// Rare interleavings come out where a thread stops at the wrong moment.
void ek_perturb(struct ek_free_worker *worker)
{
    double probability = worker->free->machine->perturb;
    if (probability > 0.0 && ek_random_unit(&worker->lots) < probability) {
        sched_yield();
    }
}

static void shelf_push(struct ek_free *free, struct ek_shelf *shelf, struct ek_message *place,
                       struct ek_message message)
{
    if (shelf->count == EK_SHELF) {
        struct ek_error violation;
        ek_fail(&violation, EK_VIOLATION, "", -1, "more than %d messages are under way in one direction of a link",
                EK_SHELF);
        ek_free_violate(free, &violation);
        return;
    }
    place[(shelf->first + shelf->count++) % EK_SHELF] = message;
}

static struct ek_message shelf_pop(struct ek_shelf *shelf, const struct ek_message *place)
{
    assert(shelf->count > 0);
    struct ek_message message = place[shelf->first];
    shelf->first = (uint8_t)((shelf->first + 1) % EK_SHELF);
    shelf->count--;
    shelf->taken++;
    return message;
}

// Puts into the mailbox at the other end and rings its owner, where that is another worker.
static bool put(struct ek_free_worker *worker, uint32_t port, struct ek_message message)
{
    struct ek_free *free = worker->free;
    if (!free->boxes.kind->put(&free->boxes, port, message)) {
        return false;
    }
    uint32_t neighbour = free->topology->neighbour[port];
    if (neighbour < worker->begin || neighbour >= worker->end) {
        ek_bell_ring(ek_free_bell(free, neighbour));
    }
    return true;
}

void ek_post(struct ek_free_worker *worker, uint32_t port, enum ek_kind_of_message kind, double amount, unsigned flag)
{
    struct ek_free *free = worker->free;
    struct ek_message message = {amount, stamp_of(kind, flag, worker->now)};
    ek_perturb(worker);
    struct ek_shelf *kept = &free->port[port].kept;
    if (kept->count > 0 || !put(worker, port, message)) {
        worker->stalls++;
        if (free->use) {
            free->use[free->topology->twin[port]].stalls++;
        }
        worker->polls = true;
        shelf_push(free, kept, free->kept + (size_t)port * EK_SHELF, message);
    }
}

bool ek_post_kept(struct ek_free_worker *worker, uint32_t port)
{
    struct ek_shelf *kept = &worker->free->port[port].kept;
    const struct ek_message *place = worker->free->kept + (size_t)port * EK_SHELF;
    bool any = false;
    while (kept->count > 0 && put(worker, port, place[kept->first])) {
        shelf_pop(kept, place);
        any = true;
    }
    worker->polls = worker->polls || kept->count > 0;
    return any;
}

// Takes the mailbox's messages into the line and from it the first that is due: what is behind it waits for it, so the
// order of a link is kept.
static bool fetch_due(struct ek_free_worker *worker, uint32_t port, struct ek_message *message)
{
    struct ek_free *free = worker->free;
    struct ek_shelf *line = &free->line[port];
    struct ek_message *place = free->due + (size_t)port * EK_SHELF;
    struct ek_message next;
    while (line->count < EK_SHELF && free->boxes.kind->take(&free->boxes, port, &next)) {
        shelf_push(free, line, place, next);
    }
    if (line->count == 0) {
        return false;
    }
    uint64_t sent = ek_message_time(&place[line->first]);
    uint64_t delay = ek_delay_ns(&free->machine->delay, free->seed, free->topology->twin[port], line->taken);
    if (sent + delay > worker->now) {
        worker->due = sent + delay < worker->due ? sent + delay : worker->due;
        return false;
    }
    *message = shelf_pop(line, place);
    ek_histogram_add(worker->delay_asked, delay);
    ek_histogram_add(worker->delay_realised, worker->now - sent);
    return true;
}

bool ek_fetch(struct ek_free_worker *worker, uint32_t port, struct ek_message *message)
{
    struct ek_free *free = worker->free;
    bool some = free->line ? fetch_due(worker, port, message) : free->boxes.kind->take(&free->boxes, port, message);
    if (some) {
        uint64_t sent = ek_message_time(message);
        uint64_t latency = worker->now > sent ? worker->now - sent : 0;
        ek_histogram_add(worker->latency, latency);
        if (free->use) {
            free->use[port].messages++;
            ek_histogram_add(&free->use[port].latency, latency);
        }
        // Relaxed: this worker alone writes it, the attendant only looks whether it still grows.
        uint64_t messages = atomic_load_explicit(&worker->messages, memory_order_relaxed);
        atomic_store_explicit(&worker->messages, messages + 1, memory_order_relaxed);
    }
    return some;
}
