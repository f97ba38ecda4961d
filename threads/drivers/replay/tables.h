// SPDX-License-Identifier: MIT
// The link tables of a run that is made again: all versions that any worker still sees. A run of threads has two at
// once (links.h); here a worker may be far behind another, until what it waits for has come.
#ifndef THREADS_DRIVERS_REPLAY_TABLES_H
#define THREADS_DRIVERS_REPLAY_TABLES_H

#include "threads/free/free_state.h"

struct free_tables {
    uint8_t **table; // by version from `first` on: [ports] each
    uint32_t *seen;  // by version too: workers that see it
    uint32_t first, count, size;
};

// Version 0, which all workers see. False without memory.
bool free_tables_begin(struct free_tables *tables, const struct free_run *run);
void free_tables_end(struct free_tables *tables);

// A worker at time `now` goes on from the table `from` to `to`; the links of the run fail and come back as far as that
// needs. NULL where there is no such table at that time, or no memory.
const uint8_t *free_tables_see(struct free_tables *tables, struct free_run *run, uint32_t from, uint32_t to,
                               uint64_t now);

#endif
