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

#endif
