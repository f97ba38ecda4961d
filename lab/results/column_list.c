// SPDX-License-Identifier: MIT
#include "lab/results/column_list.h"

#include <string.h>

bool lab_results_list_has(const char *list, const char *column)
{
    const size_t length = strlen(column);
    for (const char *at = strstr(list, column); at; at = strstr(at + 1, column)) {
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}
