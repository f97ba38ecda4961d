// SPDX-License-Identifier: MIT
// The lines of the table of a run: a faint label, then a sentence.
#ifndef CLI_REPORT_TABLE_LINES_H
#define CLI_REPORT_TABLE_LINES_H

#include "cli/terminal/terminal.h"
#include "cli/terminal/text.h"
#include "lab/record/record.h"

enum { REPORT_LABEL = 13, REPORT_WIDTH = 100 };

// The faint word at the beginning of a line, or anywhere.
void report_faint(FILE *out, const struct cli_terminal *terminal, const char *text);
void report_label(FILE *out, const struct cli_terminal *terminal, const char *label);

// A label and a sentence, wrapped.
__attribute__((format(printf, 4, 5))) void report_say(FILE *out, const struct cli_terminal *terminal, const char *label,
                                                      const char *format, ...);

// What failed and came back.
void report_faults_write(FILE *out, const struct cli_terminal *terminal, const struct ek_faults_report *faults);

// Adds "8x8: 64 processors, 128 links, 4 colours, diameter 8".
void report_topology_say(struct cli_line *line, const struct lab_topology *topology);

// Writes each fact, and beside it what run 0 of `record` measured. NULL: nothing was run.
void report_facts_write(FILE *out, const struct ek_fact *facts, size_t count, const struct lab_record *record);

#endif
