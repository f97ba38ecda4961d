// SPDX-License-Identifier: MIT
// The look: the one place in which a worker in free timing sees what others do.
//
// A worker goes through its processors in stretches of at most FREE_STRETCH. Before each it looks around: the clock,
// the link table, the epoch of the snapshot, the permits, whether the run drains or is over. And at the start of each
// processor's turn it looks at the ports whose other end belongs to another worker: how many messages wait there, and
// how much room there is. From then on the turn is a function of the worker's state and of these two looks: it takes no
// more than what waited, and what it puts finds the room that was seen. Between processors of one worker program order
// decides, and no look is needed.
//
// So all turns of a run can be put into one order in which each sees a first part of what the turns before it have done
// on each link, and nothing of those after it. For what a turn does for others to see (putting messages, freeing the
// places of those that it takes) comes after the end of its looks: a turn B that sees something of A began to act after
// A did. "Sees something of" therefore goes round in no circle, together with the order of each worker's own turns: it
// is part of the "happens before" of C11. Any order that goes on from it will do. That a turn may see less than all
// that was done before it is no more than a link that takes its time: messages that were put and not seen wait, places
// that were freed and not seen are found the next time. What the two ends know of a link can only be too little, since
// each of them alone takes from what the other has added.
//
// That is what makes a run repeatable: the same looks, handed to the workers in such an order, make the same run. Looks
// come from the threads themselves, or from wherever a struct free_look_source gets them.
#ifndef THREADS_FREE_LOOK_H
#define THREADS_FREE_LOOK_H

#include "threads/free/free_state.h"

enum { FREE_STRETCH = 64 };

// Where looks come from. Each driver has a source of its own; the recorder wraps another source.
struct free_look_source {
    // Looks around: fills the worker's look, but for `sweep`.
    void (*around)(struct free_look_source *source, struct free_worker *worker);

    // Looks at the ports first .. end-1 of one processor: fills `waiting` and `room` of those that are not inside.
    void (*ports)(struct free_look_source *source, struct free_worker *worker, uint32_t first, uint32_t end);

    // The time that the attendant sees, ns since the run's start.
    uint64_t (*now)(struct free_look_source *source);
};

// Fill a look with all that is there now; the caller says what time it is.
void free_see_around(struct free_worker *worker, uint64_t now_ns);
void free_see_ports(struct free_worker *worker, uint32_t first, uint32_t end);

// Takes up to so many operations that may still begin.
uint32_t free_take_permits(atomic_int_fast64_t *permits, int64_t wanted);

static inline void free_look_around(struct free_worker *worker)
{
    worker->run->source->around(worker->run->source, worker);
}

static inline void free_look_at_ports(struct free_worker *worker, uint32_t p)
{
    const uint32_t *first = worker->run->topology->first;
    if (worker->run->processor[p].outside) {
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

#endif
