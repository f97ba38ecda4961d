// SPDX-License-Identifier: MIT
// The attendant's part in snapshots.
#ifndef THREADS_FREE_CONTROL_AUDIT_H
#define THREADS_FREE_CONTROL_AUDIT_H

#include "threads/free/control/control.h"

// Begins a snapshot if one is due, or evaluates the current one if it is complete.
void free_audit(struct free_control *control, uint64_t now_ns);

// Adds up the parts of a complete snapshot. With several processes they do this together, before the attendant of the
// first one evaluates the snapshot.
void free_audit_add(struct free_control *control);

// Returns when the next snapshot is due at the latest, UINT64_MAX while one is under way.
uint64_t free_audit_next_ns(const struct free_control *control);

// Returns whether free_audit would begin or evaluate a snapshot.
bool free_audit_due(const struct free_control *control, uint64_t now_ns);

#endif
