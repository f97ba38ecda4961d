// SPDX-License-Identifier: MIT
// A machine whose workers are ranks: what an experiment must be for that, and which rank carries which processors.
#ifndef THREADS_MACHINE_ON_RANKS_H
#define THREADS_MACHINE_ON_RANKS_H

#include "threads/machine/machine.h"

// The most words that an engine exchanges for each port at once, in rounds and in free timing.
enum { MACHINE_RANKS_WORDS = 4, MACHINE_RANKS_WORDS_FREE = 40 };

// Sets the number of workers to that of the ranks, when the carrier has been read. Returns false with `error` if there
// are no ranks, or other than the experiment asks for.
bool machine_ranks_settle(struct machine_plan *plan, struct ek_error *error);

// Returns whether ranks can carry the experiment, when its engine and topology are known.
bool machine_ranks_check(const struct machine_plan *plan, struct ek_error *error);

// Places the processors on the ranks.
bool machine_ranks_place(struct machine_plan *plan, struct ek_error *error);

// Returns a fingerprint of the experiment: two machines hardly have the same unless they were prepared from the same
// experiment.
uint64_t machine_ranks_print(const struct ek_machine *machine);

// Fills what a report has about ranks.
void machine_ranks_report(const struct machine_plan *plan, struct ek_report *report);

// Returns the number of this process's threads that carry processors.
unsigned machine_ranks_threads(const struct machine_plan *plan);

#endif
