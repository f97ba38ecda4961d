// SPDX-License-Identifier: MIT
// The picture that the tasks of a run compute. Each point belongs to one task, and only its execution writes it.
#ifndef THREADS_CARGO_PICTURE_H
#define THREADS_CARGO_PICTURE_H

#include "threads/cargo/tasks.h"

struct ek_tasks_report;

// Plans the points, if the experiment keeps the picture.
void cargo_picture_plan(struct cargo_tasks *tasks, const struct machine_plan *machine, struct base_arena *memory);

// Brings the points of all processes together. Returns false if one of them does not answer.
bool cargo_picture_gather(struct cargo_tasks *tasks);

// Gives the picture to the report, which owns it then. Call it after the tasks have been reported.
void cargo_picture_report(struct cargo_tasks *tasks, struct base_arena *memory, struct ek_tasks_report *report);

#endif
