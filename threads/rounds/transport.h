// SPDX-License-Identifier: MIT
// Transports. A transport exchanges data between the blocks of this process and those of other processes. The engine of
// rounds uses nothing else of other processes.
//
// A run of one process has no transport, and the functions below then do nothing. Otherwise every process runs every
// serial section over the same numbers in the same order, so all come to the same decisions. A run has a worker for
// each block of this process, and one more for each other process: a worker without processors that holds what that
// process has counted.
#ifndef THREADS_ROUNDS_TRANSPORT_H
#define THREADS_ROUNDS_TRANSPORT_H

#include "threads/rounds/rounds_state.h"

struct rounds_transport {
    // Returns the number of workers.
    unsigned (*workers)(const struct machine_plan *machine);

    // `plan` plans the memory. When the memory has been allocated, `begin` gives the workers their blocks and finds the
    // links between processes.
    void (*plan)(struct rounds_run *rounds, struct base_arena *memory);
    void (*begin)(struct rounds_run *rounds);

    // Frees what has grown during the run.
    void (*end)(struct rounds_run *rounds);

    // Puts "no message" on every link between processes.
    void (*clear)(struct rounds_run *rounds, struct rounds_lane *lane);

    // Sends the messages on a lane to the other processes, and receives theirs into the inboxes of this process. `once`
    // means that the receiver empties its inbox, so a message must not be sent again.
    void (*cross)(struct rounds_run *rounds, struct rounds_lane *lane, bool once);

    // Sends the tasks or objects of the parcels on links between processes, or what processors say to their neighbours:
    // best values, or exact loads. The third function shares what the workers have counted of tasks. The fourth and the
    // fifth one bring together what is reported of tasks, and the objects, when the run has ended.
    void (*cross_cargo)(struct rounds_run *rounds);
    void (*cross_said)(struct rounds_run *rounds);
    void (*meet_tasks)(struct rounds_run *rounds);
    void (*gather_tasks)(struct rounds_run *rounds);
    void (*gather_objects)(struct rounds_run *rounds);

    // Sends letters to other processes, near and far.
    void (*cross_letters)(struct rounds_run *rounds);

    // Exchanges numbers by processor, such as the loads that a rule compares, between neighbours.
    void (*cross_loads)(struct rounds_run *rounds, double *loads);

    // Gets the amounts that other processes have sent so far over links to this one.
    void (*cross_sent)(struct rounds_run *rounds);

    // Lets all processors have their turns of this step, each after the one before it in the order of turns.
    void (*take_turns)(struct rounds_run *rounds);

    // Waits for the other processes and shares what all workers have counted, and whether one of them violated the
    // contract, was interrupted or is late.
    void (*meet)(struct rounds_run *rounds);

    // Returns whether all processes are `good`; if not, `error` becomes that of the first one that is not.
    bool (*agree)(struct rounds_run *rounds, bool good, struct ek_error *error);

    // Collects the other processes' parts of an array with `words` doubles for each processor, or for each port if
    // `by_port`.
    void (*collect)(struct rounds_run *rounds, double *array, size_t words, bool by_port);

    // Collects the amounts sent so far over all links.
    void (*collect_sent)(struct rounds_run *rounds);

    // Sets the numbers of parcels and load that return from a failed link to those of the process that has the port.
    void (*share_returned)(struct rounds_run *rounds, uint32_t port, uint64_t *parcels, double *load);

    // With `by_block`: returns an array of at most CORE_MEASURE_IN_ORDER numbers with the other processes' parts.
    const double *(*read)(struct rounds_run *rounds, const double *array);

    // Merges what each process has found of its own processors.
    void (*merge)(struct rounds_run *rounds, struct core_tally *tally);

    // Returns the load under way with delays, summed in the order in which one process sums it.
    double (*in_flight)(struct rounds_run *rounds);
};

static inline void rounds_cross(struct rounds_run *rounds, struct rounds_lane *lane, bool once)
{
    if (rounds->transport) {
        rounds->transport->cross(rounds, lane, once);
    }
}

static inline void rounds_meet(struct rounds_run *rounds)
{
    if (rounds->transport) {
        rounds->transport->meet(rounds);
    }
}

static inline bool rounds_agree(struct rounds_run *rounds, bool good, struct ek_error *error)
{
    return rounds->transport ? rounds->transport->agree(rounds, good, error) : good;
}

// Collects an array by processor, unless it is NULL or has no words.
static inline void rounds_collect(struct rounds_run *rounds, double *array, size_t words)
{
    if (rounds->transport && array && words > 0) {
        rounds->transport->collect(rounds, array, words, false);
    }
}

// Collects an array by port, unless it is NULL or has no words.
static inline void rounds_collect_ports(struct rounds_run *rounds, double *array, size_t words)
{
    if (rounds->transport && array && words > 0) {
        rounds->transport->collect(rounds, array, words, true);
    }
}

#endif
