// SPDX-License-Identifier: MIT
// Cells of comma-separated values.
#ifndef CLI_REPORT_CSV_H
#define CLI_REPORT_CSV_H

#include <stdio.h>

// A text, in quotes where it needs them.
void report_csv_text(FILE *out, const char *text);

// Each number after a comma; what is not finite is left empty.
void report_csv_reals(FILE *out, const double *values, size_t count);

#endif
