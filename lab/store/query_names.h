// SPDX-License-Identifier: MIT
// The names in a question: of columns, and of values such as methods. For a name that nobody knows, the nearest one.
#ifndef LAB_STORE_QUERY_NAMES_H
#define LAB_STORE_QUERY_NAMES_H

#include "base/nearest.h"
#include "lab/store/query.h"

// Returns the length of the column's name that a text begins with; 0 if it begins with none.
size_t lab_query_name_length(const char *text);

// Copies the name that `text` begins with, which is none of the columns, and returns the nearest column, or NULL. For
// an option, as link-limit, this is its column, link_limit.
const char *lab_query_near_column(struct base_names columns, const char *text, char name[LAB_QUERY_NAME]);

// Returns whether a column can have this value: evenkeel knows its name, or a run of the store has it. Only axes and
// `ended` are checked. Else sets the nearest name, or "".
bool lab_query_knows(struct lab_store *store, const char *column, const char *value, char near[LAB_QUERY_NAME]);

#endif
