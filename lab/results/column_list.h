// SPDX-License-Identifier: MIT
// Lists of columns, as in "method,steps".
#ifndef LAB_RESULTS_COLUMN_LIST_H
#define LAB_RESULTS_COLUMN_LIST_H

#include <stdbool.h>

// Returns whether a list contains this column.
bool lab_results_list_has(const char *list, const char *column);

#endif
