// SPDX-License-Identifier: MIT
// The state of a run in free timing, by who owns it. The files of the room, each of which calls only those before it:
//
//   links.c                which links can be used
//   look.c                 what a worker sees of the world
//   record.c               the same, written down (tape.h)
//   end.c                  how a run ends
//   tally.c                a guess at whether it may
//   post.c, fetch.h        what crosses the links
//   processor.c            what a processor holds, gives and promises
//   operation.c            an operation of a processor's own
//   announce.c             the same where nobody is asked: loads that are pushed
//   snapshot.c             a processor's part in a snapshot of all
//   protocol.c             what a message does
//   worker.c               a worker's turns
//   ranks.c, porter.c, gather.c    other processes that carry processors
//   audit.c, attend.c      what the caller's thread does meanwhile: snapshots, time, the watchdog
//   lane.c                 a worker's turns, one by one
//   helper.c               what a thread beside the workers does: faults
//   dump.c, report.c       what is said of it when it has ended
//   run.c, engine.c        its memory, and the engine as a table
//   inspect.c, image.c     what is held against a run turn by turn; what it is between two turns
//   tables.c, replay.c     the same run again, on one thread
//   overlaps.c             how its operations overlapped, from its turns
//   explorer.c, strategy.c, exhaust.c, explore.c    its schedules, chosen: also on one thread
#ifndef THREADS_FREE_FREE_STATE_H
#define THREADS_FREE_FREE_STATE_H

#include "core/axes/fault.h"
#include "core/theory/rest.h"
#include "threads/free/link_table.h"
#include "threads/drivers/replay/record.h"
#include "threads/ranks/collect.h"
#include "threads/ranks/crossings.h"
#include "threads/machine/loads.h"
#include "threads/machine/machine.h"
#include "threads/api/replay.h"
#include "threads/mail/bell.h"
#include "threads/watch/counters.h"
#include "threads/watch/frames.h"
#include "threads/watch/histogram.h"
#include "threads/watch/no_progress.h"
#include "threads/watch/operation_log.h"
#include "threads/watch/part_log.h"
#include "threads/watch/trace.h"
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
    clockid_t clock;                           // of its processor time
    struct ek_step at;
    struct base_random lots; // for perturbations
    struct free_counts counts;
    struct watch_counters counters;
    uint64_t swept_ns; // when the last sweep looked around last; 0, the run's start, before the first

    // The attendant reads these while it runs.
    atomic_uint_fast64_t messages, operations, turns, advances;
    atomic_uint_fast64_t sleeps_until; // ns since the run's start; UINT64_MAX: until it is rung
    struct free_tally tally;
};

// Read and written by all while the run goes on.
struct free_shared {
    _Alignas(BASE_ARENA_ISOLATION) atomic_uint ready;    // workers that are there
    atomic_bool started;                                 // all are: `began_ns` is set
    uint64_t began_ns;                                   // on the monotonic clock: all times count from here
    _Alignas(BASE_ARENA_ISOLATION) atomic_uint epoch;    // of the snapshot under way or the last one; the attendant's
    atomic_bool draining;                                // too
    atomic_bool triggered;                               // too: by the last snapshot
    atomic_bool over;                                    // the workers go home
    atomic_bool mends;                                   // what is down will come back; the helper's
    atomic_bool violated;                                // set by whoever finds a violation first
    struct ek_error violation;                           // and written by it alone
    _Atomic double variance;                             // of the last snapshot, for progress
    _Alignas(BASE_ARENA_ISOLATION) atomic_uint complete; // processors whose part of the snapshot is complete
    _Alignas(BASE_ARENA_ISOLATION) atomic_int_fast64_t permits; // operations that may still begin, with --operations
    atomic_uint permits_wanted;                                 // with ranks: those that the worker here lacks
};

// What is left on its way to a port when all have ended.
struct free_left {
    double load; // that was sent to it; what comes back over a failed link counts the other way
    uint64_t messages;
};

// The attendant's own, which is the caller's thread.
struct free_attendant {
    enum ek_ended ended;
    bool stopping; // a reason to end is known
    uint64_t ended_ns;
    bool *slept; // by worker: whether it slept when the run ended

    bool auditing;
    bool mending; // repairs were to come when the snapshot began
    uint64_t audit_began_ns, audit_next_ns, audits;
    uint64_t audit_rested_ns;                     // when a promise may begin the next one early
    uint64_t missed_ns, reached_ns;               // when the last snapshot began in which the criterion did not hold,
    uint64_t reached_operations;                  // and the first of those since, and the operations until then
    bool reached;                                 // there is such a one
    uint64_t audits_before_end, audited_until_ns; // those that came at their interval, and when the last of them began
    uint32_t drained_epoch;           // snapshots from this one on began when no operation could begin any more
    double moved_before, fingerprint; // at the last snapshot that was different
    struct watch_no_progress no_progress;
    uint64_t *tried; // by processor: operations when something changed last
    double *held;    // by processor, of the last snapshot
    struct watch_trace trace;
    struct watch_window window;
    struct watch_frames frames;

    // The watchdog's: when something last went on, and what was seen then.
    uint64_t progress_worked_ns; // all threads' processor time then
    uint64_t watched_ns, progress_ns, advances_seen, audits_seen;
    uint64_t *turns_seen; // by worker
    bool nobody_waits;    // in the last snapshot, in an operation or for one

