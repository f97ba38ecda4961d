// SPDX-License-Identifier: MIT
// The state of a run in free timing, as its files share it: worker.c (a worker's turns), post.c (what crosses the
// links), protocol.c and operation.c (operations), snapshot.c (snapshots: the ledger, the stop criteria,
// termination), attend.c (what the caller's thread does meanwhile) and run.c (a run's memory), report.c
// and dump.c.
#ifndef ASYNC_STATE_H
#define ASYNC_STATE_H

#include "core/fault.h"
#include "threads/mail/bell.h"
#include "threads/watch/counters.h"
#include "threads/async/async.h"
#include "threads/watch/histogram.h"
#include "threads/async/links.h"
#include "threads/machine.h"
#include "threads/watch/operation_log.h"
#include "threads/watch/trace.h"
#include "topologies/random.h"

// What a message is, in the low bits of its stamp.
enum async_kind {
    ASYNC_ASK = 1, // take part in my operation? carries the own load, and the ticket's age
    ASYNC_TELL,    // yes: my load
    ASYNC_REFUSE,  // no; or, to a PULL, not any more
    ASYNC_GIVE,    // load. Flagged: in answer to a PULL
    ASYNC_PULL,    // give me so much
    ASYNC_RELEASE, // nothing moves: you are out of my operation
    ASYNC_LOOK,    // a measured operation: what do you hold now?
    ASYNC_SEEN,    // this much. Flagged, as a TELL: I was in another operation meanwhile
    ASYNC_RETURN,  // load that came over a failed link, back to its sender
    ASYNC_MARKER   // of a snapshot
};

// At most so many messages of one direction of a link are under way (post.c shows that it is 7).
enum { ASYNC_SHELF = 8 };

// Messages that a sender keeps because the mailbox is full, or that are not due yet at a receiver. First in, first out.
// The places, ASYNC_SHELF of them, lie elsewhere: a shelf is mostly empty, and is looked at in every turn.
struct async_shelf {
    uint64_t taken; // so far
    uint8_t first, count;
};

// A port in its owner's own operation.
enum async_part {
    ASYNC_PART_NONE,
    ASYNC_PART_ASKED,   // an ASK is out
    ASYNC_PART_TOLD,    // answered: takes part
    ASYNC_PART_PULLED,  // a PULL is out
    ASYNC_PART_LOOKED,  // a LOOK is out
    ASYNC_PART_SETTLED, // has taken part
    ASYNC_PART_REFUSED
};

struct async_port {
    struct async_shelf kept;
    double told;      // the neighbour's level as last heard, NAN before
    double asked;     // of an own PULL
    double got;       // in this operation
    uint64_t told_at; // when this end told the neighbour its load, as a member of the neighbour's operation
    uint32_t entries; // the owner's, then
    uint8_t part;     // enum async_part
    bool engaged;     // in the neighbour's operation
    bool met;         // that overlapped with another
    bool marked;      // the snapshot's marker has come
};

enum async_phase { ASYNC_PHASE_IDLE, ASYNC_PHASE_ASKING, ASYNC_PHASE_SETTLING };

struct async_processor {
    double held;
    double moved, generated, consumed, native, minimum;
    uint64_t wanted_at; // when it first wanted the operation that it is in or waits for; 0: it wants none
    uint64_t begun_at;
    uint64_t operation; // ended or given up so far
    uint64_t ticks;     // of the workload
    double level;       // at the operation's start
    double before;      // sum over the domain of (level - mean)^2, where it is measured
    double after;
    double asked, got;
    uint64_t members; // bits by port, as in struct core_operation
    uint32_t waiting; // answers that are out
    uint32_t engaged; // neighbours' operations that it is in
    uint32_t entries; // operations entered so far, neighbours' and its own
    uint32_t entries_begun;
    uint32_t cursor;         // neighbour after neighbour: how far
    uint32_t epoch;          // of the last snapshot
    uint32_t markers;        // that are missing in it
    uint32_t promised_to;    // the port of the oldest ticket that was refused
    uint64_t promised_until; // sweeps; 0: nothing is promised
    uint32_t pause;          // turns until it asks again
    uint16_t promised_age;
    uint16_t age;   // times that its operation was refused
    uint8_t phase;  // enum async_phase
    bool second;    // it settles for the second time
    bool withdrawn; // it gives way to an older ticket
    bool measured;
    bool overlapped;
    bool told_by_any; // somebody takes part
};

