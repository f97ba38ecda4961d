// SPDX-License-Identifier: MIT
// Operations on announced loads (--announce pushed).
#ifndef THREADS_FREE_PUSHED_H
#define THREADS_FREE_PUSHED_H

#include "threads/free/free_state.h"

// Returns whether pushed announcements have a meaning for the machine's method and its other axes.
bool free_push_possible(const struct machine_plan *machine, struct ek_error *error);

// Announces the load of p if it has changed. If `begins`, gives load by the announcements received last. Returns
// whether there was anything to do.
bool free_push(struct free_worker *worker, uint32_t p, bool begins);

// Receives the announcement of the neighbour at this port.
void free_receive_announcement(struct free_worker *worker, uint32_t port, struct mail_message message);

// Records for a snapshot whether p would announce, and whether it would give.
void free_push_record(struct free_worker *worker, uint32_t p, struct free_snapshot *part);

#endif
