// SPDX-License-Identifier: MIT
// The emulated machine as the parts of threads/ share it: the experiment, read and checked, and what is built once for
// all its runs.
#ifndef THREADS_MACHINE_MACHINE_H
#define THREADS_MACHINE_MACHINE_H

#include <stdatomic.h>

#include "core/axes/capacity.h"
#include "core/axes/fault.h"
#include "core/axes/invoke.h"
#include "core/axes/load.h"
#include "core/theory/outlook.h"
#include "core/axes/slow.h"
#include "core/axes/stop.h"
#include "core/theory/convergence.h"
#include "core/axes/work.h"
#include "core/links/link.h"
#include "threads/machine/carrier.h"
#include "threads/machine/engine.h"
#include "threads/mail/barrier.h"
#include "threads/mail/mailbox.h"
#include "threads/ranks/placement.h"
#include "threads/host/places.h"
#include "threads/watch/window.h"

// --domains, in the order of its names.
enum machine_domains { MACHINE_DOMAINS_OVERLAP, MACHINE_DOMAINS_ONCE, MACHINE_DOMAINS_EXCLUSIVE };

struct ek_machine {
    // Its numbers, with defaults settled. Its texts are good while ek_prepare reads them, and not after.
    struct ek_experiment experiment;
    char *words;                   // all that is said of axes
    const char *said[EK_AXES_MAX]; // by axis: its effective value, in words
    bool given[EK_AXES_MAX];       // by axis: it has another value than its default

    // What the texts said.
    struct ek_topology *topology;
    const struct ek_method *method;
    size_t method_end; // in the method's text: where its name ends
    const struct machine_engine *engine;
    enum ek_units units;
    enum ek_ports ports;
    bool clock_steps; // --clock step
    uint32_t *order;  // --order of dimensions; NULL: in the method's
    struct core_invoke invoke;
    struct core_load load;
    struct core_workload work;
    double *capacity; // by processor, or NULL: all 1
    bool capacities_drawn;
    bool to_target; // --weighting target: the method balances w - target
    struct ek_link_model links;
    enum machine_domains domains;
    bool pushed;    // --announce pushed
    uint32_t *slow; // by processor: it takes every so many-th turn; NULL: all take all
    struct core_faults faults;
    struct core_stop stop;
    struct watch_window window; // as each run begins with it
    char stop_spec[64];         // as it was written, or the default
    const struct machine_carrier *carrier;
    unsigned workers_asked; // 0: as the carrier has it
    unsigned workers;
    const struct ek_ranks *ranks;    // the processes that the workers are, or NULL
    struct rank_placement placement; // of processors on them
    bool helped;                     // by a thread beside them
    const struct mail_kind *mailbox;
    uint32_t mailbox_capacity;
    enum mail_barrier_kind barrier;

    struct ek_plan plan;
    struct machine_places *places; // where the workers are pinned
    atomic_ulong interrupts;       // calls of ek_interrupt so far
};

// What the theory may take an operation on this machine to be: the method's word, where capacities do not weight the
// loads and the method has a parameter, and in free timing does by itself what it does in rounds; else
// EK_MATRIX_UNKNOWN.
enum ek_matrix machine_matrix(const struct ek_machine *machine);

// Whether its runs have what a sentence of the theory needs (enum core_need).
bool machine_has(const struct ek_machine *machine, unsigned needs);

// How often ek_interrupt was called. A run remembers how often it was before it began: only a later call means it.
unsigned long machine_interrupts(const struct ek_machine *machine);

// How many workers its carrier takes for so many processors.
unsigned machine_workers_for(const struct ek_machine *machine, uint32_t processors);

// What the end of a run says of it, when its engine has reported this status: whether it converged, and why not.
// Returns the run's status.
enum ek_status machine_conclude(const struct ek_machine *machine, enum ek_status status, struct ek_report *report,
                                const struct ek_error *error);

// Whether the user set a limit to the run: steps, operations or time.
bool machine_limited(const struct ek_machine *machine);

#endif
