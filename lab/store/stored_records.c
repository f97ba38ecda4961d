// SPDX-License-Identifier: MIT
#include "lab/store/stored_records.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "threads/api/report.h"

enum { KEY_LENGTH = 64 };

// A visit under way.
struct visiting {
    const struct lab_record_visitor *visitor;
    struct lab_record record; // the record being rebuilt; without runs: none
    char key[KEY_LENGTH];
};

// Passes the rebuilt record to the visitor.
static bool hand_over(struct visiting *visiting, struct ek_error *error)
{
    struct lab_record record = visiting->record;
    visiting->record = (struct lab_record){0};
    return record.count == 0 || visiting->visitor->take(visiting->visitor->context, &record, error);
}

// Adds the only run of a record of the same experiment.
static bool add(struct visiting *visiting, struct lab_record *record, struct ek_error *error)
{
    if (visiting->record.count == 0) {
        visiting->record = *record;
        return true;
    }
    visiting->record.runs_asked += record->runs_asked;
    bool good = lab_record_add(&visiting->record, &record->runs[0], error);
    lab_record_destroy(record); // its run is empty if it was moved
    return good;
}

static bool visit_run(struct visiting *visiting, struct lab_store *store, int64_t id, const char *key,
                      struct ek_error *error)
{
    if (strcmp(visiting->key, key) != 0) {
        snprintf(visiting->key, sizeof visiting->key, "%s", key);
        if (!hand_over(visiting, error)) {
            return false;
        }
    }
    struct lab_record record;
    return lab_store_record(store, id, &record, error) && add(visiting, &record, error);
}

static bool visit_runs(struct visiting *visiting, struct lab_store *store, sqlite3_stmt *runs, struct ek_error *error)
{
    int got;
    while ((got = sqlite3_step(runs)) == SQLITE_ROW) {
        const char *key = (const char *)sqlite3_column_text(runs, 1);
        if (!visit_run(visiting, store, sqlite3_column_int64(runs, 0), key ? key : "", error)) {
            return false;
        }
    }
    return got == SQLITE_DONE ? hand_over(visiting, error) : lab_store_fail(store, error);
}

static bool check_count(struct lab_store *store, uint64_t runs_max, struct ek_error *error)
{
    int64_t count;
    if (!lab_store_number(store, "SELECT count(*) FROM runs", &count, error)) {
        return false;
    }
    uint64_t runs = (uint64_t)count;
    if (runs == 0) {
        return base_refuse(error, "the store has no runs yet: make some with evenkeel sweep");
    }
    return runs <= runs_max ||
           base_refuse(error,
                       "the store has %" PRIu64 " runs, more than the %" PRIu64 " that fit here: use evenkeel results",
                       runs, runs_max);
}

bool lab_store_visit_records(struct lab_store *store, uint64_t runs_max, const struct lab_record_visitor *visitor,
                             struct ek_error *error)
{
    static const char sql[] = "SELECT id, key FROM runs ORDER BY method, processors, topology, key, seed";
    struct visiting visiting = {.visitor = visitor};
    sqlite3_stmt *runs = NULL;
    if (!check_count(store, runs_max, error)) {
        return false;
    }
    bool good = sqlite3_prepare_v2(lab_store_sql(store), sql, -1, &runs, NULL) == SQLITE_OK
                    ? visit_runs(&visiting, store, runs, error)
                    : lab_store_fail(store, error);
    sqlite3_finalize(runs);
    lab_record_destroy(&visiting.record);
    return good;
}
