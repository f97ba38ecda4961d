// SPDX-License-Identifier: MIT
// Letters in free timing.
#ifndef THREADS_FREE_FREE_LETTERS_H
#define THREADS_FREE_FREE_LETTERS_H

#include "threads/free/free_state.h"

// Returns whether the method's letters have a meaning for the machine's other axes.
bool free_letters_possible(const struct machine_plan *machine, struct ek_error *error);

// Receives the letters that a message brings to p.
void free_letters_receive(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message);

// Lets the method ask and give. Returns whether it wrote any letter.
bool free_letters_act(struct free_worker *worker, uint32_t p);

// Sends the letters of p that wait for a message, at the end of a turn. If p `acts` by itself in this turn, also sends
// those that waited for a failed link, and announces its load. Returns whether there was anything to do.
bool free_letters_leave(struct free_worker *worker, uint32_t p, bool acts);

#endif
