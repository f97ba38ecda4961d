// SPDX-License-Identifier: MIT
// The state of a run in rounds, which the files of the engine share.
//
// Terms. In a *step* every processor sends announcements, and then load. So a step has two *phases*: announce and
// migrate (phases.c). A *worker* runs the phases for its *block* of successive processors. An *announcement* is what a
// processor sends on a link in the announce phase: the load that a rule compares, or a number of the method's program.
// A *parcel* is load that is sent in the migrate phase. An *invitation* reports whether the sender invokes the
// operation. Each of the three crosses the links in a *lane*. A *serial section* is a function that one worker runs
// while all others wait at the barrier. A processor *sleeps* if a step needs nothing from it; its *bell* marks that it
// has received something. If processors sleep, only processors whose bells were rung have a turn in a step.
//
// The protocol of a run:
//
//   1. Every worker writes only to its own processors, its ports, and the places of a lane that its ports send to.
//   2. A value written in one phase is read in the next. The barrier between the phases orders these
//      accesses. So the atomic variables here are relaxed, unless a comment says otherwise.
//   3. `now` is written in serial sections only, and read by all workers after the barrier.
//   4. No result depends on how processors are divided into blocks: sums over all processors are computed in serial
//      sections, in the order of processors.
//
// Files: phases.c runs the phases, which announce_phase.c, migrate_phase.c, one_pass.c, foresight.c
// and resting.c contain (declared in step.h). block.c calls the method, rounded_block.c if amounts are rounded.
// rounds_clock.c computes the virtual time. lanes.c and bells.c carry messages and wake sleepers, ports.c finds the
// ports that take part. serial.c, verdict.c and rounds_measure.c have the serial sections. round_overlaps.c measures
// domains, rounds_faults.c breaks and repairs links, turns.c runs one processor after another. transport.h reaches
// other processes. rounds_run.c plans the memory, rounds_report.c writes the report.
#ifndef THREADS_ROUNDS_ROUNDS_STATE_H
#define THREADS_ROUNDS_ROUNDS_STATE_H

#include <math.h>
#include <time.h>

#include "core/method.h"
#include "core/steps/matching.h"
#include "core/domains/overlaps.h"
#include "core/theory/repeat.h"
#include "core/theory/rest.h"
#include "core/theory/step_time.h"
#include "core/methods/kernels/uniform_run.h"
#include "topologies/rows.h"
#include "threads/api/measures.h"
#include "threads/cargo/letters.h"
#include "threads/cargo/objects.h"
#include "threads/cargo/tasks.h"
#include "threads/ranks/collect.h"
#include "threads/ranks/crossings.h"
#include "threads/ranks/room.h"
#include "threads/mail/delay_line.h"
#include "threads/machine/loads.h"
#include "threads/machine/plan.h"
#include "threads/mail/barrier.h"
#include "threads/rounds/bells.h"
#include "threads/watch/frames.h"
#include "threads/watch/no_progress.h"
#include "threads/watch/ledger.h"
#include "threads/watch/trace.h"

// A lane: the messages that cross the links in one of the two phases. With `slot` mailboxes the outbox is the inbox.
// With the other kinds a worker posts the messages of its outbox and fetches those for its inbox (lanes.c).
// Announcements lie in the inbox by the receiver's port, because rules read them by port. Parcels lie by the sender's
// port: a processor then writes successive places, and only the reads of the receiver are scattered. Scattered reads
// overlap, but scattered writes would have to wait for one another.
struct rounds_lane {
    double *inbox; // NULL: the lane is not used
    double *outbox;
    const uint32_t *place;     // by port: the place of its message in the outbox; NULL: the port itself
    const uint32_t *found;     // by port: the place of a message to it in the inbox; NULL: the port itself
    double nothing;            // the value for "no message": 0 for parcels, NAN or INFINITY for announcements
    struct rounds_bells bells; // if processors sleep: the lane rings the bell of every receiver
    struct mail_boxes boxes;
};

// The ports of a block that take part in a step: those of `ends`, or from..to-1 if ends is NULL.
struct rounds_active {
    const struct ek_end *ends;
    size_t count;
    uint32_t from, to;
};

