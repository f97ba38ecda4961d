// SPDX-License-Identifier: MIT
// The state of a run in rounds, as the files of the engine share it: phases.c (what a worker does, in announce.c,
// migrate.c, block.c, planes.c and foresight.c: step.h), lanes.c (what crosses the links), ports.c (which ports take
// part), bells.c (whom something has come for), serial.c (what one worker does for all while they wait), overlaps.c
// (domains that meet), faults.c (links that fail and come back), turns.c (processors one after another), ranks.c (other
// processes) and run.c (a run's memory and its report).
#ifndef THREADS_ROUNDS_ROUNDS_STATE_H
#define THREADS_ROUNDS_ROUNDS_STATE_H

#include <math.h>
#include <time.h>

#include "core/steps/matching.h"
#include "core/domains/overlaps.h"
#include "core/theory/repeat.h"
#include "core/theory/rest.h"
#include "core/methods/kernels/uniform_run.h"
#include "threads/ranks/collect.h"
#include "threads/ranks/crossings.h"
#include "threads/mail/delay_line.h"
#include "threads/machine/loads.h"
#include "threads/machine/plan.h"
#include "threads/mail/barrier.h"
#include "threads/rounds/bells.h"
#include "threads/watch/frames.h"
#include "threads/watch/no_progress.h"
#include "threads/watch/ledger.h"
#include "threads/watch/trace.h"

// What crosses the links in one of the two phases. With `slot` mailboxes the outbox is the inbox itself; with the queue
// kinds a worker posts and fetches what lies there. What is said lies in the inbox by the receiver's port, since rules
// look at it by port, and parcels by the sender's: a processor puts one on each port, and who takes them only adds them
// up, for which loads may go astray, where stores had to wait for each other.
struct rounds_lane {
    double *inbox; // NULL: nothing crosses
    double *outbox;
    const uint32_t *place;              // by port: where its message goes in the outbox; NULL: they lie by port
    const uint32_t *found;              // by port: where a message to it lies in the inbox; NULL: the same
    size_t plane;                       // parcels in planes (planes.c): from one to the next; 0: they lie as said above
    const struct ek_topology *topology; // whose ports these are
    double nothing;                     // what stands for no message: 0 for parcels, NAN for words
    struct rounds_bells bells;          // rung for whoever is sent a message, where processors sleep
    struct mail_boxes boxes;
};

// The ports of one block that take part in a step: `ends`, or all from..to-1 where ends is NULL.
struct rounds_active {
    const struct ek_end *ends;
    size_t count;
    uint32_t from, to;
};

static inline size_t rounds_active_count(const struct rounds_active *active)
{
    return active->ends ? active->count : active->to - active->from;
}

// The k-th of them.
static inline uint32_t rounds_active_port(const struct rounds_active *active, size_t k)
{
    return active->ends ? active->ends[k].port : active->from + (uint32_t)k;
}

// A block's ends of some colours, gathered once and kept.
struct rounds_gathered {
    uint32_t colour_from, colour_end;
    struct rounds_active active;
};

enum { ROUNDS_GATHERED_MAX = 16 };

struct rounds_worker {
    _Alignas(128) struct rounds_run *rounds;
    uint32_t begin, end;               // its processors
    struct rounds_active every;        // all its ports
    struct rounds_active now;          // this step
    struct rounds_active announced_on; // on which loads are said in this step: with delays on all
    struct rounds_active before;       // the last step
    struct ek_end *room_ends;          // room for the ends of its block, where they are not in one place already
    size_t ends_used;                  // places taken in it
    struct rounds_gathered *gathered;  // [ROUNDS_GATHERED_MAX], where ports are gathered
    unsigned gathered_count;
    struct ek_end *usable_ends; // with faults: room for those of `now` and of `heard`
    uint32_t *turns;            // where processors sleep: those that have a turn
    uint32_t turns_count;
    struct ek_end *turns_ends; // room for their ends
    double *room;              // room for one processor's words and amounts
    uint32_t degree;           // the largest of its processors'
    double minimum;            // lowest load seen after any step
    uint64_t parcels;
    uint64_t messages;
    uint64_t announced;                       // announcements of the step under way, not counted before they are heard
    const struct ek_uniform_run *uniform_run; // where parcels lie in planes: the one that its block begins in
    uint64_t invokers;                        // in this operation
    double shift[2];                          // largest amounts shifted down and up in this operation
    double swapped;                           // load shifted from processors to themselves
    double consumed_at_home;                  // tokens, where they began
};

