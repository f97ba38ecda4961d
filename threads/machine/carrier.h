// SPDX-License-Identifier: MIT
// What carries the processors in rounds. One engine (rounds/phases.c) runs blocks of processors on worker threads; a
// carrier says how many workers there are and what a worker's block is.
#ifndef THREADS_MACHINE_CARRIER_H
#define THREADS_MACHINE_CARRIER_H

#include "threads/api/run.h"

struct rounds_transport; // threads/rounds/transport.h

struct machine_carrier {
    const char *name;
    struct ek_choice choice;
    bool padded; // the ends of nearly every link belong to different workers
    // How many workers for these processors on these cores, where several pay from `shared` processors on; `asked` is
    // the number behind the colon, 0 if there is none.
    unsigned (*workers)(uint32_t processors, uint32_t shared, unsigned cores, unsigned asked);
    unsigned asked_max;                    // the most that may be asked for, 0 if nothing may
    bool ranks;                            // each worker is a process of its own (threads/machine/on_ranks.h)
    const struct rounds_transport *rounds; // between the processes of a run in rounds; NULL without ranks
};

#endif
