// SPDX-License-Identifier: MIT
// A tick of the workload at a processor: load is generated and consumed.
#ifndef CORE_CARGO_TICK_H
#define CORE_CARGO_TICK_H

#include "core/axes/work.h"

// The effects of a tick on a processor.
struct core_ticked {
    double generated;
    double consumed; // of the demand: all of it if demand is owed, else at most the load
    double unmet;    // the rest of the demand
    double at_home;  // native tokens among those consumed
};

// Lets tick `tick` (from 0) of the run with this seed act on the load of `processor`, and on its native tokens unless
// `native` is NULL (core/cargo/cargo.h). Tokens that are generated here are native. Tokens that came from elsewhere are
// consumed first.
struct core_ticked core_cargo_tick(const struct core_workload *workload, uint64_t seed, uint32_t processor,
                                   uint64_t tick, double *held, double *native);

#endif
