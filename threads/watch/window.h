// SPDX-License-Identifier: MIT
// How well a run keeps its loads together over a window of it: the papers' measures of a run under work, which has no
// end to be measured at. Balancing with delays, section 1: a method is stable where a constant B bounds every load's
// distance from the mean at all times. Xu, Monien, Lüling & Lau 1995, section 2: the balance quality is the bound that
// it guarantees for the variance.
#ifndef THREADS_WATCH_WINDOW_H
#define THREADS_WATCH_WINDOW_H

#include "threads/api/run.h"

struct watch_window {
    bool asked;
    double from, to; // steps, or seconds in free timing; both belong to it
    // So far, and of the last moment, which another row of the same moment may still replace:
    uint64_t moments;
    double bound, sum, most;
    bool has_last;
    double place, variance, deviation;
};

// Whether a row of the trace at this step or time belongs to it.
bool watch_window_has(const struct watch_window *window, double place);

// Takes a row that belongs to it; of two rows at the same place the later one counts.
void watch_window_add(struct watch_window *window, double place, const struct ek_trace_row *row);

// Says what there was, where it was asked for.
void watch_window_report(const struct watch_window *window, struct ek_report *report);

#endif
