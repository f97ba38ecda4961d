// SPDX-License-Identifier: MIT
// The state of a run in free timing.
//
// Purpose. In free timing there is no barrier: each processor takes *turns* at its own pace. In a turn it receives the
// messages on its ports and acts on them, executes its workload, and begins an operation if its load calls for one.
//
// Terms. A *worker* makes the turns of a fixed set of processors, one after the other; one *pass* is a turn of each. A
// *driver* (threads/drivers/) decides which worker makes the next turn and what that turn observes of the other
// workers: threads that race, a recording, an explorer of schedules. A *look* is what a worker or a turn observes
// (look.h). The *invoker* of an operation is the processor that began it; a *member* is a neighbour that takes part in
// it, and is *engaged* in it until the invoker releases it. The *ticket* of an operation is its age (how often it was
// refused or postponed) and its invoker's number; of two tickets the greater age is the older one, then the lower
// number.
//
// Files, each of which calls only those above it:
//
//   link_table              which links can be used
//   look, witness           what a turn observes, and observers of turns
//   finish                  the end of a run, for all threads
//   load_sums               sums of the loads, to guess whether the stop criterion holds
//   post, fetch             messages, sent and received
//   processor               what a processor holds and gives
//   detect                  whether tasks are left
//   operation, pushed       operations on requested loads, and on announced loads
//   free_letters            letters of methods that place tasks
//   snapshot                a processor's part in a snapshot
//   protocol                what a message does
//   turn                    turns and passes
//   control/                memory, snapshots, stop criteria, faults, reports
//
// Ownership. Only its worker writes a struct free_processor, the ports of this processor and its other data. Only the
// worker itself writes its struct free_worker. The attendant reads the counts at the end of that struct. Messages are
// the only data that pass from one worker to another. Everything else that threads share is in struct free_shared.
#ifndef THREADS_FREE_FREE_STATE_H
#define THREADS_FREE_FREE_STATE_H

#include "base/random_stream.h"
#include "core/axes/fault.h"
#include "core/measure.h"
#include "threads/api/measures.h"
#include "threads/cargo/objects_under_way.h"
#include "threads/cargo/picture.h"
#include "threads/cargo/letters.h"
#include "threads/free/link_table.h"
#include "threads/machine/block.h"
#include "threads/machine/loads.h"
#include "threads/machine/plan.h"
#include "threads/mail/bell.h"
#include "threads/host/counters.h"
#include "threads/watch/histogram.h"
#include "threads/watch/operation_log.h"
#include "threads/watch/part_log.h"

// The kinds of messages (protocol.c, pushed.c, snapshot.h).
enum free_kind {
    FREE_ASK = 1,  // invoker to neighbour: take part; carries the invoker's level and the age of its ticket
    FREE_TELL,     // member to invoker: it takes part; carries the member's level
    FREE_REFUSE,   // to an ASK: the neighbour does not take part; to a PULL: it can no longer give
    FREE_GIVE,     // carries load; flagged if it answers a PULL
    FREE_PULL,     // invoker to member: give at most this load
    FREE_RELEASE,  // invoker to member: nothing moves, the member is released
    FREE_RETURN,   // carries load that came over a failed link back to its sender
    FREE_MARKER,   // of a snapshot
    FREE_ANNOUNCE, // with pushed announcements: carries the sender's level
    FREE_PROBE,    // of a detection (detect.h): to the next processors
    FREE_TALLY,    // of a detection: the answer to a PROBE
    FREE_LETTERS   // brings letters (threads/cargo/letters.h); carries the number of their tasks
};

// The most messages of one direction of a link that are kept by the sender, or delayed at the receiver (post.c).
enum { FREE_SHELF = 8 };

// A *shelf* is a first-in, first-out list of messages: those that a sender keeps because the mailbox is full, or those
// that are not due yet at a receiver. The FREE_SHELF places of a shelf are in another array, since a shelf is mostly
// empty and every turn reads its count.
struct free_shelf {
    uint8_t first, count;
};

// With delays: the messages that are not due yet at a receiver.
struct free_delayed {
    uint64_t taken; // messages that were taken so far
    struct free_shelf shelf;
};

