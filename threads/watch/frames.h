// SPDX-License-Identifier: MIT
// The loads of all processors at some moments of a run: at the start, at every so many-th step or snapshot, at the end.
// They never take more room than was planned: where it is full, every second one goes, and half as many come from then
// on, so that they stay evenly spread however long the run is.
#ifndef THREADS_WATCH_FRAMES_H
#define THREADS_WATCH_FRAMES_H

#include "base/arena.h"
#include "threads/api/run.h"

struct watch_frames {
    struct ek_frame *frame; // [most]
    double *load;           // [most * processors]
    size_t count, most;     // most is 0: none are asked for
    uint64_t every;         // it takes those whose number is a multiple
    uint32_t processors;
};

// Frames of at most so many moments, at least 3, and the memory for them; 0: none.
void watch_frames_plan(struct watch_frames *frames, uint64_t most, uint32_t processors, struct base_arena *memory);

// Notes the loads where the turn of frame->step has come: the step, in free timing the snapshot, from 0. Where a
// run has taken steps back, their frames go too, and of two of the same step the later one counts.
void watch_frames_add(struct watch_frames *frames, struct ek_frame frame, const double *load);

// Notes the last loads, whether or not it is their turn, and hands all over to a report.
void watch_frames_give(struct watch_frames *frames, struct ek_frame frame, const double *load,
                       struct base_arena *memory, struct ek_report *report);

#endif
