// SPDX-License-Identifier: MIT
// Keeps the picture of a run.
#include "threads/cargo/picture.h"
#include "core/program.h"
#include "threads/api/experiment.h"
#include "threads/api/report.h"

enum { PIECE = 4096 }; // points that processes exchange at once

static size_t points_of(const struct cargo_tasks *tasks)
{
    return (size_t)tasks->problem->picture_width * tasks->problem->picture_height;
}

void cargo_picture_plan(struct cargo_tasks *tasks, const struct machine_plan *machine, struct base_arena *memory)
{
    bool keeps = machine->experiment->keep_picture;
    uint64_t pieces = keeps && machine->ranks ? machine->ranks->count : 0;
    base_arena_plan(memory, &tasks->picture, keeps ? points_of(tasks) : 0, sizeof *tasks->picture);
    base_arena_plan(memory, &tasks->pieces, pieces * PIECE, sizeof *tasks->pieces);
}

// Each point is written in one process. In the others it is 0.
bool cargo_picture_gather(struct cargo_tasks *tasks)
{
    const struct ek_ranks *ranks = tasks->machine->ranks;
    size_t points = tasks->picture ? points_of(tasks) : 0;
    for (size_t from = 0; from < points; from += PIECE) {
        size_t count = points - from < PIECE ? points - from : PIECE;
        if (!ranks->gather(ranks->context, tasks->picture + from, tasks->pieces, count * sizeof *tasks->pieces)) {
            return false;
        }
        for (size_t i = 0; i < ranks->count * count; i++) {
            tasks->picture[from + i % count] |= tasks->pieces[i];
        }
    }
    return true;
}

void cargo_picture_report(struct cargo_tasks *tasks, struct base_arena *memory, struct ek_tasks_report *report)
{
    if (tasks->picture) {
        report->picture = base_arena_detach(memory, &tasks->picture);
        report->picture_width = tasks->problem->picture_width;
        report->picture_height = tasks->problem->picture_height;
        report->picture_most = tasks->problem->picture_most;
    }
}
