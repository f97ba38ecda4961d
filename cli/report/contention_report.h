// SPDX-License-Identifier: MIT
// What contention measured, for people: a table, a picture, and all samples as comma-separated values.
#ifndef CLI_REPORT_CONTENTION_REPORT_H
#define CLI_REPORT_CONTENTION_REPORT_H

#include "lab/record/figure.h"
#include "lab/studies/contention.h"

// The table; with a baseline, which is NULL where there is none, also what has changed since.
void report_contention_table(FILE *out, const struct lab_contention *contention, const struct lab_contention *baseline);

// A line for each run of each experiment, with its costs.
void report_csv_write_contention(FILE *out, const struct lab_contention *contention);

// The messages a second of all experiments on one scale, to be destroyed. False without memory.
bool report_contention_figure(struct lab_figure *figure, const struct lab_contention *contention,
                              struct ek_error *error);

#endif
