// SPDX-License-Identifier: MIT
// The report of one or more runs as a table.
#ifndef CLI_REPORT_RUN_TABLE_H
#define CLI_REPORT_RUN_TABLE_H

#include "cli/terminal/terminal.h"
#include "cli/terminal/text.h"
#include "lab/record/record.h"

// Writes the table. If tasks have computed a picture, the table has a map of it. With `heat` it ends with heat maps of
// the first run's initial and final loads, if the record has them and the topology has two dimensions.
void report_run_table(FILE *out, const struct lab_record *record, bool heat);

// Writes how operations changed the variance of their domains, if that was measured.
void report_run_table_effects(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record);

// Writes what free timing adds to the table, for the first run.
void report_run_table_free(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record);

#endif
