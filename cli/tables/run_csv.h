// SPDX-License-Identifier: MIT
// A record as comma-separated values.
#ifndef CLI_REPORT_RUN_CSV_H
#define CLI_REPORT_RUN_CSV_H

#include <stdio.h>

#include "lab/record/record.h"

// Writes one line for a run. Before the line of run 0, writes a line with the names of the columns.
void report_csv_write_run(FILE *out, const struct lab_record *record, size_t run);

// Writes a line for each row of the traces of all runs.
void report_csv_write_trace(FILE *out, const struct lab_record *record);

// Writes a line for each processor of all runs, with its final load.
void report_csv_write_final(FILE *out, const struct lab_record *record);

// Write the profiles of all runs: a line for each group of processors in each interval, and a line for each processor.
void report_csv_write_profile(FILE *out, const struct lab_record *record);
void report_csv_write_processors(FILE *out, const struct lab_record *record);

#endif