static inline size_t rounds_active_count(const struct rounds_active *active)
{
    return active->ends ? active->count : active->to - active->from;
}

// Returns the k-th port.
static inline uint32_t rounds_active_port(const struct rounds_active *active, size_t k)
{
    return active->ends ? active->ends[k].port : active->from + (uint32_t)k;
}

// The ends of a block in a range of colours, gathered once and kept.
struct rounds_gathered {
    uint32_t colour_from, colour_end;
    struct rounds_active active;
};

enum { ROUNDS_GATHERED_MAX = 16 };

// The most messages of a processor of a block in a step, and the largest load of a parcel (rounds_clock.c).
struct rounds_pace {
    uint32_t announces, hears; // sent and received in the announce phase
    uint32_t sends, receives;  // in the migrate phase
    double load;
};

struct rounds_worker {
    _Alignas(128) struct rounds_run *rounds;
    uint32_t begin, end;               // begin..end-1 are its processors
    struct rounds_active every;        // all ports of the block
    struct rounds_active now;          // the ports that take part in this step
    struct rounds_active announced_on; // the ports that announcements are sent on: with delays all, else those of `now`
    struct rounds_active before;       // the ports of the last step
    struct ek_end *room_ends;          // room for gathered ends
    size_t ends_used;                  // places used in room_ends
    struct rounds_gathered *gathered;  // [ROUNDS_GATHERED_MAX]; NULL: ports are not gathered
    unsigned gathered_count;
    struct ek_end *usable_ends; // with faults: room for the usable ends of `now` and of `announced_on`
    uint32_t *turns;            // if processors sleep: those that have a turn
    uint32_t turns_count;
    struct ek_end *turns_ends;  // room for the ends of these processors
    struct ek_end *loaded_ends; // room for the ends of links with load at an end or both; NULL: no link is left out
    struct ek_end *parcel_ends; // with tasks: room for the ends of links that carry a parcel
    double *room;               // room for one processor's announcements and amounts
    uint32_t degree;            // largest degree of its processors
    double *mirror;             // where a mutual rule is checked: announcements at both ends of a link; else NULL
    double minimum;             // lowest load of any of its processors after any step
    uint64_t parcels;
    uint64_t messages;
    uint64_t announced; // announcements sent in this step; they count as messages when they are received
    const struct ek_uniform_run *uniform_run; // in one pass: the uniform run in which its block begins
    uint64_t invokers;                        // invokers of this operation
    double shift[2];                          // the largest amounts shifted down and up in this operation
    double swapped;                           // load that processors shifted to themselves
    double consumed_at_home;                  // tokens consumed on the processor where they began
    struct rounds_pace pace;                  // 0 again after the step
    uint64_t busy_in;                         // if workers rest: the last operation in which it was not quiet
};

// Loads by processor, written by the processor's worker. Arrays that the run does not need are NULL.
struct rounds_loads {
    double *held;
    double *level;     // at the start of the step, for the rule; NULL: rules compare `held`, which is also announced
    double *foreseen;  // if steps have one phase: the level of the next step
    double *settled;   // with foresight: the load held when the parcels of the last step have arrived
    double *target;    // the balanced loads, if a rule compares distances from them
    double *native;    // tokens that never left their first processor
    double *moved;     // load sent so far
    double *generated; // load generated by the workload so far
    double *consumed;
    double *unmet; // load that the workload could not consume, because it was absent
    double *initial;
};

// Turns: the processors act one after another in a step.
struct rounds_turns {
    bool random;     // the order is random in each step
    uint32_t *order; // the processors in the order of their turns; NULL: the order of their numbers
    // By step, then by processor: the loads at the begin of the last `depth` steps. NULL without delays.
    double *history;
    uint32_t depth;
    _Atomic uint32_t baton; // the place in `order` of the next turn
};

// Links and processors that fail and are repaired. Written in serial sections only.
struct rounds_faults {
    struct core_fault_source source;
    struct core_fault next; // the next fault, if one `waits`
    bool waits;
    struct core_outages outages;
    uint8_t *usable; // by port: the link can be used; NULL: all can
    uint64_t *since; // by port: the step since which its link has been usable; NULL if not needed
    struct ek_faults_report report;
};