// The state of the neighbour at a port in the operation of the port's owner.
enum free_member {
    FREE_MEMBER_NONE,
    FREE_MEMBER_ASKED,   // an ASK is not answered yet
    FREE_MEMBER_JOINED,  // it takes part
    FREE_MEMBER_PULLED,  // a PULL is not answered yet
    FREE_MEMBER_SETTLED, // it has taken part, and what moves has moved
    FREE_MEMBER_REFUSED
};

struct free_port {
    uint16_t waiting, room; // the port's look: messages to receive and free places, less those used since (look.h). In
                            // virtual time `room` is the number of messages that this turn has put on the wire
    struct free_shelf kept;
    uint8_t member;         // enum free_member
    bool local : 1;         // the other end belongs to the same worker: the port needs no look
    bool rings : 1;         // a message was put in this turn; its receiver's worker is rung at the end of the turn
    bool engaged : 1;       // the owner is a member of the neighbour's operation
    bool marked : 1;        // the marker of the current snapshot has come
    bool gives : 1;         // as a member, the owner has answered a PULL
    double neighbour_level; // as received last; NAN before
    union {
        double asked;     // load requested by a PULL, while it is not answered
        double got;       // load received in this operation
        double announced; // with pushed announcements: the owner's level as announced here last; NAN before
    };
    union {
        uint64_t answered_at;  // ns: when the owner last sent its level as a member of the neighbour's operation
        uint64_t announced_at; // ns, with pushed announcements: when the neighbour sent its last announcement
    };
};

// The begin of a processor's part in an operation.
struct free_part_begin {
    uint64_t moment; // of its worker (part_log.h)
    double held;
};

// A port's part in the neighbour's operations, and the count of engagements that both ends keep (part_log.h).
struct free_engagement {
    struct free_part_begin entry;
    uint32_t answers_sent, answers_received; // TELLs
};

// A processor's own operation, kept for the logs.
struct free_own_part {
    struct free_part_begin entry;
    uint64_t members; // a bit for each port, as in struct core_operation
};

// The state of a processor that is in one operation at a time: with one port or exclusive domains.
struct free_alone {
    double level;            // at its own operation's start
    uint64_t reserved_until; // it is reserved for a ticket until the pass of this number; 0: not reserved
    uint32_t reserved_port;  // the port over which the oldest refused ticket came
    uint16_t reserved_age;   // of that ticket
};

enum free_phase { FREE_PHASE_IDLE, FREE_PHASE_ASKING, FREE_PHASE_SETTLING };

// Aligned to cache lines: other threads write the neighbours.
struct free_processor {
    _Alignas(64) double held;
    double moved, generated, consumed, native;
    uint64_t wanted_at; // ns + 1: when it first wanted its current or next operation; 0: it wants none
    uint64_t begun_at;  // ns: when its operation began
    uint64_t operation; // number of its next or current operation: those ended or abandoned so far
    uint64_t abandoned; // operations in which no neighbour took part
    uint64_t ticks;     // of the workload
    double asked, got;  // load requested in its operation, and received; answered requests only
    uint32_t waiting;   // answers that have not come yet
    uint32_t engaged;   // operations of neighbours in which it is a member
    uint32_t cursor;    // if it asks one neighbour at a time: how many it has passed
    uint32_t epoch;     // of the last snapshot in which it was recorded
    uint32_t markers;   // markers that are missing in that snapshot
    uint32_t pause;     // turns until it may begin an operation
    uint16_t age;       // of its own ticket
    uint8_t phase;      // enum free_phase, of its own operation
    bool second;        // its method settles for the second time
    bool withdrawn;     // its operation gives way to an older ticket
    bool any_joined;    // some neighbour has joined its operation
    bool has_remote;    // the other end of some port belongs to another worker
};

// A processor's part of a snapshot.
struct free_snapshot {
    double held, generated, consumed, moved, stayed;
    double in_flight;                 // load under way to it, and in its letters that have not left yet
    uint32_t messages;                // under way to it, of any kind; and the ports over which letters are to leave
    bool idle;                        // it is in no operation
    bool asks;                        // it is in its own operation, or would begin one
    bool recurs;                      // it may begin an operation later, by a draw or a clock
    bool blocked;                     // no neighbour that it would ask can be asked
    bool cut_off;                     // no link of it can be used
    bool held_back;                   // with pushed announcements: it would announce or give over a failed link
    bool works;                       // its workload has ticks to come
    uint64_t tried;                   // operations ended or abandoned so far,
    uint64_t tries;                   // and since a survey showed a change (survey.h)
    uint64_t ended;                   // operations ended so far
    uint64_t ticks;                   // of work so far
    struct cargo_objects_sum objects; // that it holds, and that are under way to it
    uint64_t lightest;                // the weight of its lightest object, in units
};

