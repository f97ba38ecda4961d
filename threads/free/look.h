// SPDX-License-Identifier: MIT
// What a turn observes of other workers.
//
// Purpose. A run in free timing can be repeated exactly: a turn is a function of its worker's own state and of what it
// observes, and it observes other workers only here.
//
// Terms. A *look* is one of two kinds of observation:
//
//   1. A worker *looks around* before each stretch of at most FREE_STRETCH turns: it reads the clock, the link table,
//      the current snapshot, its permits, and whether the run drains or is over.
//   2. A processor *looks at its ports* at the start of its turn. For each port whose other end belongs to another
//      worker it reads how many messages wait there and how much room there is for messages to send.
//
// After its looks a turn receives at most the messages that it saw waiting, and sends into the room that it saw.
// Between processors of the same worker program order decides, and no look is needed.
//
// Why this repeats a run. All turns of a run can be put into one order such that each turn sees only effects of turns
// before it:
//
//   1. A turn has an effect on others only by putting messages and by freeing the places of those that it receives.
//      Both come after its looks. So if turn B saw an effect of turn A, then B began to act after A did.
//   2. Hence "B saw an effect of A", together with the order of each worker's turns, has no cycle: it is part of the
//      happens-before relation of C11. Every total order that contains this relation is such an order.
//   3. A turn may see only a part of the earlier effects. The result is the same as with a slower link: a message that
//      the turn does not see waits, and a later turn finds a place that this turn does not see. A turn never sees too
//      much: only the receiver takes the messages that the sender added, and only the sender fills the places that the
//      receiver freed.
//
// The same looks in such an order make the same run. A struct free_look_source says where looks come from.
#ifndef THREADS_FREE_LOOK_H
#define THREADS_FREE_LOOK_H

#include "threads/free/free_state.h"

enum { FREE_STRETCH = 64 };

// The source of a run's looks. Each driver has its own; the recorder wraps another source.
struct free_look_source {
    // Fills the worker's look, except `pass`.
    void (*around)(struct free_look_source *source, struct free_worker *worker);

    // Fills `waiting` and `room` of the ports first .. end-1 of one processor that are not local.
    void (*ports)(struct free_look_source *source, struct free_worker *worker, uint32_t first, uint32_t end);

    // Returns the attendant's time: ns since the run's start.
    uint64_t (*now)(struct free_look_source *source);
};

// Fill a look with the current state of the machine. The caller passes the time.
void free_see_around(struct free_worker *worker, uint64_t now_ns);
void free_see_ports(struct free_worker *worker, uint32_t first, uint32_t end);

// Takes at most `wanted` of the operations that may still begin. Returns their number.
uint32_t free_take_permits(atomic_int_fast64_t *permits, int64_t wanted);

static inline void free_look_around(struct free_worker *worker)
{
    worker->run->source->around(worker->run->source, worker);
}

static inline void free_look_at_ports(struct free_worker *worker, uint32_t p)
{
    const uint32_t *first = worker->run->topology->first;
    if (worker->run->processor[p].has_remote) {
        worker->run->source->ports(worker->run->source, worker, first[p], first[p + 1]);
    }
}

static inline uint64_t free_now(const struct free_run *run)
{
    return run->source->now(run->source);
}

static inline bool free_usable(const struct free_worker *worker, uint32_t port)
{
    return !worker->look.usable || worker->look.usable[port];
}

// Yields the core with the probability of --perturb. The calls stand between two actions whose order matters: at
// messages, within a look, before a sleep, and where a snapshot or a drain begins. A thread that pauses there shows
// rare interleavings.
void free_perturb_at_random(const struct free_run *run, struct base_random *random);

static inline void free_perturb(struct free_worker *worker)
{
    if (worker->run->perturbed) {
        free_perturb_at_random(worker->run, &worker->random);
    }
}

#endif
