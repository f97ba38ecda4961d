// SPDX-License-Identifier: MIT
// Measurements of contention: a table, a picture, and all samples as comma-separated values.
#ifndef CLI_REPORT_CONTENTION_REPORT_H
#define CLI_REPORT_CONTENTION_REPORT_H

#include "lab/record/figure.h"
#include "lab/studies/contention.h"

// Writes the table. If `baseline` is not NULL, the table also shows what has changed since the baseline.
void report_contention_table(FILE *out, const struct lab_contention *contention, const struct lab_contention *baseline);

// Returns whether other programs used the computer so much that the numbers can be distorted.
bool report_contention_disturbed(const struct lab_contention *contention);

// Writes a line for each run of each experiment, with its costs.
void report_csv_write_contention(FILE *out, const struct lab_contention *contention);

// Makes a figure of the messages per second of all experiments, to be destroyed. Returns false without memory.
bool report_contention_figure(struct lab_figure *figure, const struct lab_contention *contention,
                              struct ek_error *error);

#endif
