// SPDX-License-Identifier: MIT
#include "lab/record/traces.h"
#include "threads/api/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOMENTS = 256 };

double lab_trace_moment(const struct ek_report *run, size_t row)
{
    return lab_field_value(lab_time_of(run)->trace, &run->trace[row]);
}

double lab_trace_end(const struct ek_report *run)
{
    return lab_trace_moment(run, run->trace_count - 1);
}

// Returns whether the loads of a run stay as they are after its end: balancing is over, or cannot move anything, and no
// processor works.
static bool stays(const struct ek_report *run)
{
    const bool over =
        run->ended == EK_ENDED_CRITERION || run->ended == EK_ENDED_ITSELF || run->ended == EK_ENDED_FROZEN;
    return over && run->generated == 0.0 && run->consumed == 0.0;
}

bool lab_traces_begin(struct lab_traces *traces, const struct ek_report *runs, size_t count)
{
    *traces = (struct lab_traces){.run = calloc(count + 1, sizeof *traces->run),
                                  .row = calloc(count + 1, sizeof *traces->row),
                                  .first_end = INFINITY,
                                  .end = INFINITY};
    for (size_t r = 0; traces->run && r < count; r++) {
        const struct ek_report *run = &runs[r];
        if (run->trace_count > 0) {
            traces->run[traces->count++] = run;
            traces->first_end = fmin(traces->first_end, lab_trace_end(run));
            traces->end = stays(run) ? traces->end : fmin(traces->end, lab_trace_end(run));
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
    return lab_time_of(traces->longest)->snapshots && traces->count > 1;
}

bool lab_traces_end_early(const struct lab_traces *traces)
{
    return traces->longest && traces->end < lab_trace_end(traces->longest);
}

// All runs share the same steps, but not their snapshots.
size_t lab_traces_moments(const struct lab_traces *traces)
{
    if (!traces->longest || by_moments(traces)) {
        return traces->longest ? MOMENTS : 0;
    }
    size_t rows = traces->longest->trace_count;
    while (rows > 0 && lab_trace_moment(traces->longest, rows - 1) > traces->end) {
        rows--;
    }
    return rows + lab_time_of(traces->longest)->snapshots;
}

double lab_traces_moment(const struct lab_traces *traces, size_t index)
{
    const struct ek_report *longest = traces->longest;
    if (by_moments(traces)) {
        return fmin(traces->end, lab_trace_end(longest)) * (double)index / (MOMENTS - 1);
    }
    const size_t before = lab_time_of(longest)->snapshots; // the start is not a row
    return index < before ? 0.0 : lab_trace_moment(longest, index - before);
}

static double between(double x, double from, double to, double before, double after)
{
    double part = (x - from) / (to - from);
    return before > 0.0 && after > 0.0 ? before * pow(after / before, part) : before + part * (after - before);
}

// Returns a field's value before the first snapshot. There only the variance is known, from the run's start.
static double before_first(const struct ek_report *run, double x, const struct lab_field *field)
{
    double first = lab_field_value(field, &run->trace[0]);
    return strcmp(field->name, "variance") == 0
               ? between(x, 0.0, lab_trace_moment(run, 0), run->variance_initial, first)
               : first;
}

double lab_traces_value(struct lab_traces *traces, size_t r, double x, const struct lab_field *field)
{
    const struct ek_report *run = traces->run[r];
    size_t *row = &traces->row[r];
    if (x < lab_trace_moment(run, 0)) {
        return before_first(run, x, field);
    }
    while (*row + 1 < run->trace_count && lab_trace_moment(run, *row + 1) <= x) {
        (*row)++;
    }
    double from = lab_trace_moment(run, *row);
    double here = lab_field_value(field, &run->trace[*row]);
    return *row + 1 < run->trace_count && x > from
               ? between(x, from, lab_trace_moment(run, *row + 1), here, lab_field_value(field, &run->trace[*row + 1]))
               : here;
}
