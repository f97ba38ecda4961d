// SPDX-License-Identifier: MIT
// Tables whose columns are as wide as what is in them.
#ifndef CLI_REPORT_TABLE_COLUMNS_H
#define CLI_REPORT_TABLE_COLUMNS_H

#include "cli/terminal/text.h"

// In the order of their worth: where a terminal has no room for all, the last are left out, and named below.
struct report_columns {
    const void *of;
    int count;
    int least; // so many are always there
    int name;  // the column of names, which begin there; numbers end their columns
    size_t lines;
    struct cli_text (*heading)(const void *of, int column);
    struct cli_text (*cell)(const void *of, size_t line, int column);
    struct cli_text (*below)(const void *of, size_t line); // what stands below the line's name, or ""; may be NULL
};

void report_columns_write(FILE *out, const struct report_columns *columns);

// What a table has left out, as a sentence: `line` names it.
void report_columns_name(FILE *out, const struct cli_line *line);

#endif
