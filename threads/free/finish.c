// SPDX-License-Identifier: MIT
// The end of a run, as all threads see it.
#include "threads/free/finish.h"

void free_ring_all(struct free_run *run)
{
    for (unsigned w = 0; w < run->machine->workers; w++) {
        mail_bell_ring(&run->bell[w]);
    }
}

void free_finish(struct free_run *run)
{
    // Release: pairs with the acquire in a look, and in the fault thread.
    atomic_store_explicit(&run->shared.over, true, memory_order_release);
    free_ring_all(run);
    mail_bell_ring(free_fault_bell(run));
}

void free_violate(struct free_run *run, const struct ek_error *violation)
{
    // Acquire and release: a thread that comes second has seen that there is one. The text is read when all have ended.
    if (!atomic_exchange_explicit(&run->shared.violated, true, memory_order_acq_rel)) {
        run->shared.violation = *violation;
    }
    free_finish(run);
}
