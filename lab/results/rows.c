// SPDX-License-Identifier: MIT
#include "lab/results/rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/fields.h"

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the results: narrow --where, or choose fewer columns");
}

bool lab_rows_open(struct lab_rows *rows, struct lab_store *store, struct ek_error *error)
{
    *rows = (struct lab_rows){0};
    if (!lab_query_open(&rows->query, store, error)) {
        return false;
    }
    fputs("SELECT", rows->query.out);
    return true;
}

static void free_key(struct lab_rows *rows)
{
    for (size_t i = 0; rows->key && i < rows->grouped; i++) {
        if (rows->key[i].kind == LAB_ENTRY_TEXT) {
            free((char *)rows->key[i].text);
        }
        rows->key[i] = (struct lab_entry){.kind = LAB_ENTRY_NONE};
    }
}

void lab_rows_close(struct lab_rows *rows)
{
    free_key(rows);
    free(rows->key);
    free(rows->headings);
    sqlite3_finalize(rows->statement);
    lab_query_close(&rows->query);
    *rows = (struct lab_rows){0};
}

static bool is_switch(const char *name)
{
    const struct lab_field *field = lab_field_named(name);
    if (field) {
        return field->kind == LAB_SWITCH;
    }
    size_t i = 0;
    while (ek_axis_at(i) && !(ek_axis_at(i)->field && strcmp(ek_axis_at(i)->field, name) == 0)) {
        i++;
    }
    return ek_axis_at(i) && ek_axis_at(i)->kind == EK_AXIS_SWITCH;
}

// Returns whether a term is a lower bound for a run that was cut: it has one column that grows, which it neither
// subtracts nor divides by.
static bool term_grows(const char *term)
{
    size_t growing = 0;
    for (const char *at = term; *at;) {
        const size_t length = strcspn(at, "+-*/");
        char column[LAB_QUERY_NAME];
        snprintf(column, sizeof column, "%.*s", (int)length, at);
        if (lab_field_grows(column)) {
            growing += at > term && (at[-1] == '-' || at[-1] == '/') ? 2 : 1;
        }
        at += length + (at[length] != '\0');
    }
    return growing == 1;
}

static struct lab_heading *add_heading(struct lab_rows *rows, enum lab_heading_role role, struct ek_error *error)
{
    struct lab_heading *headings = realloc(rows->headings, (rows->count + 1) * sizeof *headings);
    if (!headings) {
        no_memory(error);
        return NULL;
    }
    fputs(rows->count > 0 ? ", " : " ", rows->query.out);
    rows->headings = headings;
    rows->grouped += role != LAB_HEADING_VALUE;
    headings[rows->count] = (struct lab_heading){.role = role};
    return &headings[rows->count++];
}

bool lab_rows_select(struct lab_rows *rows, const char *option, const char *list, enum lab_heading_role role,
                     struct ek_error *error)
{
    assert(role == LAB_HEADING_VALUE || rows->count == rows->grouped);
    for (size_t at = 0; list[at];) {
        struct lab_heading *heading = add_heading(rows, role, error);
        if (!heading || !lab_query_term(&rows->query, option, list, &at, heading->name, error)) {
            return false;
        }
        heading->is_switch = is_switch(heading->name);
        heading->grows = term_grows(heading->name);
    }
    return true;
}

bool lab_rows_select_sql(struct lab_rows *rows, const char *sql, struct ek_error *error)
{
    struct lab_heading *heading = add_heading(rows, LAB_HEADING_VALUE, error);
    return heading && fputs(sql, rows->query.out) >= 0;
}

bool lab_rows_from(struct lab_rows *rows, const struct lab_question *question, const char *also, const char *by,
                   struct ek_error *error)
{
    FILE *out = rows->query.out;
    fputs(" FROM runs", out);
    if (!lab_query_where(&rows->query, question->where, question->among, error)) {
        return false;
    }
    fprintf(out, " AND %s", also);
    fputs(" ORDER BY ", out);
    for (size_t i = 1; i <= rows->grouped; i++) {
        fprintf(out, "%zu COLLATE naturally, ", i);
    }
    fputs(by, out);
    rows->key = calloc(rows->grouped + 1, sizeof *rows->key);
    rows->statement = rows->key ? lab_query_prepare(&rows->query, error) : NULL;
    return rows->statement || (!rows->key && no_memory(error));
}

