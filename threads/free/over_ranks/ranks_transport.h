// SPDX-License-Identifier: MIT
// The transport of a run that several ranks carry together (transport.h).
#ifndef THREADS_FREE_OVER_RANKS_RANKS_TRANSPORT_H
#define THREADS_FREE_OVER_RANKS_RANKS_TRANSPORT_H

#include "threads/free/control/transport.h"

// Returns a transport over the ranks of a link whose memory has been planned. `gather` is free_ranks_gather (gather.h),
// or a function that calls it.
struct free_transport free_ranks_transport(struct free_rank_link *link,
                                           void (*gather)(struct free_transport *, struct free_control *));

#endif