// The virtual time of the run (rounds_clock.c). Written in serial sections only.
struct rounds_clock {
    bool runs;                  // the run has a virtual time
    bool counts;                // workers count messages
    bool weighs;                // messages take longer by their load
    bool parcels;               // a program has sent parcels, which are still to be received
    uint64_t now_ns, before_ns; // now, and at the start of the operation
    struct rounds_pace pace;    // of the step before: most steps take the same time
    uint64_t step_ns;           // its time; 0: not computed
};

// The present state of the run. Written in serial sections only, read by all after the barrier.
struct rounds_now {
    // All workers read these in every phase. They share a cache line, because each line that a serial section writes
    // must be fetched again by every worker.
    bool over;
    bool migrates;                    // the phase: migrate, not announce
    bool fresh;                       // this is the first machine step of a step of the method
    bool operation_begins;            // `fresh` holds, and the step of the method is the first of its operation
    bool tick;                        // a tick of the workload precedes this step
    uint32_t colour_from, colour_end; // the colours of this step
    uint32_t before_from, before_end; // the colours of the step before
    uint64_t time;                    // steps so far, of every kind

    _Alignas(64) struct ek_step at; // the step of the method
    enum ek_ended ended;            // the reason, when it is over
    uint64_t ticks;                 // ticks of the workload so far
    bool run_ends;                  // the method has reached its own end
    bool late, interrupted;         // the time limit has passed; ek_interrupt was called
    struct ek_moment moment;
    uint64_t step; // counted steps so far
    uint64_t count[EK_COUNT_REDUCTION + 1];
    uint64_t count_before[EK_COUNT_REDUCTION + 1]; // at the start of the operation
    uint64_t operation;                            // complete operations
    uint64_t parcels_before;
    bool still;           // nothing moved in the last operation, and the amounts are checked once more
    uint64_t moved_at;    // the time of the last operation in which load moved, or of a fault or repair
    uint64_t rest_denied; // the value of moved_at when the last test found no rest; at first UINT64_MAX
    struct watch_no_progress no_progress;
    double nearest;            // objects: the least distance from balance so far
    uint64_t nearest_at;       // and the operation before which it was measured
    struct core_repeat repeat; // finds cycles of states; empty if a state does not determine the next one
    uint64_t cycle;            // length of the cycle of states that was found, in operations; else 0
    double shifts;
    uint64_t invokers;    // of the operation that the last step belongs to
    uint64_t invocations; // of all operations so far
    struct timespec began;
    double elapsed_s;  // without the observer's time
    double observed_s; // the observer's time so far
    struct watch_trace trace;
    struct watch_window window, window_before; // the window now, and at the start of the operation
    bool observed;                             // the observer wants this step
    bool has_shown;
    bool left; // the state after step `left_step` is not shown again: an operation ended there, or a tick followed
    uint64_t left_step;
    struct ek_trace_row shown, shown_before; // the last row that was shown, and the last before the operation

    _Atomic uint64_t shown_step, shown_operation; // for rounds_progress
    _Atomic double shown_variance;
};

// The state of the transport to other ranks (transport.h, over_ranks/). Only the transport reads it.
struct rounds_remote {
    const struct ek_ranks *link;
    bool lost;                      // a rank has not answered
    struct rounds_counted *counted; // by rank: the counts of its workers
    double *sums;                   // room for two numbers of each rank
    struct rank_crossings all;
    const struct rank_crossings *crossings; // those that messages cross now: all, or in turns those `touched`
    size_t sends, brings;                   // how many of these carry a message out, and in: in turns none or all
    struct rank_collector collector;
    double *out, *in;         // messages by crossing
    double *window;           // by_block: all loads, if they are few
    struct core_tally *tally; // by_block, by rank: its part of a measurement
    int64_t waiting;          // `waiting` of all ranks at the last meeting