// What a processor was in a snapshot, and what was under way to it.
struct async_snapshot {
    double held, generated, consumed, moved;
    double in_flight;
    uint32_t messages; // under way, of any kind
    bool idle;         // in no operation
    bool asks;         // it would invoke
    bool blocked;      // but has nobody to ask
    bool cut_off;      // has no link left
    uint64_t tried;    // operations begun so far
    bool goes_on;      // work is to come, or a lot may make it invoke
};

// What is noted of a direction of a link, where that was asked for.
struct async_link_use {
    uint64_t messages, depth_most;  // written by the receiver
    struct watch_histogram latency; // too
    uint64_t stalls;                // written by the sender
};

// Written by its worker alone. The counts that the attendant reads while it runs are atomic, for that. What every turn
// touches comes first, in few cache lines: with many threads on a core each turn begins with none of them at hand.
struct async_worker {
    _Alignas(128) struct async_run *run;
    uint32_t begin, end; // its processors
    uint64_t now;        // ns since the run's start, as of a moment ago
    uint64_t due;        // when the earliest of what it waits for comes: a message, a tick
    uint64_t sweep_ns;   // how long the last sweep took, with what followed it
    uint64_t sweeps;
    const uint8_t *usable;                 // by port: the link table of this sweep; NULL without faults
    bool polls;                            // somebody keeps messages, or pauses: no sleep
    double *announced, *amounts, *arrived; // room for one processor's ports
    struct watch_histogram *latency, *operation_time;
    atomic_uint_fast64_t messages, operations, turns, advances;
    uint64_t parcels, engagements, overlaps, longest_wait;
    double asked, got;
    uint32_t overlap_most, depth_most;
    struct mail_bell *bell;
    uint64_t depth[EK_DEPTHS];
    struct ek_step at;
    struct watch_counters counters;

    struct topo_random lots; // for perturbations
    uint64_t turns_seen;     // the watchdog's: when something last went on
    bool slept;              // the attendant's: when the run ended
    uint64_t stalls, refusals, abandoned, stale, empty_turns, sleeps, wakes, returned;
    double load_returned;
    double waited[EK_WAITS]; // ns
    struct {
        uint64_t count;
        double before, after, square; // sums, square of `after`
    } effect[2];                      // alone, overlapped
    struct watch_histogram *stale_age;
    struct watch_histogram *delay_asked, *delay_realised; // NULL without delays
};

struct async_run {
    struct ek_machine *machine;
    const struct ek_topology *topology;
    uint64_t seed;
    bool together; // an operation asks all neighbours at once; else one after the other
    bool exclusive;
    bool one_port;
    bool weighted; // levels are not loads
    bool crowded;  // more workers than cores: a turn is followed by a yield
    double mean;   // of the loads at the start
    double total_initial, variance_initial;
    double *target;             // by processor: balanced loads, for --weighting target; else NULL
    double *initial;            // by processor; NULL unless asked for
    double *state;              // by processor: plan.state_words each
    double *memory;             // by port: plan.port_words each
    double *sent;               // by port: load over it from this end; NULL without flows
    double *received;           // by port: load that came over it; NULL without flows
    struct async_link_use *use; // by port: of what comes over it; NULL unless asked for
    uint32_t *order; // by port: a processor's ports in the order of their colours; NULL where all are asked at once
    uint32_t *owner; // by processor: its worker; NULL where that is the processor
    struct mail_bell *bell; // by worker. Close together: most are rung by workers of their own core
    struct async_processor *processor;
    struct async_port *port;
    struct mail_message *kept; // by port: ASYNC_SHELF places each
    struct async_shelf *line;  // by port: messages that are not due yet; NULL without delays
    struct mail_message *due;  // by port: its places
    struct async_snapshot *snapshot;
    struct mail_boxes boxes;
    struct async_link_table *links; // NULL without faults
    struct watch_operation_log *log;
    struct watch_histogram *histograms; // by group of workers that share a core
    unsigned groups;
    struct async_worker *worker;
    uint64_t began; // on the monotonic clock, ns: all times count from here
    uint64_t ended; // the attendant's

    _Alignas(128) atomic_uint ready; // workers that are there
    atomic_bool started;             // all are: `began` is set
    _Alignas(128) atomic_uint epoch; // of the snapshot under way or the last one; raised by the attendant
    atomic_bool draining;            // no operation begins any more, no work comes
    atomic_bool over;                // the workers go home
    atomic_bool violated;            // set by whoever finds a violation first
    struct ek_error violation;
    _Alignas(128) atomic_uint complete;        // processors whose part of the snapshot is complete
    _Alignas(128) atomic_int_fast64_t permits; // operations that may still begin, with --operations

