// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "lab/store/schema.h"
#include "lab/store/store.h"

// Selects the runs of the other store that this store lacks or has from an earlier start. If both copies started at the
// same moment, the one with the greater record or extract wins, so the order of merging makes no difference.
static const char taken[] =
    "CREATE TEMP TABLE taken AS SELECT o.id, o.key, o.seed FROM other.runs AS o "
    "LEFT JOIN other.records AS r ON r.run = o.id LEFT JOIN extracts_of_other AS e ON e.run = o.id "
    "LEFT JOIN main.runs AS m ON m.key = o.key AND m.seed = o.seed "
    "LEFT JOIN main.records AS n ON n.run = m.id LEFT JOIN main.extracts AS f ON f.run = m.id "
    "WHERE m.id IS NULL OR o.started > m.started OR (o.started = m.started AND coalesce(r.json, e.fields, x'') > "
    "coalesce(n.json, f.fields, x''));";

// Merges the failures. Of two with the same start the greater text wins, so the order of merging makes no difference.
// Removes the failure of each run that is in the store by now.
static const char failures[] =
    "INSERT INTO main.failures SELECT * FROM other.failures WHERE true ON CONFLICT (key, seed) DO UPDATE SET "
    "command = excluded.command, why = excluded.why, version = excluded.version, started = excluded.started "
    "WHERE (excluded.started, excluded.why, excluded.command, excluded.version) > "
    "(failures.started, failures.why, failures.command, failures.version);"
    "DELETE FROM main.failures WHERE (key, seed) IN (SELECT key, seed FROM main.runs);";

// Without the values of columns that this store lacks, the checksum of a row is wrong.
static const char unsealed[] =
    "UPDATE main.runs SET checksum = NULL WHERE (key, seed) IN (SELECT key, seed FROM taken) AND EXISTS (SELECT name "
    "FROM pragma_table_info('runs', 'other') EXCEPT SELECT name FROM pragma_table_info('runs', 'main'));";

// Returns the columns that both stores have, each after `prefix`, as a list in SQL; to be freed with sqlite3_free. NULL
// if SQLite fails. The id is left out, as each store numbers its own runs.
static char *shared_columns(sqlite3 *sql, const char *prefix)
{
    sqlite3_stmt *statement = NULL;
    char *columns = NULL;
    char *question = sqlite3_mprintf("SELECT group_concat(printf('%s\"%%w\"', name), ', ') FROM (SELECT name FROM "
                                     "pragma_table_info('runs', 'main') INTERSECT SELECT name FROM "
                                     "pragma_table_info('runs', 'other') EXCEPT SELECT 'id')",
                                     prefix);
    if (question && sqlite3_prepare_v2(sql, question, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        columns = sqlite3_mprintf("%s", (const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    sqlite3_free(question);
    return columns;
}

// Returns the SQL that copies the rows, records and extracts of the runs. Replaced rows are deleted first, with
// their records and those that a deleted row has left: a new row may get its id.
static char *write_merge(sqlite3 *sql)
{
    const char *extracts = lab_schema_has_extracts(sql, "other") ? "SELECT run, fields FROM other.extracts"
                                                                 : "SELECT NULL AS run, NULL AS fields WHERE false";
    char *columns = shared_columns(sql, ""), *of_other = shared_columns(sql, "o.");
    char *merge = columns && of_other
                      ? sqlite3_mprintf(
                            "BEGIN IMMEDIATE;CREATE TEMP VIEW extracts_of_other AS %s;%s"
                            "DELETE FROM main.runs WHERE (key, seed) IN (SELECT key, seed FROM taken);"
                            "DELETE FROM main.records WHERE run NOT IN (SELECT id FROM main.runs);"
                            "DELETE FROM main.extracts WHERE run NOT IN (SELECT id FROM main.runs);"
                            "INSERT INTO main.runs (%s) SELECT %s FROM taken AS t JOIN other.runs AS o ON o.id = t.id;"
                            "INSERT INTO main.records (run, json) SELECT m.id, r.json FROM taken AS t "
                            "JOIN other.records AS r ON r.run = t.id "
                            "JOIN main.runs AS m ON m.key = t.key AND m.seed = t.seed;"
                            "INSERT INTO main.extracts (run, fields) SELECT m.id, e.fields FROM taken AS t "
                            "JOIN extracts_of_other AS e ON e.run = t.id "
                            "JOIN main.runs AS m ON m.key = t.key AND m.seed = t.seed;%s%s",
                            extracts, taken, columns, of_other, unsealed, failures)
                      : NULL;
    sqlite3_free(columns);
    sqlite3_free(of_other);
    return merge;
}

static bool merge_attached(struct lab_store *into, uint64_t *added, struct ek_error *error)
{
    sqlite3 *sql = lab_store_sql(into);
    int64_t count = 0;
    char *merge = write_merge(sql);
    bool good = merge ? lab_store_execute(into, merge, error) : lab_store_fail(into, error);
    good = good && lab_store_number(into, "SELECT count(*) FROM taken", &count, error);
    *added = (uint64_t)count;
    good = good && lab_store_execute(into, "DROP TABLE taken; DROP VIEW extracts_of_other; COMMIT", error);
    if (!good) { // the failure may have ended the transaction
        sqlite3_exec(sql, "ROLLBACK", NULL, NULL, NULL);
    }
    sqlite3_free(merge);
    return good;
}

static bool same_file(const char *one, const char *other)
{
    struct stat of_one, of_other;
    return one && stat(one, &of_one) == 0 && stat(other, &of_other) == 0 && of_one.st_dev == of_other.st_dev &&
           of_one.st_ino == of_other.st_ino;
}

bool lab_store_merge(struct lab_store *into, const char *from, uint64_t *added, struct ek_error *error)
{
    *added = 0;
    if (same_file(sqlite3_db_filename(lab_store_sql(into), "main"), from)) {
        return base_refuse(error, "%s cannot be merged into itself: give another store", from);
    }
    struct lab_store *other = lab_store_open(from, LAB_STORE_READ, error); // checks that it is a store of this schema
    bool good = other && lab_store_check(other, error);
    lab_store_close(other);
    char *name = good ? lab_store_name(from, LAB_STORE_READ) : NULL;
    char *attach = name ? sqlite3_mprintf("ATTACH %Q AS other", name) : NULL;
    free(name);
    good = good && (attach ? lab_store_execute(into, attach, error)
                           : base_refuse(error, "there is no memory to merge stores: free some memory"));
    sqlite3_free(attach);
    if (good) {
        good = merge_attached(into, added, error);
        sqlite3_exec(lab_store_sql(into), "DETACH other", NULL, NULL, NULL);
    }
    return good;
}
