// SPDX-License-Identifier: MIT
// The trace of a run: what was measured at every so many-th step or snapshot. Where it may not grow any more, every
// second row goes, and half as many come from then on.
#ifndef EK_TRACE_H
#define EK_TRACE_H

#include "core/measure.h"
#include "threads/run.h"

struct ek_trace {
    struct ek_trace_row *rows;
    size_t count, room;
    uint64_t every;  // it takes rows whose step is a multiple
    size_t rows_max; // 0: no limit
};

// Adds a row where its turn has come. False without memory: the trace is as it was.
bool ek_trace_add(struct ek_trace *trace, const struct ek_trace_row *row);

// A row of what was measured of the loads.
struct ek_trace_row ek_trace_row_of(const struct ek_measure *measure);

// Hands the rows over to a report.
void ek_trace_give(struct ek_trace *trace, struct ek_report *report);

#endif
