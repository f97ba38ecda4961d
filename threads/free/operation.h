// SPDX-License-Identifier: MIT
// A processor's own operation, from its invocation to its end.
#ifndef THREADS_FREE_OPERATION_H
#define THREADS_FREE_OPERATION_H

#include "core/methods/kernels/block.h"
#include "threads/free/free_state.h"

// Returns whether p would begin an operation, by its load and the levels of its neighbours as it received them last.
bool free_wanted(struct free_worker *worker, uint32_t p);

// Returns whether a later draw of the axis `invoke`, or the next round of its clock, may let p begin an operation while
// the loads stay as they are.
bool free_recurs(struct free_worker *worker, uint32_t p);

// Returns whether no neighbour that p would ask can be asked.
bool free_blocked(struct free_worker *worker, uint32_t p);

// Returns what the method sees of p, with the levels of its neighbours as p received them last. Used if the method
// chooses the neighbours to ask, and with pushed announcements.
struct ek_turn free_turn_as_known(struct free_worker *worker, uint32_t p);

// With --operations: takes one of the permits that the worker has since its last look. Returns whether it has one.
bool free_take_permit(struct free_worker *worker);

bool free_begin_plain(struct free_worker *worker, uint32_t p);
bool free_begin_any(struct free_worker *worker, uint32_t p);

// Begins an operation of p, which wants one. Returns false if it cannot begin yet, or no neighbour can be asked.
static FREE_BY_PATH bool free_begin(struct free_worker *worker, uint32_t p, enum free_path path)
{
    return (path == FREE_PATH_PLAIN ? free_begin_plain : free_begin_any)(worker, p);
}

// Logs the operation of p that is open when the run ends, or the logs are closed, and its parts in operations that are.
void free_log_open(struct free_worker *worker, uint32_t p);

// Continue the own operation of p. All answers have come.
void free_proceed_plain(struct free_worker *worker, uint32_t p);
void free_proceed_any(struct free_worker *worker, uint32_t p);

// Continues the own operation of p, if it has one and all answers have come.
static FREE_BY_PATH void free_proceed_if_answered(struct free_worker *worker, uint32_t p, enum free_path path)
{
    const struct free_processor *processor = &worker->run->processor[p];
    if (processor->waiting == 0 && processor->phase != FREE_PHASE_IDLE) {
        (path == FREE_PATH_PLAIN ? free_proceed_plain : free_proceed_any)(worker, p);
    }
}

#endif
