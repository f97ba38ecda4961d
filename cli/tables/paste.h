// SPDX-License-Identifier: MIT
// Tables to be pasted: Markdown for a README, LaTeX with the package booktabs for a paper. Special characters of both
// are escaped.
#ifndef CLI_TABLES_PASTE_H
#define CLI_TABLES_PASTE_H

#include <stdio.h>

#include "cli/line/shared_options.h"
#include "cli/tables/table_columns.h"

// Returns whether a table of this format is to be pasted.
bool report_is_pasted(enum cli_format format);

// Write the headings, a line of cells, and the end of a table. `align` has a letter for each column: 'l' for texts, 'r'
// for numbers, and 'p' for long texts, which LaTeX breaks into lines.
void report_paste_head(FILE *out, enum cli_format format, const char *align, const char *const *headings);
void report_paste_line(FILE *out, enum cli_format format, size_t count, const char *const *cells);
void report_paste_foot(FILE *out, enum cli_format format);

// Writes a whole table with all its columns.
void report_paste_columns(FILE *out, enum cli_format format, const struct report_columns *columns);

// Writes notes below a table, line by line: as a comment of LaTeX, or in Markdown as preformatted text.
void report_paste_notes(FILE *out, enum cli_format format, const char *text);

#endif
