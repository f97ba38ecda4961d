// SPDX-License-Identifier: MIT
// The transport says what differs if other processes carry a part of the processors. A run of one process has the local
// transport, whose functions do nothing.
#ifndef THREADS_FREE_CONTROL_TRANSPORT_H
#define THREADS_FREE_CONTROL_TRANSPORT_H

#include "threads/free/control/control.h"

struct free_transport {
    bool separate; // each worker is a process of its own,
    unsigned own;  // and this one is the only one in this process

    // When the workers have ended: brings together what the report is made of, in every process.
    void (*gather)(struct free_transport *transport, struct free_control *control);

    // When this process has counted the messages left under way here: brings together those of all processes.
    void (*gather_left)(struct free_transport *transport, struct free_control *control);
};

extern struct free_transport free_transport_local;

// Whether a worker is one of this process.
static inline bool free_is_here(const struct free_transport *transport, unsigned worker)
{
    return !transport->separate || transport->own == worker;
}

#endif
