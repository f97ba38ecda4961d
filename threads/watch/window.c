// SPDX-License-Identifier: MIT
// Windows.
#include "threads/watch/window.h"
#include "threads/api/report.h"

#include <math.h>

bool watch_window_has(const struct watch_window *window, double place)
{
    return window->asked && place >= window->from && place <= window->to;
}

static void settle_last(struct watch_window *window)
{
    if (window->has_last) {
        window->moments++;
        window->bound = fmax(window->bound, window->deviation);
        window->most = fmax(window->most, window->variance);
        window->sum += window->variance;
        window->has_last = false;
    }
}

void watch_window_add(struct watch_window *window, double place, const struct ek_trace_row *row)
{
    if (place != window->place) {
        settle_last(window);
    }
    window->has_last = true;
    window->place = place;
    window->variance = row->variance;
    window->deviation = row->deviation;
}

void watch_window_report(const struct watch_window *window, struct ek_report *report)
{
    struct watch_window all = *window;
    settle_last(&all);
    report->has_window = window->asked;
    report->window_moments = all.moments;
    report->bound = all.moments > 0 ? all.bound : NAN;
    report->variance_mean = all.moments > 0 ? all.sum / (double)all.moments : NAN;
    report->variance_most = all.moments > 0 ? all.most : NAN;
}
