// SPDX-License-Identifier: MIT
// The carrier `pool`: few worker threads with a block of processors each, for large machines and many runs.
#include "threads/experiment/tables.h"

static unsigned workers(uint32_t processors, uint32_t shared, unsigned cores, unsigned asked)
{
    unsigned count = asked ? asked : processors < shared ? 1 : cores;
    return count < processors ? count : processors;
}

const struct machine_carrier experiment_carrier_pool = {
    .name = "pool",
    .choice = {"pool[:WORKERS]", "a worker thread a core (or WORKERS), a block of processors each"},
    .workers = workers,
    .asked_max = 4096,
};
