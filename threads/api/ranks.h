// SPDX-License-Identifier: MIT
// Ranks: the processes that carry an experiment together. Part of <evenkeel.h>.
#ifndef EK_RANKS_H
#define EK_RANKS_H

#include "base/common.h"

// How the processors are divided among ranks: blocks in the order of processors, boxes of a product, or parts that
// `divide` found.
enum ek_blocks { EK_BLOCKS_IN_ORDER, EK_BLOCKS_BOXES, EK_BLOCKS_PARTS };

// Another rank with which this rank exchanges data.
struct ek_rank_peer {
    unsigned rank;
    size_t sends, brings; // doubles that one exchange sends to it and receives from it
};

// A graph that ranks partition, in compressed rows. A vertex stands for some successive processors. Vertex v is
// adjacent to the vertices neighbour[first[v] .. first[v + 1] - 1].
struct ek_rank_graph {
    int32_t vertices;
    const int32_t *first;      // [vertices + 1]
    const int32_t *neighbour;  // [first[vertices]]
    const int32_t *links;      // [first[vertices]] the number of links to that neighbour
    const int32_t *processors; // [vertices] the number of processors that the vertex stands for
};

// The ranks that carry one experiment together. A rank is a process; the command connects ranks by MPI. All ranks
// prepare and run the same experiment, except for `ranks`. Each gets the whole report. An error in one rank ends the
// run in all of them with this error, and so does a call of ek_interrupt in one rank. In free timing only rank 0 calls
// its observer.
//
// The functions are called by one thread at a time: the caller of ek_prepare or ek_run, or a thread of the run. All
// ranks call `gather` and `collect` in the same order. In an exchange each of two peers names the other one, and two
// peers make their exchanges in the same order. But in turns not all ranks take part in an exchange, so `exchange` must
// not wait for ranks that are no peers. A function returns when all that it receives has arrived. It returns false if
// another rank does not answer any more; the run then ends.
struct ek_ranks {
    unsigned rank, count; // this rank's number, from 0, and the number of ranks
    // Gathers `bytes` bytes of each rank. The bytes of rank r begin at all + r * bytes. `own` may point to this rank's
    // place.
    bool (*gather)(void *context, const void *own, void *all, size_t bytes);
    // Receives the other ranks' parts of an array. Rank r owns array[from[r] .. from[r + 1] - 1].
    bool (*collect)(void *context, double *array, const size_t *from);
    // Sends `out` to the peers and receives `in` from them. Both arrays contain the doubles of one peer after another.
    bool (*exchange)(void *context, const struct ek_rank_peer *peer, size_t peers, const double *out, double *in);
    // Partitions a graph into `count` parts with about as many processors each and few links between parts: sets
    // part[v], from 0 to count - 1, for each vertex v. Each rank calls it, and all must get the same result. Returns
    // false if it cannot. NULL: processors are divided into blocks in their order, or boxes of a product.
    bool (*divide)(void *context, const struct ek_rank_graph *graph, int32_t *part);
    void *context;
};

// Agrees with the other ranks on whether to go on. Every rank must call it, with `good` false if something is wrong in
// that rank. If `good` was true in all ranks, returns true in all of them. Otherwise returns false in all of them, with
// the `error` of the first rank in which `good` was false. A program that makes several runs calls it before each run
// if a rank may want to stop. Returns `good` if `ranks` is NULL.
EK_API bool ek_ranks_agree(const struct ek_ranks *ranks, bool good, struct ek_error *error);

#endif
