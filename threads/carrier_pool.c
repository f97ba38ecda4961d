// SPDX-License-Identifier: MIT
// `pool`: few worker threads with a block of processors each, for large machines and many runs.
#include "threads/carrier.h"

// Two workers that spin meet in 85 to 400 ns; below some 500 processors one alone is faster (bench/README.md).
enum { ALONE = 512 };

static unsigned workers(uint32_t processors, unsigned cores, unsigned asked)
{
    unsigned count = asked ? asked : processors < ALONE ? 1 : cores;
    return count < processors ? count : processors;
}

const struct machine_carrier machine_carrier_pool = {
    .name = "pool",
    .choice = {"pool[:WORKERS]", "a worker thread a core (or WORKERS), a block of processors each"},
    .workers = workers,
    .asked_max = 4096,
};
