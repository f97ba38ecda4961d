// SPDX-License-Identifier: MIT
// The transport's part for letters. `cross_letters` sends those of all ranks, and in turns `cross_letters_of` those of
// one rank. `meet` shares what the workers have counted of them.
#ifndef THREADS_ROUNDS_OVER_RANKS_LETTERS_OVER_RANKS_H
#define THREADS_ROUNDS_OVER_RANKS_LETTERS_OVER_RANKS_H

#include "threads/rounds/transport.h"

void rounds_ranks_cross_letters(struct rounds_run *rounds);
void rounds_ranks_cross_letters_of(struct rounds_run *rounds, unsigned rank);
void rounds_ranks_meet_letters(struct rounds_run *rounds);

#endif
