// SPDX-License-Identifier: MIT
// A question to a store, in SQL in the making: columns, terms and conditions as a person writes them are translated,
// and every value that they name is bound, never written into the SQL.
//
//   condition  all { "or" all };  all: one { "and" one };  one: "not" one | "(" condition ")" | comparison
//   comparison term SIGN (term | "true" | "false"), COLUMN SIGN TEXT, COLUMN "~" TEXT: TEXT is a part of it; SIGN is
//   one
//              of = != < <= > >=
//   term       product { ("+" | "-") product };  product: operand { ("*" | "/") operand };  operand: COLUMN | NUMBER
//
// A text stands as it is, as in method=gde:0.72, or between quotes. No comparison holds of what was not measured.
#ifndef LAB_STORE_QUERY_H
#define LAB_STORE_QUERY_H

#include "lab/store/store.h"
#include "lab/text/memory_stream.h"

enum { LAB_QUERY_VALUES_MAX = 256, LAB_QUERY_NAME = 128 };

struct lab_query_column;
struct lab_query_value;

struct lab_query {
    struct lab_store *store;
    FILE *out; // where the SQL is written; what is fixed in it, a caller writes itself
    struct lab_stream sql;
    struct lab_query_column *columns; // of the table of runs
    size_t columns_count;
    struct lab_query_value *values; // bound, in the order of their places
    size_t values_count;
};

// To be closed, also where it fails. In SQL it knows COLLATE naturally: ring:8 comes before ring:16.
bool lab_query_open(struct lab_query *query, struct lab_store *store, struct ek_error *error);
void lab_query_close(struct lab_query *query);

// Column `index` of the table of runs, NULL past the last; and whether it is a text.
const char *lab_query_column(const struct lab_query *query, size_t index);
bool lab_query_is_text(const struct lab_query *query, size_t index);

// Writes a condition. `option` is what a complaint names; the text is all that was given to it, the condition in it
// begins at *at, and goes to the word `until`, or to the end where that is NULL. *at is then behind it.
bool lab_query_condition(struct lab_query *query, const char *option, const char *text, const char *until, size_t *at,
                         struct ek_error *error);

// Writes WHERE with a condition of --where, or without one, where that is NULL; and with one in SQL, if that is not
// NULL.
bool lab_query_where(struct lab_query *query, const char *where, const char *among, struct ek_error *error);

// The terms of a list, "method,steps/theory_steps": writes the one that begins at *at, and leaves *at at the next one.
// Its name is the term without spaces. The list ends where list[*at] does.
bool lab_query_term(struct lab_query *query, const char *option, const char *list, size_t *at,
                    char name[LAB_QUERY_NAME], struct ek_error *error);

// What was written, with its values bound; to be finalized. NULL where it cannot be prepared.
sqlite3_stmt *lab_query_prepare(struct lab_query *query, struct ek_error *error);

#endif
