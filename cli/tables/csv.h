// SPDX-License-Identifier: MIT
// Cells of comma-separated values (RFC 4180, but with the line ends of POSIX).
#ifndef CLI_REPORT_CSV_H
#define CLI_REPORT_CSV_H

#include <stdio.h>

// Writes a text, in quotes if it needs them.
void report_csv_text(FILE *out, const char *text);

// Writes a number, or nothing if the number is not finite.
void report_csv_real(FILE *out, double value);

// Writes numbers, each after a comma.
void report_csv_reals(FILE *out, const double *values, size_t count);

#endif
