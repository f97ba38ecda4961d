// SPDX-License-Identifier: MIT
// Carriers. A *carrier* decides how many workers carry the processors, and whether a worker is a thread or a process.
#ifndef THREADS_MACHINE_CARRIER_H
#define THREADS_MACHINE_CARRIER_H

#include "base/common.h"

struct rounds_transport; // threads/rounds/transport.h

struct machine_carrier {
    const char *name;
    struct ek_choice choice;
    bool padded; // the ends of nearly every link belong to different workers
    // Returns the number of workers for `processors` processors on `cores` cores. Several workers are faster than one
    // from `shared` processors on. `asked` is the number behind the colon of the spec; 0 if there is none.
    unsigned (*workers)(uint32_t processors, uint32_t shared, unsigned cores, unsigned asked);
    unsigned asked_max;                    // the largest number behind the colon; 0: none is allowed
    bool ranks;                            // each worker is a process of its own (threads/machine/on_ranks.h)
    const struct rounds_transport *rounds; // the transport of runs in rounds; NULL without ranks
};

#endif
