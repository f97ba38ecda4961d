// SPDX-License-Identifier: MIT
// The picture of a run under way: numbers, the loads over the topology, the variance so far, and a line about keys.
// Each picture replaces the one before it. A picture is written by one call, with the cursor below it, so the terminal
// is in order whenever the program ends.
#ifndef CLI_FIGURES_LIVE_PICTURE_H
#define CLI_FIGURES_LIVE_PICTURE_H

#include "cli/terminal/text.h"
#include "lab/record/record.h"
#include "threads/api/report.h"

// A state of the run.
struct report_scene {
    struct ek_trace_row row;
    double at_s;  // of the monotonic clock, without pauses
    double *load; // [processors]
    bool has_tasks;
    double *tasks; // [processors] that processors have, with tasks
};

struct report_live_picture {
    const struct lab_record *record;
    uint64_t run, runs; // the run under way, from 1
    struct report_scene scene;
    struct ek_report so_far; // the trace of the run under way; empty before its first state
    double began_s;          // the time of the first state
    struct report_rate {
        double at_s, count, per_s;
    } messages, time; // what happens per second, measured now and then
    bool keys;        // keys are read
    bool free;        // free timing: only the run's end is left to a key
    bool paused;
    struct cli_text speed;

    int lines;         // of the visible picture
    int columns, rows; // of the terminal when it was drawn
};

// Returns false if memory is short.
bool report_live_picture_begin(struct report_live_picture *picture, const struct lab_record *record, uint64_t runs);
void report_live_picture_end(struct report_live_picture *picture);

// Adds the picture's scene to the trace of the run.
void report_live_picture_add(struct report_live_picture *picture);

// Returns whether the terminal has another size than the visible picture was drawn for.
bool report_live_picture_misfits(const struct report_live_picture *picture);

// Draws the picture. If memory is short, the last one stays.
void report_live_picture_draw(struct report_live_picture *picture);

// The next picture does not replace this one, since other output follows it.
void report_live_picture_leave(struct report_live_picture *picture);

// Erases the picture after a run.
void report_live_picture_clear(struct report_live_picture *picture);

#endif
