// SPDX-License-Identifier: MIT
// Decides whether a run in rounds ends now, and why: by its criterion, by a proof or a suspicion that it cannot reach
// the criterion, or by a limit. All this happens in serial sections.
#ifndef THREADS_ROUNDS_VERDICT_H
#define THREADS_ROUNDS_VERDICT_H

#include "threads/rounds/rounds_state.h"

// Ends the run.
void rounds_end(struct rounds_run *rounds, enum ek_ended ended);

// Returns whether a state determines all that follows: no random numbers are drawn, and there are no workload, no
// faults and no delayed messages.
bool rounds_is_autonomous(const struct rounds_run *rounds);

// Measures the loads, shows them with `show`, and ends the run if they violate the ledger or have lost their meaning.
// With `criterion` the function also tests whether the stop criterion holds, or can no longer be reached.
void rounds_test(struct rounds_run *rounds, bool criterion, bool show);

// Ends a run whose method has come to its end. The stop criterion, if there is one, is tested on the result.
void rounds_end_method(struct rounds_run *rounds);

// Notes whether the time is over, and whether ek_interrupt was called.
void rounds_check_clock(struct rounds_run *rounds);

// Ends the run if it has reached a limit, and returns whether it is over.
bool rounds_check_limits(struct rounds_run *rounds);

// Takes back the last operation if nothing moved in it and the method ends before such an operation. Returns whether it
// was taken back.
bool rounds_take_back(struct rounds_run *rounds);

#endif