// Loads by processor, written by its worker. Those that a run does not need are NULL.
struct rounds_loads {
    double *held;
    double *level;     // what a rule compares, at the step's start; NULL where that is the held load, and is sent
    double *foreseen;  // where it is foreseen: the level of the next step
    double *target;    // balanced loads, for --weighting target
    double *native;    // tokens that never left
    double *moved;     // sent so far
    double *generated; // by the workload
    double *consumed;
    double *unmet; // what it wanted to consume beside that
    double *initial;
};

// Turns: processors one after another in a step.
struct rounds_turns {
    bool random;     // in a fresh order each step
    uint32_t *order; // whose turn follows whose
    double *history; // by step, then by processor: the loads of the last `depth` steps
    uint32_t depth;
    _Atomic uint32_t baton; // the place in `order` that is next
};

// Links and processors that fail and come back: written in serial sections only.
struct rounds_faults {
    struct core_fault_source source;
    struct core_fault next; // that is to come, while one `waits`
    bool waits;
    struct core_outages outages;
    uint8_t *usable; // by port; NULL: all are
    uint64_t *since; // by port: the step since which its link can be used; NULL where nobody asks
    struct ek_faults_report report;
};

// Where the run is: written in serial sections only, read by all after the barrier.
struct rounds_now {
    // What all read in every phase, in one line: each that is written in a serial section goes to all workers anew.
    bool over;
    bool migrates;                    // the phase: announce, or migrate
    bool fresh;                       // the machine's step begins the method's
    bool operation_begins;            // and that an operation
    bool tick;                        // work comes before this step
    uint32_t colour_from, colour_end; // the part of the method's step that is the machine's
    uint32_t before_from, before_end; // the same of the step before
    uint64_t time;                    // steps of any kind

    _Alignas(64) struct ek_step at; // the method's step
    enum ek_ended ended;            // why it is over
    uint64_t ticks;                 // so far
    bool run_ends;                  // the method has ended by itself
    bool late, interrupted;         // by the clock, and by ek_interrupt
    struct ek_moment moment;
    uint64_t step; // those that count
    uint64_t count[EK_COUNT_REDUCTION + 1];
    uint64_t count_before[EK_COUNT_REDUCTION + 1]; // at the operation's start
    uint64_t operation;                            // complete ones
    uint64_t parcels_before;
    uint64_t moved_at;    // the time of the last operation in which anything moved, or since which more can
    uint64_t rest_denied; // the same, of loads that were found not to rest; at first UINT64_MAX
    struct watch_no_progress no_progress;
    struct core_repeat repeat; // the states of a run that only depend on the one before; unused: no parts
    uint64_t cycle;            // operations after which the state was one that was before, else 0
    double shifts;
    uint64_t invokers;    // of the operation that the last step belongs to
    uint64_t invocations; // so far
    struct timespec began;
    double elapsed_s;
    struct watch_trace trace;
    struct watch_window window, window_before; // now, and at the operation's start
    bool observed;                             // its observer looks at the step
    bool has_shown;
    bool left;          // the step's state, when all met last: its operation had ended, or work came next
    uint64_t left_step; // that step
    struct ek_trace_row shown, shown_before; // the last that anybody was shown, and at the operation's start

    _Atomic uint64_t shown_step, shown_operation; // for progress
    _Atomic double shown_variance;
};

// The state of the transport to other ranks (transport.h, over_ranks/). Nothing else reads it.
struct rounds_remote {
    const struct ek_ranks *link;
    bool lost;                      // a rank does not answer
    struct rounds_counted *counted; // by rank: what its workers have counted
    double *sums;                   // room for two of each rank
    struct rank_crossings crossings;
    struct rank_collector collector;
    double *out, *in; // by crossing
    int64_t waiting;  // of all ranks, at the last meeting
};