// Counts for each direction of a link, if the experiment keeps them.
struct free_link_use {
    uint64_t messages, depth_most;  // written by the receiver
    struct watch_histogram latency; // written by the receiver
    uint64_t stalls;                // written by the sender
};

// A worker's look around (look.h).
struct free_look {
    uint64_t pass;         // passes that it has completed
    uint64_t now;          // ns since the run's start
    const uint8_t *usable; // by port: the link table; NULL without faults
    uint32_t epoch;        // of the snapshot that began last
    uint32_t permits;      // with --operations: operations that it may begin until the next look
    bool permits_left;     // with --operations: some are left for further looks
    bool draining;         // no operation begins any more, and no work comes
    bool triggered;        // a condition on all loads lets every processor invoke
    bool over;             // the run has ended
};

// The histograms of a group of workers that share a core. The last two are kept only with delays.
enum {
    FREE_LATENCIES,
    FREE_OPERATION_TIMES,
    FREE_STALE_AGES,
    FREE_ANNOUNCED_AGES,
    FREE_DELAYS_ASKED,
    FREE_DELAYS_REALISED,
    FREE_HISTOGRAMS
};

// A value, and how often it was met since the histogram was last updated.
struct free_latency_count {
    int64_t value; // ns; negative counts as 0
    uint64_t count;
};

enum { FREE_LATENCY_COUNTS = 32 }; // a stretch meets about five different latencies, and few of them share a place

// Sums of load for the report.
enum free_sum {
    FREE_SUM_ASKED,    // requested from neighbours
    FREE_SUM_GOT,      // received for these requests
    FREE_SUM_UNMET,    // that processors wanted to consume and did not hold
    FREE_SUM_RETURNED, // returned over failed links
    FREE_SUMS
};

// A worker's counts for the report.
struct free_counts {
    uint64_t parcels, engagements, overlaps, longest_wait;
    double sum[FREE_SUMS], lost[FREE_SUMS]; // the sums, and their rounding errors
    uint32_t overlap_most, depth_most;
    uint64_t depth[EK_DEPTHS];
    double minimum;  // the least load that one of its processors has held
    uint64_t probes; // messages of the detection
    uint64_t stalls, refusals, abandoned, stale, empty_turns, sleeps, wakes, returned;
    double waited_ns[EK_WAITS];
};

// Sums over a worker's processors: the differences between loads and the initial mean, their squares, the least and the
// largest load. The worker publishes them; the attendant reads them.
struct free_sums {
    _Atomic double sum, squares, least, most;
};

// The fields of every turn come first, in few cache lines: with many threads on a core, each turn begins with a cold
// cache.
struct free_worker {
    _Alignas(BASE_ARENA_ISOLATION) struct free_run *run;
    unsigned index;
    uint32_t begin, end; // its processors' places (free_processor_at)
    struct free_look look;
    uint64_t due;                          // ns: time of the earliest event that needs a turn (a message, a tick)
    uint64_t pass_ns;                      // duration of the last pass and of the time before it
    bool stays_awake;                      // it must not sleep: a message is kept, or a processor pauses
    bool permit_used;                      // since the last look
    uint64_t worked;                       // the cost of the tasks that the turn has executed
    uint32_t permits_missing;              // operations that did not begin since the last look, for want of a permit
    double *announced, *amounts, *arrived; // arguments of the method: room for the ports of one processor
    struct watch_histogram *histogram;     // [FREE_HISTOGRAMS] of its group
    struct mail_bell *bell;
    struct free_latency_count latency[FREE_LATENCY_COUNTS]; // of received messages, by latency modulo their number
    struct ek_step at;
    struct base_random random; // for perturbations
    struct free_counts counts;
    struct host_counters counters;
    uint64_t passed_ns; // time of the previous pass's last look; 0, the run's start, in the first pass

