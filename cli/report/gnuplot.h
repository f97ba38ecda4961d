// SPDX-License-Identifier: MIT
// The program gnuplot: a script in, a picture out.
#ifndef CLI_REPORT_GNUPLOT_H
#define CLI_REPORT_GNUPLOT_H

#include <stdio.h>

#include "topologies/topology.h"

// Whether a program is on the PATH.
bool report_program_found(const char *name);

// Prints text in gnuplot's quotes; at each newline the text goes on in another line.
void report_gnuplot_quote(FILE *script, const char *text);

// Runs a script, a file that was flushed and is read from its beginning. What gnuplot prints on its standard output, of
// `*length` bytes, to be freed; NULL and `error` where it fails. What it says on standard error is not shown.
char *report_gnuplot_run(FILE *script, size_t *length, struct ek_error *error);

#endif
