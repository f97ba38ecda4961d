// SPDX-License-Identifier: MIT
// Rounds on several processes: the transport of a carrier whose workers are ranks.
//
// Purpose. An MPI program starts several processes, called *ranks*, that carry one run together. Every rank has all
// arrays of the run, but only the parts of its own processors are up to date. Its processors form one or more spans of
// successive processors (threads/ranks/placement.h). Each span is a block, and the rank's one thread carries its blocks
// one after another.
//
// Three kinds of data pass between ranks, in turns as turns_over_ranks.c says:
//
//   1. Messages on links between ranks: once a phase and lane, from each rank to each one that it has links to.
//   2. The counts of the workers: at every meeting of all ranks. Ranks wait for one another by these meetings.
//   3. The others' parts of an array: when a serial section is about to read all of it.
#ifndef THREADS_ROUNDS_OVER_RANKS_ROUNDS_RANKS_H
#define THREADS_ROUNDS_OVER_RANKS_ROUNDS_RANKS_H

#include "threads/rounds/transport.h"

extern const struct rounds_transport rounds_ranks_transport;

// Returns the worker that stands for another rank.
static inline unsigned rounds_ranks_worker(const struct rounds_run *rounds, unsigned rank)
{
    return rounds->blocks + rank - (rank > rounds->remote.link->rank);
}

// The transport's part for tasks and objects (tasks_over_ranks.c).
void rounds_ranks_plan_tasks(struct rounds_run *rounds, struct base_arena *memory);
void rounds_ranks_end_tasks(struct rounds_run *rounds);
void rounds_ranks_cross_cargo(struct rounds_run *rounds);
void rounds_ranks_cross_said(struct rounds_run *rounds);
void rounds_ranks_meet_tasks(struct rounds_run *rounds);
void rounds_ranks_gather_tasks(struct rounds_run *rounds);
void rounds_ranks_gather_objects(struct rounds_run *rounds);

// In turns. `tell_best` tells the receivers of parcels the best values that their senders knew. `tell_moves` tells all
// ranks which objects have moved, if givers need to know.
void rounds_ranks_tell_best(struct rounds_run *rounds);
void rounds_ranks_tell_moves(struct rounds_run *rounds);

// Makes room for the doubles of tasks that this rank sends and receives. If there is no memory, it ends the run and
// returns false.
bool rounds_ranks_make_room(struct rounds_run *rounds, size_t sends, size_t brings);

// Notes that there is no memory for tasks. The next meeting ends the run in all ranks.
void rounds_ranks_run_short(struct rounds_run *rounds);

// The transport's part for letters (letters_over_ranks.c). `cross_letters` sends those of all ranks, and in turns
// `cross_letters_of` those of one rank. `meet` shares what the workers have counted of them.
void rounds_ranks_cross_letters(struct rounds_run *rounds);
void rounds_ranks_cross_letters_of(struct rounds_run *rounds, unsigned rank);
void rounds_ranks_meet_letters(struct rounds_run *rounds);

// The transport's part for turns (turns_over_ranks.c).
void rounds_ranks_plan_turns(struct rounds_run *rounds, struct base_arena *memory);
void rounds_ranks_begin_turns(struct rounds_run *rounds);
void rounds_ranks_take_turns(struct rounds_run *rounds);

// Lets messages cross all links between ranks, both ways.
void rounds_ranks_use_all(struct rounds_run *rounds);

// Exchanges messages of one double for each link that messages cross now. Returns false if a rank is lost
// (rank_exchange.c).
bool rounds_ranks_exchange(struct rounds_run *rounds);

// Notes that a rank does not answer, and ends the run.
void rounds_ranks_lose(struct rounds_run *rounds);

#endif
