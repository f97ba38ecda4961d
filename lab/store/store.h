// SPDX-License-Identifier: MIT
// A store: one SQLite file with a row for each run and its whole record beside it (docs/store.md has the schema). A
// run is known by its key, which says what was run, and its seed: a store has it once.
//
// Several processes may have a store open at once, and add to it; each opens it for itself, after fork.
#ifndef LAB_STORE_STORE_H
#define LAB_STORE_STORE_H

#include <sqlite3.h>

#include "lab/record/record.h"

enum { LAB_STORE_SCHEMA = 1 };

enum lab_store_use {
    LAB_STORE_READ, // it is there; where it is older than this program and can be written, it is migrated
    LAB_STORE_ADD   // the same, made where it is not there
};

struct lab_store;

// Opens one. NULL and `error` where the file is none, is damaged, of a newer schema, or cannot be read or made.
struct lab_store *lab_store_open(const char *path, enum lab_store_use use, struct ek_error *error);

// The path as SQLite is to open or attach it for that; to be freed, NULL without memory.
char *lab_store_name(const char *path, enum lab_store_use use);
void lab_store_close(struct lab_store *store); // NULL is well

// How large its file is.
bool lab_store_bytes(struct lab_store *store, int64_t *bytes, struct ek_error *error);

// Looks through the whole file for damage, about a second for 300 MB.
bool lab_store_check(struct lab_store *store, struct ek_error *error);

// What a row says of its run beside the record.
struct lab_stored_run {
    const char *key;
    enum ek_status status;
    char started[32]; // in UTC, as in 2026-01-31T23:59:59.123Z
    double duration_s;
    unsigned parts; // LAB_WITH_FINAL, ...: what is kept of loads and traces
    void *packed;   // [size] the record as it is kept, by lab_store_pack; to be freed
    size_t size;
};

// The time now, for `started`.
void lab_store_now(char text[32]);

// Makes of a record what is kept of it. That takes longer than to add it, and no other process waits for it meanwhile.
bool lab_store_pack(struct lab_store *store, struct lab_stored_run *stored, const struct lab_record *record,
                    struct ek_error *error);

// Adds a record of one run, which was packed. One that the store has already is left alone and *added is false; with
// `again` it is replaced.
bool lab_store_add(struct lab_store *store, const struct lab_stored_run *stored, const struct lab_record *record,
                   bool again, bool *added, struct ek_error *error);

// Notes that a run failed, until it is added.
bool lab_store_add_failure(struct lab_store *store, const char *key, uint64_t seed, const char *command,
                           const char *why, struct ek_error *error);

// Whether the store has this run.
bool lab_store_has(struct lab_store *store, const char *key, uint64_t seed, bool *has, struct ek_error *error);

// Between these, what is added is on the disk together or not at all, and costs less.
bool lab_store_begin(struct lab_store *store, struct ek_error *error);
bool lab_store_commit(struct lab_store *store, struct ek_error *error);

// The record of the run with this id, read back whole; to be destroyed.
bool lab_store_record(struct lab_store *store, int64_t id, struct lab_record *record, struct ek_error *error);

// The same as it is kept, JSON of `*length` bytes; to be freed, NULL and `error` where it cannot be read.
char *lab_store_json(struct lab_store *store, int64_t id, size_t *length, struct ek_error *error);

// Adds all runs of another store. Of a run that both have the one that was started later stays, so that any order of
// merging gives the same. The other is only read.
bool lab_store_merge(struct lab_store *into, const char *from, uint64_t *added, struct ek_error *error);

// For questions in SQL; and the sentence for what went wrong with one. lab_store_fail returns false.
sqlite3 *lab_store_sql(struct lab_store *store);
bool lab_store_fail(struct lab_store *store, struct ek_error *error);

#endif
