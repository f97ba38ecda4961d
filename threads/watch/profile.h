// SPDX-License-Identifier: MIT
// The profile of a run with tasks: for how long each processor worked and had overhead, over time, and how many tasks
// it executed and created.
//
// Time is divided into at most `most` intervals of 2^k units. The unit is a tick or a nanosecond. Each processor has
// intervals of its own: when its time passes their end, each two are joined, and k grows. So a profile never takes
// more memory than was planned, in a run of any length. At the end all processors get the same k.
//
//   call                         caller                       concurrent with
//   add, count                   the worker of the processor  calls for other processors
//   plan, begin, settle, give    the owner of the run         nothing
//
// All sums are of whole numbers below 2^53, so they do not depend on the order in which processors act.
#ifndef THREADS_WATCH_PROFILE_H
#define THREADS_WATCH_PROFILE_H

#include "base/arena.h"
#include "threads/api/measures.h"

struct ek_report;

enum {
    WATCH_PROFILE_GROUPS = 1024, // the most groups of processors of a report
    WATCH_PROFILE_PARTS = 2      // work and overhead; executed and created tasks
};

struct watch_profile_row {
    uint64_t last; // end of the latest time that was added
    unsigned k;    // an interval has 2^k units
};

struct watch_profile {
    uint32_t processors;
    uint32_t most;                 // intervals; 0: there is no profile
    uint32_t group, groups;        // successive processors of a group of the report, and the number of groups
    struct watch_profile_row *row; // [processors]
    double *time;                  // [processors][2][most]: the work, and then the overhead, of a processor
    double *tasks;                 // [processors][2]: executed, created
    struct ek_profile report;      // its arrays are planned with the others
};

// Plans a profile of at most `most` intervals: 0, or at least 2.
void watch_profile_plan(struct watch_profile *profile, uint64_t most, uint32_t processors, struct base_arena *memory);

// Forgets all that was added: a run can begin anew.
void watch_profile_begin(struct watch_profile *profile);

// Adds the time from..end-1 of a processor. `kind` is EK_PROFILE_WORK or EK_PROFILE_OVERHEAD.
void watch_profile_add(struct watch_profile *profile, uint32_t processor, enum ek_profile_kind kind, uint64_t from,
                       uint64_t end);

// Counts tasks that a processor has executed and created.
static inline void watch_profile_count(struct watch_profile *profile, uint32_t processor, double executed,
                                       double created)
{
    if (profile->most > 0) {
        profile->tasks[2 * (size_t)processor] += executed;
        profile->tasks[2 * (size_t)processor + 1] += created;
    }
}

// Gives all processors intervals of the same length. `end` is the end of the run.
void watch_profile_settle(struct watch_profile *profile, uint64_t end);

// Moves the profile to a report, in which a unit is `unit`. Time that was not added is idle. The run ended at `end`, or
// at the end of the latest time that was added. Call it after settle.
void watch_profile_give(struct watch_profile *profile, uint64_t end, double unit, struct base_arena *memory,
                        struct ek_report *report);

#endif