bool lab_rows_begin(const struct lab_rows *rows, const struct lab_heading *own, size_t count,
                    const struct lab_answer_sink *sink, struct ek_error *error)
{
    struct lab_heading *headings = calloc(rows->grouped + count, sizeof *headings);
    if (!headings) {
        return no_memory(error);
    }
    memcpy(headings, rows->headings, rows->grouped * sizeof *headings);
    memcpy(headings + rows->grouped, own, count * sizeof *own);
    bool good = sink->begin(sink->context, headings, rows->grouped + count, error);
    free(headings);
    return good;
}

struct lab_entry *lab_rows_line(const struct lab_rows *rows, size_t count, struct ek_error *error)
{
    struct lab_entry *entries = calloc(rows->grouped + count, sizeof *entries);
    if (entries) {
        memcpy(entries, rows->key, rows->grouped * sizeof *entries);
    } else {
        no_memory(error);
    }
    return entries;
}

struct lab_entry lab_rows_entry(const struct lab_rows *rows, size_t index)
{
    const int place = (int)index;
    switch (sqlite3_column_type(rows->statement, place)) {
    case SQLITE_INTEGER:
        return (struct lab_entry){.kind = LAB_ENTRY_WHOLE, .whole = sqlite3_column_int64(rows->statement, place)};
    case SQLITE_FLOAT: {
        const double real = sqlite3_column_double(rows->statement, place);
        return (struct lab_entry){.kind = isfinite(real) ? LAB_ENTRY_REAL : LAB_ENTRY_NONE, .real = real};
    }
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_column_text(rows->statement, place);
        return (struct lab_entry){.kind = LAB_ENTRY_TEXT,
                                  .text = text ? text : ""}; // lab_rows_go reports the lack of memory
    }
    default:
        return (struct lab_entry){.kind = LAB_ENTRY_NONE};
    }
}

bool lab_rows_number(const struct lab_rows *rows, size_t index, double *value, struct ek_error *error)
{
    const struct lab_entry entry = lab_rows_entry(rows, index);
    *value = entry.kind == LAB_ENTRY_WHOLE ? (double)entry.whole : entry.kind == LAB_ENTRY_REAL ? entry.real : NAN;
    return entry.kind != LAB_ENTRY_TEXT ||
           base_refuse(error, "%s is a text and has no mean: move it to --group", rows->headings[index].name);
}

static bool same_entries(const struct lab_entry *a, const struct lab_entry *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case LAB_ENTRY_TEXT:
        return strcmp(a->text, b->text) == 0;
    case LAB_ENTRY_WHOLE:
        return a->whole == b->whole;
    case LAB_ENTRY_REAL:
        return a->real == b->real;
    default:
        return true;
    }
}

static bool in_group(const struct lab_rows *rows)
{
    bool same = true;
    for (size_t i = 0; i < rows->grouped; i++) {
        const struct lab_entry entry = lab_rows_entry(rows, i);
        same = same && same_entries(&entry, &rows->key[i]);
    }
    return same;
}

static bool begin_group(struct lab_rows *rows, struct ek_error *error)
{
    free_key(rows);
    for (size_t i = 0; i < rows->grouped; i++) {
        struct lab_entry entry = lab_rows_entry(rows, i);
        if (entry.kind == LAB_ENTRY_TEXT && !(entry.text = strdup(entry.text))) {
            return no_memory(error);
        }
        rows->key[i] = entry;
    }
    return true;
}

bool lab_rows_go(struct lab_rows *rows, bool (*take)(void *context, struct ek_error *error),
                 bool (*end)(void *context, struct ek_error *error), void *context, struct ek_error *error)
{
    int got = sqlite3_step(rows->statement);
    while (got == SQLITE_ROW) {
        if (!begin_group(rows, error)) {
            return false;
        }
        do {
            if (!take(context, error)) {
                return false;
            }
            if (sqlite3_errcode(lab_store_sql(rows->query.store)) == SQLITE_NOMEM) { // for a text of the row
                return lab_store_fail(rows->query.store, error);
            }
            got = sqlite3_step(rows->statement);
        } while (got == SQLITE_ROW && in_group(rows));
        if ((got == SQLITE_ROW || got == SQLITE_DONE) && end && !end(context, error)) {
            return false;
        }
    }
    return got == SQLITE_DONE || lab_store_fail(rows->query.store, error);
}
