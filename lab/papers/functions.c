// SPDX-License-Identifier: MIT
// What SQL on a store can ask of the records in it. They are read as the JSON that is kept, which is quicker than
// whole.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/papers/verdict.h"

// The record that was asked for last: a condition may ask for one more than once.
struct shelf {
    struct lab_store *store;
    int64_t id;
    json_t *record; // of `id`, or NULL
};

static void destroy(void *of)
{
    struct shelf *shelf = of;
    json_decref(shelf->record);
    free(shelf);
}

// The record of the run with this id; NULL where it cannot be had, which is the statement's error.
static const json_t *fetch(sqlite3_context *context, sqlite3_value *id)
{
    struct shelf *shelf = sqlite3_user_data(context);
    if (shelf->record && shelf->id == sqlite3_value_int64(id)) {
        return shelf->record;
    }
    struct ek_error error;
    size_t length;
    json_decref(shelf->record);
    shelf->id = sqlite3_value_int64(id);
    char *text = lab_store_json(shelf->store, shelf->id, &length, &error);
    shelf->record = text ? json_loadb(text, length, 0, NULL) : NULL;
    if (!text) {
        sqlite3_result_error(context, error.sentence, -1);
    } else if (!shelf->record) {
        sqlite3_result_error(context, "a record in the store is damaged", -1);
    }
    free(text);
    return shelf->record;
}

// A field as text, kept with the place in the statement that asks for it: conditions ask for the same one row by row.
struct quote {
    int64_t id; // of the run
    char *text;
};

static void free_quote(void *of)
{
    struct quote *quote = of;
    free(quote->text);
    free(quote);
}

// A field of the record's run, else of the record; without a name all of it. NULL where there is none.
static const json_t *find_field(const json_t *record, const char *name)
{
    const json_t *field = name ? json_object_get(json_array_get(json_object_get(record, "runs"), 0), name) : record;
    return field ? field : json_object_get(record, name);
}

// record(run): all of it. record(run, 'final'): a field, so that no more is read than is asked for.
static void tell_record(sqlite3_context *context, int count, sqlite3_value **values)
{
    const int64_t id = sqlite3_value_int64(values[0]);
    const struct quote *last = sqlite3_get_auxdata(context, count - 1); // with the field's name, which is a constant
    if (last && last->id == id) {
        sqlite3_result_text(context, last->text, -1, SQLITE_TRANSIENT);
        return;
    }
    const char *name = count > 1 ? (const char *)sqlite3_value_text(values[1]) : NULL;
    const json_t *record = fetch(context, values[0]);
    const json_t *field = record ? find_field(record, name) : NULL;
    if (!field) {
        return;
    }
    struct quote *quote = malloc(sizeof *quote);
    char *text = json_dumps(field, JSON_ENCODE_ANY | JSON_COMPACT);
    if (!quote) {
        free(text);
        sqlite3_result_error_nomem(context);
        return;
    }
    *quote = (struct quote){.id = id, .text = text};
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
    sqlite3_set_auxdata(context, count - 1, quote, free_quote); // which may free it at once
}

// fact(run, name): its value, NULL where the run has no such fact or it is a sentence alone.
static void tell_fact(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const json_t *record = fetch(context, values[0]);
    const json_t *facts = json_object_get(json_object_get(record, "theory"), "facts");
    const char *name = (const char *)sqlite3_value_text(values[1]);
    for (size_t i = 0; name && i < json_array_size(facts); i++) {
        const json_t *fact = json_array_get(facts, i), *value = json_object_get(fact, "value");
        const char *its = json_string_value(json_object_get(fact, "name"));
        if (its && strcmp(its, name) == 0 && json_is_number(value)) {
            sqlite3_result_double(context, json_number_value(value));
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
        return base_refuse(error, "there is no memory to look into records");
    }
    shelf->store = store;
    return (sqlite3_create_function_v2(sql, "record", 1, flags, shelf, tell_record, NULL, NULL, destroy) == SQLITE_OK &&
            sqlite3_create_function_v2(sql, "record", 2, flags, shelf, tell_record, NULL, NULL, NULL) == SQLITE_OK &&
            sqlite3_create_function_v2(sql, "fact", 2, flags, shelf, tell_fact, NULL, NULL, NULL) == SQLITE_OK) ||
           lab_store_fail(store, error);
}
