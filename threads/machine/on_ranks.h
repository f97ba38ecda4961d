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

// The processors of this process, from the first to the last one, and their ports.
struct machine_block {
    struct base_range processors, ports;
    uint64_t own, own_ports; // without those of other ranks that lie between
    uint32_t spans;          // of own processors
};

// Returns the block of this process. Before the processors are placed, its numbers are only a lower bound.
struct machine_block machine_block_of(const struct machine_plan *plan);

// Plan an array with `each` elements for each processor, or for each port, that only their owners read and write. It
// exists for the block only, and takes memory for the own ones, in whole pages. Nothing is planned if `each` is 0.
void machine_block_plan(const struct machine_block *block, struct base_arena *memory, void *place, uint64_t each,
                        size_t size);
void machine_block_plan_ports(const struct machine_block *block, struct base_arena *memory, void *place, uint64_t each,
                              size_t size);

// Finds what needs all ranks, after they have agreed to begin: what the facts about the machine need of all loads, and
// the number of links between ranks that know only their own.
bool machine_ranks_draw(struct machine_plan *plan, struct ek_error *error);

// Returns a fingerprint of the experiment; 0 without ranks. Machines of different experiments almost certainly have
// different fingerprints.
uint64_t machine_ranks_print(const struct ek_machine *machine);

// Writes the ranks and the placement to a report.
void machine_ranks_report(const struct machine_plan *plan, struct ek_report *report);

// Returns the number of this process's threads that carry processors.
unsigned machine_ranks_threads(const struct machine_plan *plan);

#endif
