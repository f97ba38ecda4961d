// SPDX-License-Identifier: MIT
// An estimate whether the stop criterion holds. After each pass a worker publishes sums over its processors' loads. The
// sums of different workers are from different moments, so their total proves nothing, but it shows when a snapshot is
// worth its cost.
#ifndef THREADS_FREE_LOAD_SUMS_H
#define THREADS_FREE_LOAD_SUMS_H

#include "threads/free/free_state.h"

// Publishes the worker's sums, if the run's criterion can be estimated from them.
void free_publish_sums(struct free_worker *worker);

// Returns whether the criterion may hold, judged by the sums that all workers published last. Called by the attendant.
bool free_sums_reach_criterion(const struct free_run *run);

#endif
