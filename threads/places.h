// SPDX-License-Identifier: MIT
// Where workers run: worker threads are pinned to cores in blocks of neighbours, so that most of what a worker says
// goes to one on its own core, and a barrier's counting stays there (hwloc).
#ifndef EK_PLACES_H
#define EK_PLACES_H

#include <stdbool.h>

struct ek_places;

// The processing units that this process may use. NULL when the system does not tell; then nobody is pinned.
struct ek_places *ek_places_find(void);
void ek_places_free(struct ek_places *places);

unsigned ek_places_count(const struct ek_places *places); // at least 1, also for NULL

// Pins the calling thread: worker `index` of `workers` goes to unit index * count / workers. What fails is left
// unpinned.
void ek_places_pin(const struct ek_places *places, unsigned index, unsigned workers);

#endif
