// SPDX-License-Identifier: MIT
#include "lab/record/replay_trace.h"
#include "topologies/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ROWS: of a trace. FRAMES, LOADS: the most frames, and the most loads in all of them; there are two frames at least.
enum { ROWS = 2000, FRAMES = 200, LOADS = 50000 };

bool lab_replay_trace_begin(struct lab_replay_trace *trace, const struct lab_replay *replay)
{
    const uint32_t processors = ek_machine_outline(replay->machine)->processors;
    const size_t fit = LOADS / processors;
    const size_t frames = fit < 1 ? 1 : fit < FRAMES ? fit : FRAMES;
    *trace = (struct lab_replay_trace){.rows = {.most = ROWS, .every = 1},
                                       .frames = {.most = frames, .every = 1},
                                       .row = calloc(ROWS + 1, sizeof *trace->row),
                                       .frame = calloc(frames + 1, sizeof *trace->frame),
                                       .frame_load = calloc((frames + 1) * processors, sizeof *trace->frame_load),
                                       .open = calloc(processors, sizeof *trace->open),
                                       .processors = processors,
                                       .equal = !lab_record_given(&replay->recorded.record, "capacity")};
    if (!trace->row || !trace->frame || !trace->frame_load || !trace->open) {
        return false;
    }
    lab_replay_trace_turn(trace, replay);
    return true;
}

void lab_replay_trace_destroy(struct lab_replay_trace *trace)
{
    free(trace->row);
    free(trace->frame);
    free(trace->frame_load);
    free(trace->open);
}

// Turns of different workers can carry times that go back a little; those of a trace do not.
static double time_after(double before, const struct lab_replay *replay)
{
    return fmax(before, 1e-9 * (double)replay->turn.time_ns);
}

static double *loads_of(struct lab_replay_trace *trace, size_t frame)
{
    return trace->frame_load + frame * trace->processors;
}

static void add_row(struct lab_replay_trace *trace, const struct lab_replay *replay)
{
    const struct lab_replay_state now = lab_replay_state_now(replay);
    const size_t i = trace->rows.count++;
    const double mean = now.mean + now.in_flight / trace->processors; // of all load, in flight too
    trace->row[i] = (struct ek_trace_row){.step = now.turn,
                                          .variance = now.variance,
                                          .spread = now.spread,
                                          .minimum = now.minimum,
                                          .maximum = now.maximum,
                                          .moved = trace->moved,
                                          .invokers = trace->under_way,
                                          .time = time_after(i > 0 ? trace->row[i - 1].time : 0.0, replay),
                                          .in_flight = now.in_flight,
                                          .error = trace->equal ? sqrt(now.variance) : NAN,
                                          .mean = now.mean,
                                          .deviation = fmax(now.maximum - mean, mean - now.minimum),
                                          .normalised_cost = NAN,
                                          .local_fraction = NAN,
                                          .invocations = trace->invocations,
                                          .messages = trace->messages};
}

static void add_frame(struct lab_replay_trace *trace, const struct lab_replay *replay)
{
    const size_t i = trace->frames.count++;
    trace->frame[i] = (struct ek_frame){.step = replay->turn.number,
                                        .time = time_after(i > 0 ? trace->frame[i - 1].time : 0.0, replay)};
    memcpy(loads_of(trace, i), ek_replay_loads(replay->replay), trace->processors * sizeof(double));
}

// Leaves out every second moment if there is no room for more. Returns whether turn `turn` is one of the moments.
static bool has_place(struct lab_replay_moments *moments, uint64_t turn, bool *halved)
{
    *halved = turn % moments->every == 0 && moments->count == moments->most;
    moments->every *= *halved ? 2 : 1;
    return turn % moments->every == 0;
}

static void halve_rows(struct lab_replay_trace *trace)
{
    trace->rows.count = (trace->rows.count + 1) / 2;
    for (size_t i = 0; i < trace->rows.count; i++) {
        trace->row[i] = trace->row[2 * i];
    }
}

static void halve_frames(struct lab_replay_trace *trace)
{
    trace->frames.count = (trace->frames.count + 1) / 2;
    for (size_t i = 1; i < trace->frames.count; i++) {
        trace->frame[i] = trace->frame[2 * i];
        memcpy(loads_of(trace, i), loads_of(trace, 2 * i), trace->processors * sizeof(double));
    }
}

// Counts an operation of processor p from its beginning on, unless it is left: then it does not count. An operation on
// pushed loads ends without a beginning.
static void count_operation(struct lab_replay_trace *trace, uint32_t p, enum ek_event_kind kind)
{
    const bool ends = kind == EK_EVENT_ENDS || kind == EK_EVENT_LEAVES;
    const bool begins = kind == EK_EVENT_BEGINS || (ends && !trace->open[p]);
    trace->invocations += begins ? 1 : 0;
    trace->invocations -= kind == EK_EVENT_LEAVES ? 1 : 0;
    trace->under_way += begins ? 1 : 0;
    trace->under_way -= ends ? 1 : 0;
    trace->open[p] = (trace->open[p] || begins) && !ends;
}

static void count_events(struct lab_replay_trace *trace, const struct ek_turn_made *turn)
{
    for (size_t i = 0; turn->number > 0 && i < turn->count; i++) {
        const struct ek_event *event = &turn->events[i];
        if (event->kind == EK_EVENT_SENDS) {
            trace->messages++;
            trace->moved += event->carries ? event->amount : 0.0;
        } else {
            count_operation(trace, turn->processor, event->kind);
        }
    }
}

void lab_replay_trace_turn(struct lab_replay_trace *trace, const struct lab_replay *replay)
{
    bool halved;
    trace->turns = replay->turn.number;
    count_events(trace, &replay->turn);
    const bool row = has_place(&trace->rows, trace->turns, &halved);
    if (halved) {
        halve_rows(trace);
    }
    if (row) {
        add_row(trace, replay);
    }
    const bool frame = has_place(&trace->frames, trace->turns, &halved);
    if (halved) {
        halve_frames(trace);
    }
    if (frame) {
        add_frame(trace, replay);
    }
}

void lab_replay_trace_end(struct lab_replay_trace *trace, const struct lab_replay *replay, struct ek_report *report)
{
    if (trace->turns % trace->rows.every != 0) {
        add_row(trace, replay);
    }
    if (trace->turns % trace->frames.every != 0) {
        add_frame(trace, replay);
    }
    free(report->trace);
    free(report->frame);
    free(report->frame_load);
    report->trace = trace->row;
    report->trace_count = trace->rows.count;
    report->frame = trace->frame;
    report->frame_count = trace->frames.count;
    report->frame_load = trace->frame_load;
    trace->row = NULL;
    trace->frame = NULL;
    trace->frame_load = NULL;
}
