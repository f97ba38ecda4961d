// SPDX-License-Identifier: MIT
// The state of a run in free timing, by who owns it.
#ifndef THREADS_FREE_FREE_STATE_H
#define THREADS_FREE_FREE_STATE_H

#include "core/axes/fault.h"
#include "threads/free/link_table.h"
#include "threads/machine/loads.h"
#include "threads/machine/plan.h"
#include "threads/api/replay.h"
#include "threads/mail/bell.h"
#include "threads/host/counters.h"
#include "threads/watch/histogram.h"
#include "threads/watch/operation_log.h"
#include "threads/watch/part_log.h"
#include "base/random.h"

// What a message is, in the low bits of its stamp.
enum free_kind {
    FREE_ASK = 1, // take part in my operation? carries the own load, and the ticket's age
    FREE_TELL,    // yes: my load
    FREE_REFUSE,  // no; or, to a PULL, not any more
    FREE_GIVE,    // load. Flagged: in answer to a PULL
    FREE_PULL,    // give me so much
    FREE_RELEASE, // nothing moves: you are out of my operation
    FREE_RETURN,  // load that came over a failed link, back to its sender
    FREE_MARKER,  // of a snapshot
    FREE_ANNOUNCE // where loads are pushed: mine
};

// At most so many messages of one direction of a link are kept, and delayed (post.c shows it).
enum { FREE_SHELF = 8 };

// Messages that a sender keeps because the mailbox is full, or that are not due yet at a receiver. First in, first out.
// The places, FREE_SHELF of them, lie elsewhere: a shelf is mostly empty, and is looked at in every turn.
struct free_shelf {
    uint64_t taken; // so far
    uint8_t first, count;
};

// A port in its owner's own operation.
enum free_part {
    FREE_PART_NONE,
    FREE_PART_ASKED,   // an ASK is out
    FREE_PART_TOLD,    // answered: takes part
    FREE_PART_PULLED,  // a PULL is out
    FREE_PART_SETTLED, // has taken part
    FREE_PART_REFUSED
};

struct free_port {
    struct free_shelf kept;
    uint16_t waiting, room; // what the turn's look has seen, less what was taken and put since (look.c)
    bool inside;            // the other end belongs to the same worker: nothing is looked at beforehand
    uint8_t part;           // enum free_part
    bool rings;             // something was put in this turn, and its owner is to be rung
    bool engaged : 1;       // in the neighbour's operation
    bool marked : 1;        // the snapshot's marker has come
    double told;            // the neighbour's level as last heard, NAN before
    union {
        double asked; // of an own PULL
        double said;  // where loads are pushed: the own level as last announced here, NAN before
    };
    double got; // in this operation
    union {
        uint64_t told_at;  // when this end told the neighbour its load, as a member of the neighbour's operation
        uint64_t heard_at; // where loads are pushed: when the neighbour announced what it told
    };
};

// What lies between the begin of a processor's part in an operation and its end.
struct free_entry {
    uint64_t moment; // of its worker
    double held;     // then
};

// What is counted at a port of its engagements in the neighbour's operations, and of the neighbour's in its own.
struct free_engagement {
    struct free_entry entry; // into the neighbour's operation
    uint32_t told, heard;    // TELLs sent over it, and taken
};

enum free_phase { FREE_PHASE_IDLE, FREE_PHASE_ASKING, FREE_PHASE_SETTLING };

// In cache lines of its own: the neighbours' threads write theirs. (Ports of their own lines were not worth 8 bytes.)
struct free_processor {
    _Alignas(64) double held;
    double moved, generated, consumed, native, minimum;
    double consumed_at_home; // tokens, where they began
    uint64_t wanted_at;      // when it first wanted the operation that it is in or waits for; 0: it wants none
    uint64_t begun_at;
    uint64_t operation;      // ended or given up so far
    uint64_t ticks;          // of the workload
    double level;            // at the operation's start
    struct free_entry entry; // into its own operation
    double asked, got;
    uint64_t members;        // bits by port, as in struct core_operation
    uint32_t waiting;        // answers that are out
    uint32_t engaged;        // neighbours' operations that it is in
    uint32_t cursor;         // neighbour after neighbour: how far
    uint32_t epoch;          // of the last snapshot
    uint32_t markers;        // that are missing in it
    uint32_t promised_to;    // the port of the oldest ticket that was refused
    uint64_t promised_until; // the number of a sweep; 0: nothing is promised
    uint64_t abandoned;      // of its operations: given up
    uint32_t pause;          // turns until it asks again
    uint16_t promised_age;
    uint16_t age;     // times that its operation was refused
    uint8_t phase;    // enum free_phase
    bool second;      // it settles for the second time
    bool withdrawn;   // it gives way to an older ticket
    bool told_by_any; // somebody takes part
    bool outside;     // a port's other end belongs to another worker
};

