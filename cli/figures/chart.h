// SPDX-License-Identifier: MIT
// The variance of one run over its steps, or in free timing over time, drawn with a terminal's characters.
#ifndef CLI_REPORT_CHART_H
#define CLI_REPORT_CHART_H

#include "cli/terminal/terminal.h"
#include "cli/terminal/text.h"
#include "lab/record/record.h"

enum { REPORT_CHART_ROWS = 12, REPORT_CHART_LINES = REPORT_CHART_ROWS + 3 };

// Draws the curve on a logarithmic scale in at most `rows` rows, which must not exceed REPORT_CHART_ROWS. Dots show the
// prediction that a step multiplies the variance by `factor`; NaN draws none.
void report_chart_draw(FILE *out, const struct cli_terminal *terminal, const struct ek_report *run, int rows,
                       double factor);

#endif