    struct free_left *left; // by port
};

// The helper's own, with faults.
struct free_helper {
    struct core_fault_source faults;
    struct core_fault next;
    bool waits; // there is a next one
    uint64_t link_failures, processor_failures, repairs;
    uint64_t lag_ns; // most that one of them came late
    struct mail_bell bell;
};

// Who looks on at what happens in a turn, where somebody makes the turns one by one.
struct free_witness {
    // A message is sent or taken over this port of the processor whose turn it is.
    void (*message)(struct free_run *run, enum ek_event_kind kind, uint32_t port, const struct mail_message *message);

    // Something else.
    void (*event)(struct free_run *run, const struct ek_event *event);
};

// Other processes that carry blocks of processors, and this one's porter (ranks.h).
struct free_ranks {
    const struct ek_ranks *link; // NULL: there are none
    struct rank_crossings crossings;
    struct rank_collector collector;
    struct free_told *told;      // by rank: at the last meeting
    struct free_last *last;      // by rank: when the workers had ended
    uint32_t *room, *given;      // by crossing: the messages that may be sent over it, and that may come
    double *lengths;             // of the packs: to each peer, then from each
    struct ek_rank_peer *parcel; // room for these as peers
    double *out, *in;            // the packs
    size_t *from;                // room for where each rank's part of a list begins
    uint64_t crossed;            // messages that were taken at the last meeting
    uint32_t brought;            // epoch of the last snapshot that was brought together
    bool lacks;                  // this one lacked operations when they met last,
    int64_t lacking;             // so many but the first did,
    int64_t lacking_before;      // and so many of those are before this one
    unsigned idle;               // meetings since something has crossed
    uint64_t left_ns;            // when the first rank's porter left the meetings for a moment
    bool leaves;                 // it does now, and all with it
    bool moves;                  // something has
    bool whole;                  // the snapshot is complete on all ranks
    bool mends, interrupted;     // on some rank
    bool over;                   // all know that it is
    bool lost;                   // a rank does not answer
};

struct free_run {
    // Fixed for the run.
    const struct ek_machine *machine;
    const struct ek_topology *topology;
    uint64_t seed;
    unsigned long interrupts_before; // of the machine
    const struct free_world *world;  // where the looks come from
    bool together;                   // an operation asks all neighbours at once; else one after the other
    bool one_port;
    bool once;        // operations that overlap use a link that they share once
    bool exclusive;   // nor overlap
    bool pushed;      // nobody is asked: loads are announced
    bool perturbed;   // turns are broken off now and then
    bool plain;       // messages go straight through `spsc` mailboxes: none is delayed, counted by link or noted
    bool crowded;     // more workers than cores: a turn is followed by a yield
    unsigned groups;  // of workers that share a core
    uint32_t *order;  // by port: a processor's ports in the order of their colours; NULL where all are asked at once
    uint32_t *owner;  // by processor: its worker; NULL where that is the processor
    uint32_t *placed; // the processors, worker by worker, with ranks that have several spans; NULL: in their own order
    struct core_rest rest; // no room in it: rest does not show in the loads alone
    double *target;        // by processor: balanced loads, for --weighting target; else NULL
    double *initial;       // by processor; NULL unless asked for
    struct machine_start start;
    struct base_arena plan;

    // By processor or port, written by the worker that has it. NULL where it is not needed.
    struct free_processor *processor;
    struct free_port *port;
    struct mail_message *kept;          // by port: FREE_SHELF places each
    struct free_engagement *engagement; // by port
    struct free_shelf *line;            // by port: messages that are not due yet, with delays
    struct mail_message *due;           // by port: its places
    struct free_snapshot *snapshot;
    double *state;                      // by processor: plan.state_doubles each
    double *memory;                     // by port: plan.port_doubles each
    double *sent;                       // by port: load over it from this end
    double *received;                   // by port: load that came over it
    struct free_link_use *use;          // by port: of what comes over it
    struct ek_link_report *link_report; // by port: what becomes of that
    double *room;                       // the workers' announced, amounts and arrived

    struct free_worker *worker;
    struct mail_bell *bell; // by worker. Close together: most are rung by workers of their own core
    struct mail_boxes boxes;
    struct free_links links;       // used with faults only
    struct free_recorder recorder; // used where the run is recorded only
    void *director; // who makes the turns one by one: a replay, an explorer; NULL: the threads themselves
    const struct free_witness *witness; // its; NULL: nothing is noted
    struct watch_operation_log log;
    struct watch_part_log parts;
    struct watch_histogram *histograms; // by group, then as named above
    struct free_shared shared;
    struct free_attendant attendant;
    struct free_helper helper;
    struct free_ranks ranks;
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

static inline bool free_delays(const struct ek_machine *machine)
{
    return core_links_delay(&machine->links);
}

static inline bool free_faults(const struct ek_machine *machine)
{
    return machine->faults.kind != CORE_FAULTS_NONE;
}

// The histograms of a group.
static inline unsigned free_histograms(const struct ek_machine *machine)
{
    return free_delays(machine) ? FREE_HISTOGRAMS : FREE_DELAYS_ASKED;
}

// A count that one worker writes and the attendant reads while it grows. Relaxed: no data goes with it.
static inline void free_count(atomic_uint_fast64_t *count, uint64_t more)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more, memory_order_relaxed);
}

#endif
