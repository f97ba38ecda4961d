// SPDX-License-Identifier: MIT
// A folder for stores, and what tests do with a store. A file that includes it begins its suite with the functions
// make_folder and remove_folder.
#ifndef TESTS_STORES_H
#define TESTS_STORES_H

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/record/extract.h"
#include "lab/record/run_experiment.h"
#include "lab/store/store.h"

static char folder[] = "/tmp/evenkeel-store-XXXXXX";
static char path[64];

static inline void make_folder(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.sqlite", folder);
}

static inline void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

static struct ek_error error;

static inline struct lab_record record_of(const char *topology, uint64_t seed)
{
    struct lab_run_request order = {.experiment = {.topology = topology, .carrier = "pool:1", .seed = seed, .every = 1},
                                    .runs = 1,
                                    .command = "evenkeel run",
                                    .theory = true,
                                    .traces_kept = 1};
    order.experiment.keep_trace = true;
    struct lab_record record;
    cr_assert_eq(lab_run(&order, &record, &error), EK_OK, "%s", error.sentence);
    return record;
}

static inline struct lab_store *open_store(const char *name, enum lab_store_use use)
{
    error = (struct ek_error){.at = -1};
    return lab_store_open(name, use, &error);
}

static inline bool add_parts(struct lab_store *store, const char *key, uint64_t seed, bool again, unsigned parts)
{
    struct lab_record record = record_of("ring:8", seed);
    struct lab_stored_run stored = {.key = key, .status = EK_OK, .duration_s = 0.5, .parts = parts};
    lab_store_now(stored.started);
    bool added;
    cr_assert(lab_store_pack(store, &stored, &record, &error), "%s", error.sentence);
    cr_assert(lab_store_add(store, &stored, &record, again, &added, &error), "%s", error.sentence);
    lab_record_destroy(&record);
    free(stored.packed);
    return added;
}

static inline bool add(struct lab_store *store, const char *key, uint64_t seed, bool again)
{
    return add_parts(store, key, seed, again, LAB_WITH_TRACE);
}

enum { EXTRACT = LAB_KEEP_EXTRACT | LAB_EXTRACT_TOPOLOGY }; // the parts of an extract of a run

// Returns whether the store has this run's extract, and the extract is of a topology with this name.
static inline bool has_extract(struct lab_store *store, int64_t id, const char *topology)
{
    char *extract, wanted[80];
    size_t length = 0;
    cr_assert(lab_store_extract(store, id, &extract, &error), "%s", error.sentence);
    const char *value = extract ? lab_extract_find(extract, "topology", &length) : NULL;
    snprintf(wanted, sizeof wanted, "{\"spec\":\"%s\",", topology);
    bool has = value && length > strlen(wanted) && strncmp(value, wanted, strlen(wanted)) == 0;
    free(extract);
    return has;
}

static inline double ask(struct lab_store *store, const char *sql)
{
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_prepare_v2(lab_store_sql(store), sql, -1, &statement, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(lab_store_sql(store)));
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    double value = sqlite3_column_type(statement, 0) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static inline void execute(struct lab_store *store, const char *sql)
{
    cr_assert_eq(sqlite3_exec(lab_store_sql(store), sql, NULL, NULL, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(lab_store_sql(store)));
}

static inline bool is_sound(const char *name)
{
    struct lab_store *store = open_store(name, LAB_STORE_READ);
    cr_assert(store, "%s", error.sentence);
    bool sound = lab_store_check(store, &error);
    lab_store_close(store);
    return sound;
}

#endif
