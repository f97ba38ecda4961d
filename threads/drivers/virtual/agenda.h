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

struct virtual_agenda {
    uint64_t *time[VIRTUAL_AGENDA_LEVELS]; // time[0] by processor, from the worker's first one
    uint32_t count[VIRTUAL_AGENDA_LEVELS];
    unsigned top; // the level of one node
};

// Plans the memory for `count` processors.
void virtual_agenda_plan(struct virtual_agenda *agenda, uint32_t count, struct base_arena *memory);

// Gives every processor this time.
void virtual_agenda_begin(struct virtual_agenda *agenda, uint64_t time);

// Makes a turn of the processor at this place. Returns when the next one begins.
typedef uint64_t virtual_agenda_visit(void *context, uint32_t place, uint64_t time);

// Calls `visit` for each processor whose time is before `until`, until none of its times is. During the walk, times may
// be moved forward, but not to a time before `until`.
void virtual_agenda_walk(struct virtual_agenda *agenda, uint64_t until, virtual_agenda_visit *visit, void *context);

// Returns the earliest time, VIRTUAL_NEVER if there is none.
static inline uint64_t virtual_agenda_first(const struct virtual_agenda *agenda)
{
    return agenda->time[agenda->top][0];
}

// Moves the time of a processor to `time` if that is earlier.
static inline void virtual_agenda_hasten(struct virtual_agenda *agenda, uint32_t place, uint64_t time)
{
    for (unsigned level = 0; level <= agenda->top && time < agenda->time[level][place]; level++) {
        agenda->time[level][place] = time;
        place >>= VIRTUAL_AGENDA_BITS;
    }
}

#endif
