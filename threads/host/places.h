// SPDX-License-Identifier: MIT
// Places of workers. Worker threads are pinned to cores in blocks of neighbours (by hwloc), so that most messages of a
// worker go to workers on its own core and the barrier counts within a core. Only cores that the CPU mask of this
// process allows are used, and no more of them than the quota of its control group has time for.
//
// A *place* is a processing unit that a worker may be pinned to.
#ifndef THREADS_HOST_PLACES_H
#define THREADS_HOST_PLACES_H

#include <stdbool.h>

struct host_places;

// Finds the places of the calling thread. Returns NULL if the system does not report them; then no worker is pinned.
// Units that are added to the machine after the first call are not seen by this process. The second function takes the
// quota of the control group, in cores, as an argument; INFINITY is none.
struct host_places *host_places_find(void);
struct host_places *host_places_within(double quota);
void host_places_destroy(struct host_places *places);

unsigned host_places_count(const struct host_places *places); // at least 1, also if `places` is NULL

// Returns why this process cannot use the other cores of the machine, such as "the CPU mask (0-3)", or "" if it can.
const char *host_places_bound(const struct host_places *places);

// Pins the calling thread: worker `index` of `workers` is pinned to place index * count / workers. A thread that cannot
// be pinned stays unpinned. Allocates nothing, so that workers can call it.
void host_places_pin(const struct host_places *places, unsigned index, unsigned workers);

#endif
