// SPDX-License-Identifier: MIT
// Free timing: an operation of a processor's own, from its invocation to its end.
#ifndef THREADS_FREE_OPERATION_H
#define THREADS_FREE_OPERATION_H

#include "core/methods/kernels/block.h"
#include "threads/free/free_state.h"

// Whether p would invoke, by its load or the neighbours' loads that it has heard; and whether it would but nobody whom
// it would ask can be asked.
bool free_wanted(struct free_worker *worker, uint32_t p);
bool free_blocked(struct free_worker *worker, uint32_t p);

// What the method sees of p by the loads last heard: where it chooses whom to ask, or where nobody is asked. And its
// rule, for loads of this kind.
struct ek_turn free_turn_heard(struct free_worker *worker, uint32_t p);
ek_flow *free_flow_of(const struct machine_plan *machine);

// With --operations: takes one of the permits that the last look has left in the worker's hand.
bool free_take_permit(struct free_worker *worker);

// Begins an operation of p, which wants one, where nothing stands in its way. Whether it did.
bool free_begin(struct free_worker *worker, uint32_t p);

// Takes the own operation on: no answer is out any more.
void free_proceed(struct free_worker *worker, uint32_t p);

// The same where that is so, which most messages do not bring about.
static inline void free_go_on(struct free_worker *worker, uint32_t p)
{
    const struct free_processor *processor = &worker->run->processor[p];
    if (processor->waiting == 0 && processor->phase != FREE_PHASE_IDLE) {
        free_proceed(worker, p);
    }
}

#endif
