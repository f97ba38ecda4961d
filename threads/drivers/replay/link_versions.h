// SPDX-License-Identifier: MIT
// The link tables of a run that is made again: all versions that any worker still sees. A run of threads has two at
// once (links.h); here a worker may be far behind another, until what it waits for has come.
#ifndef THREADS_DRIVERS_REPLAY_LINK_VERSIONS_H
#define THREADS_DRIVERS_REPLAY_LINK_VERSIONS_H

#include "threads/free/control/control.h"

struct replay_tables {
    uint8_t **table; // by version from `first` on: [ports] each
    uint32_t *seen;  // by version too: workers that see it
    uint32_t first, count, size;
};

// Version 0, which all workers see. False without memory.
bool replay_tables_begin(struct replay_tables *tables, const struct free_run *run);
void replay_tables_end(struct replay_tables *tables);

// A worker at time `now` goes on from the table `from` to `to`; the links of the run fail and come back as far as that
// needs. NULL where there is no such table at that time, or no memory.
const uint8_t *replay_tables_see(struct replay_tables *tables, struct free_control *control, uint32_t from, uint32_t to,
                                 uint64_t now);

#endif