    // With tasks.
    struct cargo_worker *cargo;           // by rank: what its workers have counted
    struct cargo_letter_sums *letters;    // by rank: the same of letters
    struct ek_rank_peer *task_peer;       // by peer: the doubles of its tasks in this step
    struct rank_room tasks_out, tasks_in; // tasks, by crossing; letters, by peer

    // With objects of which every rank knows the places.
    uint64_t *moves; // by rank: its objects that move in this step
    size_t *from;    // by rank: where they begin in `moved`
    double *moved;   // all of them

    // In turns (turns_over_ranks.c).
    struct rank_crossings touched; // the links of the processors that act now, in the order in which they are used
    size_t *placed;                // by rank: how many of these lead there, or where the next one lies
    bool *border;                  // by processor: it has a link between this rank and another one
};

// Variables that any worker may write.
struct rounds_shared {
    atomic_bool busy;             // a program requested another step
    atomic_bool violated;         // set by the worker that finds the first violation
    struct ek_error violation;    // written only by that worker
    atomic_int_least64_t waiting; // processors that request steps until their next turn
};

// Notes on one operation, by processor. NULL unless domains are measured.
struct rounds_overlaps {
    double *before, *after; // loads held before and after the operation
    uint8_t *invoked;
    uint8_t *excluded; // by port: the neighbour takes no part in the operation of the port's owner
    struct core_overlaps room;
    struct core_effects *effects; // the results so far; NULL: not measured
};

struct rounds_transport;

typedef void rounds_loop(struct ek_block *block);

struct rounds_run {
    // Constant during the run.
    const struct machine_plan *machine;
    const struct ek_topology *topology; // the machine's, or the method's overlay
    uint64_t seed;
    unsigned long interrupts_before; // the machine's count of interrupts at the start
    bool in_turns;
    bool meets;          // the barrier has been prepared
    bool needs_level;    // a rule compares another number than the held load, or the held load changes within a step
    bool reads_levels;   // rules read announcements directly in loads.level
    bool plain;          // reads_levels holds, and workers only receive, announce and send, by a rule
    bool simple;         // plain holds, and every step uses all links
    bool foresees;       // reads_levels holds, and a step has one phase (foresight.c)
    bool rests;          // foresees holds, and workers that cannot act are left out (resting.c)
    bool one_pass;       // plain holds, and a step is one pass (one_pass.c); loads.level is loads.held
    bool paired;         // one_pass holds, every step uses the links of one colour, and these are computed
    bool bundled;        // one_pass holds, and all links are computed by bundle
    rounds_loop *loop;   // the method's loop for how its links are found; NULL: it has none
    bool by_block;       // this rank has the loads of its own processors and their neighbours only (by_block.c)
    bool carries;        // each link carries one rounding error for both directions
    uint32_t *worker_of; // by processor: its worker; in turns over ranks, of all ranks. NULL: nobody asks
    struct machine_start start;
    struct base_arena plan;

    // By processor or port, written by the worker of the processor. Arrays that the run does not need are NULL.
    struct rounds_loads loads;
    double *state;               // by processor: plan.state_doubles each
    uint8_t *invokes;            // by processor; NULL: all invoke every operation
    uint8_t *took_part;          // by processor: in an operation of this tick; only if operations suspend the workload
    uint8_t *requests;           // by processor: what it requested in its last turn; only if processors sleep
    double *sent;                // by port, or in planes: load sent
    size_t sent_plane;           // if `sent` lies in planes (topo_plane): the distance between two planes; else 0
    struct ek_flow_report *flow; // by link, with keep_links: for the report
    double *quota;               // by dimension, then by processor: for the report
    double *memory;              // by port: plan.port_doubles each
    double *arrived;             // by port: the last parcels, for programs that read them
    struct mail_delay_lines lines; // messages in flight, if links have delays
    struct rounds_worker *worker;  // by block; then, with ranks, one for each other rank: it holds that rank's counts
    unsigned workers;
    struct ek_uniform_run *uniform_run; // in the order of processors, in one pass; else NULL
    struct ek_vicinity *vicinity;       // the vicinities of the uniform runs
    struct topo_bundle *bundle;         // [bundles] if links are computed by bundle; else NULL
    unsigned bundles;
    double *room;   // the room of all workers
    double *mirror; // the mirrors of all workers
    bool samples;   // amounts are checked in some steps only: the method has a loop of its own, which checks nothing
    struct rounds_gathered *gathered;
    struct ek_end *room_ends; // the workers' rooms of the same names
    struct ek_end *usable_ends;
    uint32_t *woken; // room for the processors that have a turn, and for their ends
    struct ek_end *woken_ends;
    struct ek_end *loaded_ends;
    struct ek_end *parcel_ends;

