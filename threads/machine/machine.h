// SPDX-License-Identifier: MIT
// A prepared machine: its plan, which is all that a run reads, and what only its owner needs.
#ifndef THREADS_MACHINE_MACHINE_H
#define THREADS_MACHINE_MACHINE_H

#include "threads/api/axis.h"
#include "threads/api/experiment.h"
#include "threads/machine/plan.h"
#include "threads/machine/search.h"

// The topology with its arrays, if runs compute the rows. It is made when a caller first asks for it.
struct machine_stored {
    pthread_mutex_t lock;
    struct ek_topology *topology;
};

struct ek_machine {
    struct machine_plan plan;
    struct ek_experiment experiment; // the plan's
    char *text;                      // memory of the effective values
    const char *value[EK_AXES_MAX];  // by axis: its effective value, as text
    bool given[EK_AXES_MAX];         // by axis: the user gave another value than the default
    atomic_ulong interrupts;         // calls of ek_interrupt so far
    struct machine_search search;    // on one processor
    struct machine_stored stored;
};

#endif
