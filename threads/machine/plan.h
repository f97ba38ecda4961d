// SPDX-License-Identifier: MIT
// The plan of a machine: the values that the axes of an experiment settled. ek_prepare makes it. Engines, drivers and
// reports only read it, and several runs may read it at once; what changes in a run belongs to the run.
#ifndef THREADS_MACHINE_PLAN_H
#define THREADS_MACHINE_PLAN_H

#include <stdatomic.h>

#include "core/axes/capacity.h"
#include "core/axes/fault.h"
#include "core/axes/invoke.h"
#include "core/axes/load.h"
#include "core/axes/slow.h"
#include "core/axes/stop.h"
#include "core/axes/work.h"
#include "core/cargo/rounding.h"
#include "core/links/hosts.h"
#include "core/links/link.h"
#include "core/links/within.h"
#include "core/objects/object_choice.h"
#include "core/programs/program.h"
#include "core/theory/outlook.h"
#include "core/theory/convergence.h"
#include "threads/host/places.h"
#include "threads/machine/carrier.h"
#include "threads/machine/engine.h"
#include "threads/mail/barrier.h"
#include "threads/mail/mailbox.h"
#include "threads/ranks/placement.h"
#include "threads/watch/window.h"
#include "topologies/distance.h"

// The values of the axis `domains`, in the order of the axis's list of names.
enum machine_domains { MACHINE_DOMAINS_OVERLAP, MACHINE_DOMAINS_ONCE, MACHINE_DOMAINS_EXCLUSIVE };

// How a machine without rounds detects that no task is left (threads/free/detect.h).
enum machine_detect { MACHINE_DETECT_SNAPSHOT, MACHINE_DETECT_SAFRA, MACHINE_DETECT_MATTERN };

struct cargo_vt;
struct ek_experiment;
struct machine_stored;

struct machine_plan {
    struct ek_experiment *experiment; // its numbers, with defaults settled; its texts are NULL after ek_prepare

    // The meaning of the texts of the axes.
    struct ek_topology *topology;
    bool links_unread; // no axis reads the links of the topology: those that can have their defaults
    const struct ek_method *method;
    struct ek_plan method_plan;      // what the method has prepared
    struct topo_distances distances; // if letters go far
    const struct machine_engine *engine;
    enum ek_units units;
    enum core_rounding rounding; // of tokens
    enum ek_ports ports;
    bool clock_steps; // each step has a tick of the workload; otherwise each operation
    uint32_t *order;  // the dimensions in the order in which the method takes them; NULL: the method's own order
    struct core_invoke invoke;
    struct core_load load;
    char load_spec[32]; // the load of a program's first tasks, as text; "" if the user places them
    struct core_workload work;
    const struct ek_program *program; // the load consists of its tasks; NULL: of numbers
    struct ek_problem *problem;       // that the program has read
    enum machine_detect detect;       // how the end is detected without rounds
    bool give_newest;                 // parcels take the newest tasks of their sender, not the oldest
    struct core_object_set *objects;  // the load consists of these; NULL: it does not
    struct cargo_vt *vt;              // the files of vt that they came from; NULL: no new ones are made from these
    bool from_vt;                     // they came from files of vt
    int64_t phase;                    // of these files; below 0: the first
    bool objects_drawn;               // they are placed by a load that is drawn from the seed
    enum core_choose choose;          // which of them go
    bool drops_rest;                  // the rest of an amount is forgotten
    bool migrates_last;               // the method balances numbers, and the objects move at the end
    double imbalance_most;            // then: the largest imbalance of objects that the user accepts; INFINITY: any
    double *capacity;                 // by processor; NULL: all are 1
    bool switches;                    // some capacity is 0
    bool capacities_drawn;            // the capacities are drawn from the seed
    bool to_target;                   // the method balances w - target (weighting target)
    struct ek_link_model links;
    struct core_host host;     // its costs are the defaults of the costs
    struct core_within within; // virtual time: how costs vary
    bool costs_given;          // a cost differs from its default
    enum machine_domains domains;
    bool pushed;    // loads are announced unasked (announce pushed)
    uint32_t *slow; // by processor: it takes only every slow[p]-th turn; NULL: none is slow
    struct core_faults faults;
    struct core_stop stop;
    char stop_spec[64];         // the stop criterion as text, given or by default
    struct watch_window window; // the window with which each run begins
    const struct mail_kind *mailbox;
    uint32_t mailbox_capacity;
    enum mail_barrier_kind barrier;

    // The carrier of the processors.
    const struct machine_carrier *carrier;
    unsigned workers_asked; // the number in the carrier's spec; 0 if there is none
    unsigned workers;
    const struct ek_ranks *ranks;    // the processes, if the workers are processes; NULL if they are threads
    struct rank_placement placement; // of processors on ranks
    double distance;                 // of the loads of run 0 from balance, if ranks have found it together
    bool helped;                     // a thread beside the workers runs the engine's `help`
    struct host_places *places;      // cores that the workers are pinned to

    bool checked; // the method is registered, or the experiment checks: its amounts are checked (core/promises.h)

    const atomic_ulong *interrupts; // calls of ek_interrupt so far
    struct machine_search *search;  // on one processor (search.h)
    struct machine_stored *stored;  // the topology with arrays (machine.h)
};

// Returns whether the method ends by itself after a fixed number of operations.
bool machine_direct(const struct machine_plan *plan);

// Returns the function of the method's rule that computes the amounts: whole ones, or real ones, which the machine
// rounds if the units are tokens. The rule must have it.
ek_flow *machine_flow(const struct machine_plan *plan);

// Returns the units of these amounts.
enum ek_units machine_flow_units(const struct machine_plan *plan);

// Returns whether each link carries its rounding error.
static inline bool machine_carries(const struct machine_plan *plan)
{
    return plan->rounding == CORE_ROUNDING_CARRY;
}

// Returns whether parcels carry objects in every step.
static inline bool machine_moves_objects(const struct machine_plan *plan)
{
    return plan->objects && !plan->migrates_last;
}

// Returns whether the user set a limit to a run: steps, operations or time.
bool machine_limited(const struct machine_plan *plan);

// Returns the matrix that describes an operation of this machine. It is the method's, or EK_MATRIX_UNKNOWN in three
// cases: capacities weight the loads, the method has no parameter, or in free timing it acts otherwise than in rounds.
enum ek_matrix machine_matrix(const struct machine_plan *plan);

// Returns whether the machine's runs have all of these properties (enum core_need).
bool machine_has(const struct machine_plan *plan, unsigned needs);

// Returns how often ek_interrupt was called. A run compares the number with that at its start: only later calls
// interrupt it.
unsigned long machine_interrupts(const struct machine_plan *plan);

// Returns the number of workers that the carrier uses for a number of processors.
unsigned machine_workers_for(const struct machine_plan *plan, uint32_t processors);

#endif
