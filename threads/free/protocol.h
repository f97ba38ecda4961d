// SPDX-License-Identifier: MIT
// The operation protocol of free timing: what a message does.
#ifndef THREADS_FREE_PROTOCOL_H
#define THREADS_FREE_PROTOCOL_H

#include "threads/free/free_state.h"

// Answers or follows a message that has come to p at this port.
void free_take(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message);

#endif
