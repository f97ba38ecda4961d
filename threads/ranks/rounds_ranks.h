// SPDX-License-Identifier: MIT
// Rounds over ranks. Each rank has all arrays of a run, and of each array its own processors' part is true: one or more
// spans of successive processors (threads/ranks/placement.h), each a block of a worker's, which its one thread carries
// one after another. Three things go between ranks, and nothing else does:
//
//   cross     what was said or sent over links to other ranks, from each rank to each that it has links to, once a
//             phase and lane
//   tell      what the workers counted, at every meeting: it is also what ranks wait for each other by
//   collect   the others' part of an array, where a serial section is about to look at all of it
//
// So every rank does every serial section, over the same numbers in the same order, and comes to the same decisions.
// Without ranks all this does nothing.
#ifndef THREADS_RANKS_ROUNDS_RANKS_H
#define THREADS_RANKS_ROUNDS_RANKS_H

#include "threads/rounds/rounds_state.h"

// The workers of a run: one for each block of processors, and for each other rank one without any.
unsigned rounds_ranks_workers(const struct ek_machine *machine);

// Plans the memory, and finds the links to other ranks when it is taken.
void rounds_ranks_plan(struct rounds_run *rounds, struct base_arena *memory);
void rounds_ranks_begin(struct rounds_run *rounds);

// Brings what was put on this lane to the other ranks, and into the inboxes here. `taken`: who receives it empties the
// inbox, and so it is not to be sent again.
void rounds_ranks_cross(struct rounds_run *rounds, struct rounds_lane *lane, bool taken);

// The same of what a rule compares, where announcements are read there.
void rounds_ranks_cross_levels(struct rounds_run *rounds);

// Gets what the other ranks' workers have counted, and whether one of them was violated or interrupted or is late.
void rounds_ranks_tell(struct rounds_run *rounds);

// Whether what may have failed in one rank is `good` in all; else `error` is the first one's. What is found between two
// meetings must be agreed on, for the others would go on.
bool rounds_ranks_agree(struct rounds_run *rounds, bool good, struct ek_error *error);

// Gets all of an array with so many words for each processor, or for each port. NULL is no array.
void rounds_ranks_collect(struct rounds_run *rounds, double *array, size_t words);
void rounds_ranks_collect_ports(struct rounds_run *rounds, double *array, size_t words);

// The load that is under way with delays, summed as one process does.
double rounds_ranks_in_flight(struct rounds_run *rounds);

#endif
