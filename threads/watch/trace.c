// SPDX-License-Identifier: MIT
// Traces.
#include "threads/watch/trace.h"
#include "threads/api/experiment.h"
#include "threads/api/report.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

struct watch_trace watch_trace_of(const struct ek_experiment *experiment)
{
    return (struct watch_trace){.every = experiment->every > 0 ? experiment->every : 1,
                                .rows_max = experiment->trace_rows};
}

static void thin(struct watch_trace *trace)
{
    trace->every *= 2;
    size_t kept = 0;
    for (size_t i = 0; i < trace->count; i++) {
        if (trace->rows[i].step % trace->every == 0) {
            trace->rows[kept++] = trace->rows[i];
        }
    }
    trace->count = kept;
}

bool watch_trace_make_room(struct watch_trace *trace, size_t rows)
{
    if (rows <= trace->room) {
        return true;
    }
    struct ek_trace_row *grown = realloc(trace->rows, rows * sizeof *grown);
    if (grown) {
        trace->rows = grown;
        trace->room = rows;
    }
    return grown;
}

bool watch_trace_add(struct watch_trace *trace, const struct ek_trace_row *row)
{
    if (trace->count > 1 && trace->count == trace->rows_max) {
        thin(trace);
    }
    if (row->step % trace->every != 0) {
        return true;
    }
    if (trace->count == trace->room && !watch_trace_make_room(trace, trace->room ? 2 * trace->room : 1024)) {
        return false;
    }
    trace->rows[trace->count++] = *row;
    return true;
}

struct ek_trace_row watch_trace_row_of(const struct core_measure *measure, uint32_t processors,
                                       const struct watch_passed *passed)
{
    double mean = (measure->total + measure->in_flight) / processors;
    return (struct ek_trace_row){.variance = measure->variance,
                                 .spread = measure->maximum - measure->minimum,
                                 .minimum = measure->minimum,
                                 .maximum = measure->maximum,
                                 .moved = passed->moved,
                                 .invokers = passed->invokers,
                                 .in_flight = measure->in_flight,
                                 .error = sqrt(measure->distance),
                                 .mean = measure->total / processors,
                                 .deviation = fmax(measure->maximum - mean, mean - measure->minimum),
                                 .normalised_cost = passed->moved / passed->there,
                                 .local_fraction = passed->stayed / passed->there,
                                 .invocations = passed->invocations,
                                 .messages = passed->messages};
}

bool watch_trace_observed(const struct ek_experiment *experiment, uint64_t step)
{
    const struct ek_observer *observer = &experiment->observer;
    return observer->look && (observer->wants ? observer->wants(observer->context) : step % experiment->every == 0);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double watch_trace_show(const struct ek_experiment *experiment, const struct ek_trace_row *row, const double *loads,
                        const double *tasks, uint32_t processors)
{
    double began_s = now_s();
    if (tasks) {
        experiment->show_tasks(experiment->observer.context, tasks, processors);
    }
    experiment->observer.look(experiment->observer.context, row, loads, processors);
    return now_s() - began_s;
}

void watch_trace_give(struct watch_trace *trace, struct ek_report *report)
{
    report->trace = trace->rows;
    report->trace_count = trace->count;
    *trace = (struct watch_trace){0};
}
