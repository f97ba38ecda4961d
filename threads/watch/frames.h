// SPDX-License-Identifier: MIT
// Frames. A *frame* is the load of every processor at one moment of a run: at the start, at every k-th step or
// snapshot, and at the end. Frames never take more memory than was planned. If this memory is full, every second frame
// is dropped, and half as many are taken from then on. So frames stay evenly spaced in a run of any length.
#ifndef THREADS_WATCH_FRAMES_H
#define THREADS_WATCH_FRAMES_H

#include "base/arena.h"

struct ek_report;

struct watch_frames {
    struct ek_frame *frame; // [most]
    double *load;           // [most * processors]
    double *flow;           // [most * links] if `flows`: the net flow over each link until then
    size_t count, most;     // most is 0: no frames
    uint64_t every;         // only frames whose number is a multiple are kept
    uint32_t processors;
    bool flows;
    const struct ek_topology *topology;
};

// Plans the memory of at most `most` frames: 0, or at least 3.
void watch_frames_plan(struct watch_frames *frames, uint64_t most, bool flows, const struct ek_topology *topology,
                       struct base_arena *memory);

// Adds a frame if frame->step is a multiple of `every`. frame->step is the step, or in free timing the number of the
// snapshot, from 0. Frames of this step and of later ones are dropped first: the run has taken those steps back, or the
// later frame of a step counts. `sent` is the load that was sent over each port, and is read only for `flows`.
void watch_frames_add(struct watch_frames *frames, struct ek_frame frame, const double *load, const double *sent);

// Adds the last frame, whatever its step, and moves all frames to a report.
void watch_frames_give(struct watch_frames *frames, struct ek_frame frame, const double *load, const double *sent,
                       struct base_arena *memory, struct ek_report *report);

#endif
