// SPDX-License-Identifier: MIT
// The exchange of messages between ranks, on the links that they cross now.
#ifndef THREADS_ROUNDS_OVER_RANKS_RANK_EXCHANGE_H
#define THREADS_ROUNDS_OVER_RANKS_RANK_EXCHANGE_H

#include "threads/rounds/transport.h"

// Returns the worker that stands for another rank.
static inline unsigned rounds_ranks_worker(const struct rounds_run *rounds, unsigned rank)
{
    return rounds->blocks + rank - (rank > rounds->remote.link->rank);
}

// Lets messages cross all links between ranks, both ways.
void rounds_ranks_use_all(struct rounds_run *rounds);

// Exchanges messages of one double for each link that messages cross now. Returns false if a rank is lost.
bool rounds_ranks_exchange(struct rounds_run *rounds);

// Notes that a rank does not answer, and ends the run.
void rounds_ranks_lose(struct rounds_run *rounds);

#endif
