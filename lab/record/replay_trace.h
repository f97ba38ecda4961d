// SPDX-License-Identifier: MIT
// The trace and the frames of a replayed run: the machine after every turn, where a record has its snapshots only. Of a
// long run they have every 2^k-th turn and the last, so they are bounded.
#ifndef LAB_RECORD_REPLAY_TRACE_H
#define LAB_RECORD_REPLAY_TRACE_H

#include "lab/record/replay.h"

// Moments of the run, the start first: every `every`-th turn.
struct lab_replay_moments {
    size_t count, most;
    uint64_t every; // a power of two
};

struct lab_replay_trace {
    struct lab_replay_moments rows, frames;
    struct ek_trace_row *row; // [rows.most + 1]
    struct ek_frame *frame;   // [frames.most + 1]
    double *frame_load;       // [(frames.most + 1) * processors]
    uint32_t processors;
    bool equal;                     // all processors ought to hold the same load
    uint64_t turns;                 // so far
    double moved;                   // load sent over links so far
    uint64_t messages, invocations; // so far
    uint64_t under_way;             // operations that have begun and not ended
    bool *open;                     // [processors] its operation is one of them
};

// Takes memory for a trace, and adds the start of a run that has been opened and has made no turn. Returns false if
// memory is short. The caller destroys the trace in either case.
bool lab_replay_trace_begin(struct lab_replay_trace *trace, const struct lab_replay *replay);
void lab_replay_trace_destroy(struct lab_replay_trace *trace);

// Adds the turn that was replayed last.
void lab_replay_trace_turn(struct lab_replay_trace *trace, const struct lab_replay *replay);

// Adds the last turn, if it was left out, and gives the trace and the frames to a report in place of its own.
void lab_replay_trace_end(struct lab_replay_trace *trace, const struct lab_replay *replay, struct ek_report *report);

#endif
