// SPDX-License-Identifier: MIT
// The line that tells from which costs the virtual time of runs was computed.
#ifndef CLI_TABLES_COSTS_LINE_H
#define CLI_TABLES_COSTS_LINE_H

#include <stdio.h>

#include "cli/terminal/terminal.h"
#include "lab/record/record.h"

// Prints the line, as in "costs  cluster: turn-cost 110ns, overhead 230ns, ...". Costs without effect are left out.
void report_costs_say(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record);

#endif
