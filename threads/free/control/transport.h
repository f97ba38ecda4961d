// SPDX-License-Identifier: MIT
// A *transport* contains the values and functions that differ if other processes carry a part of the processors. Each
// process has the state of its own processors only. All processes call these functions in the same order.
#ifndef THREADS_FREE_CONTROL_TRANSPORT_H
#define THREADS_FREE_CONTROL_TRANSPORT_H

#include "threads/free/control/control.h"
#include "threads/ranks/collect.h"

struct free_rank_link;

struct free_transport {
    bool separate;               // each worker is in another process
    unsigned own;                // if so, the number of this process's worker
    struct free_rank_link *link; // if so, the connection with the other processes

    // Called when the workers have ended: gives every process the counts of all workers, and the data
    // of the attendant.
    void (*gather)(struct free_transport *transport, struct free_control *control);

    // Counts the messages left under way on links to other processes. Both processes of a link count, and add their
    // counts.
    void (*count_crossing)(struct free_transport *transport, struct free_control *control);

    // Passes through all processors, or all ports.
    void (*pass)(struct free_transport *transport, struct free_control *control, const struct rank_pass *pass);

    // Measures the loads of all processors if each process has only those of its own (run->by_block).
    void (*measure)(struct free_transport *transport, struct free_control *control, double in_flight,
                    struct core_measure *measure);

    // Finds the norms of the net flow over the links (core_measure_flows).
    void (*measure_flows)(struct free_transport *transport, struct free_control *control, double *l1, double *l2);

    // Makes a violation in one process a violation in all.
    void (*agree)(struct free_transport *transport, struct free_control *control);

    // Joins the texts of all processes in the order of processes, and frees `text`, that of this process. NULL is an
    // empty text. Returns the whole text, which the caller frees, or NULL.
    char *(*join)(struct free_transport *transport, struct free_control *control, char *text);
};

extern struct free_transport free_transport_local;

// Returns whether a worker is in this process.
static inline bool free_is_here(const struct free_transport *transport, unsigned worker)
{
    return !transport->separate || transport->own == worker;
}

// Measures the attendant's loads.
static inline void free_measure(struct free_control *control, double in_flight, struct core_measure *measure)
{
    const struct free_run *run = &control->run;
    if (run->by_block) {
        control->transport->measure(control->transport, control, in_flight, measure);
    } else {
        core_measure_loads(control->attendant.held, run->machine->capacity, run->topology->processors, in_flight,
                           measure);
    }
}

// Returns whether processor p belongs to a worker of this process.
static inline bool free_has_here(const struct free_control *control, uint32_t p)
{
    return free_is_here(control->transport, free_worker_of(&control->run, p));
}

#endif
