// SPDX-License-Identifier: MIT
// Free timing: an operation of a processor's own, from its invocation to its end.
#ifndef ASYNC_OPERATION_H
#define ASYNC_OPERATION_H

#include "threads/async/state.h"

// Whether p would invoke, by its load or the neighbours' loads that it has heard; and whether it would but nobody whom
// it would ask can be asked.
bool async_wanted(struct async_worker *worker, uint32_t p);
bool async_blocked(struct async_worker *worker, uint32_t p);

// Begins an operation of p, which wants one, where nothing stands in its way. Whether it did.
bool async_begin(struct async_worker *worker, uint32_t p);

// Takes the own operation on, where no answer is out any more.
void async_go_on(struct async_worker *worker, uint32_t p);

#endif
