// SPDX-License-Identifier: MIT
// What SQL on a store can ask of the records in it.
#include <stdlib.h>
#include <string.h>

#include "lab/fail.h"
#include "lab/papers/verdict.h"

// The record that was asked for last: a condition may ask for one more than once.
struct shelf {
    struct lab_store *store;
    int64_t id;
    struct lab_record record; // of `id`, where `full`
    bool full;
    char *json; // it as text, or NULL
};

static void clear(struct shelf *shelf)
{
    if (shelf->full) {
        lab_record_destroy(&shelf->record);
    }
    free(shelf->json);
    shelf->full = false;
    shelf->json = NULL;
}

static void destroy(void *of)
{
    clear(of);
    free(of);
}

// The record of the run with this id; NULL where it cannot be had, which is told as the statement's error.
static const struct lab_record *fetch(sqlite3_context *context, sqlite3_value *id)
{
    struct shelf *shelf = sqlite3_user_data(context);
    struct ek_error error;
    if (!shelf->full || shelf->id != sqlite3_value_int64(id)) {
        clear(shelf);
        shelf->id = sqlite3_value_int64(id);
        shelf->full = lab_store_record(shelf->store, shelf->id, &shelf->record, &error);
        if (!shelf->full) {
            sqlite3_result_error(context, error.sentence, -1);
            return NULL;
        }
    }
    return &shelf->record;
}

static void tell_record(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct shelf *shelf = sqlite3_user_data(context);
    (void)count;
    const struct lab_record *record = fetch(context, values[0]);
    if (!record) {
        return;
    }
    if (!shelf->json) {
        size_t length;
        FILE *out = open_memstream(&shelf->json, &length);
        bool good = out && lab_record_write(out, record, LAB_ALL | LAB_NO_SUMMARY);
        if (!out || fclose(out) != 0 || !good) {
            sqlite3_result_error_nomem(context);
            return;
        }
    }
    sqlite3_result_text(context, shelf->json, -1, SQLITE_TRANSIENT);
}

static void tell_fact(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const struct lab_record *record = fetch(context, values[0]);
    const char *name = (const char *)sqlite3_value_text(values[1]);
    for (size_t i = 0; record && name && i < record->facts_count; i++) {
        if (strcmp(record->facts[i].name, name) == 0) {
            sqlite3_result_double(context, record->facts[i].value);
            return;
        }
    }
}

// Both share a shelf, which goes with the first: they go together, with the store.
bool lab_papers_functions(struct lab_store *store, struct ek_error *error)
{
    struct shelf *shelf = calloc(1, sizeof *shelf);
    if (!shelf) {
        return lab_fail(error, "there is no memory to look into records");
    }
    shelf->store = store;
    sqlite3 *sql = lab_store_sql(store);
    return (sqlite3_create_function_v2(sql, "record", 1, SQLITE_UTF8, shelf, tell_record, NULL, NULL, destroy) ==
                SQLITE_OK &&
            sqlite3_create_function_v2(sql, "fact", 2, SQLITE_UTF8, shelf, tell_fact, NULL, NULL, NULL) == SQLITE_OK) ||
           lab_store_fail(store, error);
}
