// SPDX-License-Identifier: MIT
// Free timing: a guess at whether the stop criterion holds. Workers publish sums over their processors as they go, each
// of another moment, so what they add up to proves nothing; but it tells when a snapshot is worth its while.
#ifndef THREADS_FREE_TALLY_H
#define THREADS_FREE_TALLY_H

#include "threads/free/free_state.h"

// Publishes the worker's sums, after a sweep; only where the run's criterion can be guessed from them.
void free_tally(struct free_worker *worker);

// Whether the criterion may hold, by what all workers published last. The attendant's.
bool free_tally_promises(const struct free_run *run);

#endif
