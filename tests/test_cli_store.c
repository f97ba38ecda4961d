// SPDX-License-Identifier: MIT
// Stores: what comes back is what was put in, once; what is no store is refused, and what is older is brought up.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/run.h"
#include "lab/store.h"

static char folder[] = "/tmp/evenkeel-store-XXXXXX";
static char path[64];

static void make_folder(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.sqlite", folder);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

static struct ek_error error;

static struct lab_record record_of(const char *topology, uint64_t seed)
{
    struct lab_order order = {.experiment = {.topology = topology, .carrier = "pool:1", .seed = seed, .every = 1},
                              .runs = 1,
                              .command = "evenkeel run",
                              .theory = true,
                              .traces_kept = 1};
    order.experiment.keep_trace = true;
    struct lab_record record;
    cr_assert_eq(lab_run(&order, &record, &error), EK_OK, "%s", error.sentence);
    return record;
}

static struct lab_store *open_store(const char *name, enum lab_store_use use)
{
    error = (struct ek_error){.at = -1};
    return lab_store_open(name, use, &error);
}

static bool add(struct lab_store *store, const char *key, uint64_t seed, bool again)
{
    struct lab_record record = record_of("ring:8", seed);
    struct lab_stored stored = {.key = key, .status = EK_OK, .duration_s = 0.5, .parts = LAB_TRACE};
    lab_store_now(stored.started);
    bool added;
    cr_assert(lab_store_add(store, &stored, &record, again, &added, &error), "%s", error.sentence);
    lab_record_destroy(&record);
    return added;
}

static double ask(struct lab_store *store, const char *sql)
{
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_prepare_v2(lab_store_sql(store), sql, -1, &statement, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(lab_store_sql(store)));
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    double value = sqlite3_column_type(statement, 0) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static void execute(struct lab_store *store, const char *sql)
{
    cr_assert_eq(sqlite3_exec(lab_store_sql(store), sql, NULL, NULL, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(lab_store_sql(store)));
}

static char *json_of(const struct lab_record *record)
{
    char *json = NULL;
    size_t length;
    FILE *out = open_memstream(&json, &length);
    cr_assert(lab_record_write(out, record, LAB_TRACE));
    fclose(out);
    return json;
}

TestSuite(store, .init = make_folder, .fini = remove_folder, .timeout = 60);

Test(store, a_run_comes_back_whole)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    cr_assert(store, "%s", error.sentence);
    cr_assert(add(store, "k", 7, false));
    lab_store_close(store);
    store = open_store(path, LAB_STORE_READ);
    struct lab_record before = record_of("ring:8", 7), after;
    cr_assert(lab_store_record(store, 1, &after, &error), "%s", error.sentence);
    before.runs[0].elapsed_s = after.runs[0].elapsed_s;
    char *wanted = json_of(&before), *found = json_of(&after);
    cr_expect_str_eq(found, wanted);
    cr_expect_eq(ask(store, "SELECT steps FROM runs"), (double)before.runs[0].steps);
    cr_expect_eq(ask(store, "SELECT variance_final FROM runs"), before.runs[0].variance_final);
    cr_expect_eq(ask(store, "SELECT seed FROM runs WHERE topology = 'ring:8' AND method = 'ade'"), 7.0);
    cr_expect_eq(ask(store, "SELECT theory_gamma_exact FROM runs"), before.theory.gamma_exact);
    cr_expect_eq(ask(store, "SELECT runs FROM summary"), 1.0);
    cr_expect(isnan(ask(store, "SELECT \"free.latency.median\" FROM runs")));
    free(wanted);
    free(found);
    lab_record_destroy(&before);
    lab_record_destroy(&after);
    lab_store_close(store);
}

Test(store, a_run_is_there_once)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    bool has;
    cr_assert(lab_store_has(store, "k", 1, &has, &error));
    cr_expect(!has);
    cr_expect(add(store, "k", 1, false));
    cr_expect(!add(store, "k", 1, false));
    cr_expect(add(store, "k", 2, false));
    cr_expect(add(store, "l", 1, false));
    cr_assert(lab_store_has(store, "k", 1, &has, &error));
    cr_expect(has);
    cr_expect_eq(ask(store, "SELECT count(*) FROM runs"), 3.0);
    execute(store, "UPDATE runs SET steps = -1; UPDATE records SET json = x'00'");
    cr_expect(add(store, "k", 1, true));
    cr_expect_eq(ask(store, "SELECT count(*) FROM runs WHERE steps > 0"), 1.0);
    cr_expect_eq(ask(store, "SELECT count(*) FROM records WHERE length(json) > 1"), 1.0);
    cr_expect_eq(ask(store, "SELECT count(*) FROM records"), 3.0);
    lab_store_close(store);
}

// Without its last columns and its views it is what a version with fewer axes and fields had written.
Test(store, an_older_one_gets_what_it_lacks)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    add(store, "k", 1, false);
    execute(store, "DROP VIEW summary; DROP VIEW unreached; ALTER TABLE runs DROP COLUMN theory_steps; "
                   "ALTER TABLE runs DROP COLUMN \"free.latency.median\"");
    lab_store_close(store);
    store = open_store(path, LAB_STORE_READ);
    cr_assert(store, "%s", error.sentence);
    cr_expect(isnan(ask(store, "SELECT theory_steps FROM runs")));
    cr_expect(isnan(ask(store, "SELECT \"free.latency.median\" FROM runs")));
    cr_expect_eq(ask(store, "SELECT runs FROM summary"), 1.0);
    cr_expect(add(store, "k", 2, false));
    cr_expect_eq(ask(store, "SELECT count(theory_steps) FROM runs"), 1.0);
    lab_store_close(store);
}

static void expect_refused(const char *name, const char *part)
{
    struct lab_store *store = open_store(name, LAB_STORE_ADD);
    cr_expect_null(store);
    cr_expect_eq(error.status, EK_BAD_INPUT);
    cr_expect(strstr(error.sentence, part), "%s", error.sentence);
    lab_store_close(store);
}

Test(store, what_is_none_is_refused)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    execute(store, "PRAGMA user_version = 2");
    lab_store_close(store);
    expect_refused(path, "newer evenkeel (its schema is 2, this one knows 1)");
    store = open_store(path, LAB_STORE_READ);
    cr_expect_null(store);

    char other[80];
    snprintf(other, sizeof other, "%s/other", folder);
    sqlite3 *sql;
    sqlite3_open(other, &sql);
    cr_assert_eq(sqlite3_exec(sql, "CREATE TABLE a (b)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(sql);
    expect_refused(other, "it is an SQLite file of another program");

    snprintf(other, sizeof other, "%s/text", folder);
    FILE *text = fopen(other, "w");
    fputs("This is a text, and no file of SQLite's, whichever way one looks at it.", text);
    fclose(text);
    expect_refused(other, "it is no SQLite file");
    expect_refused("/nowhere/at/all", "cannot be opened");
    snprintf(other, sizeof other, "%s/missing", folder);
    cr_expect_null(open_store(other, LAB_STORE_READ));
    cr_expect(access(other, F_OK) != 0);
}
