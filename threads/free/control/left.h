// SPDX-License-Identifier: MIT
// The messages that are still under way to each port when all workers have ended: kept by their senders, in mailboxes
// or on wires, or delayed.
#ifndef THREADS_FREE_CONTROL_LEFT_H
#define THREADS_FREE_CONTROL_LEFT_H

#include "threads/free/control/control.h"

// Plans an array of them by port. In virtual time none is needed, unless several processes exchange it: a visit leaves
// the messages where they are, so they can be counted again.
void free_left_plan(struct free_control *control, struct base_arena *memory);

// Counts the messages. Mailboxes are empty then, so this may be called only once. Returns their load, and adds their
// number to `messages`. After a drain there are none.
double free_left_count(struct free_control *control, uint64_t *messages);

// Adds the messages to a port that are in this process to the counts of the port (`here`) and of the other end of the
// link (`there`), at which the load of a RETURN counts. Empties the port's mailbox.
void free_left_count_at(struct free_run *run, uint32_t port, struct free_left *here, struct free_left *there);

// Returns what is left under way to a port of this process, after free_left_count.
struct free_left free_left_at(const struct free_control *control, uint32_t port);

#endif