    // The messages that cross the links, and the barrier at which workers meet.
    struct rounds_lane announcements, invitations, parcels;
    struct mail_barrier barrier;
    const struct rounds_transport *transport; // to blocks in other processes; NULL: this is the only process
    struct rounds_remote remote;              // used by the transport only
    unsigned blocks;                          // blocks that each thread carries

    struct core_rest rest; // the test for rest; not used if loads alone do not show rest
    struct rounds_overlaps overlaps;
    struct core_matching matching; // drawn in serial sections
    uint32_t *chosen;              // room for the workers that have something to do; NULL: workers are never left out
    struct rounds_bells news[2];   // if workers rest: by processor, for even and odd steps
    struct rounds_bells awake;     // the workers that do not rest, by their first processor
    struct rounds_turns turns;
    struct rounds_faults faults;
    struct watch_frames frames; // written in serial sections
    struct rounds_clock clock;
    struct cargo_tasks tasks;     // its program is NULL if load does not consist of tasks
    struct cargo_letters letters; // used if the method has letters
    struct cargo_objects objects; // its set is NULL if load does not consist of objects
    struct rounds_now now;
    _Alignas(128) struct rounds_shared shared;
};

// Returns the processor that has the turn at this place of the order.
static inline uint32_t rounds_turn_at(const struct rounds_run *rounds, uint32_t place)
{
    return rounds->turns.order ? rounds->turns.order[place] : place;
}

// Returns whether workers find the pace of their processors.
static inline bool rounds_has_paces(const struct rounds_run *rounds)
{
    return rounds->clock.counts || rounds->clock.weighs;
}

// Returns whether a step, but for the first one, has one phase.
static inline bool rounds_has_one_phase(const struct rounds_run *rounds)
{
    return rounds->one_pass || rounds->foresees;
}

// Returns the loads as they will be when all parcels under way have been received.
static inline const double *rounds_loads_settled(const struct rounds_run *rounds)
{
    return rounds->foresees && rounds->now.time > 0 ? rounds->loads.settled : rounds->loads.held;
}

// Returns the place of a port's message in the outbox.
static inline size_t rounds_place(const struct rounds_lane *lane, uint32_t port)
{
    return lane->place ? lane->place[port] : port;
}

static inline size_t rounds_found(const struct rounds_lane *lane, uint32_t port)
{
    return lane->found ? lane->found[port] : port;
}

static inline bool rounds_is_nothing(const struct rounds_lane *lane, double message)
{
    return message == lane->nothing || isnan(message);
}

// Gives worker `index` the processors begin..end-1.
void rounds_begin_worker(struct rounds_run *rounds, unsigned index, uint32_t begin, uint32_t end);

// Records a violation of the machine's contract. The run ends at the next serial section, and reports the first one.
void rounds_violate(struct rounds_run *rounds, const struct ek_error *violation);

// Returns what a rule compares if processor p holds this load: the load, or with capacities w/c or w - target.
static inline double rounds_level_of(const struct rounds_run *rounds, uint32_t p, double load)
{
    const double *target = rounds->needs_level ? rounds->loads.target : NULL;
    const double *capacity = rounds->machine->capacity;
    return target ? load - target[p] : capacity ? load / capacity[p] : load;
}

// Returns whether this step recomputes what a rule compares, in all processors, also those that sleep.
static inline bool rounds_takes_levels(const struct rounds_run *rounds)
{
    return rounds->loads.level && rounds->now.fresh;
}

// Returns whether the tick before this step applies its workload before the announcements.
static inline bool rounds_works_first(const struct rounds_run *rounds)
{
    return rounds->now.tick && rounds->machine->work.working == CORE_WORKING_BEFORE;
}

