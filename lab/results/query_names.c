// SPDX-License-Identifier: MIT
#include "lab/results/query_names.h"

#include <ctype.h>
#include <string.h>

#include "lab/record/fields.h"
#include "lab/record/value_names.h"

size_t lab_query_name_length(const char *text)
{
    size_t length = 0;
    if (isalpha((unsigned char)*text) || *text == '_') {
        while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '.') {
            length++;
        }
    }
    return length;
}

// Returns the column of the option that the text begins with and copies the option's name, or returns NULL.
static const char *column_of_option(const char *text, char name[LAB_QUERY_NAME])
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
    for (size_t i = 0; ek_axis_at(i); i++) {
        const char *option = ek_axis_at(i)->option;
        if (ek_axis_at(i)->field && strlen(option) == length && strncmp(option, text, length) == 0) {
            snprintf(name, LAB_QUERY_NAME, "%s", option);
            return ek_axis_at(i)->field;
        }
    }
    return NULL;
}

const char *lab_query_near_column(struct base_names columns, const char *text, char name[LAB_QUERY_NAME])
{
    const char *column = column_of_option(text, name);
    if (column) {
        return column;
    }
    snprintf(name, LAB_QUERY_NAME, "%.*s", (int)lab_query_name_length(text), text);
    return base_nearest(name, columns);
}

// Returns the axis of a column, or NULL.
static const struct ek_axis *axis_of(const char *column)
{
    const char *field = strcmp(column, "method_name") == 0 ? "method" : column;
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (ek_axis_at(i)->field && strcmp(ek_axis_at(i)->field, field) == 0) {
            return ek_axis_at(i);
        }
    }
    return NULL;
}

static const char *name_at(const void *names, size_t index)
{
    return ((const char *const *)names)[index];
}

// Returns whether a run in the store has this value in the column. If `near` is empty, sets it to a similar value of
// the column.
static bool store_has(struct lab_store *store, const char *column, const char *value, char near[LAB_QUERY_NAME])
{
    char sql[LAB_QUERY_NAME + 64];
    snprintf(sql, sizeof sql, "SELECT DISTINCT \"%s\" FROM runs", column);
    sqlite3_stmt *statement = NULL;
    bool has = false;
    if (sqlite3_prepare_v2(lab_store_sql(store), sql, -1, &statement, NULL) != SQLITE_OK) {
        return true; // the question itself will fail with a better sentence
    }
    while (!has && sqlite3_step(statement) == SQLITE_ROW) {
        const char *stored = (const char *)sqlite3_column_text(statement, 0);
        const char *const one[] = {stored, NULL};
        has = stored && strcmp(stored, value) == 0;
        if (stored && !*near && base_nearest(value, (struct base_names){.at = name_at, .list = one})) {
            snprintf(near, LAB_QUERY_NAME, "%s", stored);
        }
    }
    sqlite3_finalize(statement);
    return has;
}

bool lab_query_knows(struct lab_store *store, const char *column, const char *value, char near[LAB_QUERY_NAME])
{
    const struct ek_axis *axis = axis_of(column);
    const struct lab_field *field = lab_field_named(column);
    const char *close = NULL;
    near[0] = '\0';
    if (axis ? lab_name_known(axis, value, &close) : !field || !field->names) {
        return true;
    }
    if (!axis) {
        const struct base_names names = {.at = name_at, .list = field->names};
        close = base_nearest(value, names);
        for (size_t i = 0; field->names[i]; i++) {
            if (strcmp(field->names[i], value) == 0) {
                return true;
            }
        }
    }
    snprintf(near, LAB_QUERY_NAME, "%s", close ? close : "");
    return store_has(store, column, value, near);
}
