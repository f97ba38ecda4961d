// SPDX-License-Identifier: MIT
// The picture that the tasks of a run have computed: a heat map in the terminal, and a PNG file. The shades are
// logarithmic. In the file a point that no task has computed is grey.
#ifndef CLI_FIGURES_PICTURE_H
#define CLI_FIGURES_PICTURE_H

#include "base/common.h"
#include "cli/terminal/terminal.h"

struct ek_tasks_report;

// Draws the picture of a run that has one.
void report_picture_draw(FILE *out, const struct cli_terminal *terminal, const struct ek_tasks_report *tasks);

// Returns whether the command was built with libpng. Otherwise fills `error`.
bool report_picture_writable(struct ek_error *error);

// Writes the picture as PNG. Returns false if there is no memory, or if the file cannot be written.
bool report_picture_write(FILE *file, const struct ek_tasks_report *tasks);

#endif
