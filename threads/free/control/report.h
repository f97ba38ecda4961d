// SPDX-License-Identifier: MIT
// The report of a run in free timing, when all workers have ended.
#ifndef THREADS_FREE_CONTROL_REPORT_H
#define THREADS_FREE_CONTROL_REPORT_H

#include "threads/free/control/control.h"

// Fills the report. May be called only once. Returns EK_OK, or another status with `error`.
enum ek_status free_report(struct free_control *control, struct ek_report *report, struct ek_error *error);

// Returns a text that says what every processor does and waits for; NULL if there is no memory. All processes call it.
char *free_dump(struct free_control *control);

#endif
