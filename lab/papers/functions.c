// SPDX-License-Identifier: MIT
// SQL functions that read the records of a store, or their extracts. They use the stored JSON, which is faster than
// reading it into a record.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/papers/verdict.h"
#include "lab/record/extract.h"

// The extract or the record of the run that was read last, because a condition may use it several times.
struct cache {
    struct lab_store *store;
    int64_t id;
    char *extract;
    json_t *record; // NULL if there is an extract
    json_t *facts;  // of the extract, after the first question about them
};

static void forget(struct cache *cache)
{
    free(cache->extract);
    json_decref(cache->record);
    json_decref(cache->facts);
    cache->extract = NULL;
    cache->record = cache->facts = NULL;
}

static void destroy(void *of)
{
    forget(of);
    free(of);
}

// Reads what the store keeps of the run with this id. If it returns NULL, the statement fails with an error.
static struct cache *fetch(sqlite3_context *context, sqlite3_value *id)
{
    struct cache *cache = sqlite3_user_data(context);
    if ((cache->extract || cache->record) && cache->id == sqlite3_value_int64(id)) {
        return cache;
    }
    struct ek_error error;
    size_t length;
    forget(cache);
    cache->id = sqlite3_value_int64(id);
    bool good = lab_store_extract(cache->store, cache->id, &cache->extract, &error);
    char *text = good && !cache->extract ? lab_store_json(cache->store, cache->id, &length, &error) : NULL;
    cache->record = text ? json_loadb(text, length, 0, NULL) : NULL;
    if (!good || (!cache->extract && !text)) {
        sqlite3_result_error(context, error.sentence, -1);
    } else if (!cache->extract && !cache->record) {
        sqlite3_result_error(context, "a record in the store is damaged", -1);
    }
    free(text);
    return cache->extract || cache->record ? cache : NULL;
}

// A field as text. SQLite keeps the text with the function's call in the statement, since conditions often use the same
// field of a run several times in a row.
struct field_text {
    int64_t id; // of the run
    char *text;
};

static void free_field_text(void *of)
{
    struct field_text *field = of;
    free(field->text);
    free(field);
}

// Returns the field of the record's run or, if the run lacks it, of the record. NULL if both lack it. Without a name
// returns the whole record.
static const json_t *find_field(const json_t *record, const char *name)
{
    const json_t *field = name ? json_object_get(json_array_get(json_object_get(record, "runs"), 0), name) : record;
    return field ? field : json_object_get(record, name);
}

// Fails the statement: lab_check_parts did not see that the check reads the field.
static void refuse_field(sqlite3_context *context)
{
    sqlite3_result_error(context, "the store does not keep this part of the run's record", -1);
}

// Returns the text of a field, or of the whole record without a name; to be freed. NULL if the run lacks the field, or
// after an error of the statement.
static char *text_of(sqlite3_context *context, const struct cache *cache, const char *name)
{
    size_t length = 0;
    const char *value = cache->extract && name ? lab_extract_find(cache->extract, name, &length) : NULL;
    const json_t *field = cache->record ? find_field(cache->record, name) : NULL;
    char *text = length > 0 ? strndup(value, length) : field ? json_dumps(field, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (cache->extract && !value) {
        refuse_field(context);
    } else if (length > 0 && !text) {
        sqlite3_result_error_nomem(context);
    }
    return text;
}

// Implements the SQL functions record(run), which returns the whole record, and record(run, 'final'), which returns one
// field of the record.
static void return_record(sqlite3_context *context, int count, sqlite3_value **values)
{
    const int64_t id = sqlite3_value_int64(values[0]);
    const struct field_text *last = sqlite3_get_auxdata(context, count - 1); // of the same field: its name is constant
    if (last && last->id == id) {
        sqlite3_result_text(context, last->text, -1, SQLITE_TRANSIENT);
        return;
    }
    const char *name = count > 1 ? (const char *)sqlite3_value_text(values[1]) : NULL;
    const struct cache *cache = fetch(context, values[0]);
    char *text = cache ? text_of(context, cache, name) : NULL;
    if (!text) {
        return;
    }
    struct field_text *kept = malloc(sizeof *kept);
    if (!kept) {
        free(text);
        sqlite3_result_error_nomem(context);
        return;
    }
    *kept = (struct field_text){.id = id, .text = text};
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
    sqlite3_set_auxdata(context, count - 1, kept, free_field_text); // may free it at once
}

// Returns the value of a fact in an extract, or NULL.
static const json_t *fact_of_extract(sqlite3_context *context, struct cache *cache, const char *name)
{
    size_t length = 0;
    const char *facts = cache->facts ? NULL : lab_extract_find(cache->extract, "facts", &length);
    cache->facts = facts ? json_loadb(facts, length, 0, NULL) : cache->facts;
    if (!cache->facts) {
        refuse_field(context);
    }
    return json_object_get(cache->facts, name);
}

// Returns the value of a fact in a record, or NULL.
static const json_t *fact_of_record(const json_t *record, const char *name)
{
    const json_t *facts = json_object_get(json_object_get(record, "theory"), "facts");
    for (size_t i = 0; i < json_array_size(facts); i++) {
        const json_t *fact = json_array_get(facts, i), *value = json_object_get(fact, "value");
        const char *fact_name = json_string_value(json_object_get(fact, "name"));
        if (fact_name && strcmp(fact_name, name) == 0 && json_is_number(value)) {
            return value;
        }
    }
    return NULL;
}

// Implements the SQL function fact(run, name), which returns the fact's value, or NULL if the run lacks the fact or the
// fact has no number.
static void return_fact(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct cache *cache = fetch(context, values[0]);
    const char *name = (const char *)sqlite3_value_text(values[1]);
    if (!cache || !name) {
        return;
    }
    const json_t *value = cache->extract ? fact_of_extract(context, cache, name) : fact_of_record(cache->record, name);
    if (value) {
        sqlite3_result_double(context, json_number_value(value));
    }
}

// The three functions share a cache. SQLite frees the cache with the first function, and removes all functions with the
// store.
bool lab_papers_functions(struct lab_store *store, struct ek_error *error)
{
    const int flags = SQLITE_UTF8;
    sqlite3 *sql = lab_store_sql(store);
    struct cache *cache = calloc(1, sizeof *cache);
    if (!cache) {
        return base_refuse(error, "there is no memory to read records");
    }
    cache->store = store;
    return (sqlite3_create_function_v2(sql, "record", 1, flags, cache, return_record, NULL, NULL, destroy) ==
                SQLITE_OK &&
            sqlite3_create_function_v2(sql, "record", 2, flags, cache, return_record, NULL, NULL, NULL) == SQLITE_OK &&
            sqlite3_create_function_v2(sql, "fact", 2, flags, cache, return_fact, NULL, NULL, NULL) == SQLITE_OK) ||
           lab_store_fail(store, error);
}
