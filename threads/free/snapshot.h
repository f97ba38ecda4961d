// SPDX-License-Identifier: MIT
// A processor's part in a snapshot of the running machine (Chandy & Lamport, Distributed snapshots, ACM TOCS 3, 1985).
//
// Purpose. The attendant needs the state of all processors at one possible moment, while they go on.
//
//   1. The attendant begins a snapshot: it increments the *epoch*, which all workers observe in their looks.
//   2. Each processor records itself at its next turn, or earlier if it receives a *marker* of this epoch. It then
//      sends a marker over each link, behind the messages sent before.
//   3. A message was under way if a processor receives it on a port after the processor has recorded itself and before
//      the port's marker has come.
//   4. The processor's part is complete when a marker has come on each port. The attendant reads the snapshot when all
//      parts are complete (audit.c).
//
// All parts belong to one possible moment, although they were recorded at different times. The cost is a message on
// each direction of each link.
#ifndef THREADS_FREE_SNAPSHOT_H
#define THREADS_FREE_SNAPSHOT_H

#include "threads/free/free_state.h"

// Returns the part of p as it is now, without what is under way to it.
struct free_snapshot free_snapshot_of(struct free_worker *worker, uint32_t p);

// Records p if snapshot `epoch` has begun and p is not in it yet. Returns whether it was recorded.
bool free_snapshot_record(struct free_worker *worker, uint32_t p, uint32_t epoch);

// Counts a message that p receives on a port while markers are missing.
void free_snapshot_note(struct free_run *run, uint32_t p, uint32_t port, struct mail_message message);

// Receives a marker.
void free_snapshot_mark(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message);

#endif
