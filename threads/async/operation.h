// SPDX-License-Identifier: MIT
// Free timing: an operation of a processor's own, from its invocation to its end.
#ifndef ASYNC_OPERATION_H
#define ASYNC_OPERATION_H

#include "core/block.h"
#include "threads/async/state.h"

// Whether p would invoke, by its load or the neighbours' loads that it has heard; and whether it would but nobody whom
// it would ask can be asked.
bool async_wanted(struct async_worker *worker, uint32_t p);
bool async_blocked(struct async_worker *worker, uint32_t p);

// What the method sees of p by the loads last heard: where it chooses whom to ask, or where nobody is asked. And its
// rule, for loads of this kind.
struct ek_turn async_turn_heard(struct async_worker *worker, uint32_t p);
ek_flow *async_flow_of(const struct ek_machine *machine);

// With --operations: takes one of the permits that the last look has left in the worker's hand.
bool async_take_permit(struct async_worker *worker);

// Begins an operation of p, which wants one, where nothing stands in its way. Whether it did.
bool async_begin(struct async_worker *worker, uint32_t p);

// Takes the own operation on: no answer is out any more.
void async_proceed(struct async_worker *worker, uint32_t p);

// The same where that is so, which most messages do not bring about.
static inline void async_go_on(struct async_worker *worker, uint32_t p)
{
    const struct async_processor *processor = &worker->run->processor[p];
    if (processor->waiting == 0 && processor->phase != ASYNC_PHASE_IDLE) {
        async_proceed(worker, p);
    }
}

#endif
