// SPDX-License-Identifier: MIT
// The state of a porter (porter.h). Its meetings, its exchanges and its part of the report work on it.
#ifndef THREADS_DRIVERS_PORTERS_PORTER_STATE_H
#define THREADS_DRIVERS_PORTERS_PORTER_STATE_H

#include <time.h>

#include "threads/drivers/threads/thread_driver.h"
#include "threads/free/over_ranks/rank_link.h"

struct porter_status; // of a rank, at a meeting
struct porter_final;  // of the first rank, when its worker has ended

struct porter {
    struct free_transport transport;
    struct thread_driver *driver; // of this rank's worker
    struct free_rank_link ranks;
    struct base_arena memory;
    struct porter_status *status; // by rank: at the last meeting
    struct porter_final *final;   // by rank; the first one counts
    uint32_t *room;               // by crossing: messages for which the other rank has room
    uint32_t *granted;            // by crossing: messages that the other rank was allowed to send
    double *lengths;              // lengths of the packs to each peer, then from each peer
    uint64_t crossed;             // messages that this porter took at the last meeting
    bool lacks;                   // this rank lacked operations at the last meeting
    int64_t lacking;              // number of ranks that lacked operations, without the first
    int64_t lacking_before;       // number of those with a lower rank than this one
    unsigned idle_meetings;       // in a row, at which no message crossed
    uint64_t left_ns;             // when the first rank's porter last returned to its caller
    bool attends_elsewhere;       // all porters return to their callers now
    bool moves;                   // a message crossed at the last meeting
    bool snapshot_complete;       // on all ranks
    bool interrupted;             // on some rank
    bool over;                    // all ranks know that the run is over
};

// Returns this rank's worker.
static inline struct free_worker *porter_worker(const struct porter *porter)
{
    return &porter->ranks.control->run.worker[porter->ranks.ranks->rank];
}

#endif
