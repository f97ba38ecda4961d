// SPDX-License-Identifier: MIT
// The letters of a run with tasks (core/method.h). A letter lies in the inbox of its receiver from the moment when it
// is posted, with the step in which it has crossed its last link. So it takes the time of its path, but no processor on
// the path handles it: a link carries any number of letters in a step, and one message has them all.
//
//   call              caller                              concurrent with
//   take, ask, give   the worker of the processor         calls for other processors
//   all others        the owner of the run                nothing
//
// An inbox is a stack that any worker pushes to, and that the worker of the receiver empties at once. Letters that are
// due were pushed before the last barrier.
#ifndef THREADS_CARGO_LETTERS_H
#define THREADS_CARGO_LETTERS_H

#include "threads/cargo/tasks.h"
#include "threads/mail/stack.h"

struct cargo_letter;

struct cargo_letter_counts {
    uint64_t requests, refusals, hops;
};

// The letters of a worker's processors that it will use again, and what these processors counted.
struct cargo_letters_worker {
    _Alignas(128) struct cargo_letter *unused;
    int64_t under_way; // tasks posted less tasks received, by its processors
    struct cargo_letter_counts counts;
    struct cargo_letter_counts asked; // in this step, which is not complete
};

struct cargo_letters {
    struct cargo_tasks *tasks;
    const struct machine_plan *machine;
    uint64_t seed;
    bool in_turns;
    double *state;  // by processor: plan.state_doubles each
    double *memory; // by port: plan.port_doubles each
    // By processor: letters that were pushed, letters that are not due yet, and those that are to be read next, in the
    // order in which they are read.
    struct mail_stack *inbox;
    struct cargo_letter **waiting, **arrived;
    struct cargo_letters_worker *worker;
};

// The tasks and messages of a call.
struct cargo_posted {
    double arrived, left; // tasks that are held from now on, and those that are not any more
    double moved;         // moves of these tasks over a link
    uint64_t messages, parcels;
};

void cargo_letters_plan(struct cargo_letters *letters, const struct machine_plan *machine, unsigned workers,
                        struct base_arena *memory);
void cargo_letters_begin(struct cargo_letters *letters, struct cargo_tasks *tasks, const struct machine_plan *machine,
                         uint64_t seed, double *state, double *memory, bool in_turns);

// Receives the answers and refusals that are due in step `now`, and the tasks in them.
struct cargo_posted cargo_letters_take(struct cargo_letters *letters, unsigned worker, uint32_t processor,
                                       uint64_t now);

// Let the method read what has been received, and ask; then read requests and passing letters, and give. `announced`
// has the neighbours' loads, or is NULL.
struct cargo_posted cargo_letters_ask(struct cargo_letters *letters, unsigned worker, uint32_t processor, uint64_t now);
struct cargo_posted cargo_letters_give(struct cargo_letters *letters, unsigned worker, uint32_t processor, uint64_t now,
                                       const double *announced);

// Returns the tasks in letters.
double cargo_letters_in_flight(const struct cargo_letters *letters);

void cargo_letters_report(const struct cargo_letters *letters, struct ek_tasks_report *report);

#endif
