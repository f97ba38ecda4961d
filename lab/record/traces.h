// SPDX-License-Identifier: MIT
// The traces of several runs on one axis: steps, or time in free timing. A run whose loads no longer change counts with
// its last value after its end. The axis ends where the first other run ends, such as one that a limit cut short. So
// all runs count at every place of the axis.
#ifndef LAB_RECORD_TRACES_H
#define LAB_RECORD_TRACES_H

#include "lab/record/fields.h"

struct lab_traces {
    const struct ek_report **run; // [count]: the runs that have a trace, in the given order
    size_t *row;                  // [count]: the row that each was last read at
    size_t count;
    const struct ek_report *longest;
    double first_end; // where the first run ends
    double end;       // where the axis ends
};

// Returns the moment of a row of the trace, and of the last row.
double lab_trace_moment(const struct ek_report *run, size_t row);
double lab_trace_end(const struct ek_report *run);

// Begins to read the runs' traces; the runs must stay in memory. Returns false if memory is short. The caller destroys
// `traces` in either case.
bool lab_traces_begin(struct lab_traces *traces, const struct ek_report *runs, size_t count);
void lab_traces_destroy(struct lab_traces *traces);

// Returns whether the axis ends before the longest trace.
bool lab_traces_end_early(const struct lab_traces *traces);

// Return the number of places on the axis, and the place with this index. In rounds these are the rows of the longest
// trace. In free timing each run has its own snapshots: for one run the places are its start and its snapshots, for
// several runs equidistant moments.
size_t lab_traces_moments(const struct lab_traces *traces);
double lab_traces_moment(const struct lab_traces *traces, size_t index);

// Returns run `r`'s value of a field at place `x`. Between two rows it is interpolated: geometrically if both values
// are positive, else linearly. In free timing, before the first row, the variance is interpolated from the start, and
// any other field has the first row's value. `x` must not decrease from call to call.
double lab_traces_value(struct lab_traces *traces, size_t r, double x, const struct lab_field *field);

#endif
