// SPDX-License-Identifier: MIT
// The profile of free timing: how long processors execute tasks, and how long their other turns take, on the clock of
// the worker's thread. The times are placed where they end on the clock of the run.
//
// Each execution of tasks is timed, and one turn in 16. Its time without the work stands for all turns in which a
// processor of the worker had something to do. Turns without anything to do are idle time.
#ifndef THREADS_FREE_PROFILE_H
#define THREADS_FREE_PROFILE_H

#include "threads/free/free_state.h"

// Returns whether turns are profiled here. In virtual time the driver knows their times.
static inline bool free_has_profile(const struct free_run *run)
{
    return run->tasks.profile.most > 0 && !run->wires;
}

// Adds the execution that has just ended and was timed.
void free_profile_work(struct free_worker *worker, uint32_t p);

// The clock and the counts when a turn begins.
struct free_profile_turn {
    bool timed;
    uint64_t began_ns, executions;
    double worked_ns;
};

// Surround a turn. When it had something to do, `end` adds its overhead.
struct free_profile_turn free_profile_begin(struct free_worker *worker);
void free_profile_end(struct free_worker *worker, uint32_t p, const struct free_profile_turn *turn);

#endif
