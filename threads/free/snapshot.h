// SPDX-License-Identifier: MIT
// Snapshots of the running machine (Chandy & Lamport, Distributed snapshots, ACM TOCS 3, 1985), over the same mailboxes
// as everything else: a processor's part. When a snapshot begins, every processor records itself at its next turn, or
// before it takes a marker, and sends a marker over each link; what it takes on a port between its record and the
// port's marker was under way. So all parts belong to one possible moment, though no two were taken at once. The
// attendant begins them and looks at those that are complete (audit.c).
#ifndef THREADS_FREE_SNAPSHOT_H
#define THREADS_FREE_SNAPSHOT_H

#include "threads/free/free_state.h"

// Records p where snapshot `epoch` has begun and it is not in it yet. Whether it was recorded.
bool free_snapshot_record(struct free_worker *worker, uint32_t p, uint32_t epoch);

// Notes what p takes on a port while markers are missing.
void free_snapshot_note(struct free_run *run, uint32_t p, uint32_t port, struct mail_message message);

// Takes a marker.
void free_snapshot_mark(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message);

#endif
