// SPDX-License-Identifier: MIT
// The emulated machine as the parts of threads/ share it: the experiment, parsed and checked, and what is built once
// for all its runs.
#ifndef MACHINE_H
#define MACHINE_H

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
#include "threads/mail/barrier.h"
#include "threads/carrier.h"
#include "threads/mail/mailbox.h"
#include "threads/places.h"
#include "threads/run.h"

enum machine_turns { MACHINE_TURNS_NONE, MACHINE_TURNS_ASCENDING, MACHINE_TURNS_RANDOM };

struct ek_machine {
    struct ek_topology *topology;
    const struct ek_method *method;
    bool has_parameter;
    struct ek_plan plan;
    enum ek_units units;
    enum ek_ports ports;
    double *capacity; // by processor, or NULL: all 1
    bool capacities_drawn;
    bool to_target;    // --weighting target: the method balances w - target
    double link_limit; // INFINITY: none
    struct core_delay delay;
    struct core_workload work;
    struct core_invoke invoke;
    bool clock_steps;         // --clock step
    enum machine_turns turns; // --timing turns
    bool async;               // --timing free; what follows is for it alone
    bool exclusive;           // --domains exclusive
    double tick_s;            // 0: one a turn
    double audit_s;
    double watchdog_s;
    double perturb; // a probability
    uint32_t *slow; // by processor: it takes every so many-th turn; NULL: all take all
    struct core_faults faults;
    struct core_load load;
    struct core_stop stop;
    char stop_spec[64]; // as it was written, or the default
    const struct machine_carrier *carrier;
    unsigned workers;
    const struct mail_kind *mailbox;
    uint32_t mailbox_capacity; // in free timing
    enum mail_barrier_kind barrier;
    struct machine_places *places; // where the workers are pinned
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

// What the theory may take an operation on this machine to be: the method's word, where capacities do not weight the
// loads and the method has a parameter; else EK_MATRIX_UNKNOWN.
enum ek_matrix machine_matrix(const struct ek_machine *machine);

#endif
