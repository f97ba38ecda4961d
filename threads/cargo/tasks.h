// SPDX-License-Identifier: MIT
// The tasks of a run: what each processor holds and executes, and what each parcel carries. Engines and methods see
// numbers of tasks; only this room knows the tasks themselves.
//
//   call              caller                              concurrent with
//   tick, send        the worker of the processor         calls for other processors
//   execute           the worker of the processor         calls for other processors
//   receive           the worker of the receiver          nothing on the same parcel: a barrier lies between
//   say, hear         the worker of the processor         a barrier lies between them
//   all others        the owner of the run                nothing
//
// Without rounds, parcels and best values travel as in under_way.h.
#ifndef THREADS_CARGO_TASKS_H
#define THREADS_CARGO_TASKS_H

#include <stdatomic.h>

#include "base/arena.h"
#include "core/cargo/task_queue.h"
#include "core/cargo/tick.h"
#include "threads/machine/plan.h"
#include "threads/watch/profile.h"

struct ek_tasks_report;

struct cargo_processor {
    struct core_task_queue held;
    int64_t best;         // the best value that it knows
    uint64_t created;     // tasks that it created in its last tick and still holds: its newest
    double budget;        // the cost that it may still execute; below 0: it still works on an executed task
    uint64_t sent, taken; // without rounds: parcels that it has sent, and received
};

// A worker's store of blocks, and what its processors counted.
struct cargo_worker {
    _Alignas(128) struct core_task_store store;
    struct cargo_tasks *tasks;
    struct cargo_slab *slabs;
    uint64_t created;                 // tasks, with the first ones
    uint64_t executed, nodes, native; // tasks executed, those not dropped, those executed where they were created
    uint64_t cost, longest;           // of all executed tasks, and of the costliest path from a first task on
    uint64_t most_held;               // by one of its processors
    uint64_t left;                    // tasks of its processors after the last tick
    uint32_t busy;                    // its processors that worked in the last tick, and those that are not done
    uint32_t owing;
    uint64_t created_print, executed_print; // sums of the prints of all tasks that were created, and executed
    uint64_t result;                        // EK_RESULT_SUM
    int64_t best;                           // EK_RESULT_LEAST: the best that its processors found
    uint64_t done_ns;                       // without rounds: when one of its processors executed its last task
    double work_ns;                         // without rounds: the time that its processors worked, together
    uint64_t untimed, timed_after;          // executions since the last one that was timed; the next one is timed then
    double took_ns, reading_ns;             // of the last one that was timed, and of a reading of the clock
    uint64_t turns, executions;             // with a profile: turns, and executions in them
    uint64_t others;                        // with a profile: turns with something to do that were timed,
    double other_ns;                        // and how long they took besides the work, together
    bool overflows;                         // the sum of the results has more than 64 bits
    bool short_of_memory;
    bool broken; // the program broke a promise, as `breach` says
    struct ek_error breach;
};

struct cargo_tasks {
    const struct machine_plan *machine;
    const struct ek_program *program;
    const struct ek_problem *problem;
    uint64_t grain;
    bool give_newest;
    uint64_t again_every;   // a registered program is asked again for each task of this number; 0: it is not checked
    uint64_t cost_most;     // of a task
    const double *capacity; // by processor; NULL: all are 1
    uint32_t processors;
    unsigned workers;
    unsigned first_worker; // the worker that holds the first tasks
    bool *here;            // by processor: it belongs to this process; NULL: all do
    struct cargo_processor *processor;
    bool *idle;   // by processor, in rounds: a tick changes nothing here until tasks arrive
    double *busy; // by processor: in rounds the ticks in which it worked, in virtual time the nanoseconds of its work
    struct cargo_worker *worker;
    uint32_t ports;

    // Rounds and turns.
    struct core_task_queue *parcel; // by the sender's port
    int64_t *said;                  // by processor: the best value that it tells its neighbours in this step

    // Without rounds, by the sender's port (under_way.c).
    struct mail_way *parcels;
    struct cargo_teller *teller; // NULL if there is no best value

    double *had;           // [processors] room for cargo_tasks_had; NULL if nobody looks
    uint64_t *works_until; // by processor, in virtual time: when it has ended the tasks that it has executed, in ns;
                           // NULL if nobody looks
    uint32_t *picture;     // that the tasks compute; NULL if nobody keeps it
    uint32_t *pieces;      // room for a piece of each process
    struct watch_profile profile;
    uint64_t ticks;
    uint64_t worked_ticks; // those in which some processor worked
    uint64_t shared_tick;  // the first tick in which 95 % of the processors worked; 0: none
    uint64_t bytes_most;   // of all blocks
    // Relaxed: a lone count, which no other data depends on.
    _Atomic uint64_t bytes;
};

// Plan the memory that does not grow; begin a run with the first tasks, as many by processor as `held` says; end it
// and free the blocks. A run can begin anew. `begin` returns false with `error` filled if there is no memory for the
// first tasks.
void cargo_tasks_plan(struct cargo_tasks *tasks, const struct machine_plan *machine, unsigned workers,
                      struct base_arena *memory);
