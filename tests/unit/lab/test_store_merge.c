// SPDX-License-Identifier: MIT
// Stores that are merged: the order does not matter, checksums stay, and of two copies or failures one is kept by rule.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/stores.h"

TestSuite(store_merge, .init = make_folder, .fini = remove_folder, .timeout = 60);

// Makes the stores of two shards, and a third that shares a run with the first and made it later.
static void make_shards(char shard[3][80])
{
    for (int i = 0; i < 3; i++) {
        snprintf(shard[i], 80, "%s/shard%d", folder, i);
        struct lab_store *store = open_store(shard[i], LAB_STORE_ADD);
        for (uint64_t seed = 1; seed <= 6; seed++) {
            if (i < 2 ? seed % 2 == (uint64_t)i : seed == 2) {
                add(store, "k", seed, false);
            }
        }
        execute(store, i == 2 ? "UPDATE runs SET started = '2999', host = 'later', checksum = NULL"
                              : "UPDATE runs SET started = '2000', checksum = NULL");
        lab_store_close(store);
    }
}

static double merged(const char *into, const char *from)
{
    struct lab_store *store = open_store(into, LAB_STORE_ADD);
    uint64_t added;
    cr_assert(lab_store_merge(store, from, &added, &error), "%s", error.sentence);
    lab_store_close(store);
    return (double)added;
}

// Returns the contents of a store, without its ids.
static char *contents(const char *name)
{
    char *all = NULL;
    size_t length;
    FILE *out = open_memstream(&all, &length);
    struct lab_store *store = open_store(name, LAB_STORE_READ);
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_prepare_v2(lab_store_sql(store),
                                    "SELECT r.*, hex(json) FROM runs AS r JOIN records ON run = id ORDER BY key, seed",
                                    -1, &statement, NULL),
                 SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int i = 1; i < sqlite3_column_count(statement); i++) {
            const char *value = (const char *)sqlite3_column_text(statement, i);
            fprintf(out, "%s|", value ? value : "");
        }
        fputc('\n', out);
    }
    sqlite3_finalize(statement);
    lab_store_close(store);
    fclose(out);
    return all;
}

Test(store_merge, in_any_order_gives_the_same)
{
    static const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
    char shard[3][80], name[80];
    char *first = NULL;
    make_shards(shard);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        snprintf(name, sizeof name, "%s/all%zu", folder, i);
        for (int j = 0; j < 3; j++) {
            merged(name, shard[orders[i][j]]);
        }
        cr_expect_eq(merged(name, shard[0]), 0.0, "a run that is there is not added again");
        char *all = contents(name);
        first = first ? first : all;
        cr_expect_str_eq(all, first);
        struct lab_store *store = open_store(name, LAB_STORE_READ);
        cr_expect_eq(ask(store, "SELECT count(*) FROM runs"), 6.0);
        cr_expect_eq(ask(store, "SELECT count(*) FROM records"), 6.0);
        cr_expect_eq(ask(store, "SELECT seed FROM runs WHERE host = 'later'"), 2.0);
        struct lab_record record;
        cr_expect(lab_store_record(store, 3, &record, &error), "%s", error.sentence);
        lab_record_destroy(&record);
        lab_store_close(store);
        if (all != first) {
            free(all);
        }
    }
    free(first);
}

// Numbers without a record are merged too. Of two copies the later one stays, with its record or without one.
Test(store_merge, numbers_without_a_record_in_any_order_gives_the_same)
{
    char copy[2][80], name[80];
    for (int i = 0; i < 2; i++) {
        snprintf(copy[i], sizeof copy[i], "%s/copy%d", folder, i);
        struct lab_store *store = open_store(copy[i], LAB_STORE_ADD);
        add(store, "k", 1, false);
        add(store, "k", 2 + (uint64_t)i, false);
        execute(store, i == 0 ? "UPDATE runs SET started = '2000', checksum = NULL"
                              : "UPDATE runs SET started = '2999', checksum = NULL; DELETE FROM records");
        lab_store_close(store);
    }
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/both%d", folder, i);
        cr_expect_eq(merged(name, copy[i]), 2.0);
        cr_expect_eq(merged(name, copy[1 - i]), i == 0 ? 2.0 : 1.0);
        struct lab_store *store = open_store(name, LAB_STORE_READ);
        cr_expect_eq(ask(store, "SELECT count(*) FROM runs"), 3.0);
        cr_expect_eq(ask(store, "SELECT seed FROM runs JOIN records ON run = id"), 2.0);
        cr_expect_eq(ask(store, "SELECT count(*) FROM records"), 1.0);
        lab_store_close(store);
    }
}

