// SPDX-License-Identifier: MIT
// What a table says of runs whose load consists of tasks.
#ifndef CLI_TABLES_RUN_TABLE_TASKS_H
#define CLI_TABLES_RUN_TABLE_TASKS_H

#include <stdio.h>

#include "cli/tables/table_lines.h"
#include "lab/record/record.h"

// Returns whether letters took the place of operations.
bool report_tasks_by_letters(const struct ek_report *report);

// Prints the lines of a single run.
void report_run_table_tasks(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report);

// Adds what became of the tasks, how fast, and what the user can try next.
void report_tasks_verdict(struct cli_line *line, const struct lab_record *record);

#endif
