// SPDX-License-Identifier: MIT
// The versions of the link table in a replay. A run of threads has at most two versions at once (link_table.h). In a
// replay a worker may be far behind another one, so all versions that any worker still uses are kept.
#ifndef THREADS_DRIVERS_REPLAY_LINK_VERSIONS_H
#define THREADS_DRIVERS_REPLAY_LINK_VERSIONS_H

#include "threads/free/control/control.h"

struct replay_tables {
    uint8_t **table; // by version from `first` on: [ports] each
    uint32_t *seen;  // by version too: the number of workers that use it
    uint32_t first, count, size;
};

// Begins with the current table, which all workers use. Returns false if there is no memory.
bool replay_tables_begin(struct replay_tables *tables, const struct free_run *run);
void replay_tables_end(struct replay_tables *tables);

// Lets a worker at time `now` go on from version `from` to version `to`, and applies the faults up to that version.
// Returns the table, or NULL if there is no such version at that time, or no memory.
const uint8_t *replay_tables_see(struct replay_tables *tables, struct free_control *control, uint32_t from, uint32_t to,
                                 uint64_t now);

#endif
