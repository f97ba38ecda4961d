// SPDX-License-Identifier: MIT
// The carrier `threads`: one thread for each processor, so that all processors are really concurrent.
#include "threads/experiment/tables.h"

static unsigned workers(uint32_t processors, uint32_t shared, unsigned cores, unsigned asked)
{
    (void)shared;
    (void)cores;
    (void)asked;
    return processors;
}

const struct machine_carrier experiment_carrier_threads = {
    .name = "threads",
    .choice = {"threads", "a POSIX thread for each processor, pinned in blocks"},
    .padded = true,
    .workers = workers,
};
