// SPDX-License-Identifier: MIT
// Free timing over ranks. Each rank has all arrays of a run and one worker, which has the rank's processors
// (threads/ranks/placement.h); of each array their part is true. The caller's thread of each rank is its porter: the
// porters meet again and again, while the processors go on. At a meeting
//
//   all tell    what their workers have counted and published, and the first one what its attendant wants: that a
//               snapshot begins, that the run drains, that it is over
//   all cross   the messages that were put on links to other ranks, in one pack to each rank that there are such links
//               to
//   all bring   their parts of a snapshot together, when these are complete everywhere
//
// To its worker a porter is what is at the other end of the links that lead to other ranks: it takes what is put there,
// and puts what has come. So such a link is two mailboxes, one behind the other. It is still first in, first out, and
// bounded: a porter takes a message only when it knows of room for it on the other side. Between two meetings porters
// have nothing in their hands. So a marker of a snapshot goes behind what was sent before it, as everywhere, and
// neither the ledger nor the end of a run needs to know of ranks.
//
// The first rank's caller is the attendant of all. Its operations are lent to the others (--operations). When all
// workers have ended, what a report is made of is brought together, and every rank makes the whole of it.
//
// Times count from a moment of each rank's own, when it learns that all are ready: they agree to about the time that a
// meeting takes.
//
// Here is what they bring each other by; porter.c has the meetings, gather.c what comes together in the end.
#ifndef THREADS_RANKS_FREE_RANKS_H
#define THREADS_RANKS_FREE_RANKS_H

#include "threads/free/free_state.h"

// The links between ranks, and which worker has which processors; without ranks nothing. After the plan run->ranks.link
// says whether there are any.
void free_ranks_plan(struct free_run *run, struct base_arena *memory);
void free_ranks_begin(struct free_run *run);

// This rank's worker.
static inline struct free_worker *free_ranks_worker(struct free_run *run)
{
    return &run->worker[run->ranks.link->rank];
}

// Whether there is anybody to speak to: there are ranks, and all have answered so far. When one does not, the run ends
// with an error, and what follows here does nothing.
bool free_ranks_speak(const struct free_run *run);

// Whether what may have failed in one rank is `good` in all; else `error` is the first one's.
bool free_ranks_agree(struct free_run *run, bool good, struct ek_error *error);

// Brings what all ranks have of an array of so many bytes each; the own lies in its place. False when a rank does not
// answer.
bool free_ranks_bring(struct free_run *run, void *all, size_t bytes);

// Brings an array of so many bytes for each processor, or each port, of which each rank has its own. NULL is no array.
void free_ranks_collect(struct free_run *run, void *array, size_t bytes, bool ports);

// The same of one of which each rank has so many bytes, or the first all that there are.
void free_ranks_collect_parts(struct free_run *run, void *array, size_t bytes, bool first);

// Brings so many words to each of these peers and from it. False when a rank does not answer.
bool free_ranks_exchange(struct free_run *run, const struct ek_rank_peer *peer, const double *out, double *in);

#endif
