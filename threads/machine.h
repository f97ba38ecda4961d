// SPDX-License-Identifier: MIT
// The emulated machine as the parts of threads/ share it: the experiment, parsed and checked, and what is built once for all its runs.
#ifndef EK_MACHINE_H
#define EK_MACHINE_H

#include <stdatomic.h>

#include "core/load.h"
#include "core/stop.h"
#include "threads/barrier.h"
#include "threads/carrier.h"
#include "threads/mailbox.h"
#include "threads/places.h"
#include "threads/run.h"

struct ek_machine {
    struct ek_topology *topology;
    const struct ek_method *method;
    bool has_parameter;
    struct ek_plan plan;
    enum ek_units units;
    enum ek_ports ports;
    struct ek_load load;
    struct ek_stop stop;
    const struct ek_carrier *carrier;
    unsigned workers;
    const struct ek_mailbox_kind *mailbox;
    enum ek_barrier_kind barrier;
    struct ek_places *places; // where the workers are pinned
    uint64_t steps_max;
    uint64_t operations_max;
    double seconds_max;
    uint64_t seed;
    uint64_t every;
    size_t trace_rows;
    bool keep_loads;
    bool keep_trace;
    bool keep_flows;
    atomic_bool interrupted;
};

#endif
