// SPDX-License-Identifier: MIT
// The immediate end of a run.
#include "threads/free/finish.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

void free_ring_all(struct free_run *run)
{
    for (unsigned w = 0; w < run->machine->workers; w++) {
        mail_bell_ring(&run->bell[w]);
    }
}

void free_finish(struct free_run *run)
{
    // Release: pairs with the acquire in free_see_around, and with the one in the fault thread.
    atomic_store_explicit(&run->shared.over, true, memory_order_release);
    free_ring_all(run);
    mail_bell_ring(free_fault_bell(run));
}

// In virtual time a window is completed, and which of its violations comes first depends on the workers. So the run
// reports the one whose sentence is the first in the order of characters.
void free_violate_with(struct free_run *run, const struct ek_error *violation)
{
    // Acquire and release: one thread at a time writes the text. It is read when all workers have ended.
    while (atomic_exchange_explicit(&run->shared.violating, true, memory_order_acquire)) {
    }
    bool first = !atomic_exchange_explicit(&run->shared.violated, true, memory_order_acq_rel);
    bool same_window = run->wires && !run->shared.violation_stays;
    if (first || (same_window && strcmp(violation->sentence, run->shared.violation.sentence) < 0)) {
        run->shared.violation = *violation;
    }
    atomic_store_explicit(&run->shared.violating, false, memory_order_release);
    free_finish(run);
}

void free_violate(struct free_run *run, const char *format, ...)
{
    struct ek_error violation;
    char sentence[sizeof violation.sentence];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    base_fail(&violation, EK_VIOLATION, "", "%s", sentence);
    free_violate_with(run, &violation);
}
