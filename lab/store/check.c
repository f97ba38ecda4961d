// SPDX-License-Identifier: MIT
// Checks a store for damage. SQLite's quick_check finds pages with a broken structure; the checksums find rows whose
// values are not those that were written.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/store/checksum.h"

// Returns a column of the current row. Its type is that of the stored value.
static struct lab_column column_at(sqlite3_stmt *row, int place)
{
    struct lab_column column = {.group = "", .name = sqlite3_column_name(row, place)};
    switch (sqlite3_column_type(row, place)) {
    case SQLITE_INTEGER:
        column.type = LAB_COLUMN_INTEGER;
        column.whole = sqlite3_column_int64(row, place);
        break;
    case SQLITE_FLOAT:
        column.type = LAB_COLUMN_REAL;
        column.real = sqlite3_column_double(row, place);
        break;
    case SQLITE_TEXT:
        column.type = LAB_COLUMN_TEXT;
        column.text = (const char *)sqlite3_column_text(row, place);
        column.null = !column.text;
        break;
    default: // NULL, or a blob, which only damage can produce
        column.null = true;
    }
    return column;
}

// Returns whether the current row has the values with which it was written. A row without a checksum passes: an older
// version wrote it.
static bool is_as_written(sqlite3_stmt *row, const uint64_t *names, int id, int checksum)
{
    uint64_t sum = 0;
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        if (i != id && i != checksum) {
            struct lab_column column = column_at(row, i);
            sum ^= lab_checksum_value(names[i], &column);
        }
    }
    return sqlite3_column_type(row, checksum) == SQLITE_NULL || (uint64_t)sqlite3_column_int64(row, checksum) == sum;
}

static bool refuse_row(struct lab_store *store, int64_t run, struct ek_error *error)
{
    const char *path = sqlite3_db_filename(lab_store_sql(store), "main");
    if (sqlite3_errcode(lab_store_sql(store)) == SQLITE_NOMEM) { // memory was short for a text of the row
        return lab_store_fail(store, error);
    }
    return base_refuse(error,
                       "%s is damaged: the row of run %lld is not as it was written. Delete it by `sqlite3 %s 'DELETE "
                       "FROM runs WHERE id = %lld'`; the same sweep then makes the run again",
                       path, (long long)run, path, (long long)run);
}

// Checks the rows that the statement returns. `names` has room for the hashes of the columns' names.
static bool check_rows(struct lab_store *store, sqlite3_stmt *row, uint64_t *names, struct ek_error *error)
{
    int id = -1, checksum = -1, got = SQLITE_DONE;
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        struct lab_column column = {.group = "", .name = sqlite3_column_name(row, i)};
        id = strcmp(column.name, "id") == 0 ? i : id;
        checksum = strcmp(column.name, "checksum") == 0 ? i : checksum;
        names[i] = lab_checksum_name(&column);
    }
    while (checksum >= 0 && (got = sqlite3_step(row)) == SQLITE_ROW) {
        if (!is_as_written(row, names, id, checksum)) {
            return refuse_row(store, sqlite3_column_int64(row, id), error);
        }
    }
    return got == SQLITE_DONE || lab_store_fail(store, error);
}

static bool check_all_rows(struct lab_store *store, struct ek_error *error)
{
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(lab_store_sql(store), "SELECT * FROM main.runs", -1, &row, NULL) != SQLITE_OK) {
        return lab_store_fail(store, error);
    }
    uint64_t *names = calloc((size_t)sqlite3_column_count(row), sizeof *names);
    bool good = names ? check_rows(store, row, names, error)
                      : base_refuse(error, "there is no memory to check the store: free some memory");
    free(names);
    sqlite3_finalize(row);
    return good;
}

static bool check_pages(struct lab_store *store, struct ek_error *error)
{
    sqlite3_stmt *statement = NULL;
    sqlite3 *sql = lab_store_sql(store);
    bool good = (sqlite3_prepare_v2(sql, "PRAGMA quick_check(1)", -1, &statement, NULL) == SQLITE_OK &&
                 sqlite3_step(statement) == SQLITE_ROW) ||
                lab_store_fail(store, error);
    const char *verdict = good ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (good && (!verdict || strcmp(verdict, "ok") != 0)) {
        const char *path = sqlite3_db_filename(sql, "main");
        good = base_refuse(error, "%s is damaged (%s): save what can be read with `sqlite3 %s .recover | sqlite3 NEW`",
                           path, verdict ? verdict : "no memory", path);
    }
    sqlite3_finalize(statement);
    return good;
}

bool lab_store_check(struct lab_store *store, struct ek_error *error)
{
    return check_pages(store, error) && check_all_rows(store, error);
}
