// SPDX-License-Identifier: MIT
// Frames.
#include "threads/watch/frames.h"

#include <assert.h>
#include <string.h>

void watch_frames_plan(struct watch_frames *frames, uint64_t most, uint32_t processors, struct base_arena *memory)
{
    *frames = (struct watch_frames){.most = most, .every = 1, .processors = processors};
    base_arena_plan(memory, &frames->frame, most, sizeof *frames->frame);
    base_arena_plan(memory, &frames->load, most * processors, sizeof *frames->load);
}

static double *load_at(const struct watch_frames *frames, size_t index)
{
    return frames->load + index * frames->processors;
}

static void put(struct watch_frames *frames, size_t index, struct ek_frame frame, const double *load)
{
    assert(index < frames->most);
    frames->frame[index] = frame;
    memcpy(load_at(frames, index), load, frames->processors * sizeof *load);
}

static void thin(struct watch_frames *frames)
{
    frames->every *= 2;
    size_t kept = 0;
    for (size_t i = 0; i < frames->count; i++) {
        if (frames->frame[i].step % frames->every != 0) {
            continue;
        }
        if (kept < i) {
            put(frames, kept, frames->frame[i], load_at(frames, i));
        }
        kept++;
    }
    frames->count = kept;
}

// Drops the frames of this step and of later ones.
static void drop(struct watch_frames *frames, uint64_t step)
{
    while (frames->count > 0 && frames->frame[frames->count - 1].step >= step) {
        frames->count--;
    }
}

void watch_frames_add(struct watch_frames *frames, struct ek_frame frame, const double *load)
{
    if (frames->most == 0 || frame.step % frames->every != 0) {
        return;
    }
    drop(frames, frame.step);
    while (frames->count == frames->most - 1) { // the last place is kept for the frame at the end
        thin(frames);
    }
    if (frame.step % frames->every == 0) {
        put(frames, frames->count++, frame, load);
    }
}

void watch_frames_give(struct watch_frames *frames, struct ek_frame frame, const double *load,
                       struct base_arena *memory, struct ek_report *report)
{
    if (frames->most == 0) {
        return;
    }
    drop(frames, frame.step);
    put(frames, frames->count++, frame, load);
    report->frame_count = frames->count;
    report->frame = base_arena_detach(memory, &frames->frame);
    report->frame_load = base_arena_detach(memory, &frames->load);
}
