// SPDX-License-Identifier: MIT
// Free timing: the attendant's part in snapshots.
#ifndef THREADS_FREE_CONTROL_AUDIT_H
#define THREADS_FREE_CONTROL_AUDIT_H

#include "threads/free/control/control.h"

// Begins a snapshot when it is time; looks at one that is complete, and acts on what it shows.
void free_audit(struct free_control *control, uint64_t now_ns);

// Whether it would do either.
bool free_audit_due(const struct free_control *control, uint64_t now_ns);

// Where a condition on the whole lets everybody invoke: looks whether it holds of these loads, and says so. Whether it
// does.
bool free_trigger(struct free_control *control, const struct core_measure *measure);

// Holds what was measured, and what work made and took so far, in the ticks of all processors together, against the
// ledger. A violation, and numbers that have lost their meaning, end the run. False where it is violated.
bool free_ledger(struct free_control *control, const struct core_measure *measure, double generated, double consumed,
                 uint64_t ticks);

#endif
