// SPDX-License-Identifier: MIT
// The SQL of a store, made from the columns of a run (columns.h). Each text is to be freed; NULL without memory.
#ifndef LAB_STORE_SCHEMA_H
#define LAB_STORE_SCHEMA_H

#include <sqlite3.h>

enum { LAB_SCHEMA_APPLICATION = 0x65766B6C }; // "evkl": what `file` and SQLite know a store by

// All that a new store has, to the end of the transaction in which it is made.
char *lab_schema_create(void);

// What the store that is open lacks, since it is older: columns, and views of them. Empty where it lacks nothing.
char *lab_schema_migrate(sqlite3 *sql);

// Puts a run in, and answers its id: where its key and seed are not there yet, or in the place of the one that is.
char *lab_schema_add(void);
char *lab_schema_replace(void);

#endif