// Extracts are merged too, in place of records, and records in place of extracts. A store of an earlier version that
// cannot be written has no table of extracts.
Test(store_merge, extracts_in_any_order_gives_the_same)
{
    static const struct {
        unsigned parts;
        const char *change;
    } copies[] = {
        {LAB_WITH_TRACE, "UPDATE runs SET started = '2000', checksum = NULL; DROP TABLE extracts"},
        {EXTRACT, "UPDATE runs SET started = '2999', checksum = NULL"},
        {LAB_WITH_TRACE, "UPDATE runs SET started = '3000', checksum = NULL; DELETE FROM runs WHERE seed = 2"}};
    static const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
    char copy[3][80], name[80];
    for (int i = 0; i < 3; i++) {
        snprintf(copy[i], sizeof copy[i], "%s/copy%d", folder, i);
        struct lab_store *store = open_store(copy[i], LAB_STORE_ADD);
        add_parts(store, "k", 1, false, copies[i].parts);
        add_parts(store, "k", 2, false, copies[i].parts);
        execute(store, copies[i].change);
        sqlite3_exec(lab_store_sql(store), "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
        lab_store_close(store);
        cr_assert_eq(chmod(copy[i], 0400), 0);
    }
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        snprintf(name, sizeof name, "%s/all%zu", folder, i);
        for (int j = 0; j < 3; j++) {
            merged(name, copy[orders[i][j]]);
        }
        struct lab_store *store = open_store(name, LAB_STORE_READ);
        cr_expect_eq(ask(store, "SELECT count(*) FROM runs"), 2.0);
        cr_expect_eq(ask(store, "SELECT sum(seed) FROM runs JOIN records ON run = id"), 1.0);
        cr_expect_eq(ask(store, "SELECT sum(seed) FROM runs JOIN extracts ON run = id"), 2.0);
        cr_expect_eq(ask(store, "SELECT (SELECT count(*) FROM records) + (SELECT count(*) FROM extracts)"), 2.0);
        cr_expect(has_extract(store, (int64_t)ask(store, "SELECT id FROM runs WHERE seed = 2"), "ring:8"));
        lab_store_close(store);
    }
}

// Two copies of a run that started at the same moment differ in their records alone: the greater record stays.
Test(store_merge, copies_of_one_moment_in_any_order_gives_the_same)
{
    char copy[2][80], name[80];
    for (int i = 0; i < 2; i++) {
        snprintf(copy[i], sizeof copy[i], "%s/copy%d", folder, i);
        struct lab_store *store = open_store(copy[i], LAB_STORE_ADD);
        add(store, "k", 1, false);
        execute(
            store,
            i == 0
                ? "UPDATE runs SET started = 'now', host = 'greater', checksum = NULL; UPDATE records SET json = x'02'"
                : "UPDATE runs SET started = 'now', host = 'smaller', checksum = NULL; UPDATE records SET json = "
                  "x'01'");
        lab_store_close(store);
    }
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/both%d", folder, i);
        merged(name, copy[i]);
        merged(name, copy[!i]);
        struct lab_store *store = open_store(name, LAB_STORE_READ);
        cr_expect_eq(ask(store, "SELECT count(*) FROM runs WHERE host = 'greater'"), 1.0);
        cr_expect_eq(ask(store, "SELECT count(*) FROM runs"), 1.0);
        lab_store_close(store);
    }
}

