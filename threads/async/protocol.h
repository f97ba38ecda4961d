// SPDX-License-Identifier: MIT
// The operation protocol of free timing: what a message does.
#ifndef ASYNC_PROTOCOL_H
#define ASYNC_PROTOCOL_H

#include "threads/async/state.h"

// Answers or follows a message that has come to p at this port.
void async_take(struct async_worker *worker, uint32_t p, uint32_t port, struct mail_message message);

#endif