    // The attendant reads these while the worker runs.
    atomic_uint_fast64_t messages, operations, turns, advances;
    atomic_uint_fast64_t sleeps_until; // ns since the run's start; UINT64_MAX: until it is rung
    atomic_uint permits_lacking;       // with --operations: permits that it lacked after its last look
    struct free_sums sums;
};

// State that all threads read and write while the run goes on.
struct free_shared {
    _Alignas(BASE_ARENA_ISOLATION) atomic_uint epoch;    // of the current or last snapshot; the attendant writes it
    atomic_bool draining;                                // the attendant writes it
    atomic_bool triggered;                               // the attendant writes it, at each snapshot
    atomic_bool over;                                    // every worker ends after its next look
    atomic_bool detected;                                // no task is left. The detector writes it, and before it
    uint64_t detected_ns;                                // the time
    atomic_bool violated;                                // a violation was found
    atomic_bool violating;                               // a thread writes the violation
    bool violation_stays;                                // virtual time: between windows
    struct ek_error violation;                           // written by the thread that holds `violating`
    _Alignas(BASE_ARENA_ISOLATION) atomic_uint complete; // processors whose part of the snapshot is complete
    _Alignas(BASE_ARENA_ISOLATION) atomic_int_fast64_t permits; // with --operations: how many may still begin
};

// How much the functions that send and receive have to ask. Each path but the last has code of its own.
enum free_path {
    FREE_PATH_PLAIN, // what FREE_PATH_MAIL says, and operations need nothing but amounts of load that overlap freely
                     // over links that carry everything and do not fail (free_run.c)
    FREE_PATH_MAIL,  // messages need nothing but `spsc` mailboxes: no delays, no counts by link, no witness
    FREE_PATH_WIRED, // they need nothing but wires
    FREE_PATH_ANY
};

// Begins a function with a path. It is compiled for each path that its callers name.
#define FREE_BY_PATH inline __attribute__((always_inline))

// Returns whether something is needed that the plain path leaves out. There the answer is known to the compiler, which
// leaves out the code too.
static inline bool free_beyond(enum free_path path, bool needed)
{
    return path != FREE_PATH_PLAIN && needed;
}

// Virtual time: the messages on the way to a port. Mostly there is one at most, so the first one lies here. `second`
// and `last` belong to the wires.
struct free_arrival {
    uint64_t at; // ns, when the first one arrives; UINT64_MAX if there is none
    struct mail_message first;
    uint32_t second, last;
};

// How messages travel in virtual time, instead of through mailboxes. The caller is the worker whose turn it is.
struct free_wires {
    // Puts a message on the wire behind the port. Returns false if too many messages wait for this wire.
    bool (*put)(struct free_worker *worker, uint32_t port, struct mail_message message);

    // Removes the first message on the way to the port, which has arrived.
    void (*take)(struct free_worker *worker, uint32_t port);

    // Calls `visit` for each message on the way to the port, in the order of their arrival. No worker may run.
    void (*each)(const struct free_run *run, uint32_t port,
                 void (*visit)(void *context, const struct mail_message *message), void *context);
};

struct free_run {
    // Fixed for the run.
    const struct machine_plan *machine;
    const struct ek_topology *topology;
    uint64_t seed;
    struct free_look_source *source; // what looks observe
    const struct free_wires *wires;  // virtual time; else NULL
    struct free_arrival *arrival;    // virtual time, by port: the messages on the way to it
    bool together;                   // an operation asks all neighbours at once; else one after the other
    bool one_port;
    bool link_once; // --domains once: a link serves one of two overlapping operations
    bool exclusive; // --domains exclusive: operations do not overlap
    bool pushed;    // loads are announced, not requested
    bool perturbed; // turns yield their core now and then
    enum free_path path;
    uint32_t *order;  // by port: a processor's ports by ascending colour; NULL if all neighbours are asked at once
    uint32_t *owner;  // by processor: its worker; NULL if worker p has processor p
    uint32_t *placed; // by place: the processor there; NULL if place p is processor p
    double *target;   // by processor: balanced loads, for --weighting target; else NULL
    struct machine_start start;

