// SPDX-License-Identifier: MIT
// The SQL of a store, made from the columns of a run (columns.h). Each text is to be freed; NULL if memory is short.
#ifndef LAB_STORE_SCHEMA_H
#define LAB_STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>

enum { LAB_SCHEMA_APPLICATION = 0x65766B6C }; // "evkl": identifies a store to `file` and SQLite

// Creates a new store's tables and views, and ends the transaction that creates them.
char *lab_schema_create(void);

// Adds the columns, tables and views that an older store lacks. The text is empty if the store lacks nothing.
char *lab_schema_migrate(sqlite3 *sql);

// Returns whether a database of the connection has a table of extracts; stores of earlier versions lack it.
bool lab_schema_has_extracts(sqlite3 *sql, const char *database);

// Inserts a run and returns its id. If the store already has a run with this key and seed, the SQL replaces that run if
// `replace` is true; otherwise it inserts nothing.
char *lab_schema_insert(bool replace);

#endif
