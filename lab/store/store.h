// SPDX-License-Identifier: MIT
// A store: an SQLite file with a row for each run and the run's complete record beside it (docs/store.md has the
// schema). A run is identified by its key, which describes the experiment, and its seed. A store holds each run once.
//
// Several processes and threads may read a store and add to it at the same time. Each thread opens the store itself,
// and so does each process, after fork.
#ifndef LAB_STORE_STORE_H
#define LAB_STORE_STORE_H

#include <sqlite3.h>

#include "lab/record/record.h"

enum { LAB_STORE_SCHEMA = 2 };

// The parts that a store keeps of a run besides its numbers, as bits: its record or an extract of it, and the loads and
// the trace in it (LAB_WITH_FINAL, LAB_WITH_TRACE, LAB_WITH_INITIAL). The bits above LAB_KEEP_EXTRACT are the other
// fields of the extract (lab/record/extract.h). A record has all of these fields.
enum { LAB_KEEP_THEORY = 16, LAB_KEEP_RECORD = 32, LAB_KEEP_EXTRACT = 64 };

enum lab_store_use {
    LAB_STORE_READ, // an existing store; migrated if it is older than this program and writable
    LAB_STORE_ADD   // the same, created if it does not exist
};

struct lab_store;

// Opens a store. Returns NULL if the file is not a store, is damaged, has a newer schema, or cannot be read or made.
struct lab_store *lab_store_open(const char *path, enum lab_store_use use, struct ek_error *error);

// Returns the path in the form in which SQLite opens or attaches the file for this use; to be freed. NULL if memory is
// short.
char *lab_store_name(const char *path, enum lab_store_use use);
void lab_store_close(struct lab_store *store); // may be NULL

// Finds the size of the store's file.
bool lab_store_bytes(struct lab_store *store, int64_t *bytes, struct ek_error *error);

// Checks the pages of the whole file for damage, and the row of each run against its checksum.
bool lab_store_check(struct lab_store *store, struct ek_error *error);

// A run in a store, besides the columns of its record.
struct lab_stored_run {
    const char *key;
    enum ek_status status;
    char started[32]; // in UTC, as 2026-01-31T23:59:59.123Z
    double duration_s;
    unsigned parts; // what is kept: LAB_KEEP_RECORD, ...
    void *packed;   // [size]: the compressed record or extract, from lab_store_pack; to be freed. NULL: only the
                    // numbers are kept
    size_t size;
};

// Writes the current time, for `started`.
void lab_store_now(char text[32]);

// Compresses a record, or the extract of it that the parts ask for. Compressing takes longer than adding the record,
// and does not block other processes.
bool lab_store_pack(struct lab_store *store, struct lab_stored_run *stored, const struct lab_record *record,
                    struct ek_error *error);

// Adds a run: its numbers, and its compressed record or extract if there is one. If the store has the run, nothing
// changes and *added is false; with `again` the run is replaced.
bool lab_store_add(struct lab_store *store, const struct lab_stored_run *stored, const struct lab_record *record,
                   bool again, bool *added, struct ek_error *error);

// Records that a run failed. The note is removed when the run is added.
bool lab_store_add_failure(struct lab_store *store, const char *key, uint64_t seed, const char *command,
                           const char *why, struct ek_error *error);

// Finds out whether the store has this run.
bool lab_store_has(struct lab_store *store, const char *key, uint64_t seed, bool *has, struct ek_error *error);

// Reads the complete record of the run with this id; to be destroyed.
bool lab_store_record(struct lab_store *store, int64_t id, struct lab_record *record, struct ek_error *error);

// Returns the record of the run with this id as JSON of `*length` bytes, to be freed; NULL if it cannot be read.
char *lab_store_json(struct lab_store *store, int64_t id, size_t *length, struct ek_error *error);

// Finds the extract of the run with this id; *extract is to be freed, and NULL if the store has none of this run.
bool lab_store_extract(struct lab_store *store, int64_t id, char **extract, struct ek_error *error);

// Adds all runs of another store, which is only read. If both stores have a run, the copy that was started later stays,
// so the order of merging makes no difference.
bool lab_store_merge(struct lab_store *into, const char *from, uint64_t *added, struct ek_error *error);

// Executes SQL. Runs that are added within one transaction reach the disk together or not at all. One transaction is
// also cheaper than several.
bool lab_store_execute(struct lab_store *store, const char *sql, struct ek_error *error);

// Reads the number that a statement returns.
bool lab_store_number(struct lab_store *store, const char *sql, int64_t *value, struct ek_error *error);

// lab_store_sql gives access to the database for other questions. lab_store_fail turns its last failure into an error,
// and returns false.
sqlite3 *lab_store_sql(struct lab_store *store);
bool lab_store_fail(struct lab_store *store, struct ek_error *error);

#endif
