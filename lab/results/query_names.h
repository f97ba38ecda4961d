// SPDX-License-Identifier: MIT
// The names in a question: of columns, and of values such as methods. For an unknown name, finds the nearest known one.
#ifndef LAB_STORE_QUERY_NAMES_H
#define LAB_STORE_QUERY_NAMES_H

#include "base/nearest.h"
#include "lab/results/query.h"

// Returns the length of the name at the beginning of the text; 0 if there is none.
size_t lab_query_name_length(const char *text);

// Copies the name at the beginning of `text`, which names no column, and returns the nearest column, or NULL. If the
// name is an option, such as link-limit, the nearest column is that of the option, link_limit.
const char *lab_query_near_column(struct base_names columns, const char *text, char name[LAB_QUERY_NAME]);

// Returns whether a column can have this value: evenkeel knows its name, or a run in the store has it. Otherwise sets
// `near` to the nearest name, or "". Only axes and `ended` are checked; for other columns the answer is true.
bool lab_query_knows(struct lab_store *store, const char *column, const char *value, char near[LAB_QUERY_NAME]);

#endif