// What a processor was in a snapshot, and what was under way to it.
struct free_snapshot {
    double held, generated, consumed, moved, stayed;
    double in_flight;
    uint32_t messages; // under way, of any kind
    bool idle;         // in no operation
    bool asks;         // it would invoke, or has
    bool blocked;      // but has nobody to ask
    bool cut_off;      // has no link left
    bool held_back;    // where loads are pushed: would announce or give over a failed link
    bool works;        // work is to come
    uint64_t tried;    // operations ended or given up so far
    uint64_t ended;    // of those, ended
    uint64_t ticks;    // of work so far
};

// What is noted of a direction of a link, where that was asked for.
struct free_link_use {
    uint64_t messages, depth_most;  // written by the receiver
    struct watch_histogram latency; // too
    uint64_t stalls;                // written by the sender
};

// What a worker sees of the world before it goes on through its processors (look.c).
struct free_look {
    uint64_t sweep;        // how many it has made before
    uint64_t now;          // ns since the run's start
    const uint8_t *usable; // by port: the link table; NULL without faults
    uint32_t epoch;        // of the snapshot that has begun last
    uint32_t permits;      // with --operations: those that it may begin until the next look
    bool permits_left;     // and whether there are more
    bool draining;         // no operation begins any more, no work comes
    bool triggered;        // a condition on the whole lets everybody invoke
    bool over;             // the run has ended
};

// The histograms of a group of workers that share a core, in this order; the last two only with delays.
enum {
    FREE_LATENCIES,
    FREE_OPERATION_TIMES,
    FREE_STALE_AGES,
    FREE_ANNOUNCED_AGES,
    FREE_DELAYS_ASKED,
    FREE_DELAYS_REALISED,
    FREE_HISTOGRAMS
};

// How often a value was met that the histogram does not have yet.
struct free_tallied {
    uint64_t value, count;
};

enum { FREE_TALLIED = 8 }; // values at most: some four lie between two sweeps, and a few are left from before

// What a worker has counted, for the report.
struct free_counts {
    uint64_t parcels, engagements, overlaps, longest_wait;
    double asked, got;
    uint32_t overlap_most, depth_most;
    uint64_t depth[EK_DEPTHS];
    uint64_t stalls, refusals, abandoned, stale, empty_turns, sleeps, wakes, returned;
    double load_returned;
    double unmet; // what its processors wanted to consume and did not hold
    double waited_ns[EK_WAITS];
};

// What a worker publishes of its processors' loads: sums of the differences from the first mean and of their squares,
// the least and the largest.
struct free_tally {
    _Atomic double sum, squares, least, most;
};

// Written by its worker alone, but for the last part. What every turn touches comes first, in few cache lines: with
// many threads on a core each turn begins with none of them at hand.
struct free_worker {
    _Alignas(BASE_ARENA_ISOLATION) struct free_run *run;
    unsigned index;      // its own
    uint32_t begin, end; // its processors (free_processor_at)
    struct free_look look;
    uint64_t due;                          // when the earliest of what it waits for comes: a message, a tick
    uint64_t sweep_ns;                     // how long the last sweep took, with what came before it
    bool polls;                            // somebody keeps messages, or pauses: no sleep
    bool permit_used;                      // since the last look
    uint32_t permits_missing;              // how many operations did not begin for want of one, since the last look
    double *announced, *amounts, *arrived; // room for one processor's ports
    struct watch_histogram *histogram;     // [FREE_HISTOGRAMS] of its group
    struct mail_bell *bell;
    struct free_tallied latency[FREE_TALLIED]; // of messages that were taken, by their remainder
    struct ek_step at;
    struct base_random lots; // for perturbations
    struct free_counts counts;
    struct host_counters counters;
    uint64_t swept_ns; // when the last sweep looked around last; 0, the run's start, before the first

