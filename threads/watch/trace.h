// SPDX-License-Identifier: MIT
// The trace of a run: a row of measurements at every k-th step or snapshot. If the trace has reached its largest size,
// every second row is dropped, and half as many are added from then on.
#ifndef THREADS_WATCH_TRACE_H
#define THREADS_WATCH_TRACE_H

#include "core/measure.h"

struct ek_experiment;
struct ek_report;

struct watch_trace {
    struct ek_trace_row *rows;
    size_t count, room;
    uint64_t every;  // only rows whose step is a multiple are kept
    size_t rows_max; // 0: no limit
};

// Returns an empty trace for an experiment.
struct watch_trace watch_trace_of(const struct ek_experiment *experiment);

// Adds a row if its step is a multiple of `every`. Returns false, with an unchanged trace, if there is no memory.
bool watch_trace_add(struct watch_trace *trace, const struct ek_trace_row *row);

// Reserves room for a number of rows. Returns false, with an unchanged trace, if there is no memory.
bool watch_trace_make_room(struct watch_trace *trace, size_t rows);

// Counts up to the moment of a row.
struct watch_passed {
    double moved;
    double there;  // initial plus generated load
    double stayed; // tokens that never left their first processor; NaN for real loads
    uint64_t invokers, invocations, messages;
};

// Returns a row with a measurement of the loads and the counts at that moment.
struct ek_trace_row watch_trace_row_of(const struct core_measure *measure, uint32_t processors,
                                       const struct watch_passed *passed);

// Returns whether the experiment's observer wants this step or snapshot.
bool watch_trace_observed(const struct ek_experiment *experiment, uint64_t step);

// Shows a row and the loads, [processors], to the experiment's observer, and before that the numbers of tasks that
// processors have, unless `tasks` is NULL. Returns how many seconds the observer took.
double watch_trace_show(const struct ek_experiment *experiment, const struct ek_trace_row *row, const double *loads,
                        const double *tasks, uint32_t processors);

// Moves the rows to a report.
void watch_trace_give(struct watch_trace *trace, struct ek_report *report);

#endif
