// SPDX-License-Identifier: MIT
// The rows that a question gives, one after the other, those of a group together; and the values that are held of them.
// For the kinds of answers in this folder: results, compare, average.
#ifndef LAB_STORE_ROWS_H
#define LAB_STORE_ROWS_H

#include "lab/store/results.h"

enum { LAB_GROUP_VALUES_MAX = 1 << 24 }; // held at once: 128 MiB

struct lab_rows {
    struct lab_query query;
    sqlite3_stmt *statement;
    struct lab_heading *headings; // of all that is selected; the group's come first
    size_t count, grouped;
    struct lab_entry *key; // [grouped]: the group under way, with texts of its own
    size_t held;           // values
};

// To be closed, also where it fails.
bool lab_rows_open(struct lab_rows *rows, struct lab_store *store, struct ek_error *error);
void lab_rows_close(struct lab_rows *rows);

// What is selected, in this order: what the group has in common, and then terms and names of columns as they are in
// SQL. A list may be empty.
bool lab_rows_select(struct lab_rows *rows, const char *option, const char *list, enum lab_heading_role role,
                     struct ek_error *error);
bool lab_rows_select_sql(struct lab_rows *rows, const char *sql, struct ek_error *error);

// From which runs: those of the question, of which `also`, in SQL, holds. Groups are sorted, and within them the runs
// by `by`, in SQL.
bool lab_rows_from(struct lab_rows *rows, const struct lab_question *question, const char *also, const char *by,
                   struct ek_error *error);

// Goes through them: `take` is called at each row, `end` after the last one of each group. False where either is, or
// where the store cannot be read.
bool lab_rows_go(struct lab_rows *rows, bool (*take)(void *context, struct ek_error *error),
                 bool (*end)(void *context, struct ek_error *error), void *context, struct ek_error *error);

// A entry of the row; its text is there until the next one.
struct lab_entry lab_rows_entry(const struct lab_rows *rows, size_t index);

// Its number, NaN where it was not measured. A text is refused.
bool lab_rows_number(const struct lab_rows *rows, size_t index, double *value, struct ek_error *error);

struct lab_group_values {
    double *of;
    size_t count, room;
};

// Adds a value; refused where too many are held, of all that were added and not cleared.
bool lab_group_values_add(struct lab_rows *rows, struct lab_group_values *values, double value, struct ek_error *error);
void lab_group_values_clear(struct lab_rows *rows, struct lab_group_values *values);

// What the values say together; it sorts them.
struct lab_spread lab_group_values_spread(const struct lab_group_values *values, struct lab_confidence by);

#endif