// A row keeps its checksum, unless the store lacks one of its columns.
Test(store_merge, keeps_checksums)
{
    char other[80];
    snprintf(other, sizeof other, "%s/other", folder);
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    add(store, "k", 1, false);
    lab_store_close(store);
    cr_expect_eq(merged(other, path), 1.0);
    cr_expect(is_sound(other), "%s", error.sentence);
    store = open_store(other, LAB_STORE_READ);
    cr_expect_eq(ask(store, "SELECT count(checksum) FROM runs"), 1.0);
    execute(store, "DELETE FROM runs"); // as the sentence about a damaged row advises; the record is left
    lab_store_close(store);

    store = open_store(path, LAB_STORE_ADD);
    execute(store, "ALTER TABLE runs ADD COLUMN later INTEGER");
    add(store, "k", 2, false);
    lab_store_close(store);
    cr_expect_eq(merged(other, path), 2.0);
    cr_expect(is_sound(other), "%s", error.sentence);
    store = open_store(path, LAB_STORE_ADD);
    execute(store, "UPDATE runs SET steps = -1 WHERE seed = 1");
    lab_store_close(store);
    store = open_store(other, LAB_STORE_ADD);
    uint64_t added;
    cr_expect_not(lab_store_merge(store, path, &added, &error));
    cr_expect(strstr(error.sentence, "a.sqlite is damaged"), "%s", error.sentence);
    lab_store_close(store);
}

Test(store_merge, refuses_what_is_no_other_store)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    uint64_t added;
    add(store, "k", 1, false);
    cr_expect(!lab_store_merge(store, path, &added, &error));
    cr_expect(strstr(error.sentence, "cannot be merged into itself"), "%s", error.sentence);
    cr_expect(!lab_store_merge(store, "/nowhere/at/all", &added, &error));
    cr_expect(strstr(error.sentence, "there is no store /nowhere/at/all"), "%s", error.sentence);
    cr_expect_eq(ask(store, "SELECT count(*) FROM runs"), 1.0);
    lab_store_close(store);
}

// Of two notes about the same run the later one stays, in either order of merging.
// Of two failures of one moment, the one with the greater text stays.
Test(store_merge, keeps_the_later_failure)
{
    static const char *const why[2][2] = {{"worse", "better"}, {"better", "worse"}};
    char name[2][80];
    for (int same = 0; same < 2; same++) {
        for (int into = 0; into < 2; into++) {
            for (int i = 0; i < 2; i++) {
                snprintf(name[i], sizeof name[i], "%s/failed%d%d%d", folder, same, into, i);
                struct lab_store *store = open_store(name[i], LAB_STORE_ADD);
                cr_assert(lab_store_add_failure(store, "k", 1, "evenkeel run", why[same][i], &error));
                execute(store, i == 0 || same ? "UPDATE failures SET started = '2000'"
                                              : "UPDATE failures SET started = '2001'");
                lab_store_close(store);
            }
            merged(name[into], name[1 - into]);
            struct lab_store *store = open_store(name[into], LAB_STORE_READ);
            cr_expect_eq(
                ask(store, same ? "SELECT why = 'worse' FROM failures" : "SELECT why = 'better' FROM failures"), 1.0,
                "%s, into store %d", same ? "of one moment" : "later", into);
            lab_store_close(store);
        }
    }
}

// A failure is forgotten once its run is in the store, or in a merged one.
Test(store_merge, failures_last_until_the_run_is_there)
{
    char other[80];
    snprintf(other, sizeof other, "%s/other", folder);
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    cr_assert(lab_store_add_failure(store, "k", 1, "evenkeel run", "it died", &error));
    cr_assert(lab_store_add_failure(store, "k", 1, "evenkeel run", "it died again", &error));
    cr_assert(lab_store_add_failure(store, "k", 2, "evenkeel run", "it died", &error));
    cr_expect_eq(ask(store, "SELECT count(*) FROM failures"), 2.0);
    add(store, "k", 1, false);
    cr_expect_eq(ask(store, "SELECT seed FROM failures"), 2.0);
    lab_store_close(store);
    store = open_store(other, LAB_STORE_ADD);
    add(store, "k", 2, false);
    lab_store_close(store);
    merged(other, path);
    store = open_store(other, LAB_STORE_READ);
    cr_expect_eq(ask(store, "SELECT count(*) FROM failures"), 0.0);
    cr_expect_eq(ask(store, "SELECT count(*) FROM runs"), 2.0);
    lab_store_close(store);
}
