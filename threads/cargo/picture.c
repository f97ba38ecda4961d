// SPDX-License-Identifier: MIT
// Keeps the picture of a run.
#include "threads/cargo/picture.h"

void cargo_picture_plan(struct cargo_tasks *tasks, const struct machine_plan *machine, struct base_arena *memory)
{
    uint64_t points = (uint64_t)tasks->problem->picture_width * tasks->problem->picture_height;
    base_arena_plan(memory, &tasks->picture, machine->experiment.keep_picture ? points : 0, sizeof *tasks->picture);
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
