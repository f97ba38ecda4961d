// SPDX-License-Identifier: MIT
// The search overhead of branch and bound: how many more nodes a run searched than one processor that executes the same
// program.
#ifndef THREADS_MACHINE_SEARCH_H
#define THREADS_MACHINE_SEARCH_H

#include <pthread.h>

#include "threads/machine/plan.h"

// The search on one processor, which all runs of a machine are compared with. It is made when the first run needs it.
struct machine_search {
    pthread_mutex_t lock; // of all other members: runs may end at the same time
    bool found;
    uint64_t executed, nodes;
    uint64_t tried; // a search that was not found executes more tasks than this
};

// Adds the nodes of one processor to the report of a run that has executed all tasks. `nodes_serial` stays unknown if
// one processor executes more than `serial_most` tasks.
void machine_search_report(const struct machine_plan *plan, struct ek_report *report);

#endif
