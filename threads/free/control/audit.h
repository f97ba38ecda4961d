// SPDX-License-Identifier: MIT
// The attendant's part in snapshots.
#ifndef THREADS_FREE_CONTROL_AUDIT_H
#define THREADS_FREE_CONTROL_AUDIT_H

#include "threads/free/control/control.h"

// Begins a snapshot if one is due, or evaluates the current one if it is complete.
void free_audit(struct free_control *control, uint64_t now_ns);

// Returns when the next snapshot is due at the latest, UINT64_MAX while one is under way.
uint64_t free_audit_next_ns(const struct free_control *control);

// Returns whether free_audit would begin or evaluate a snapshot.
bool free_audit_due(const struct free_control *control, uint64_t now_ns);

// Tests the condition on all loads that lets every processor invoke (axis `invoke`), and publishes the result. Returns
// whether the condition holds.
bool free_trigger(struct free_control *control, const struct core_measure *measure);

// Checks the ledger: the measured loads, and what the workload generated and consumed in `ticks` ticks of all
// processors. Ends the run if the ledger is violated or its numbers have become meaningless. Returns false if it is
// violated.
bool free_ledger(struct free_control *control, const struct core_measure *measure, double generated, double consumed,
                 uint64_t ticks);

#endif
