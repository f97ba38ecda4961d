// SPDX-License-Identifier: MIT
#include "lab/results/pooled.h"

#include <string.h>

#include "lab/results/query_names.h"
#include "lab/text/clean_text.h"

enum { NAMED_MAX = 5 }; // the most values of an axis that the note names

static bool write_terms(struct lab_query *query, const char *option, const char *list, struct ek_error *error)
{
    char name[LAB_QUERY_NAME];
    for (size_t at = 0; list[at];) {
        fputs(", ", query->out);
        if (!lab_query_term(query, option, list, &at, name, error)) {
            return false;
        }
    }
    return true;
}

// Writes the query that finds, for each axis, whether some line has several values of it.
static bool write_question(struct lab_query *query, const struct lab_question *question, struct ek_error *error)
{
    const char *before = "SELECT ";
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (ek_axis_at(i)->field) {
            fprintf(query->out, "%smax(a%zu)", before, i);
            before = ", ";
        }
    }
    before = " FROM (SELECT ";
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (ek_axis_at(i)->field) {
            fprintf(query->out, "%scount(DISTINCT ifnull(\"%s\", '')) > 1 AS a%zu", before, ek_axis_at(i)->field, i);
            before = ", ";
        }
    }
    fputs(" FROM runs", query->out);
    if (!lab_query_where(query, question->where, question->among, error)) {
        return false;
    }
    fputs(" GROUP BY 1 = 1", query->out);
    return write_terms(query, "group", question->group, error) &&
           write_terms(query, "x", question->over ? question->over : "", error) && fputs(")", query->out) >= 0;
}

// Writes the values that an axis has in the runs of the question.
static bool write_values(struct lab_store *store, const struct lab_question *question, const char *field, char *text,
                         size_t size, struct ek_error *error)
{
    struct lab_query query;
    bool good = lab_query_open(&query, store, error) &&
                fprintf(query.out, "SELECT DISTINCT \"%s\" FROM runs", field) > 0 &&
                lab_query_where(&query, question->where, question->among, error) &&
                fputs(" ORDER BY 1 COLLATE naturally", query.out) >= 0;
    sqlite3_stmt *statement = good ? lab_query_prepare(&query, error) : NULL;
    size_t values = 0, length = 0;
    int got = SQLITE_ERROR;
    while (statement && (got = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *value = (const char *)sqlite3_column_text(statement, 0);
        if (!value && sqlite3_errcode(lab_store_sql(store)) == SQLITE_NOMEM) {
            got = SQLITE_NOMEM;
            break;
        }
        if (values++ < NAMED_MAX) {
            length += (size_t)snprintf(text + length, size - length, "%s%.60s", values > 1 ? "; " : "",
                                       value ? value : "none");
        }
    }
    if (values > NAMED_MAX) {
        snprintf(text + length, size - length, "; and %zu more", values - NAMED_MAX);
    }
    good = statement && (got == SQLITE_DONE || lab_store_fail(store, error));
    sqlite3_finalize(statement);
    lab_query_close(&query);
    return good;
}

// Finds the axes that have several values in some line.
static bool find_pooled(struct lab_store *store, const struct lab_question *question, bool pooled[EK_AXES_MAX],
                        struct ek_error *error)
{
    struct lab_query query;
    bool good = lab_query_open(&query, store, error) && write_question(&query, question, error);
    sqlite3_stmt *statement = good ? lab_query_prepare(&query, error) : NULL;
    good = statement && (sqlite3_step(statement) == SQLITE_ROW || lab_store_fail(store, error));
    for (size_t i = 0, column = 0; good && ek_axis_at(i); i++) {
        pooled[i] = ek_axis_at(i)->field && sqlite3_column_int(statement, (int)column++) != 0;
    }
    sqlite3_finalize(statement);
    lab_query_close(&query);
    return good;
}

// Writes the chosen axes, with their values in the runs of the question, behind the text.
static bool write_axes(struct lab_store *store, const struct lab_question *question, const bool chosen[EK_AXES_MAX],
                       char text[LAB_RESULTS_LIST], struct ek_error *error)
{
    bool good = true;
    for (size_t i = 0; good && ek_axis_at(i); i++) {
        if (chosen[i]) {
            char values[400] = "";
            const size_t length = strlen(text);
            good = write_values(store, question, ek_axis_at(i)->field, values, sizeof values, error);
            if (*values) {
                snprintf(text + length, LAB_RESULTS_LIST - length, "%s%s (%s)", length > 0 ? ", " : "",
                         ek_axis_at(i)->field, values);
            }
        }
    }
    lab_text_clean(text);
    return good;
}

bool lab_pooled_note(struct lab_store *store, const struct lab_question *question, char text[LAB_RESULTS_LIST],
                     struct ek_error *error)
{
    bool pooled[EK_AXES_MAX] = {false};
    text[0] = '\0';
    return find_pooled(store, question, pooled, error) && write_axes(store, question, pooled, text, error);
}

// Returns whether a condition contains this name. NULL contains none.
static bool names(const char *condition, const char *name)
{
    bool found = false;
    for (const char *at = condition; at && *at && !found;) {
        const size_t length = lab_query_name_length(at);
        found = length == strlen(name) && strncmp(at, name, length) == 0;
        at += length > 0 ? length : 1;
    }
    return found;
}

bool lab_axes_note(struct lab_store *store, const struct lab_question *question, char text[LAB_RESULTS_LIST],
                   struct ek_error *error)
{
    bool named[EK_AXES_MAX] = {false};
    for (size_t i = 0; ek_axis_at(i); i++) {
        const char *field = ek_axis_at(i)->field;
        named[i] = field && (names(question->where, field) || names(question->compare, field));
    }
    const struct lab_question all = {.among = question->among};
    text[0] = '\0';
    return write_axes(store, &all, named, text, error);
}
