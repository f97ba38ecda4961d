// SPDX-License-Identifier: MIT
// The lines of the table of a run: a faint label, then a sentence.
#ifndef CLI_REPORT_LINES_H
#define CLI_REPORT_LINES_H

#include "cli/terminal/text.h"
#include "lab/record/record.h"

enum { REPORT_LABEL = 13, REPORT_WIDTH = 100 };

// The faint word at the beginning of a line, or anywhere.
void report_faint(FILE *out, const struct cli_terminal *terminal, const char *text);
void report_label(FILE *out, const struct cli_terminal *terminal, const char *label);

// A label and a sentence, wrapped.
__attribute__((format(printf, 4, 5))) void report_say(FILE *out, const struct cli_terminal *terminal, const char *label,
                                                      const char *format, ...);

// What operations did to the variance of their domains, where that was measured.
void report_table_write_effects(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record);

// What failed and came back.
void report_faults_write(FILE *out, const struct cli_terminal *terminal, const struct ek_faults_report *faults);

// What free timing adds to the table of one run, the first of the record.
void report_table_write_free(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record);

#endif
