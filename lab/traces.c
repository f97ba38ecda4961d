// SPDX-License-Identifier: MIT
// Traces of several runs on one axis.
#include "lab/traces.h"

#include <math.h>
#include <stdlib.h>

enum { MOMENTS = 256 };

double lab_trace_place(const struct ek_report *run, size_t row)
{
    return run->has_async ? run->trace[row].time : (double)run->trace[row].step;
}

double lab_trace_end(const struct ek_report *run)
{
    return lab_trace_place(run, run->trace_count - 1);
}

bool lab_traces_begin(struct lab_traces *traces, const struct ek_report *runs, size_t count)
{
    *traces = (struct lab_traces){.run = calloc(count + 1, sizeof *traces->run),
                                  .row = calloc(count + 1, sizeof *traces->row),
                                  .first_end = INFINITY};
    for (size_t r = 0; traces->run && r < count; r++) {
        const struct ek_report *run = &runs[r];
        if (run->trace_count > 0) {
            traces->run[traces->count++] = run;
            traces->first_end = fmin(traces->first_end, lab_trace_end(run));
            traces->longest =
                !traces->longest || lab_trace_end(run) > lab_trace_end(traces->longest) ? run : traces->longest;
        }
    }
    return traces->run && traces->row;
}

void lab_traces_destroy(struct lab_traces *traces)
{
    free(traces->run);
    free(traces->row);
    *traces = (struct lab_traces){0};
}

static bool by_moments(const struct lab_traces *traces)
{
    return traces->longest->has_async && traces->count > 1;
}

size_t lab_traces_points(const struct lab_traces *traces)
{
    return !traces->longest ? 0 : by_moments(traces) ? MOMENTS : traces->longest->trace_count;
}

double lab_traces_point(const struct lab_traces *traces, size_t index)
{
    return by_moments(traces) ? lab_trace_end(traces->longest) * (double)index / (MOMENTS - 1)
                              : lab_trace_place(traces->longest, index);
}

double lab_traces_value(struct lab_traces *traces, size_t r, double x, const struct lab_field *field)
{
    const struct ek_report *run = traces->run[r];
    size_t *row = &traces->row[r];
    while (*row + 1 < run->trace_count && lab_trace_place(run, *row + 1) <= x) {
        (*row)++;
    }
    double here = lab_field_value(field, &run->trace[*row]);
    double away = x - lab_trace_place(run, *row);
    if (*row + 1 == run->trace_count || away <= 0.0) {
        return here;
    }
    double next = lab_field_value(field, &run->trace[*row + 1]);
    double part = away / (lab_trace_place(run, *row + 1) - lab_trace_place(run, *row));
    return here > 0.0 && next > 0.0 ? here * pow(next / here, part) : here + part * (next - here);
}
