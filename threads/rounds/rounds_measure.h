// SPDX-License-Identifier: MIT
// Measurements of a run in rounds, in serial sections: the loads, the ledger, and the rows that show a step. Sums are
// exact, or taken in the order of processors by one worker, so they do not depend on the workers.
#ifndef THREADS_ROUNDS_ROUNDS_MEASURE_H
#define THREADS_ROUNDS_ROUNDS_MEASURE_H

#include "threads/rounds/rounds_state.h"

// Returns whether ranks that hold only their blocks add up their own parts exactly, and merge the sums. Otherwise one
// process adds up all.
static inline bool rounds_sums_parts(const struct rounds_run *rounds)
{
    return rounds->by_block && rounds->topology->processors > CORE_MEASURE_IN_ORDER;
}

// Measures the loads, with the load in flight. Unless `all`, only the totals and the distances from balance are
// measured.
void rounds_measure(struct rounds_run *rounds, bool all, struct core_measure *measure);

// Returns whether the stop criterion holds for the loads that have been measured.
bool rounds_stop_reached(struct rounds_run *rounds, const struct core_measure *measure);

// Checks the ledger against a measurement: load is neither made nor lost, exactly in tokens, to rounding in reals. A
// violation ends the run.
enum watch_verdict rounds_check_ledger(struct rounds_run *rounds, const struct core_measure *measure);

// Returns the load sent so far, including the load that processors sent to themselves.
double rounds_moved(struct rounds_run *rounds);

// Finds the norms of the net flow over the links (core_measure_flows). Unless ranks sum parts, what ports have sent has
// been collected.
void rounds_measure_flows(struct rounds_run *rounds, double *l1, double *l2);

// Returns the number of tokens that never left their first processor, including those consumed there; NaN for real
// loads.
double rounds_stayed(struct rounds_run *rounds);

// Returns the messages, and the parcels, sent so far.
uint64_t rounds_messages(const struct rounds_run *rounds);
uint64_t rounds_parcels(const struct rounds_run *rounds);

// Returns whether the trace, the window or the observer wants the loads of this step.
bool rounds_step_is_shown(const struct rounds_run *rounds);

// Gives the trace, the window and the observer a row with the measurement. A step has one row: the last one measured in
// it.
void rounds_show_step(struct rounds_run *rounds, const struct core_measure *measure);

#endif
