// SPDX-License-Identifier: MIT
// The operation protocol: what a message does.
#ifndef THREADS_FREE_PROTOCOL_H
#define THREADS_FREE_PROTOCOL_H

#include "threads/free/post.h"

// Acts on a message that p has received at this port. Each kind of message has a function of its own: in one function,
// every message would save all registers that any kind of message needs.
typedef void free_receiver(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message);

// By the kind of the message and the lowest bit of its flag, so that one jump also finds out whether a GIVE is an
// answer.
enum { FREE_RECEIVERS = 2 << FREE_KIND_BITS };
extern free_receiver *const free_receivers_plain[FREE_RECEIVERS], *const free_receivers_any[FREE_RECEIVERS];

static FREE_BY_PATH void free_receive(struct free_worker *worker, uint32_t p, uint32_t port,
                                      struct mail_message message, enum free_path path)
{
    free_receiver *const *receivers = path == FREE_PATH_PLAIN ? free_receivers_plain : free_receivers_any;
    receivers[message.stamp % FREE_RECEIVERS](worker, p, port, message);
}

#endif
