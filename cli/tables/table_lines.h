// SPDX-License-Identifier: MIT
// Lines of a table: a faint label, then a sentence.
#ifndef CLI_REPORT_TABLE_LINES_H
#define CLI_REPORT_TABLE_LINES_H

#include "cli/terminal/terminal.h"
#include "cli/terminal/text.h"
#include "lab/record/record.h"

struct ek_faults_report;

enum { REPORT_LABEL = 13, REPORT_WIDTH = 100 };

// Write a faint text, and a faint label at the beginning of a line.
void report_faint(FILE *out, const struct cli_terminal *terminal, const char *text);
void report_label(FILE *out, const struct cli_terminal *terminal, const char *label);

// Writes a label and a sentence, wrapped.
__attribute__((format(printf, 4, 5))) void report_say(FILE *out, const struct cli_terminal *terminal, const char *label,
                                                      const char *format, ...);

// Writes how many links and processors failed and were repaired.
void report_faults_write(FILE *out, const struct cli_terminal *terminal, const struct ek_faults_report *faults);

// Adds "8x8: 64 processors, 128 links, 4 colours, diameter 8".
void report_topology_say(struct cli_line *line, const struct lab_topology *topology);

// Writes each fact, and beside it the value that run 0 of `record` measured. If nothing was run, `record` is NULL.
void report_facts_write(FILE *out, const struct ek_fact *facts, size_t count, const struct lab_record *record);

#endif
