// SPDX-License-Identifier: MIT
// Frames.
#include "threads/watch/frames.h"

#include <assert.h>
#include <string.h>

#include "threads/api/report.h"
#include "topologies/topology.h"

void watch_frames_plan(struct watch_frames *frames, uint64_t most, bool flows, const struct ek_topology *topology,
                       struct base_arena *memory)
{
    *frames = (struct watch_frames){
        .most = most, .every = 1, .processors = topology->processors, .flows = flows && most > 0, .topology = topology};
    base_arena_plan(memory, &frames->frame, most, sizeof *frames->frame);
    base_arena_plan(memory, &frames->load, most * topology->processors, sizeof *frames->load);
    // One element more: a machine without links has flows, too.
    base_arena_plan(memory, &frames->flow, frames->flows ? most * topology->links + 1 : 0, sizeof *frames->flow);
}

static double *load_at(const struct watch_frames *frames, size_t index)
{
    return frames->load + index * frames->processors;
}

static double *flow_at(const struct watch_frames *frames, size_t index)
{
    return frames->flow + index * frames->topology->links;
}

static void put_flows(const struct watch_frames *frames, size_t index, const double *sent)
{
    const struct ek_topology *topology = frames->topology;
    double *flow = flow_at(frames, index);
    for (uint32_t port = 0; port < topology->ports; port++) {
        uint32_t twin = topology->twin[port];
        if (topology->neighbour[twin] < topology->neighbour[port]) {
            *flow++ = sent[port] - sent[twin];
        }
    }
}

static void put(struct watch_frames *frames, size_t index, struct ek_frame frame, const double *load,
                const double *sent)
{
    assert(index < frames->most);
    frames->frame[index] = frame;
    memcpy(load_at(frames, index), load, frames->processors * sizeof *load);
    if (frames->flows) {
        put_flows(frames, index, sent);
    }
}

// Copies frame `from` to the place of an earlier one that is not kept.
static void move(struct watch_frames *frames, size_t index, size_t from)
{
    frames->frame[index] = frames->frame[from];
    memcpy(load_at(frames, index), load_at(frames, from), frames->processors * sizeof *frames->load);
    if (frames->flows) {
        memcpy(flow_at(frames, index), flow_at(frames, from), frames->topology->links * sizeof *frames->flow);
    }
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
            move(frames, kept, i);
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

void watch_frames_add(struct watch_frames *frames, struct ek_frame frame, const double *load, const double *sent)
{
    if (frames->most == 0 || frame.step % frames->every != 0) {
        return;
    }
    drop(frames, frame.step);
    while (frames->count == frames->most - 1) { // the last place is kept for the frame at the end
        thin(frames);
    }
    if (frame.step % frames->every == 0) {
        put(frames, frames->count++, frame, load, sent);
    }
}

void watch_frames_give(struct watch_frames *frames, struct ek_frame frame, const double *load, const double *sent,
                       struct base_arena *memory, struct ek_report *report)
{
    if (frames->most == 0) {
        return;
    }
    drop(frames, frame.step);
    put(frames, frames->count++, frame, load, sent);
    report->frame_count = frames->count;
    report->frame = base_arena_detach(memory, &frames->frame);
    report->frame_load = base_arena_detach(memory, &frames->load);
    report->frame_flow = base_arena_detach(memory, &frames->flow);
}
