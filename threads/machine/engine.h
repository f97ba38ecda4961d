// SPDX-License-Identifier: MIT
// Engines. An engine makes the processors act: in rounds, in turns, or each at its own pace. It is a table of
// functions, and a room (ARCHITECTURE.md) with their code. A new engine is a new room and a line in engines.c.
#ifndef THREADS_MACHINE_ENGINE_H
#define THREADS_MACHINE_ENGINE_H

#include "base/common.h"

struct ek_progress;
struct ek_report;
struct machine_plan;

// The default of an axis in one timing.
struct machine_initial {
    const char *axis, *value;
};

struct machine_engine {
    struct ek_choice choice;               // the value of --timing
    unsigned timing;                       // its bit, as EK_IN_ROUNDS
    unsigned variant;                      // distinguishes the engines of one room
    const char *mailbox;                   // the kind if the user chooses none
    const struct machine_initial *initial; // the defaults that differ from those of the axes, then {NULL}; or NULL
    unsigned capacity; // default capacity of a mailbox, in messages; 0: a link carries one message a phase
    bool by_clock;     // delays and faults have times, not steps
    bool together;     // all processors act at once, as the theory of whole operations assumes
    bool ascending;    // they act one after another, in the order of their numbers
    bool overlapping;  // operations can overlap in time
    bool computed;     // time is computed, not measured (threads/drivers/virtual/)

    // `check` returns whether the engine can do what the axes ask for; if not, `error` has the reason. `settle` sets
    // values that the user left open.
    bool (*check)(const struct machine_plan *plan, struct ek_error *error);
    void (*settle)(struct machine_plan *plan); // NULL: the engine sets none

    // Returns the number of processors from which on several workers are faster than one. The plan has its method, but
    // perhaps no topology yet.
    uint32_t (*shared)(const struct machine_plan *plan);

    // Returns the bytes that a run takes in addition to the topology and the threads. The result is a lower bound while
    // the topology has no arrays and the axes that depend on it have not been read.
    uint64_t (*bytes)(const struct machine_plan *plan);

    // Returns whether runs need no arrays of the topology, but compute its rows (topologies/rows.h). The topology is an
    // outline. NULL: runs need the arrays.
    bool (*computes_rows)(const struct machine_plan *plan);

    // Returns whether each rank needs only the rows of its own processors (topologies/window.h). The topology is an
    // outline. NULL: it needs all.
    bool (*stores_part)(const struct machine_plan *plan);

    // Allocates all memory of run number `run`, and draws its loads. Returns NULL with `error` if there is not enough
    // memory.
    void *(*create)(const struct machine_plan *plan, uint64_t run, struct ek_error *error);
    void (*destroy)(void *run);

    // `run_worker` does the work of worker `worker` from the begin of the run to its end. All workers run at the same
    // time. Meanwhile the caller's thread calls `attend` every `attend_ns`.
    void (*run_worker)(void *run, unsigned worker);
    void (*attend)(void *run); // NULL: never called
    uint64_t attend_ns;

    // Does the work of one more thread beside the workers, if the machine is `helped` (struct machine_plan).
    void (*help)(void *run);

    // Writes the progress of the run. Any thread may call this function at any time.
    void (*progress)(void *run, struct ek_progress *progress);

    // Fills the report, after all workers have ended. Returns EK_OK, or another status with `error`. `converged` in the
    // report becomes whether the stop criterion holds.
    enum ek_status (*report)(void *run, struct ek_report *report, struct ek_error *error);
};

#endif
