// SPDX-License-Identifier: MIT
// The agenda of a worker: the time of the next turn of each of its processors.
//
// Purpose. In each window a worker makes the turns that begin before the window's end. Processors that sleep must cost
// nothing, and no event of any processor should need a place in a heap.
//
// The agenda is a tree of minima. Its leaves are the times of the processors; each node above has the earliest time of
// FAN nodes below it. To move a time forward costs a comparison at each level; times that move back are corrected when
// the tree is walked. A walk visits only nodes with a time before the window's end, so it passes over processors that
// sleep, FAN of them and more at a time.
#ifndef THREADS_DRIVERS_VIRTUAL_AGENDA_H
#define THREADS_DRIVERS_VIRTUAL_AGENDA_H

#include "base/arena.h"

enum { VIRTUAL_AGENDA_LEVELS = 6, VIRTUAL_AGENDA_BITS = 6 }; // FAN is 64; 64^6 is above 2^32

#define VIRTUAL_NEVER UINT64_MAX

// The turns of a processor: when the next one begins, and when the last one has ended.
struct virtual_leaf {
    uint64_t next, ended;
};

struct virtual_agenda {
    struct virtual_leaf *leaf;             // by processor, from the worker's first one
    uint64_t *time[VIRTUAL_AGENDA_LEVELS]; // by node of a level: the earliest time below it
    uint32_t count[VIRTUAL_AGENDA_LEVELS]; // nodes of a level; level 0 has the leaves
    unsigned top;                          // the level of one node
};

// Plans the memory for `count` > 0 processors.
void virtual_agenda_plan(struct virtual_agenda *agenda, uint32_t count, struct base_arena *memory);

// Lets the first turn of every processor begin at time 0.
void virtual_agenda_begin(struct virtual_agenda *agenda);

// Makes a turn of the processor at this place, and sets its leaf. The next turn must begin later.
typedef void virtual_agenda_visit(void *context, uint32_t place);

// Calls `visit` for each processor whose next turn begins before `until`, as often as it does. During the walk, other
// processors may be woken at times that are not before `until`.
void virtual_agenda_walk(struct virtual_agenda *agenda, uint64_t until, virtual_agenda_visit *visit, void *context);

// Calls `visit` once: for the processor whose next turn begins first, of several for the one at the lowest place. Some
// processor must have a next turn.
void virtual_agenda_step(struct virtual_agenda *agenda, virtual_agenda_visit *visit, void *context);

// Returns the earliest time, VIRTUAL_NEVER if there is none.
static inline uint64_t virtual_agenda_first(const struct virtual_agenda *agenda)
{
    return agenda->time[agenda->top][0];
}

// Gives a processor a turn at this time, or when its last turn has ended, if its next one would be later.
static inline void virtual_agenda_wake(struct virtual_agenda *agenda, uint32_t place, uint64_t time)
{
    struct virtual_leaf *leaf = &agenda->leaf[place];
    time = time > leaf->ended ? time : leaf->ended;
    if (time >= leaf->next) {
        return;
    }
    leaf->next = time;
    for (unsigned level = 1; level <= agenda->top; level++) {
        place >>= VIRTUAL_AGENDA_BITS;
        if (time >= agenda->time[level][place]) {
            return;
        }
        agenda->time[level][place] = time;
    }
}

#endif
