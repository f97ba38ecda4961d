// SPDX-License-Identifier: MIT
// Measurements over a window of a run: the papers' measures for runs with a workload, which have no final state.
// Balancing with delays, section 1: a method is stable if a constant B bounds the distance of every load from the mean
// at all times. Xu, Monien, Lüling & Lau 1995, section 2: the balance quality is the bound of the variance that a
// method guarantees.
#ifndef THREADS_WATCH_WINDOW_H
#define THREADS_WATCH_WINDOW_H

#include "base/common.h"

struct ek_report;
struct ek_trace_row;

struct watch_window {
    bool asked;
    double from, to; // in steps, or in seconds in free timing; both ends belong to the window
    // The totals so far, without the last moment, which a later row of the same moment may replace:
    uint64_t moments;
    double bound, sum, most;
    bool has_last;
    double place, variance, deviation;
};

// Returns whether a row at this step or time belongs to the window.
bool watch_window_has(const struct watch_window *window, double place);

// Adds a row that belongs to the window. It replaces an earlier row of the same step or time.
void watch_window_add(struct watch_window *window, double place, const struct ek_trace_row *row);

// Writes the results to a report, if the experiment has a window.
void watch_window_report(const struct watch_window *window, struct ek_report *report);

#endif
