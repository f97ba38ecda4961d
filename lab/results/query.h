// SPDX-License-Identifier: MIT
// A question to a store as SQL. Columns, terms and conditions that a user wrote are translated. Every value in them is
// bound, never written into the SQL.
//
//   condition  all { "or" all };  all: one { "and" one };  one: "not" one | "(" condition ")" | comparison
//   comparison term SIGN (term | "true" | "false"), COLUMN SIGN TEXT, or COLUMN "~" TEXT (TEXT is a part of the column)
//   SIGN       one of = != < <= > >=
//   term       product { ("+" | "-") product };  product: operand { ("*" | "/") operand };  operand: COLUMN | NUMBER
//
// A text is written without quotes, as in method=gde:0.72, or between quotes. A comparison with a value that was not
// measured is false.
#ifndef LAB_STORE_QUERY_H
#define LAB_STORE_QUERY_H

#include "lab/store/store.h"
#include "lab/text/memory_stream.h"

enum { LAB_QUERY_VALUES_MAX = 256, LAB_QUERY_NAME = 128 };

struct lab_query_column;
struct lab_query_value;

struct lab_query {
    struct lab_store *store;
    FILE *out; // the SQL so far; a caller may write fixed parts itself
    struct lab_stream sql;
    struct lab_query_column *columns; // the columns of the table of runs
    size_t columns_count;
    struct lab_query_value *values; // the values to be bound, in the order of their placeholders
    size_t values_count;
};

// Opens a query, which is to be closed even on failure. Its SQL may use COLLATE naturally, which sorts ring:8 before
// ring:16.
bool lab_query_open(struct lab_query *query, struct lab_store *store, struct ek_error *error);
void lab_query_close(struct lab_query *query);

// Return column `index` of the table of runs, NULL past the last, and whether the column holds text.
const char *lab_query_column(const struct lab_query *query, size_t index);
bool lab_query_is_text(const struct lab_query *query, size_t index);

// Translates the condition that begins at text[*at] and extends to the word `until`, or to the end if `until` is NULL.
// Then *at is behind the condition. An error names `option`, whose whole value is `text`.
bool lab_query_condition(struct lab_query *query, const char *option, const char *text, const char *until, size_t *at,
                         struct ek_error *error);

// Writes WHERE with the condition of the option `where` and the condition `among`, which is SQL. Either may be NULL.
bool lab_query_where(struct lab_query *query, const char *where, const char *among, struct ek_error *error);

// Translates the term of a list, as in "method,steps/theory_steps", that begins at list[*at], and advances *at to the
// next term. `name` is the term without spaces. list[*at] is 0 after the last term.
bool lab_query_term(struct lab_query *query, const char *option, const char *list, size_t *at,
                    char name[LAB_QUERY_NAME], struct ek_error *error);

// Returns the SQL as a statement with its values bound, which is to be finalized. NULL if it cannot be prepared.
sqlite3_stmt *lab_query_prepare(struct lab_query *query, struct ek_error *error);

#endif
