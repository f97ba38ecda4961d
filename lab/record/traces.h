// SPDX-License-Identifier: MIT
// The traces of several runs on one axis: the steps, in free timing the time. A run that has ended counts with its last
// value, for nothing changes any more: so the runs at each place of the axis are the same.
#ifndef LAB_RECORD_TRACES_H
#define LAB_RECORD_TRACES_H

#include "lab/record/fields.h"

struct lab_traces {
    const struct ek_report **run; // [count]: those that have a trace, in the order in which they were given
    size_t *row;                  // [count]: how far each was read
    size_t count;
    const struct ek_report *longest;
    double first_end; // where the first of them ends
};

// Returns the moment of a row of the trace, and of the last row.
double lab_trace_moment(const struct ek_report *run, size_t row);
double lab_trace_end(const struct ek_report *run);

// The runs must stay. False without memory; to be destroyed also then.
bool lab_traces_begin(struct lab_traces *traces, const struct ek_report *runs, size_t count);
void lab_traces_destroy(struct lab_traces *traces);

// The axis: the rows of the longest trace; in free timing, where each run has snapshots of its own, moments at equal
// distances, of one run its start and its snapshots.
size_t lab_traces_moments(const struct lab_traces *traces);
double lab_traces_moment(const struct lab_traces *traces, size_t index);

// Run `r`'s value of a field of the trace at a place; between two rows on a line that is straight where the values are
// logarithmic, as far as they have a logarithm. Before the first, in free timing, the variance comes from the start,
// and anything else is as it is there. Places may only grow from call to call.
double lab_traces_value(struct lab_traces *traces, size_t r, double x, const struct lab_field *field);

#endif
