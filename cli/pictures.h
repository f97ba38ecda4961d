// SPDX-License-Identifier: MIT
// Pictures of results: in the characters of a terminal, and through gnuplot.
#ifndef EK_PICTURES_H
#define EK_PICTURES_H

#include "cli/results.h"
#include "cli/text.h"

// The variance over the steps of one run, in free timing over time, on a logarithmic scale.
void ek_chart_draw(FILE *out, const struct ek_terminal *terminal, const struct ek_report *report);

// The loads of one run before and after, side by side; the topology has two dimensions.
void ek_heat_draw(FILE *out, const struct ek_terminal *terminal, const struct ek_topology *topology,
                  const struct ek_report *report);

enum { EK_PLOT_RUNS = 32 }; // so many runs are drawn at most

// Whether FILE can be drawn: a known ending, gnuplot there, its directory writable.
bool ek_gnuplot_ready(const char *file, struct ek_error *error);

// Draws FILE; `write` writes what is drawn, after the terminal and the looks that all pictures share.
typedef void ek_gnuplot_script(FILE *script, const void *context);
bool ek_gnuplot_draw(const char *file, ek_gnuplot_script *write, const void *context, struct ek_error *error);

// Prints text in gnuplot's quotes.
void ek_gnuplot_quote(FILE *script, const char *text);

// The script for the variance over the steps or over time; `context` is a struct ek_results.
ek_gnuplot_script ek_gnuplot_variance;

// Whether a program is on the PATH.
bool ek_program_found(const char *name);

#endif
