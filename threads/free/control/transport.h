// SPDX-License-Identifier: MIT
// A *transport* contains the values and functions that differ if other processes carry a part of the processors. A run
// of one process has the local transport, whose functions do nothing.
#ifndef THREADS_FREE_CONTROL_TRANSPORT_H
#define THREADS_FREE_CONTROL_TRANSPORT_H

#include "threads/free/control/control.h"

struct free_transport {
    bool separate; // each worker is in another process
    unsigned own;  // if so, the number of this process's worker

    // Called when the workers have ended: brings all data of the report together, in every process.
    void (*gather)(struct free_transport *transport, struct free_control *control);

    // Called when this process has counted its messages left under way: adds the messages of all processes.
    void (*gather_left)(struct free_transport *transport, struct free_control *control);
};

extern struct free_transport free_transport_local;

// Returns whether a worker is in this process.
static inline bool free_is_here(const struct free_transport *transport, unsigned worker)
{
    return !transport->separate || transport->own == worker;
}

#endif
