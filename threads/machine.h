// SPDX-License-Identifier: MIT
// The emulated machine as the parts of threads/ share it: the experiment, parsed and checked, and what is built once
// for all its runs.
#ifndef EK_MACHINE_H
#define EK_MACHINE_H

#include <stdatomic.h>

#include "core/capacity.h"
#include "core/delay.h"
#include "core/fault.h"
#include "core/invoke.h"
#include "core/load.h"
#include "core/slow.h"
#include "core/stop.h"
#include "core/theory.h"
#include "core/work.h"
#include "threads/barrier.h"
#include "threads/carrier.h"
#include "threads/mailbox.h"
#include "threads/places.h"
#include "threads/run.h"

enum ek_turns { EK_TURNS_NONE, EK_TURNS_ASCENDING, EK_TURNS_RANDOM };

struct ek_machine {
    struct ek_topology *topology;
    bool drawn; // the topology or the capacities came from the seed
    const struct ek_method *method;
    bool has_parameter;
    struct ek_plan plan;
    enum ek_units units;
    enum ek_ports ports;
    double *capacity;  // by processor, or NULL: all 1
    bool to_target;    // --weighting target: the method balances w - target
    double link_limit; // INFINITY: none
    struct ek_delay delay;
    struct ek_workload work;
    struct ek_invoke invoke;
    bool clock_steps;    // --clock step
    enum ek_turns turns; // --timing turns
    bool free;           // --timing free; what follows is for it alone
    bool exclusive;      // --domains exclusive
    double tick;         // seconds; 0: one a turn
    double audit;        // seconds
    double watchdog;     // seconds
    double perturb;      // a probability
    uint32_t *slow;      // by processor: it takes every so many-th turn; NULL: all take all
    struct ek_faults faults;
    struct ek_load load;
    struct ek_stop stop;
    char stop_spec[64]; // as it was written, or the default
    const struct ek_carrier *carrier;
    unsigned workers;
    const struct ek_mailbox_kind *mailbox;
    uint32_t mailbox_capacity; // in free timing
    enum ek_barrier_kind barrier;
    struct ek_places *places; // where the workers are pinned
    bool unpinned;
    uint64_t steps_max;
    uint64_t operations_max;
    double seconds_max;
    uint64_t seed;
    uint64_t every;
    size_t trace_rows;
    bool keep_loads;
    bool keep_trace;
    bool keep_flows;
    bool keep_links;
    atomic_bool interrupted;
};

// Whether an operation of the machine's method is one matrix that the theory knows, and of which kind.
bool ek_machine_kind(const struct ek_machine *machine, enum ek_kind *kind);

#endif
