// SPDX-License-Identifier: MIT
// Virtual time on several processes.
//
// Each rank has one worker, with the processors of its block and their state. All ranks make each window at the same
// time. At its end the ranks
//
//   1. exchange what their workers have counted, and the times of their next turns;
//   2. exchange the messages from rank to rank;
//   3. decide, each for itself, how the run goes on (window_end.c). All decide alike, because each decision depends
//      only on what they have exchanged.
//
// So the results are those of as many workers of one process.
#ifndef THREADS_DRIVERS_VIRTUAL_VIRTUAL_RANKS_H
#define THREADS_DRIVERS_VIRTUAL_VIRTUAL_RANKS_H

#include "threads/drivers/virtual/virtual_state.h"
#include "threads/free/over_ranks/rank_link.h"

struct virtual_status; // of a rank, at the end of a window

struct virtual_ranks {
    struct free_transport transport;
    struct free_rank_link link;
    struct base_arena memory;
    struct virtual_machine *machine;
    struct virtual_status *status; // by rank
    uint64_t *crossing;            // [ranks * ranks] messages from rank to rank, by sender
    struct ek_rank_peer *peer;     // room for the peers of an exchange
    double *out, *in;              // room for messages
    struct ek_error *violation;    // by rank
    uint64_t *number;              // by rank: room for a number of each rank
    uint64_t next;                 // the time of the next turn of any processor, unless it is `stale`
    bool stale;                    // a processor was woken since
    bool interrupted;              // in some rank
};

uint64_t virtual_ranks_bytes(const struct machine_plan *plan);

// Creates the connection with the other ranks. The run is then created with its transport. Returns NULL if there is no
// memory.
struct virtual_ranks *virtual_ranks_create(const struct machine_plan *plan);
void virtual_ranks_destroy(struct virtual_ranks *ranks);

// Exchanges counts and messages at the end of a window.
void virtual_ranks_meet(struct virtual_ranks *ranks);

// Returns whether `any` is true in some rank.
bool virtual_ranks_any(struct virtual_ranks *ranks, bool any);

// Return the least of the numbers of all ranks, and their sum.
uint64_t virtual_ranks_least(struct virtual_ranks *ranks, uint64_t number);
uint64_t virtual_ranks_sum(struct virtual_ranks *ranks, uint64_t number);
double virtual_ranks_total(struct virtual_ranks *ranks, double number);

// Completes the times at which processors have ended their tasks, for an observer.
void virtual_ranks_collect_ends(struct virtual_ranks *ranks);

// Completes and returns the loads of all processors.
const double *virtual_ranks_collect_loads(struct virtual_ranks *ranks);

#endif
