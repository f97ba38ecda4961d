// SPDX-License-Identifier: MIT
// The rows that answer a question, in sequence, group by group. All kinds of answers use them: results, compare,
// average.
#ifndef LAB_STORE_ROWS_H
#define LAB_STORE_ROWS_H

#include "lab/results/results.h"

struct lab_rows {
    struct lab_query query;
    sqlite3_stmt *statement;
    struct lab_heading *headings; // of all selected columns; the group's come first
    size_t count, grouped;
    struct lab_entry *key; // [grouped]: the current group, with its own copies of texts
    size_t held;           // the number of values that group_values.h holds for all columns
};

// Begins a question, which is to be closed even on failure.
bool lab_rows_open(struct lab_rows *rows, struct lab_store *store, struct ek_error *error);
void lab_rows_close(struct lab_rows *rows);

// Select columns. The group's columns must be selected first. lab_rows_select takes a list of terms, which may be
// empty. lab_rows_select_sql takes a column in SQL.
bool lab_rows_select(struct lab_rows *rows, const char *option, const char *list, enum lab_heading_role role,
                     struct ek_error *error);
bool lab_rows_select_sql(struct lab_rows *rows, const char *sql, struct ek_error *error);

// Selects the runs of the question for which `also`, in SQL, holds. Groups are sorted; within a group the runs are
// sorted by `by`, in SQL.
bool lab_rows_from(struct lab_rows *rows, const struct lab_question *question, const char *also, const char *by,
                   struct ek_error *error);

// Begins the answer with the group's headings, followed by the headings `own`.
bool lab_rows_begin(const struct lab_rows *rows, const struct lab_heading *own, size_t count,
                    const struct lab_answer_sink *sink, struct ek_error *error);

// Returns a line with the entries of the group and room for `count` others, which is to be freed; NULL if memory is
// short.
struct lab_entry *lab_rows_line(const struct lab_rows *rows, size_t count, struct ek_error *error);

// Calls `take` at each row. Calls `end`, if not NULL, after the last row of each group. Returns false if one of these
// calls returns false, or if the store cannot be read.
bool lab_rows_go(struct lab_rows *rows, bool (*take)(void *context, struct ek_error *error),
                 bool (*end)(void *context, struct ek_error *error), void *context, struct ek_error *error);

// Returns an entry of the current row. Its text is valid until the next row.
struct lab_entry lab_rows_entry(const struct lab_rows *rows, size_t index);

// Reads an entry's number, NaN if it was not measured. A text is an error.
bool lab_rows_number(const struct lab_rows *rows, size_t index, double *value, struct ek_error *error);

#endif
