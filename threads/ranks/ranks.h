// SPDX-License-Identifier: MIT
// Ranks: what an experiment must be for several processes to carry it together, and how they see to it that they go on
// together or not at all. What they say to each other in a run is in rounds/ranks.h.
#ifndef THREADS_RANKS_RANKS_H
#define THREADS_RANKS_RANKS_H

#include "threads/machine/machine.h"

// The words that an engine brings together for each port, at most, in rounds and in free timing.
enum { MACHINE_RANKS_WORDS = 4, MACHINE_RANKS_WORDS_FREE = 40 };

// When the carrier has been read: how many ranks there are. False and `error` where there are none, or others than were
// asked for.
bool machine_ranks_settle(struct ek_machine *machine, struct ek_error *error);

// Whether ranks can carry it, when the engine and the topology are known.
bool machine_ranks_check(const struct ek_machine *machine, struct ek_error *error);

// Places the processors on the ranks.
bool machine_ranks_place(struct ek_machine *machine, struct ek_error *error);

// Says whether all is `good` here, and hears it from the others; `print` is a number that must be the same in all
// ranks. False in all where it is not good in one, with the error of the first such. Without ranks (NULL) it answers
// `good`.
bool machine_ranks_agree(const struct ek_ranks *ranks, bool good, uint64_t print, struct ek_error *error);

// The same between ranks that go on afterwards. False where one was not heard: then nobody is to be spoken to any more.
bool machine_ranks_hear(const struct ek_ranks *ranks, bool *good, uint64_t print, struct ek_error *error);

// A number that hardly two machines have in common that are not prepared from the same experiment.
uint64_t machine_ranks_print(const struct ek_machine *machine);

// What a report says of them.
void machine_ranks_report(const struct ek_machine *machine, struct ek_report *report);

// The threads of this process that carry processors.
unsigned machine_ranks_threads(const struct ek_machine *machine);

#endif
