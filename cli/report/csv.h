// SPDX-License-Identifier: MIT
// Cells of comma-separated values.
#ifndef CLI_REPORT_CSV_H
#define CLI_REPORT_CSV_H

#include <stdio.h>

// A text, in quotes if it needs them.
void report_csv_text(FILE *out, const char *text);

// A number; nothing if it is not finite.
void report_csv_real(FILE *out, double value);

// Each number after a comma.
void report_csv_reals(FILE *out, const double *values, size_t count);

#endif