    // By processor or port. An array that this run does not need is NULL. Those that only the owners of the processors
    // use exist for this process's block only.
    struct machine_block block;
    bool by_block; // this rank has the loads of its own processors only, and measures these
    struct free_processor *processor;
    struct free_alone *alone;       // by processor; with one port or exclusive domains
    struct free_own_part *own_part; // by processor; if operations or parts are logged, or witnessed
    double *consumed_at_home;       // by processor: tokens consumed where they began; if work consumes tokens
    struct free_port *port;
    struct mail_message *kept_message;    // by port: the FREE_SHELF places of `kept`
    struct free_engagement *engagement;   // by port; NULL in virtual time if no parts are logged
    struct free_delayed *delayed;         // by port, with delays
    struct mail_message *delayed_message; // by port: its FREE_SHELF places
    struct free_snapshot *snapshot;       // by processor
    double *state;                        // by processor: plan.state_doubles each, the method's
    double *memory;                       // by port: plan.port_doubles each, the method's
    double *sent;                         // by port: load sent over it
    double *received;                     // by port: load received over it; NULL in virtual time without keep_links
    struct free_link_use *use;            // by port: counts for the direction to it

    struct free_worker *worker;
    struct mail_bell *bell; // by worker, then the fault thread's. Adjacent: most are rung on their own core
    struct mail_boxes boxes;
    struct free_links links;              // with faults only
    struct free_probe *probe;             // by processor, if the machine detects its end by messages
    const struct free_detector *detector; // how; or NULL
    struct cargo_tasks tasks;             // its program is NULL if load does not consist of tasks
    struct cargo_letters letters;         // used if the method writes letters
    struct cargo_objects objects;         // its set is NULL if load does not consist of objects
    bool moves_objects;                   // messages carry objects: they do not move at the end only
    struct free_witness *witness;         // the first witness of the turns, or NULL
    struct watch_operation_log log;
    struct watch_part_log parts;
    struct free_shared shared;
};

static inline bool free_has_tasks(const struct free_run *run)
{
    return run->tasks.program != NULL;
}

// Returns whether processors write letters instead of balancing by operations.
static inline bool free_has_letters(const struct free_run *run)
{
    return run->letters.worker != NULL;
}

// Returns whether messages carry more than their number.
static inline bool free_has_cargo(const struct free_run *run)
{
    return free_has_tasks(run) || run->moves_objects;
}

// Returns a worker's part of the tasks.
static inline struct cargo_worker *free_cargo(const struct free_worker *worker)
{
    return &worker->run->tasks.worker[worker->index];
}

// Returns the processor at a place between a worker's `begin` and `end`.
static inline uint32_t free_processor_at(const struct free_run *run, uint32_t place)
{
    return run->placed ? run->placed[place] : place;
}

// Returns the worker of processor p.
static inline uint32_t free_worker_of(const struct free_run *run, uint32_t p)
{
    return run->owner ? run->owner[p] : p;
}

// Returns the bell of the worker of processor p.
static inline struct mail_bell *free_bell(const struct free_run *run, uint32_t p)
{
    return &run->bell[free_worker_of(run, p)];
}

static inline struct mail_bell *free_fault_bell(const struct free_run *run)
{
    return &run->bell[run->machine->workers];
}

// Returns whether messages are delayed at their receivers. Wires have delays of their own.
static inline bool free_delays(const struct machine_plan *machine)
{
    return core_links_delay(&machine->links) && !machine->engine->computed;
}

static inline bool free_faults(const struct machine_plan *machine)
{
    return machine->faults.kind != CORE_FAULTS_NONE;
}

// Adds load to a sum. With its rounding errors the sum is nearly exact, so it hardly depends on the number of workers.
static inline void free_sum_add(struct free_counts *counts, enum free_sum sum, double load)
{
    core_measure_add(&counts->sum[sum], &counts->lost[sum], load);
}

// Returns the number of histograms of a group.
static inline unsigned free_histograms(const struct machine_plan *machine)
{
    return free_delays(machine) ? FREE_HISTOGRAMS : FREE_DELAYS_ASKED;
}

// Adds to a count that one worker writes and the attendant reads. Relaxed: no data goes with it.
static inline void free_count(atomic_uint_fast64_t *count, uint64_t more)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more, memory_order_relaxed);
}

#endif
