// SPDX-License-Identifier: MIT
// The variance of one run over its steps, or in free timing over time, drawn with a terminal's characters.
#ifndef CLI_REPORT_CHART_H
#define CLI_REPORT_CHART_H

#include "cli/terminal/terminal.h"
#include "cli/terminal/text.h"
#include "lab/record/record.h"

enum { REPORT_CHART_COLUMNS = 72, REPORT_CHART_ROWS = 12, REPORT_CHART_LINES = REPORT_CHART_ROWS + 3 };

// The most columns that the chart takes with its labels, and the rows of its curve, at most REPORT_CHART_ROWS.
struct report_chart_size {
    int columns, rows;
};

// Draws the curve on a logarithmic scale, no wider than the terminal. Dots show the prediction that a step multiplies
// the variance by `factor`; NaN draws none.
void report_chart_draw(FILE *out, const struct cli_terminal *terminal, const struct ek_report *run,
                       struct report_chart_size size, double factor);

#endif