    // The attendant reads these while it runs.
    atomic_uint_fast64_t messages, operations, turns, advances;
    atomic_uint_fast64_t sleeps_until; // ns since the run's start; UINT64_MAX: until it is rung
    atomic_uint permits_lacking;       // with --operations: those that it lacked after its last look
    struct free_tally tally;
};

// Read and written by all while the run goes on.
struct free_shared {
    _Alignas(BASE_ARENA_ISOLATION) atomic_uint epoch;    // of the snapshot under way or the last one; the attendant's
    atomic_bool draining;                                // too
    atomic_bool triggered;                               // too: by the last snapshot
    atomic_bool over;                                    // the workers go home
    atomic_bool violated;                                // set by whoever finds a violation first
    struct ek_error violation;                           // and written by it alone
    _Alignas(BASE_ARENA_ISOLATION) atomic_uint complete; // processors whose part of the snapshot is complete
    _Alignas(BASE_ARENA_ISOLATION) atomic_int_fast64_t permits; // operations that may still begin, with --operations
};

struct free_run {
    // Fixed for the run.
    const struct machine_plan *machine;
    const struct ek_topology *topology;
    uint64_t seed;
    struct free_look_source *source; // what the workers' looks see
    bool together;                   // an operation asks all neighbours at once; else one after the other
    bool one_port;
    bool once;        // operations that overlap use a link that they share once
    bool exclusive;   // nor overlap
    bool pushed;      // nobody is asked: loads are announced
    bool perturbed;   // turns are broken off now and then
    bool plain;       // messages go straight through `spsc` mailboxes: none is delayed, counted by link or noted
    uint32_t *order;  // by port: a processor's ports in the order of their colours; NULL where all are asked at once
    uint32_t *owner;  // by processor: its worker; NULL where that is the processor
    uint32_t *placed; // the processors, worker by worker, where these have several spans; NULL: in their own order
    double *target;   // by processor: balanced loads, for --weighting target; else NULL
    struct machine_start start;

    // By processor or port, written by the worker that has it. NULL where it is not needed.
    struct free_processor *processor;
    struct free_port *port;
    struct mail_message *kept;          // by port: FREE_SHELF places each
    struct free_engagement *engagement; // by port
    struct free_shelf *line;            // by port: messages that are not due yet, with delays
    struct mail_message *due;           // by port: its places
    struct free_snapshot *snapshot;
    double *state;             // by processor: plan.state_doubles each
    double *memory;            // by port: plan.port_doubles each
    double *sent;              // by port: load over it from this end
    double *received;          // by port: load that came over it
    struct free_link_use *use; // by port: of what comes over it

    struct free_worker *worker;
    struct mail_bell *bell; // by worker, then the fault thread's. Close together: most are rung on their own core
    struct mail_boxes boxes;
    struct free_links links;      // used with faults only
    struct free_witness *witness; // the first of those that observe the turns; NULL: none
    struct watch_operation_log log;
    struct watch_part_log parts;
    struct free_shared shared;
};

// The processor at a place between a worker's `begin` and `end`.
static inline uint32_t free_processor_at(const struct free_run *run, uint32_t place)
{
    return run->placed ? run->placed[place] : place;
}

// The bell of the worker that has processor p.
static inline struct mail_bell *free_bell(const struct free_run *run, uint32_t p)
{
    return &run->bell[run->owner ? run->owner[p] : p];
}

static inline struct mail_bell *free_fault_bell(const struct free_run *run)
{
    return &run->bell[run->machine->workers];
}

static inline bool free_delays(const struct machine_plan *machine)
{
    return core_links_delay(&machine->links);
}

static inline bool free_faults(const struct machine_plan *machine)
{
    return machine->faults.kind != CORE_FAULTS_NONE;
}

// The histograms of a group.
static inline unsigned free_histograms(const struct machine_plan *machine)
{
    return free_delays(machine) ? FREE_HISTOGRAMS : FREE_DELAYS_ASKED;
}

// A count that one worker writes and the attendant reads while it grows. Relaxed: no data goes with it.
static inline void free_count(atomic_uint_fast64_t *count, uint64_t more)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more, memory_order_relaxed);
}

#endif