static inline bool rounds_has_faults(const struct rounds_run *rounds)
{
    return rounds->machine->faults.kind != CORE_FAULTS_NONE;
}

// Returns whether all workers meet between receiving parcels and announcing. The meeting measures and tests the state
// that the last step has left, before a tick is applied or links fail.
static inline bool rounds_meets_between(const struct rounds_run *rounds)
{
    return rounds_works_first(rounds) || rounds_has_faults(rounds);
}

// Steps in one pass (one_pass.c). `has_uniform_runs` returns whether steps go along uniform runs, and plans the memory
// of these runs. `begin` finds them, and gives each worker the run in which its block begins.
bool rounds_has_uniform_runs(struct rounds_run *rounds, struct base_arena *memory);
void rounds_one_pass_begin(struct rounds_run *rounds);

// `wide_loop` returns the method's loop along uniform runs, or NULL. `has_wide_amounts` returns whether loops with
// vector instructions compute the amounts of the run: the rule alone decides them, and the CPU has such instructions.
rounds_loop *rounds_wide_loop(const struct machine_plan *machine);
bool rounds_has_wide_amounts(const struct machine_plan *machine);

// Computed links (computed_links.c). `choose` decides how links are computed, and plans the memory of bundles. `begin`
// fills it. `sent_places` returns how many doubles hold the amounts sent so far, if these lie in planes.
void rounds_links_choose(struct rounds_run *rounds);
void rounds_links_begin(struct rounds_run *rounds);
uint64_t rounds_sent_places(const struct rounds_run *rounds);

// Faults (rounds_faults.c): plan their memory, and prepare them when it has been allocated.
void rounds_faults_plan(struct rounds_run *rounds, struct base_arena *memory);
void rounds_faults_begin(struct rounds_run *rounds);

// Applies the failures and repairs that precede the next step. Parcels in flight on a link that fails return to their
// senders.
void rounds_faults_act(struct rounds_run *rounds);

// Returns whether a processor, or each of its links, has failed. Such a processor is idle, and its workload stops too.
bool rounds_cut_off(const struct rounds_run *rounds, uint32_t p);

// Returns whether a failed link or processor will be repaired.
bool rounds_faults_mend(const struct rounds_run *rounds);

// Returns the ports of `active` whose links can be used. `room` has room for all ports of `active`.
struct rounds_active rounds_usable(const struct rounds_worker *worker, struct rounds_active active,
                                   struct ek_end *room);

// Returns what a processor knows before any announcement has arrived.
struct ek_view rounds_view(const struct rounds_run *rounds, uint32_t p);

// Returns the worker's ports that take part in the step; the second function returns those of the processors that have
// a turn, in the colours from..end-1.
struct rounds_active rounds_active_ports(struct rounds_worker *worker);

// Draws the links of a step for a method of matchings.
void rounds_draw_links(struct rounds_run *rounds, uint64_t step);
struct rounds_active rounds_active_of_turns(struct rounds_worker *worker, uint32_t colour_from, uint32_t colour_end);

// Turns (turns.c). `turn` lets a processor of this process act. `add` adds an amount that was sent from a port to the
// load of its receiver, or puts it on its way there.
void rounds_turn(struct rounds_worker *worker, uint32_t p);
void rounds_turn_add(struct rounds_run *rounds, uint32_t port, double amount);

// Returns whether a processor belongs to this process, in turns.
static inline bool rounds_turn_is_near(const struct rounds_run *rounds, uint32_t p)
{
    return !rounds->transport || rounds->worker_of[p] < rounds->blocks;
}

// Report violations: a processor with one port uses two links, or only one end of a link takes part.
void rounds_check_ports(struct rounds_worker *worker);
void rounds_check_ends_agree(struct rounds_worker *worker);

// Reports a violation if an amount that the method computed for a port is no number, or not whole in tokens.
void rounds_check_amount(struct rounds_run *rounds, const struct ek_view *view, unsigned port, double amount);

