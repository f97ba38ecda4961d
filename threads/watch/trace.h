// SPDX-License-Identifier: MIT
// The trace of a run: what was measured at every so many-th step or snapshot. Where it may not grow any more, every
// second row goes, and half as many come from then on.
#ifndef THREADS_WATCH_TRACE_H
#define THREADS_WATCH_TRACE_H

#include "core/measure.h"
#include "threads/api/run.h"

struct watch_trace {
    struct ek_trace_row *rows;
    size_t count, room;
    uint64_t every;  // it takes rows whose step is a multiple
    size_t rows_max; // 0: no limit
};

// The trace that an experiment asks for, without rows.
struct watch_trace watch_trace_of(const struct ek_experiment *experiment);

// Adds a row where its turn has come. False without memory: the trace is as it was.
bool watch_trace_add(struct watch_trace *trace, const struct ek_trace_row *row);

// Room for so many rows. False without memory: those that are there stay.
bool watch_trace_make_room(struct watch_trace *trace, size_t rows);

// What has passed when a row is made.
struct watch_passed {
    double moved;
    double there;  // initial and generated load
    double stayed; // tokens that never left their first processor; NaN in reals
    uint64_t invokers, invocations, messages;
};

// A row of what was measured of the loads, and of what had passed then.
struct ek_trace_row watch_trace_row_of(const struct core_measure *measure, uint32_t processors,
                                       const struct watch_passed *passed);

// Whether the experiment's observer is to look at this step or snapshot.
bool watch_trace_observed(const struct ek_experiment *experiment, uint64_t step);

// Hands the rows over to a report.
void watch_trace_give(struct watch_trace *trace, struct ek_report *report);

#endif
