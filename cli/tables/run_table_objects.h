// SPDX-License-Identifier: MIT
// What a table says of runs whose load consists of objects.
#ifndef CLI_TABLES_RUN_TABLE_OBJECTS_H
#define CLI_TABLES_RUN_TABLE_OBJECTS_H

#include <stdio.h>

#include "cli/tables/table_lines.h"
#include "lab/record/record.h"

// Prints the lines of a single run.
void report_run_table_objects(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report);

// Adds how much the imbalance fell, what moved for that, and what the user can try next.
void report_objects_verdict(struct cli_line *line, const struct lab_record *record);

#endif
