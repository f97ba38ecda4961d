// SPDX-License-Identifier: MIT
// The end of a run.
#include "threads/free/control/end.h"

#include "threads/free/look.h"

void free_ring_all(struct free_run *run)
{
    for (unsigned w = 0; w < run->machine->workers; w++) {
        mail_bell_ring(&run->bell[w]);
    }
}

void free_go_home(struct free_run *run)
{
    // Release: pairs with the acquire in a look, and in the helper's.
    atomic_store_explicit(&run->shared.over, true, memory_order_release);
    free_ring_all(run);
    mail_bell_ring(&run->helper.bell);
}

void free_violate(struct free_run *run, const struct ek_error *violation)
{
    // Acquire and release: who comes second has seen that there is one; the text is read when all have ended.
    if (!atomic_exchange_explicit(&run->shared.violated, true, memory_order_acq_rel)) {
        run->shared.violation = *violation;
    }
    free_go_home(run);
}

void free_stop(struct free_run *run, enum ek_ended ended)
{
    struct free_attendant *attendant = &run->attendant;
    if (attendant->stopping) {
        return;
    }
    attendant->stopping = true;
    attendant->ended = ended;
    attendant->audit_next_ns = 0;                                                                  // at once
    attendant->drained_epoch = atomic_load_explicit(&run->shared.epoch, memory_order_relaxed) + 1; // its own
    // Relaxed: ordered by the release of the next snapshot's epoch, which decides.
    atomic_store_explicit(&run->shared.draining, true, memory_order_relaxed);
}

void free_end(struct free_run *run, enum ek_ended ended)
{
    struct free_attendant *attendant = &run->attendant;
    attendant->ended = ended;
    attendant->ended_ns = free_now(run);
    for (unsigned w = 0; w < run->machine->workers; w++) { // for the dump, before they are woken
        attendant->slept[w] = atomic_load_explicit(&run->bell[w].lying, memory_order_relaxed) != 0;
    }
    free_go_home(run);
}
