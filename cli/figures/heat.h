// SPDX-License-Identifier: MIT
// Heat maps of loads, drawn with a terminal's characters.
#ifndef CLI_REPORT_HEAT_H
#define CLI_REPORT_HEAT_H

#include "cli/terminal/terminal.h"
#include "cli/terminal/text.h"
#include "lab/record/record.h"

// Draws the initial and the final loads of a run side by side. The topology must have two dimensions.
void report_heat_draw(FILE *out, const struct cli_terminal *terminal, const struct lab_topology *topology,
                      const struct ek_report *run);

// The loads of one moment.
struct report_heat {
    const double *load; // [processors]
    double low, high;   // the ends of the scale
    uint32_t rows;      // the most rows of cells
    const char *what;   // what is shown: "load"
    bool sparse;        // cells without load are blank: their processors are idle
};

// Draws the map of the processors, and a line that explains its cells.
void report_heat_now(FILE *out, const struct cli_terminal *terminal, const struct lab_topology *topology,
                     const struct report_heat *heat);

// The same for a grid of `across` columns and `down` rows, the top row first.
void report_heat_grid(FILE *out, const struct cli_terminal *terminal, uint32_t across, uint32_t down,
                      const struct report_heat *heat);

#endif