// The tasks of the worker's block (rounds_tasks.c): `send` packs those of the block's parcels, and `receive` takes
// those of the step before. `can_leave_out` returns whether a step may leave out links without load at both ends;
// `leave_out` does so, after the announcements. `say` and `hear` spread the best value that processors know. `done`
// counts a tick, and ends the run if no task is left; it does nothing if load consists of numbers.
void rounds_tasks_send(struct rounds_worker *worker);
bool rounds_tasks_can_leave_out(const struct rounds_run *rounds);
void rounds_tasks_leave_out(struct rounds_worker *worker);
void rounds_tasks_receive(struct rounds_worker *worker);
void rounds_tasks_say(struct rounds_worker *worker);
void rounds_tasks_hear(struct rounds_worker *worker);
void rounds_tasks_done(struct rounds_run *rounds);

// The letters of the worker's block (rounds_letters.c): `take` receives answers before the tick, `ask` and `give` let
// the method act in the two phases. `turn` does both for one processor; `announced` has its neighbours' loads, or is
// NULL.
void rounds_letters_take(struct rounds_worker *worker);
void rounds_letters_ask(struct rounds_worker *worker);
void rounds_letters_give(struct rounds_worker *worker);
void rounds_letters_turn(struct rounds_worker *worker, uint32_t p, const double *announced);

static inline bool rounds_has_letters(const struct rounds_run *rounds)
{
    return rounds->machine->method->letters != NULL;
}

// Returns whether letters are all that processors send: they announce nothing.
static inline bool rounds_only_letters(const struct rounds_run *rounds)
{
    return rounds_has_letters(rounds) && rounds->machine->method->rounds->announce;
}

static inline bool rounds_has_tasks(const struct rounds_run *rounds)
{
    return rounds->tasks.program != NULL;
}

// The objects of the worker's block (rounds_objects.c), if they move in every step: `send` packs those of the block's
// parcels, `receive` takes those of the step before, and `say` notes the loads at the start of a step. `cross` carries
// objects over a link in turns, and returns their load. `loads` makes the loads of some processors exact: the sum of
// their objects, rounded once. `settle` moves objects after the last step, if they move at the end only.
void rounds_objects_send(struct rounds_worker *worker, struct ek_block *block);
void rounds_objects_receive(struct rounds_worker *worker);
void rounds_objects_say(struct rounds_worker *worker);
double rounds_objects_cross(struct rounds_run *rounds, uint32_t p, uint32_t port, double amount);
void rounds_objects_loads(struct rounds_run *rounds, uint32_t begin, uint32_t end);
void rounds_objects_settle(struct rounds_run *rounds);

// Notes the distance from balance before an operation, and returns whether it has not fallen for long.
bool rounds_objects_wane(struct rounds_run *rounds, double distance);

// Reports the objects. Returns false with `error` filled if one was lost.
bool rounds_objects_report(struct rounds_run *rounds, struct ek_report *report, struct ek_error *error);

// Apply the workload of a tick to the worker's processors, and update the lowest load. `work_after` does so when the
// tick's balancing is done, `work_first` at the begin of the tick.
void rounds_work_after(struct rounds_worker *worker);
void rounds_work_first(struct rounds_worker *worker);

// The clock of the run (rounds_clock.c). `pace_slow` makes a pace as slow as another one. In serial sections, `add`
// adds a step that is complete, and `receive` the time in which a program's parcels are received.
void rounds_clock_begin(struct rounds_run *rounds);
void rounds_pace_slow(struct rounds_pace *slowest, const struct rounds_pace *pace);
void rounds_clock_add(struct rounds_run *rounds);
void rounds_clock_receive(struct rounds_run *rounds);

// Returns the virtual time, in seconds; NAN if the run has none.
double rounds_clock_s(const struct rounds_run *rounds);

// The serial sections: before the first step, after each announce phase, and after each migrate phase.
void rounds_begin(void *rounds);
void rounds_decide(void *rounds);
void rounds_step_done(void *rounds);

// The serial section after each phase: runs rounds_decide, rounds_step_done or both, and begins the next phase for the
// workers that have something to do in it.
void rounds_phase_done(void *rounds);

#endif
