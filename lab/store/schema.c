// SPDX-License-Identifier: MIT
#include "lab/store/schema.h"

#include <stdio.h>
#include <stdlib.h>

#include "lab/store/columns.h"
#include "lab/store/store.h"
#include "lab/text/memory_stream.h"

// SQL being written.
struct text {
    FILE *out;
    sqlite3 *sql; // the open store, or NULL for a new one
    bool follows; // at least one column was written
};

static const char *const type_names[] = {[LAB_COLUMN_TEXT] = "TEXT",
                                         [LAB_COLUMN_INTEGER] = "INTEGER",
                                         [LAB_COLUMN_REAL] = "REAL",
                                         [LAB_COLUMN_CHECKSUM] = "INTEGER"};

static void write_definition(void *context, const struct lab_column *column)
{
    struct text *text = context;
    fprintf(text->out, ", \"%s%s\" %s", column->group, column->name, type_names[column->type]);
}

static void write_name(void *context, const struct lab_column *column)
{
    struct text *text = context;
    fprintf(text->out, "%s\"%s%s\"", text->follows ? ", " : "", column->group, column->name);
    text->follows = true;
}

static void write_place(void *context, const struct lab_column *column)
{
    struct text *text = context;
    (void)column;
    fputs(text->follows ? ", ?" : "?", text->out);
    text->follows = true;
}

static void write_update(void *context, const struct lab_column *column)
{
    struct text *text = context;
    fprintf(text->out, "%s\"%s%s\" = excluded.\"%s%s\"", text->follows ? ", " : "", column->group, column->name,
            column->group, column->name);
    text->follows = true;
}

// Adds the column if the store lacks it.
static void write_missing(void *context, const struct lab_column *column)
{
    struct text *text = context;
    char name[128];
    snprintf(name, sizeof name, "%s%s", column->group, column->name);
    if (sqlite3_table_column_metadata(text->sql, NULL, "runs", name, NULL, NULL, NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(text->out, "ALTER TABLE runs ADD COLUMN \"%s\" %s;\n", name, type_names[column->type]);
        text->follows = true;
    }
}

static void write_columns(struct text *text, void (*write)(void *context, const struct lab_column *column))
{
    text->follows = false;
    lab_columns_visit(NULL, NULL, write, text);
}

// Returns the SQL that `write` writes, or NULL if memory is short.
static char *build(sqlite3 *sql, void (*write)(struct text *text))
{
    struct lab_stream made;
    if (lab_stream_begin(&made)) {
        struct text text = {.out = made.out, .sql = sql};
        write(&text);
    }
    return lab_stream_end(&made);
}

// Writes the columns of all axes, each after a comma and the table's name.
static void write_axes(struct text *text, const char *table)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (ek_axis_at(i)->field) {
            fprintf(text->out, ", %s.\"%s\"", table, ek_axis_at(i)->field);
        }
    }
}

// Creates the tables of failures and of extracts if they are missing, and the views anew. Sets the number of the
// schema, so that versions refuse the store if they would change rows without their checksums.
static void write_beside(struct text *text)
{
    fputs("CREATE TABLE IF NOT EXISTS failures (key TEXT, seed INTEGER, command TEXT, why TEXT, version TEXT, "
          "started TEXT, UNIQUE (key, seed));\n"
          "CREATE TABLE IF NOT EXISTS extracts (run INTEGER PRIMARY KEY REFERENCES runs (id), fields BLOB NOT NULL);\n"
          "DROP VIEW IF EXISTS summary;\n"
          "CREATE VIEW summary AS SELECT key",
          text->out);
    write_axes(text, "runs");
    fputs(", processors, count(*) AS runs, sum(converged) AS converged, avg(steps) AS steps, "
          "min(steps) AS steps_least, max(steps) AS steps_most, avg(operations) AS operations, "
          "avg(variance_final) AS variance_final, avg(moved) AS moved, avg(messages) AS messages, "
          "avg(elapsed_s) AS elapsed_s, coalesce(theory_gamma_exact, theory_gamma_closed) AS theory_gamma, "
          "avg(theory_steps) AS theory_steps FROM runs GROUP BY key;\n"
          "DROP VIEW IF EXISTS unreached;\n"
          "CREATE VIEW unreached AS SELECT id, key, seed, status, ended, why, command FROM runs WHERE status <> 0;\n",
          text->out);
    fprintf(text->out, "PRAGMA user_version = %d;\n", LAB_STORE_SCHEMA);
}

static void write_schema(struct text *text)
{
    fputs("CREATE TABLE runs (id INTEGER PRIMARY KEY", text->out);
    write_columns(text, write_definition);
    fputs(", UNIQUE (key, seed));\n"
          "CREATE TABLE records (run INTEGER PRIMARY KEY REFERENCES runs (id), json BLOB NOT NULL);\n",
          text->out);
    write_beside(text);
    fprintf(text->out, "PRAGMA application_id = %d;\nCOMMIT;", LAB_SCHEMA_APPLICATION);
}

static void write_question(struct text *text)
{
    fputs("SELECT key", text->out);
    write_axes(text, "summary");
    fputs(" FROM summary", text->out);
}

// Returns whether the view has every axis. If not, its question cannot be prepared.
static bool is_summed_up(sqlite3 *sql)
{
    char *question = build(sql, write_question);
    sqlite3_stmt *statement = NULL;
    bool good = question && sqlite3_prepare_v2(sql, question, -1, &statement, NULL) == SQLITE_OK;
    sqlite3_finalize(statement);
    free(question);
    return good;
}

bool lab_schema_has_extracts(sqlite3 *sql, const char *database)
{
    return sqlite3_table_column_metadata(sql, database, "extracts", NULL, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

static void write_migration(struct text *text)
{
    write_columns(text, write_missing);
    if (text->follows || !is_summed_up(text->sql) || !lab_schema_has_extracts(text->sql, "main")) {
        write_beside(text);
    }
}

static void write_insert(struct text *text)
{
    fputs("INSERT INTO runs (", text->out);
    write_columns(text, write_name);
    fputs(") VALUES (", text->out);
    write_columns(text, write_place);
    fputs(") ON CONFLICT (key, seed) DO ", text->out);
}

static void write_add(struct text *text)
{
    write_insert(text);
    fputs("NOTHING RETURNING id", text->out);
}

static void write_replace(struct text *text)
{
    write_insert(text);
    fputs("UPDATE SET ", text->out);
    write_columns(text, write_update);
    fputs(" RETURNING id", text->out);
}

char *lab_schema_create(void)
{
    return build(NULL, write_schema);
}

char *lab_schema_migrate(sqlite3 *sql)
{
    return build(sql, write_migration);
}

char *lab_schema_insert(bool replace)
{
    return build(NULL, replace ? write_replace : write_add);
}
