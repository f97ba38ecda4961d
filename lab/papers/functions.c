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
    json_t *json; // it as a value, or NULL
};

static void clear(struct shelf *shelf)
{
    if (shelf->full) {
        lab_record_destroy(&shelf->record);
    }
    json_decref(shelf->json);
    shelf->full = false;
    shelf->json = NULL;
}

static void destroy(void *of)
{
    clear(of);
    free(of);
}

// Whether the record of the run with this id is on the shelf; where it cannot be had, that is the statement's error.
static bool fetch(sqlite3_context *context, sqlite3_value *id)
{
    struct shelf *shelf = sqlite3_user_data(context);
    struct ek_error error;
    if (!shelf->full || shelf->id != sqlite3_value_int64(id)) {
        clear(shelf);
        shelf->id = sqlite3_value_int64(id);
        shelf->full = lab_store_record(shelf->store, shelf->id, &shelf->record, &error);
        if (!shelf->full) {
            sqlite3_result_error(context, error.sentence, -1);
        }
    }
    return shelf->full;
}

// It as JSON; NULL without memory.
static json_t *parse(const struct lab_record *record)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    bool good = out && lab_record_write(out, record, LAB_ALL | LAB_NO_SUMMARY);
    json_t *json = out && fclose(out) == 0 && good ? json_loadb(text, length, 0, NULL) : NULL;
    free(text);
    return json;
}

// record(run): all of it. record(run, 'final'): a field of its run, else of the record; so that no more is read than is
// asked for.
static void tell_record(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct shelf *shelf = sqlite3_user_data(context);
    if (!fetch(context, values[0])) {
        return;
    }
    shelf->json = shelf->json ? shelf->json : parse(&shelf->record);
    const char *name = count > 1 ? (const char *)sqlite3_value_text(values[1]) : NULL;
    const json_t *field = shelf->json;
    if (name) {
        field = json_object_get(json_array_get(json_object_get(shelf->json, "runs"), 0), name);
        field = field ? field : json_object_get(shelf->json, name);
    }
    char *text = field ? json_dumps(field, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (text) {
        sqlite3_result_text(context, text, -1, free);
    } else if (!shelf->json) {
        sqlite3_result_error_nomem(context);
    }
}

static void tell_fact(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const struct shelf *shelf = sqlite3_user_data(context);
    const struct lab_record *record = &shelf->record;
    const char *name = (const char *)sqlite3_value_text(values[1]);
    for (size_t i = 0; fetch(context, values[0]) && name && i < record->facts_count; i++) {
        if (strcmp(record->facts[i].name, name) == 0) {
            sqlite3_result_double(context, record->facts[i].value);
            return;
        }
    }
}

// They share a shelf, which goes with the first: they go together, with the store.
bool lab_papers_functions(struct lab_store *store, struct ek_error *error)
{
    const int flags = SQLITE_UTF8;
    sqlite3 *sql = lab_store_sql(store);
    struct shelf *shelf = calloc(1, sizeof *shelf);
    if (!shelf) {
        return lab_fail(error, "there is no memory to look into records");
    }
    shelf->store = store;
    return (sqlite3_create_function_v2(sql, "record", 1, flags, shelf, tell_record, NULL, NULL, destroy) == SQLITE_OK &&
            sqlite3_create_function_v2(sql, "record", 2, flags, shelf, tell_record, NULL, NULL, NULL) == SQLITE_OK &&
            sqlite3_create_function_v2(sql, "fact", 2, flags, shelf, tell_fact, NULL, NULL, NULL) == SQLITE_OK) ||
           lab_store_fail(store, error);
}
