// SPDX-License-Identifier: MIT
// The state of a run in rounds, as the three files of the engine share it: rounds.c (what a worker does), rounds_serial.c (what one
// worker does for all while they wait) and rounds_run.c (a run's memory and its report).
#ifndef EK_ROUNDS_STATE_H
#define EK_ROUNDS_STATE_H

#include <time.h>

#include "core/matching.h"
#include "threads/machine.h"
#include "threads/rounds.h"

// What crosses the links in one of the two phases. With `slot` mailboxes the outbox is the inboxes themselves and a port's message is put
// at its twin's place; with the queue kinds a worker writes at its own port's place, and posts and fetches afterwards.
struct ek_lane {
    double *inbox;
    double *outbox;
    const uint32_t *place; // by port: where its message goes in the outbox
    struct ek_mailboxes boxes;
};

// The ports of one block that take part in a step: `ends`, or all from..to-1 where ends is NULL.
struct ek_active {
    const struct ek_end *ends;
    size_t count;
    uint32_t from, to;
};

struct ek_worker {
    _Alignas(128) struct ek_rounds *rounds;
    uint32_t begin, end;     // its processors
    struct ek_active now;       // this step
    struct ek_active before;    // the last step
    struct ek_end *chosen;   // EK_LINKS_CHOSEN: room for the ends of its block
    double minimum;          // lowest load seen after any step
    uint64_t parcels;
    uint64_t messages;
};

struct ek_rounds {
    const struct ek_topology *topology;
    struct ek_machine *machine;
    uint64_t seed;
    unsigned steps_per_operation;

    double *held;   // by processor
    double *start;  // by processor: load at the operation's start, where the rule computes with that; else NULL
    double *native; // by processor: tokens that never left; else NULL
    double *moved;  // by processor
    double *sent;   // by port; NULL without flows
    double *initial;
    uint32_t *straight; // identity places, for the queue kinds; else NULL
    struct ek_lane announcements, parcels;
    struct ek_matching matching;
    struct ek_barrier *barrier;
    struct ek_worker *worker;

    // Written in serial sections only, read by all after the barrier.
    bool over;
    enum ek_reason reason;
    uint64_t step;      // complete ones
    uint64_t operation; // complete ones
    double total_initial, variance_initial, variance_before;
    uint64_t parcels_before;
    struct timespec began;
    double elapsed_s;
    struct ek_trace_row *trace;
    size_t trace_count, trace_room;
    uint64_t every; // the trace takes every so many-th step

    atomic_bool violated; // set by the worker that finds a violation first
    struct ek_error violation;

    _Atomic uint64_t shown_step, shown_operation; // for progress
    _Atomic double shown_variance;
};


// Whether a step is the links of one colour.
bool ek_rounds_by_colour(const struct ek_rounds *rounds);

// Notes a violation of the machine's contract; the run ends at the next serial section. The first one is reported.
void ek_rounds_violate(struct ek_rounds *rounds, const struct ek_error *violation);

// The serial sections: before the first step, after each announce phase, after each migrate phase.
void ek_rounds_begin(void *rounds);
void ek_rounds_decide(void *rounds);
void ek_rounds_step_done(void *rounds);

// Load is neither made nor lost: to rounding of all magnitudes handled so far, and exactly in tokens.
void ek_rounds_check_ledger(struct ek_rounds *rounds, double total);

#endif