// Written by any worker.
struct rounds_shared {
    atomic_bool busy;             // a program asked for another step
    atomic_bool violated;         // set by the worker that finds a violation first
    struct ek_error violation;    // and written by it alone
    atomic_int_least64_t waiting; // processors that ask for steps until their next turn
};

// What is noted of an operation by processor, where domains are measured; else NULL.
struct rounds_overlaps {
    double *before, *after; // loads held
    uint8_t *invoked;
    struct core_overlaps room;
    struct core_effects *effects; // so far; NULL where nobody asks
};

struct rounds_transport;

struct rounds_run {
    // Fixed for the run.
    const struct machine_plan *machine;
    const struct ek_topology *topology; // the machine's, or the method's overlay
    uint64_t seed;
    unsigned long interrupts_before; // of the machine
    bool in_turns;
    bool meets;          // the barrier has begun
    bool needs_level;    // a rule compares something else than the held load, or that while it changes
    bool reads_levels;   // announcements are read where they lie: in loads.level
    bool simple;         // so, a rule over all links, and nothing comes between taking parcels and announcing
    bool foresees;       // so, and a step is one phase (foresight.c)
    bool planes;         // so, in two phases, and parcels lie in planes (planes.c)
    uint32_t *worker_of; // by processor, where workers can be left out; else NULL
    struct machine_start start;
    struct base_arena plan;

    // By processor or port, written by its worker. Those that a run does not need are NULL.
    struct rounds_loads loads;
    double *state;      // by processor: plan.state_doubles each
    uint8_t *invokes;   // by processor; NULL: everybody always does
    uint8_t *took_part; // by processor: took part in an operation of this tick, where work is suspended meanwhile
    uint8_t *requests;  // by processor: what it asked for in its last turn, where processors sleep
    double *sent;       // by port
    struct ek_flow_report *flow;   // by link, with keep_links: for the report
    double *quota;                 // by dimension, then by processor: for the report
    double *memory;                // by port: plan.port_doubles each
    double *arrived;               // by port: for programs
    struct mail_delay_lines lines; // messages under way, with --delay
    struct rounds_worker *worker; // by block, and with ranks one more for each other rank, which has what that has told
    unsigned workers;
    struct ek_uniform_run *uniform_run; // in the order of processors, where parcels lie in planes; else NULL
    struct ek_vicinity *vicinity;       // that stretches have
    double *room;                       // its workers' room: see there
    struct rounds_gathered *gathered;
    struct ek_end *room_ends;   // by port
    struct ek_end *usable_ends; // twice by port
    uint32_t *woken;            // by processor
    struct ek_end *woken_ends;  // by port

    // What crosses the links, and who waits for whom.
    struct rounds_lane announcements, invitations, parcels;
    struct mail_barrier barrier;
    const struct rounds_transport *transport; // to blocks in other processes; NULL: there are none
    struct rounds_remote remote;              // the transport's own
    unsigned blocks;                          // that each thread carries

    struct core_rest rest; // no room in it: rest does not show in the loads alone
    struct rounds_overlaps overlaps;
    struct core_matching matching; // drawn in serial sections
    uint32_t *chosen;              // room for those that have something to do, where some can be left out; else NULL
    struct rounds_turns turns;
    struct rounds_faults faults;
    struct watch_frames frames; // added to in serial sections
    struct rounds_now now;
    _Alignas(128) struct rounds_shared shared;
};

// The loads when all parcels that are under way will have been taken in.
static inline const double *rounds_loads_settled(const struct rounds_run *rounds)
{
    return rounds->foresees ? rounds->loads.level : rounds->loads.held;
}

// Where a port's message goes in the outbox, and where a message to it is found in the inbox.
static inline size_t rounds_place(const struct rounds_lane *lane, uint32_t port)
{
    if (lane->plane) {
        uint32_t p = lane->topology->neighbour[lane->topology->twin[port]];
        return core_plane(lane->topology, p, port) * lane->plane + p;
    }
    return lane->place ? lane->place[port] : port;
}

