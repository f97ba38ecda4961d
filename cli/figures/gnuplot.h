// SPDX-License-Identifier: MIT
// Runs the program gnuplot.
#ifndef CLI_REPORT_GNUPLOT_H
#define CLI_REPORT_GNUPLOT_H

#include <stdio.h>

#include "base/common.h"

// Returns whether a program is on the PATH.
bool report_program_found(const char *name);

// Prints a text in gnuplot's quotes. Line breaks are kept.
void report_gnuplot_quote(FILE *script, const char *text);

// Runs a script, which must be flushed and is read from its beginning. Returns the `*length` bytes of gnuplot's
// standard output, to be freed, or NULL with `error` filled. Its standard error is discarded.
char *report_gnuplot_run(FILE *script, size_t *length, struct ek_error *error);

#endif
