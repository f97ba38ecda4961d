// SPDX-License-Identifier: MIT
// A *witness* observes the turns of a run. The run calls all its witnesses at each message that is sent or received, at
// each other event of a turn, and at the end of each turn. Runs of threads have no witness.
#ifndef THREADS_FREE_WITNESS_H
#define THREADS_FREE_WITNESS_H

#include "threads/api/turn.h"
#include "threads/free/free_state.h"

struct free_witness {
    // The processor whose turn it is sends or receives a message over this port.
    void (*message)(struct free_witness *witness, enum ek_event_kind kind, uint32_t port,
                    const struct mail_message *message);

    // Another event of this turn.
    void (*event)(struct free_witness *witness, const struct ek_event *event);

    // The turn of processor p has ended. NULL if the witness does not observe this.
    void (*turn)(struct free_witness *witness, uint32_t p);

    struct free_witness *next;
};

// Adds a witness, before the first turn or between two turns. The run then leaves the fast paths.
static inline void free_add_witness(struct free_run *run, struct free_witness *witness)
{
    witness->next = run->witness;
    run->witness = witness;
    run->path = FREE_PATH_ANY;
}

static inline void free_note_event(const struct free_worker *worker, const struct ek_event *event)
{
    for (struct free_witness *witness = worker->run->witness; witness; witness = witness->next) {
        witness->event(witness, event);
    }
}

static inline void free_note(const struct free_worker *worker, enum ek_event_kind kind, double amount)
{
    free_note_event(worker, &(struct ek_event){.kind = kind, .amount = amount});
}

static inline void free_note_message(const struct free_worker *worker, enum ek_event_kind kind, uint32_t port,
                                     struct mail_message message)
{
    for (struct free_witness *witness = worker->run->witness; witness; witness = witness->next) {
        witness->message(witness, kind, port, &message);
    }
}

static inline void free_note_turn(const struct free_worker *worker, uint32_t p)
{
    for (struct free_witness *witness = worker->run->witness; witness; witness = witness->next) {
        if (witness->turn) {
            witness->turn(witness, p);
        }
    }
}

#endif
