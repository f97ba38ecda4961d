// SPDX-License-Identifier: MIT
// The operation protocol: what a message does.
#ifndef THREADS_FREE_PROTOCOL_H
#define THREADS_FREE_PROTOCOL_H

#include "threads/free/free_state.h"

// Acts on a message that p has received at this port.
void free_receive(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message);

#endif