static inline size_t rounds_found(const struct rounds_lane *lane, uint32_t port)
{
    uint32_t said_at = lane->found ? lane->found[port] : port;
    return lane->plane ? rounds_place(lane, said_at) : said_at;
}

static inline bool rounds_is_nothing(const struct rounds_lane *lane, double message)
{
    return message == lane->nothing || isnan(message);
}

// Gives worker `index` the processors begin..end-1.
void rounds_begin_worker(struct rounds_run *rounds, unsigned index, uint32_t begin, uint32_t end);

// Notes a violation of the machine's contract; the run ends at the next serial section. The first one is reported.
void rounds_violate(struct rounds_run *rounds, const struct ek_error *violation);

// Whether what a rule compares is taken anew before the announcements: in all processors, also those that sleep.
static inline bool rounds_takes_levels(const struct rounds_run *rounds)
{
    return rounds->loads.level && rounds->now.fresh;
}

// Whether the tick that is under way begins with its work.
static inline bool rounds_works_first(const struct rounds_run *rounds)
{
    return rounds->now.tick && rounds->machine->work.working == CORE_WORKING_BEFORE;
}

static inline bool rounds_has_faults(const struct rounds_run *rounds)
{
    return rounds->machine->faults.kind != CORE_FAULTS_NONE;
}

// Whether all meet when the parcels have been taken in, before anything is said: what is measured and tested is what
// the step before has left, and only then work comes, or links fail.
static inline bool rounds_meets_between(const struct rounds_run *rounds)
{
    return rounds_works_first(rounds) || rounds_has_faults(rounds);
}

// Whether parcels lie in planes; plans and finds the stretches, and gives each worker its own.
bool rounds_planes_pay(struct rounds_run *rounds, struct base_arena *memory);
void rounds_planes_begin(struct rounds_run *rounds);

// The doubles from one plane to the next: a line more than it is long, or all would share the same lines of a cache.
size_t rounds_plane_size(const struct ek_topology *topology);

// And how many all planes take.
size_t rounds_planes_places(const struct ek_topology *topology);

// Plans the memory of faults, and begins them when it is taken.
void rounds_faults_plan(struct rounds_run *rounds, struct base_arena *memory);
void rounds_faults_begin(struct rounds_run *rounds);

// Between two steps, lets fail and come back what does before the step that follows. What is under way on a link that
// fails is returned to its sender.
void rounds_faults_act(struct rounds_run *rounds);

// Whether a processor has failed, or all its links: then it stands still, and does not work either.
bool rounds_cut_off(const struct rounds_run *rounds, uint32_t p);

// Whether anything that is down will come back.
bool rounds_faults_mend(const struct rounds_run *rounds);

// Those of a worker's ports that can be used; `room` is for as many ends.
struct rounds_active rounds_usable(const struct rounds_worker *worker, struct rounds_active active,
                                   struct ek_end *room);

// What a processor sees before anybody has spoken.
struct ek_view rounds_view(const struct rounds_run *rounds, uint32_t p);

// The worker's ports that take part in the step; and only those of its processors that have a turn, of the colours
// from..end-1.
struct rounds_active rounds_active_ports(struct rounds_worker *worker);
struct rounds_active rounds_active_of_turns(struct rounds_worker *worker, uint32_t colour_from, uint32_t colour_end);

// Violations where a processor with one port uses two links, and where only one end of a link takes part.
void rounds_check_ports(struct rounds_worker *worker);
void rounds_check_ends_agree(struct rounds_worker *worker);

// Lets the workload of a tick act on the worker's processors when its balancing is done, and looks for the lowest load;
// and where a tick begins with its work, then.
void rounds_work_after(struct rounds_worker *worker);
void rounds_work_first(struct rounds_worker *worker);

// What is done in the serial sections: before the first step, after each announce phase, after each migrate phase.
void rounds_begin(void *rounds);
void rounds_decide(void *rounds);
void rounds_step_done(void *rounds);

// The serial section after each phase: one of the two, then the next phase, for those who have something to do in it.
void rounds_phase_done(void *rounds);

#endif