void cargo_parcels_plan(struct cargo_tasks *tasks, uint32_t ports, struct base_arena *memory); // rounds and turns
bool cargo_tasks_begin(struct cargo_tasks *tasks, const double *held, struct ek_error *error);
void cargo_tasks_end(struct cargo_tasks *tasks);

// Returns memory that lasts as long as the run, and its size; NULL if there is no more.
void *cargo_more_memory(struct cargo_worker *worker, size_t *bytes);

// Executes the tick of a processor, and sets `held` to the number of its tasks.
struct core_ticked cargo_tick(struct cargo_worker *worker, uint32_t processor, double *held);

// Without rounds: executes at most `grain` tasks of a processor. Sets `held` to the number of its tasks, and `cost` to
// the cost of those that it executed.
struct core_ticked cargo_execute(struct cargo_worker *worker, uint32_t processor, double *held, uint64_t *cost);

// Returns whether the tick of a processor would change nothing: most processors of a large machine have no tasks.
static inline bool cargo_is_idle(const struct cargo_tasks *tasks, uint32_t processor)
{
    return tasks->idle[processor];
}

// Lets a processor leave out the tick, because it balances. Its tasks are still to be executed.
void cargo_rest(struct cargo_worker *worker, uint32_t processor);

// Forgets what the worker counted in the last tick.
void cargo_begin_tick(struct cargo_worker *worker);

// Counts a tick, after all workers have executed it. `in_flight` is the number of tasks that no processor holds.
// Returns whether no task is left.
bool cargo_tick_done(struct cargo_tasks *tasks, double in_flight);

// Moves `count` tasks of a processor to the parcel of one of its ports, or as many as it holds. Returns their number.
uint64_t cargo_send(struct cargo_worker *worker, uint32_t processor, uint32_t port, uint64_t count);

// Moves `count` tasks of a processor, or as many as it holds, to the end of an empty queue: its newest, or those that a
// parcel takes. Returns their number. `hold` puts the tasks of a queue in front of those of a processor.
uint64_t cargo_give(struct cargo_worker *worker, uint32_t processor, uint64_t count, bool newest,
                    struct core_task_queue *queue);
void cargo_hold(struct cargo_worker *worker, uint32_t processor, struct core_task_queue *queue);

// Gives the parcel that was sent from `port` to its receiver.
void cargo_receive(struct cargo_worker *worker, uint32_t processor, uint32_t port);

// Spread the best value. In rounds all processors `say` theirs at the start of a step, and then `hear` what a neighbour
// said. In turns the sender of a message can `tell` its receiver at once.
void cargo_say(struct cargo_tasks *tasks, uint32_t processor);
void cargo_hear(struct cargo_tasks *tasks, uint32_t processor, uint32_t neighbour);
void cargo_tell(struct cargo_tasks *tasks, uint32_t sender, uint32_t receiver);

// Returns how many tasks each processor has: those that it holds, as `held` says, and the one that it still executes
// at `now_ns` of virtual time, or after the last tick. NULL if nobody looks (experiment.show_tasks).
double *cargo_tasks_had(struct cargo_tasks *tasks, const double *held, uint64_t now_ns);

// Returns whether nothing went wrong. Otherwise `error` has the reason. `done`: no task is left, so the tasks that were
// executed must be those that were created.
bool cargo_good(const struct cargo_tasks *tasks, bool done, struct ek_error *error);

// Returns the number of tasks that are held or under way. No worker may run.
uint64_t cargo_left(const struct cargo_tasks *tasks);

// Returns the sums, and the extremes, of what all workers counted, or the workers first..end-1.
struct cargo_worker cargo_sum(const struct cargo_tasks *tasks);
struct cargo_worker cargo_sum_of(const struct cargo_tasks *tasks, unsigned first, unsigned end);

// Stores what another process has counted, as cargo_sum_of returns it there.
void cargo_set_counts(struct cargo_tasks *tasks, unsigned worker, const struct cargo_worker *counted);

// The clock of a run without rounds.
struct cargo_times {
    double end_s;       // when the run ended
    bool done;          // because no task was left
    double cores;       // free timing: the cores that could work; 0 in virtual time
    double task_s;      // virtual time: what a unit of cost takes
    double detection_s; // from the last task until the run knew that it was the last one; NaN: unknown
};

// Report on a run (tasks_report.c), in ticks or in time.
void cargo_report_ticks(const struct cargo_tasks *tasks, struct ek_tasks_report *report);
void cargo_report_times(const struct cargo_tasks *tasks, const struct cargo_times *times,
                        struct ek_tasks_report *report);

// Gives the profile of a run without rounds to its report.
void cargo_profile_report(struct cargo_tasks *tasks, double end_ns, struct base_arena *memory,
                          struct ek_report *report);

#endif
