// SPDX-License-Identifier: MIT
// Tables whose columns are as wide as their cells.
#ifndef CLI_REPORT_TABLE_COLUMNS_H
#define CLI_REPORT_TABLE_COLUMNS_H

#include "cli/terminal/text.h"

// A table. If a terminal is too narrow, its last columns are left out and named below it.
struct report_columns {
    const void *of; // the argument that the functions are called with
    int count;      // columns
    int least;      // the first columns, which are never left out
    int name;       // the column whose cells are aligned left; the others are aligned right
    size_t lines;
    struct cli_text (*heading)(const void *of, int column);
    struct cli_text (*cell)(const void *of, size_t line, int column);
    struct cli_text (*below)(const void *of, size_t line); // a text below the line's name, or ""; NULL: none
};

void report_columns_write(FILE *out, const struct report_columns *columns);

// Writes a note that the columns named in `line` are left out.
void report_columns_name(FILE *out, const struct cli_line *line);

#endif
