// SPDX-License-Identifier: MIT
// How porters exchange data. Every rank calls these functions in the same order. If another rank does not answer, the
// run ends with an error, and all further calls do nothing.
#ifndef THREADS_DRIVERS_PORTERS_EXCHANGE_H
#define THREADS_DRIVERS_PORTERS_EXCHANGE_H

#include "threads/drivers/porters/porter_state.h"

// Returns whether `good` is true in all ranks. If not, `error` becomes the error of the first rank in which it is
// false.
bool porter_agree(struct porter *porter, bool good, struct ek_error *error);

// Completes an array of which each rank has `bytes` bytes, at its rank's place. Returns whether all ranks answer.
bool porter_bring(struct porter *porter, void *all, size_t bytes);

// Completes an array with `bytes` bytes for each processor (or each port), of which each rank has those of its
// processors. NULL is no array.
void porter_collect(struct porter *porter, void *array, size_t bytes, bool ports);

// Completes a list of which each rank has `bytes` bytes; with `first`, the first rank has all of it.
void porter_collect_parts(struct porter *porter, void *array, size_t bytes, bool first);

// Sends `out` to the peers and receives `in` from them, of the sizes that `peer` says. Returns whether all ranks
// answer.
bool porter_exchange(struct porter *porter, const struct ek_rank_peer *peer, const double *out, double *in);

#endif
