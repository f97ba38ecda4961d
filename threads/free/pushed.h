// SPDX-License-Identifier: MIT
// Free timing where nobody is asked: loads that are pushed, and operations upon the loads last heard.
#ifndef THREADS_FREE_PUSHED_H
#define THREADS_FREE_PUSHED_H

#include "threads/free/free_state.h"

// Whether this machine's method and its other axes mean something where loads are pushed.
bool free_announce_possible(const struct machine_plan *machine, struct ek_error *error);

// Announces p's load where it has changed and, if p is to begin an operation, gives by the loads last heard. Whether
// there was anything to do.
bool free_announce(struct free_worker *worker, uint32_t p, bool begins);

// Takes the announcement of the neighbour at this port.
void free_hear(struct free_worker *worker, uint32_t port, struct mail_message message);

// Records for a snapshot what p has still to say, and whether it would give.
void free_announce_record(struct free_worker *worker, uint32_t p, struct free_snapshot *part);

#endif
