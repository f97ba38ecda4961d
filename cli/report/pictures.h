// SPDX-License-Identifier: MIT
// Pictures of results: in the characters of a terminal, and through gnuplot.
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "cli/report/results.h"
#include "cli/text.h"

// The variance over the steps of one run, in free timing over time, on a logarithmic scale.
void report_chart_draw(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report);

// The loads of one run before and after, side by side; the topology has two dimensions.
void report_heat_draw(FILE *out, const struct cli_terminal *terminal, const struct ek_topology *topology,
                      const struct ek_report *report);

enum { REPORT_PLOT_RUNS = 32 }; // so many runs are drawn at most

// Whether FILE can be drawn: a known ending, gnuplot there, its directory writable.
bool report_gnuplot_ready(const char *file, struct ek_error *error);

// Draws FILE; `write` writes what is drawn, after the terminal and the looks that all pictures share.
typedef void report_gnuplot_script(FILE *script, const void *context);
bool report_gnuplot_draw(const char *file, report_gnuplot_script *write, const void *context, struct ek_error *error);

// Prints text in gnuplot's quotes.
void report_gnuplot_quote(FILE *script, const char *text);

// The script for the variance over the steps or over time; `context` is a struct report_results.
report_gnuplot_script report_gnuplot_variance;

// Whether a program is on the PATH.
bool report_program_found(const char *name);

#endif
