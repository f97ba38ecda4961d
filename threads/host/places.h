// SPDX-License-Identifier: MIT
// Where workers run: worker threads are pinned to cores in blocks of neighbours, so that most of what a worker says
// goes to one on its own core, and a barrier's counting stays there (hwloc). Only cores that this process was given: by
// its CPU mask, and no more of them than its control group has a quota of time for.
#ifndef THREADS_HOST_PLACES_H
#define THREADS_HOST_PLACES_H

#include <stdbool.h>

struct host_places;

// The processing units that were given to the calling thread. NULL when the system does not tell; then nobody is
// pinned. Units that are added to the machine after the first call are not seen by this process.
struct host_places *host_places_find(void);
void host_places_destroy(struct host_places *places);

unsigned host_places_count(const struct host_places *places); // at least 1, also for NULL

// What keeps it from the other cores of the machine, as "the CPU mask (0-3)"; "" where nothing does.
const char *host_places_bound(const struct host_places *places);

// Pins the calling thread: worker `index` of `workers` goes to unit index * count / workers. What fails is left
// unpinned. Takes no memory: it is for workers.
void host_places_pin(const struct host_places *places, unsigned index, unsigned workers);

#endif
