// SPDX-License-Identifier: MIT
// Agreement between ranks: processes that prepare the same experiment go on together, or not at all.
#ifndef THREADS_RANKS_AGREE_H
#define THREADS_RANKS_AGREE_H

#include "base/common.h"

struct ek_ranks;

// Reports to the other ranks whether all is `good` here, and returns whether it is in every rank. `print` is a number
// that must be the same in all ranks. If the answer is false, it is false in all ranks, with the error of the first
// rank that failed. Without ranks (NULL) the function returns `good`.
bool rank_agree(const struct ek_ranks *ranks, bool good, uint64_t print, struct ek_error *error);

// Like rank_agree, but for ranks that continue after a negative answer. Writes the answer to `*good`. Returns false if
// a rank does not answer; then no more messages may be sent to any rank.
bool rank_vote(const struct ek_ranks *ranks, bool *good, uint64_t print, struct ek_error *error);

#endif
