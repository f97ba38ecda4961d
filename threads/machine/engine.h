// SPDX-License-Identifier: MIT
// An engine makes processors act: in rounds, in turns, or each at its own pace. It is a table of functions and a room;
// nobody else asks which engine runs. A new one is a room, and a line in engines.c.
#ifndef THREADS_MACHINE_ENGINE_H
#define THREADS_MACHINE_ENGINE_H

#include "threads/api/run.h"

struct machine_plan;

struct machine_engine {
    struct ek_choice choice; // of --timing
    unsigned timing;         // its bit: EK_IN_ROUNDS, ...
    unsigned variant;        // the room's own
    const char *mailbox;     // the kind where none is asked for
    unsigned capacity;       // messages of a mailbox where that is not said; 0: a link carries one a phase
    bool by_clock;           // delays and faults have times, not steps
    bool together;           // all processors act at once, as the theory of a whole operation has it
    bool overlapping;        // operations run into one another

    // Whether the engine can do what the axes ask for; else `error`. And what it settles where nothing is asked for.
    bool (*check)(const struct machine_plan *plan, struct ek_error *error);
    void (*settle)(struct machine_plan *plan); // or NULL

    // From how many processors on several workers take less time than one. The method is there, the topology may not
    // be.
    uint32_t (*shared)(const struct machine_plan *plan);

    // The bytes that a run takes beside the topology and its threads. Where the topology has no arrays yet, and what is
    // read on it is not there: the least.
    uint64_t (*bytes)(const struct machine_plan *plan);

    // Takes all memory of run `run` and draws its loads. NULL and `error` where there is not enough.
    void *(*create)(const struct machine_plan *plan, uint64_t run, struct ek_error *error);
    void (*destroy)(void *run);

    // The work of worker `worker` from the run's first moment to its last; all workers run at once. Meanwhile the
    // caller's thread calls `attend` every `attend_ns`, unless it is NULL.
    void (*run_worker)(void *run, unsigned worker);
    void (*attend)(void *run); // NULL: nothing
    uint64_t attend_ns;

    // The work of one more thread beside the workers, if the machine is `helped`.
    void (*help)(void *run);

    // The progress of the run; any thread, at any time.
    void (*progress)(void *run, struct ek_progress *progress);

    // After all workers have ended. EK_OK, or another status with `error`; `converged` says whether the stop criterion
    // holds.
    enum ek_status (*report)(void *run, struct ek_report *report, struct ek_error *error);
};

#endif
