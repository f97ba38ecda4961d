// SPDX-License-Identifier: MIT
// Machines whose workers are ranks: which experiments ranks can carry, and which rank carries which processors.
#ifndef THREADS_MACHINE_ON_RANKS_H
#define THREADS_MACHINE_ON_RANKS_H

#include "threads/machine/machine.h"

// The most words that an engine exchanges at once for each port: in rounds, and in free timing.
enum { MACHINE_RANKS_WORDS = 4, MACHINE_RANKS_WORDS_FREE = 40 };

// Sets the number of workers to the number of ranks, after the carrier has been read. Returns false with `error` if no
// ranks were started, or another number of ranks than the experiment asks for. With other carriers the plan stays
// unchanged.
bool machine_ranks_settle(struct machine_plan *plan, struct ek_error *error);

// Returns whether ranks can carry the experiment. Its engine and topology must be known.
bool machine_ranks_check(const struct machine_plan *plan, struct ek_error *error);

// Places the processors on the ranks.
bool machine_ranks_place(struct machine_plan *plan, struct ek_error *error);

// Computes the numbers to which each rank contributes, after all ranks have agreed to begin: the distance of the loads
// from balance, if the facts about the machine need it, and the number of links between ranks, if each rank stores only
// its own links.
bool machine_ranks_draw(struct machine_plan *plan, struct ek_error *error);

// Returns a fingerprint of the experiment; 0 without ranks. Machines of different experiments almost certainly have
// different fingerprints.
uint64_t machine_ranks_print(const struct ek_machine *machine);

// Writes the ranks and the placement to a report.
void machine_ranks_report(const struct machine_plan *plan, struct ek_report *report);

// Returns the number of this process's threads that carry processors.
unsigned machine_ranks_threads(const struct machine_plan *plan);

#endif
