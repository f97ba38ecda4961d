// SPDX-License-Identifier: MIT
// The connection of a run with the other ranks that carry it. Every rank calls these functions in the same order. If
// another rank does not answer, the run ends with an error, and all further calls do nothing.
#ifndef THREADS_FREE_OVER_RANKS_RANK_LINK_H
#define THREADS_FREE_OVER_RANKS_RANK_LINK_H

#include "threads/free/control/transport.h"
#include "threads/ranks/collect.h"
#include "threads/ranks/crossings.h"
#include "threads/ranks/room.h"

struct free_final; // of a rank, when its worker has ended (gather.h)

// The exchange of tasks, best values, objects and letters (rank_cargo.h).
struct free_rank_cargo {
    struct rank_room out, in;
    size_t sends, brings;              // doubles of this exchange
    size_t read;                       // of those in `in`
    struct ek_rank_peer *peer;         // by peer
    struct ek_rank_peer *one;          // objects and letters, by peer: of the exchange of lengths,
    double *length;                    //   which are sent to each peer, then those from each peer
    struct cargo_worker *counted;      // by rank: what its worker has counted, when the run has ended,
    struct cargo_letter_sums *letters; // and with letters
};

struct free_rank_link {
    const struct ek_ranks *ranks;
    struct free_control *control; // set when the run has been created
    struct rank_crossings crossings;
    struct rank_collector collector;
    struct free_final *final;  // by rank
    struct core_tally *tally;  // by rank: its part of a measurement,
    struct core_flows *flows;  // and of the net flows
    size_t *from;              // room: where each rank's part of a list begins
    size_t *lengths;           // by rank: room for the length of its part
    struct ek_rank_peer *peer; // room for the sizes of what crosses, by peer
    double *out, *in;          // room for what crosses
    struct free_rank_cargo cargo;
    bool lost; // a rank does not answer
};

// Plans the memory, after the processors have been placed, with room for `words` doubles (at least 2) for each link
// between ranks. `begin` prepares it when it has been allocated. `end` frees what has grown since.
void free_rank_link_plan(struct free_rank_link *link, const struct machine_plan *machine, unsigned words,
                         struct base_arena *memory);
void free_rank_link_begin(struct free_rank_link *link);
void free_rank_link_end(struct free_rank_link *link);

// Ends the run because a rank does not answer.
void free_rank_lose(struct free_rank_link *link);

// Returns whether `good` is true in all ranks. If not, `error` becomes the error of the first rank in which it is
// false.
bool free_rank_agree(struct free_rank_link *link, bool good, struct ek_error *error);

// Completes an array of which each rank has `bytes` bytes, at its rank's place. Returns whether all ranks answer.
bool free_rank_bring(struct free_rank_link *link, void *all, size_t bytes);

// Completes an array with `bytes` bytes for each processor (or each port), of which each rank has those of its
// processors. NULL is no array.
void free_rank_collect(struct free_rank_link *link, void *array, size_t bytes, bool ports);

// Completes a list of which each rank has `bytes` bytes; with `first`, the first rank has all of it. NULL is no list.
void free_rank_collect_parts(struct free_rank_link *link, void *array, size_t bytes, bool first);

// Completes a list of which rank r has the doubles link->from[r] .. link->from[r + 1] - 1.
void free_rank_collect_list(struct free_rank_link *link, void *array);

// Sends `out` to the peers and receives `in` from them, of the sizes that `peer` says. Returns whether all ranks
// answer.
bool free_rank_exchange(struct free_rank_link *link, const struct ek_rank_peer *peer, size_t peers, const double *out,
                        double *in);

#endif