    // The attendant's own.
    struct core_fault_source *faults;
    struct core_fault fault; // the next one
    bool fault_waits;
    bool mending; // repairs were to come when the snapshot began
    uint64_t link_failures, processor_failures, repairs;
    bool auditing;
    uint64_t audit_began, audit_next, audits;
    uint64_t audits_before_end, audited_until; // those that came at their interval, and when the last of them began
    bool stopping;                             // a reason to end is known
    enum ek_reason reason;
    uint32_t drained_epoch;           // snapshots from this one on began when no operation could begin any more
    double moved_before, fingerprint; // at the last snapshot that was different
    double distance_least, distance_before;
    uint64_t operations_doubled;
    uint64_t watched_at, progress_at, advances_seen, audits_seen; // the watchdog's: when something last went on
    bool nobody_waits;                                            // in the last snapshot, in an operation or for one
    double *held;                                                 // by processor, of the last snapshot
    uint64_t *tried;         // by processor: operations when something changed last
    double *left_load;       // by port: load that was still under way over it when all had ended
    uint32_t *left;          // by port: messages that lay in the mailbox when all had ended
    _Atomic double variance; // of the last snapshot, for progress
    struct watch_trace trace;
};

// The bell of the worker that has processor p.
static inline struct mail_bell *async_bell(const struct async_run *run, uint32_t p)
{
    return &run->bell[run->owner ? run->owner[p] : p];
}

// The histograms of a group of workers, in this order; the last two only with delays.
enum {
    ASYNC_LATENCIES,
    ASYNC_OPERATION_TIMES,
    ASYNC_STALE_AGES,
    ASYNC_DELAYS_ASKED,
    ASYNC_DELAYS_REALISED,
    ASYNC_HISTOGRAMS
};

static inline bool async_delays(const struct ek_machine *machine)
{
    return machine->delay.kind != CORE_DELAY_NONE;
}

static inline unsigned async_histograms(const struct ek_machine *machine)
{
    return async_delays(machine) ? ASYNC_HISTOGRAMS : ASYNC_DELAYS_ASKED;
}

// Notes a violation; the run ends at once. The first one is reported.
void async_violate(struct async_run *run, const struct ek_error *violation);

// post.c. Sends over the port; puts what is kept; takes the next message that is due. `flag` is the stamp's.
void async_post(struct async_worker *worker, uint32_t port, enum async_kind kind, double amount, unsigned flag);
bool async_post_kept(struct async_worker *worker, uint32_t port);
bool async_fetch(struct async_worker *worker, uint32_t port, struct mail_message *message);
unsigned async_message_flag(const struct mail_message *message);
enum async_kind async_message_kind(const struct mail_message *message);
uint64_t async_message_time(const struct mail_message *message);
bool async_message_carries(const struct mail_message *message); // load
void async_perturb(struct async_worker *worker);

// protocol.c and operation.c. Answers or follows a message; begins an operation of p where it wants one.
// Whether anything was done.
void async_operation_take(struct async_worker *worker, uint32_t p, uint32_t port, const struct mail_message *message);
bool async_operation_begin(struct async_worker *worker, uint32_t p);
enum ek_waiting async_operation_waits(const struct async_run *run, uint32_t p); // for what
bool async_operation_wanted(struct async_worker *worker, uint32_t p);           // by its load
bool async_operation_possible(struct async_worker *worker, uint32_t p);         // a link is left
bool async_operation_blocked(struct async_worker *worker, uint32_t p);          // nobody whom it would ask can be asked

// snapshot.c. The processors' side: records p where a snapshot has begun; notes what was under way; takes a marker.
bool async_snapshot_record(struct async_worker *worker, uint32_t p, uint32_t epoch);
void async_snapshot_note(struct async_run *run, uint32_t p, uint32_t port, const struct mail_message *message);
void async_snapshot_mark(struct async_worker *worker, uint32_t p, uint32_t port, const struct mail_message *message);
// The attendant's: begins a snapshot when it is time, looks at a complete one.
void async_snapshot_attend(struct async_run *run, uint64_t now);
bool async_ledger(struct async_run *run, double held, double in_flight, double generated, double consumed,
                  double moved);

// What every processor does and waits for, when all workers have ended, as text for a person; NULL without memory.
char *async_dump(const struct async_run *run);

// attend.c
uint64_t async_now(const struct async_run *run);
uint64_t async_operations(const struct async_run *run); // so far
void async_ring_all(struct async_run *run);
void async_stop(struct async_run *run, enum ek_reason reason); // drains, then ends
void async_end(struct async_run *run, enum ek_reason reason);  // ends

#endif
