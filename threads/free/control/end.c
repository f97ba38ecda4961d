// SPDX-License-Identifier: MIT
// The end of a run, as the attendant decides it.
#include "threads/free/control/end.h"

#include "threads/free/finish.h"
#include "threads/free/look.h"

void free_drain(struct free_control *control, enum ek_ended ended)
{
    struct free_attendant *attendant = &control->attendant;
    struct free_shared *shared = &control->run.shared;
    if (attendant->stopping) {
        return;
    }
    attendant->stopping = true;
    attendant->ended = ended;
    attendant->audit_next_ns = 0;                                                              // at once
    attendant->drained_epoch = atomic_load_explicit(&shared->epoch, memory_order_relaxed) + 1; // written by this thread
    // Relaxed: the release of the next snapshot's epoch orders it, and that snapshot is the first one that counts.
    atomic_store_explicit(&shared->draining, true, memory_order_relaxed);
}

void free_note_end(struct free_control *control, enum ek_ended ended, uint64_t ended_ns)
{
    control->attendant.ended = ended;
    control->attendant.ended_ns = ended_ns;
}

void free_end_now(struct free_control *control, enum ek_ended ended)
{
    struct free_run *run = &control->run;
    free_note_end(control, ended, free_now(run));
    for (unsigned w = 0; w < run->machine->workers; w++) { // for the dump, before they are woken
        control->attendant.slept[w] = atomic_load_explicit(&run->bell[w].lying, memory_order_relaxed) != 0;
    }
    free_finish(run);
}
