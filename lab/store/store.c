// SPDX-License-Identifier: MIT
#include "lab/store/store.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "base/error.h"
#include "lab/record/clock.h"
#include "lab/record/extract.h"
#include "lab/store/checksum.h"
#include "lab/store/schema.h"
#include "lab/text/memory_stream.h"
#include "threads/api/report.h"

enum {
    BUSY_MS = 60000,                  // how long to wait while another process locks the store
    COMPRESSION = 3,                  // zstd's default
    RECORD_BYTES_MAX = 1024 * 1048576 // limits what a damaged length can allocate
};

struct lab_store {
    sqlite3 *sql;
    char *path;
    sqlite3_stmt *has, *add, *replace, *forget;
    struct {
        sqlite3_stmt *add, *remove, *get;
    } record, extract; // the tables
    ZSTD_CCtx *compressor;
};

// Each connection belongs to one thread (store.h), and nobody asks how much memory SQLite has. Otherwise the threads
// that judge claims would wait for each other at every allocation.
__attribute__((constructor)) static void leave_threads_alone(void)
{
    sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the store: free some memory");
}

// Reports the system's error, if it is known.
static bool fail_disk(struct lab_store *store, struct ek_error *error)
{
    int number = sqlite3_system_errno(store->sql);
    bool full = sqlite3_errcode(store->sql) == SQLITE_FULL || number == ENOSPC || number == EDQUOT;
    return full ? base_refuse(error,
                              "%s cannot grow, because its disk is full: make room and give the same command again, "
                              "which continues from the stored runs",
                              store->path)
                : base_refuse(error, "%s cannot be read or written (%s)", store->path,
                              number != 0 ? strerror(number) : sqlite3_errmsg(store->sql));
}

bool lab_store_fail(struct lab_store *store, struct ek_error *error)
{
    switch (sqlite3_errcode(store->sql)) {
    case SQLITE_NOMEM:
        return no_memory(error);
    case SQLITE_NOTADB:
        return base_refuse(error, "%s is not a store: it is not an SQLite file", store->path);
    case SQLITE_CORRUPT:
        return base_refuse(error, "%s is damaged: save what can be read with `sqlite3 %s .recover | sqlite3 NEW`",
                           store->path, store->path);
    case SQLITE_FULL:
    case SQLITE_IOERR:
        return fail_disk(store, error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return base_refuse(error, "another process has locked %s for %d s: try again", store->path, BUSY_MS / 1000);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return base_refuse(
            error, "%s cannot be written: check the permissions of the file and of its directory, which holds its log",
            store->path);
    case SQLITE_CANTOPEN:
        return base_refuse(error, "%s cannot be opened: check the path and its permissions", store->path);
    default:
        return base_refuse(error, "%s: %s", store->path, sqlite3_errmsg(store->sql));
    }
}

bool lab_store_execute(struct lab_store *store, const char *sql, struct ek_error *error)
{
    return sqlite3_exec(store->sql, sql, NULL, NULL, NULL) == SQLITE_OK || lab_store_fail(store, error);
}

static bool prepare(struct lab_store *store, const char *sql, sqlite3_stmt **statement, struct ek_error *error)
{
    return *statement ||
           sqlite3_prepare_v3(store->sql, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) == SQLITE_OK ||
           lab_store_fail(store, error);
}

bool lab_store_number(struct lab_store *store, const char *sql, int64_t *value, struct ek_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool good = prepare(store, sql, &statement, error) &&
                (sqlite3_step(statement) == SQLITE_ROW || lab_store_fail(store, error));
    *value = good ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return good;
}

// Executes SQL and frees it.
static bool execute_and_free(struct lab_store *store, char *sql, struct ek_error *error)
{
    bool good = sql ? lab_store_execute(store, sql, error) : no_memory(error);
    free(sql);
    return good;
}

// Begins a write-ahead log, with which readers and a writer do not block each other. From then on a commit survives the
// end of this process without waiting for the disk. SQLite's own timeout does not apply when two processes begin a log
// at once, since each holds a lock that the other needs.
static bool begin_log(struct lab_store *store, struct ek_error *error)
{
    enum { PAUSE_MS = 10 };
    static const char begin[] = "PRAGMA journal_mode = WAL";
    const uint64_t end_ns = lab_clock_ns() + BUSY_MS * UINT64_C(1000000);
    int code = sqlite3_exec(store->sql, begin, NULL, NULL, NULL);
    while (code == SQLITE_BUSY && lab_clock_ns() < end_ns) { // SQLite may have waited, too
        sqlite3_sleep(PAUSE_MS);
        code = sqlite3_exec(store->sql, begin, NULL, NULL, NULL);
    }
    return code == SQLITE_OK || lab_store_fail(store, error);
}

// Turns an empty file into a store. Another process may have done so first; the lock decides.
static bool create(struct lab_store *store, struct ek_error *error)
{
    int64_t tables;
    if (!lab_store_execute(store, "BEGIN IMMEDIATE", error) ||
        !lab_store_number(store, "SELECT count(*) FROM sqlite_master", &tables, error)) {
        return false;
    }
    return tables > 0 ? lab_store_execute(store, "COMMIT", error) : execute_and_free(store, lab_schema_create(), error);
}

// Adds the columns and views that an older store lacks.
static bool migrate(struct lab_store *store, struct ek_error *error)
{
    char *missing = lab_schema_migrate(store->sql);
    if (!missing) {
        return no_memory(error);
    }
    bool good = true;
    if (*missing) {
        // BEGIN IMMEDIATE keeps other processes from changing the store. The query after it makes SQLite read the
        // current schema.
        int64_t tables;
        good = lab_store_execute(store, "BEGIN IMMEDIATE", error) &&
               lab_store_number(store, "SELECT count(*) FROM sqlite_master", &tables, error);
        free(missing);
        missing = good ? lab_schema_migrate(store->sql) : NULL;
        good = good && (missing || no_memory(error)) && lab_store_execute(store, missing, error) &&
               lab_store_execute(store, "COMMIT", error);
    }
    free(missing);
    return good;
}

// Checks that the file is a store that this program can read.
static bool identify(struct lab_store *store, struct ek_error *error)
{
    int64_t application, schema;
    if (!lab_store_number(store, "PRAGMA application_id", &application, error) ||
        !lab_store_number(store, "PRAGMA user_version", &schema, error)) {
        return false;
    }
    if (application != LAB_SCHEMA_APPLICATION) {
        return base_refuse(error, "%s is not a store: another program made this SQLite file", store->path);
    }
    if (schema > LAB_STORE_SCHEMA) {
        return base_refuse(
            error, "%s was made by a newer evenkeel (its schema is %lld, this version knows %d): use the newer version",
            store->path, (long long)schema, LAB_STORE_SCHEMA);
    }
    return true;
}

static bool make_ready(struct lab_store *store, enum lab_store_use use, struct ek_error *error)
{
    int64_t tables;
    sqlite3_busy_timeout(store->sql, BUSY_MS);
    sqlite3_extended_result_codes(store->sql, 0);
    if (!lab_store_number(store, "SELECT count(*) FROM sqlite_master", &tables, error)) {
        return false;
    }
    if (tables == 0 && use == LAB_STORE_ADD) {
        if (!begin_log(store, error) || !create(store, error)) {
            return false;
        }
    }
    if (tables == 0 && use == LAB_STORE_READ) {
        return base_refuse(error, "%s is empty: no sweep has stored a run in it yet", store->path);
    }
    return identify(store, error) && (sqlite3_db_readonly(store->sql, "main") == 1 || migrate(store, error)) &&
           lab_store_execute(
               store, "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 4000",
               error);
}

// Returns whether a store has no log and this process cannot create one beside it. SQLite must then treat the file as
// immutable, and would ignore any log.
static bool is_immutable(const char *path)
{
    struct lab_stream log, parent;
    const char *slash = strrchr(path, '/');
    int length = !slash ? 1 : slash == path ? 1 : (int)(slash - path);
    if (lab_stream_begin(&log)) {
        fprintf(log.out, "%s-wal", path);
    }
    if (lab_stream_begin(&parent)) {
        fprintf(parent.out, "%.*s", length, slash ? path : ".");
    }
    char *beside_it = lab_stream_end(&log), *folder = lab_stream_end(&parent);
    bool still = beside_it && folder && access(folder, W_OK) != 0 && access(beside_it, F_OK) != 0;
    free(beside_it);
    free(folder);
    return still;
}

char *lab_store_name(const char *path, enum lab_store_use use)
{
    struct lab_stream name;
    if (strcmp(path, ":memory:") == 0) {
        return strdup(path);
    }
    if (lab_stream_begin(&name)) {
        fputs(*path == '/' ? "file://" : "file:", name.out);
        for (const char *at = path; *at; at++) {
            fprintf(name.out, strchr("%?#", *at) ? "%%%02X" : "%c", (unsigned char)*at);
        }
        fputs(use == LAB_STORE_READ && is_immutable(path) ? "?immutable=1" : "", name.out);
    }
    return lab_stream_end(&name);
}

static int open_file(struct lab_store *store, enum lab_store_use use)
{
    char *name = lab_store_name(store->path, use);
    if (!name) {
        return SQLITE_NOMEM;
    }
    int flags = strchr(name, '?')       ? SQLITE_OPEN_READONLY
                : use == LAB_STORE_READ ? SQLITE_OPEN_READWRITE
                                        : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    int code = sqlite3_open_v2(name, &store->sql, flags | SQLITE_OPEN_URI, NULL);
    free(name);
    return code;
}

struct lab_store *lab_store_open(const char *path, enum lab_store_use use, struct ek_error *error)
{
    struct lab_store *store = calloc(1, sizeof *store);
    if (!store || !(store->path = strdup(path))) {
        free(store);
        no_memory(error);
        return NULL;
    }
    if (open_file(store, use) != SQLITE_OK) {
        if (!store->sql) {
            no_memory(error);
        } else if (sqlite3_errcode(store->sql) == SQLITE_CANTOPEN && access(path, F_OK) != 0 && errno == ENOENT &&
                   use == LAB_STORE_READ) {
            base_refuse(error, "there is no store %s: evenkeel sweep makes one, and --store names it", path);
        } else {
            lab_store_fail(store, error);
        }
    } else if (make_ready(store, use, error)) {
        return store;
    }
    lab_store_close(store);
    return NULL;
}

void lab_store_close(struct lab_store *store)
{
    if (!store) {
        return;
    }
    sqlite3_finalize(store->has);
    sqlite3_finalize(store->add);
    sqlite3_finalize(store->replace);
    sqlite3_finalize(store->record.add);
    sqlite3_finalize(store->record.remove);
    sqlite3_finalize(store->record.get);
    sqlite3_finalize(store->extract.add);
    sqlite3_finalize(store->extract.remove);
    sqlite3_finalize(store->extract.get);
    sqlite3_finalize(store->forget);
    sqlite3_close(store->sql);
    ZSTD_freeCCtx(store->compressor);
    free(store->path);
    free(store);
}

sqlite3 *lab_store_sql(struct lab_store *store)
{
    return store->sql;
}

bool lab_store_bytes(struct lab_store *store, int64_t *bytes, struct ek_error *error)
{
    return lab_store_number(
        store, "SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)", bytes,
        error);
}

void lab_store_now(char text[32])
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t length = strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text + length, 32 - length, ".%03dZ", (int)(now.tv_nsec / 1000000));
}

// Prepares a statement once and binds the key and the seed of a run. Returns NULL on failure.
static sqlite3_stmt *prepare_for_run(struct lab_store *store, const char *sql, sqlite3_stmt **statement,
                                     const char *key, uint64_t seed, struct ek_error *error)
{
    if (!prepare(store, sql, statement, error)) {
        return NULL;
    }
    sqlite3_bind_text(*statement, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_int64(*statement, 2, (sqlite3_int64)seed);
    return *statement;
}

bool lab_store_has(struct lab_store *store, const char *key, uint64_t seed, bool *has, struct ek_error *error)
{
    if (!prepare_for_run(store, "SELECT 1 FROM runs WHERE key = ? AND seed = ?", &store->has, key, seed, error)) {
        return false;
    }
    int got = sqlite3_step(store->has);
    *has = got == SQLITE_ROW;
    bool good = got == SQLITE_ROW || got == SQLITE_DONE || lab_store_fail(store, error);
    sqlite3_reset(store->has);
    return good;
}

struct binding {
    sqlite3_stmt *statement;
    int place;
    uint64_t sum; // of the values so far
    bool failed;  // memory was short for a value
};

static int bind_value(sqlite3_stmt *statement, int place, const struct lab_column *column, uint64_t sum)
{
    switch (column->null ? -1 : (int)column->type) {
    case LAB_COLUMN_TEXT:
        return sqlite3_bind_text(statement, place, column->text, -1, SQLITE_TRANSIENT);
    case LAB_COLUMN_INTEGER:
        return sqlite3_bind_int64(statement, place, column->whole);
    case LAB_COLUMN_REAL:
        return sqlite3_bind_double(statement, place, column->real);
    case LAB_COLUMN_CHECKSUM:
        return sqlite3_bind_int64(statement, place, (sqlite3_int64)sum);
    default:
        return sqlite3_bind_null(statement, place);
    }
}

static void bind(void *context, const struct lab_column *column)
{
    struct binding *binding = context;
    int got = bind_value(binding->statement, ++binding->place, column, binding->sum);
    binding->sum ^= lab_checksum_value(lab_checksum_name(column), column);
    binding->failed = binding->failed || got != SQLITE_OK;
}

static bool is_extract(const struct lab_stored_run *stored)
{
    return (stored->parts & LAB_KEEP_EXTRACT) && !(stored->parts & LAB_KEEP_RECORD);
}

// The text is compressed with a checksum, which detects damage.
bool lab_store_pack(struct lab_store *store, struct lab_stored_run *stored, const struct lab_record *record,
                    struct ek_error *error)
{
    struct lab_stream text;
    const bool begun = lab_stream_begin(&text);
    if (begun && is_extract(stored)) {
        lab_extract_write(text.out, record, stored->parts);
    } else if (begun) {
        lab_record_write(text.out, record, stored->parts | LAB_WITHOUT_SUMMARY);
    }
    char *json = lab_stream_end(&text);
    size_t length = text.length;
    if (!store->compressor && (store->compressor = ZSTD_createCCtx())) {
        ZSTD_CCtx_setParameter(store->compressor, ZSTD_c_compressionLevel, COMPRESSION);
        ZSTD_CCtx_setParameter(store->compressor, ZSTD_c_checksumFlag, 1);
    }
    void *packed = json && store->compressor ? malloc(ZSTD_compressBound(length)) : NULL;
    size_t size = packed ? ZSTD_compress2(store->compressor, packed, ZSTD_compressBound(length), json, length) : 0;
    free(json);
    if (!packed || ZSTD_isError(size)) {
        free(packed);
        return no_memory(error);
    }
    stored->packed = packed;
    stored->size = size;
    return true;
}

// Executes a statement about the run with this id. The statement may have a place for what is packed.
static bool execute_for(struct lab_store *store, const char *sql, sqlite3_stmt **statement, int64_t id,
                        const struct lab_stored_run *stored, struct ek_error *error)
{
    if (!prepare(store, sql, statement, error)) {
        return false;
    }
    sqlite3_bind_int64(*statement, 1, id);
    if (stored) {
        sqlite3_bind_blob64(*statement, 2, stored->packed, stored->size, SQLITE_STATIC);
    }
    bool good = sqlite3_step(*statement) == SQLITE_DONE || lab_store_fail(store, error);
    sqlite3_reset(*statement);
    sqlite3_clear_bindings(*statement);
    return good;
}

// Adds the record or the extract of a run, in place of those of a run that had this id.
static bool add_packed(struct lab_store *store, int64_t id, const struct lab_stored_run *stored, struct ek_error *error)
{
    return execute_for(store, "DELETE FROM records WHERE run = ?", &store->record.remove, id, NULL, error) &&
           execute_for(store, "DELETE FROM extracts WHERE run = ?", &store->extract.remove, id, NULL, error) &&
           (!stored->packed      ? true
            : is_extract(stored) ? execute_for(store, "INSERT INTO extracts (run, fields) VALUES (?, ?)",
                                               &store->extract.add, id, stored, error)
                                 : execute_for(store, "INSERT INTO records (run, json) VALUES (?, ?)",
                                               &store->record.add, id, stored, error));
}

bool lab_store_add_failure(struct lab_store *store, const char *key, uint64_t seed, const char *command,
                           const char *why, struct ek_error *error)
{
    char now[32];
    lab_store_now(now);
    char *sql = sqlite3_mprintf("INSERT OR REPLACE INTO failures VALUES (%Q, %lld, %Q, %Q, %Q, %Q)", key,
                                (sqlite3_int64)seed, command, why, ek_version(), now);
    bool good = sql ? lab_store_execute(store, sql, error) : no_memory(error);
    sqlite3_free(sql);
    return good;
}

// Removes the note that a run failed, which is in the store now.
static bool forget_failure(struct lab_store *store, const char *key, uint64_t seed, struct ek_error *error)
{
    if (!prepare_for_run(store, "DELETE FROM failures WHERE key = ? AND seed = ?", &store->forget, key, seed, error)) {
        return false;
    }
    bool good = sqlite3_step(store->forget) == SQLITE_DONE || lab_store_fail(store, error);
    sqlite3_reset(store->forget);
    return good;
}

// Returns the statement that adds a row, or replaces it.
static sqlite3_stmt *adding(struct lab_store *store, bool again, struct ek_error *error)
{
    sqlite3_stmt **statement = again ? &store->replace : &store->add;
    if (!*statement) {
        char *sql = lab_schema_insert(again);
        if (!sql) {
            no_memory(error);
        } else {
            prepare(store, sql, statement, error);
        }
        free(sql);
    }
    return *statement;
}

bool lab_store_add(struct lab_store *store, const struct lab_stored_run *stored, const struct lab_record *record,
                   bool again, bool *added, struct ek_error *error)
{
    assert(record->count == 1);
    struct binding binding = {.statement = adding(store, again, error)};
    if (!binding.statement || !lab_store_execute(store, "SAVEPOINT adding", error)) {
        return false;
    }
    lab_columns_visit(stored, record, bind, &binding);
    int got = binding.failed ? SQLITE_NOMEM : sqlite3_step(binding.statement);
    *added = got == SQLITE_ROW;
    int64_t id = *added ? sqlite3_column_int64(binding.statement, 0) : 0;
    bool good =
        got == SQLITE_ROW || got == SQLITE_DONE || (binding.failed ? no_memory(error) : lab_store_fail(store, error));
    sqlite3_reset(binding.statement);
    sqlite3_clear_bindings(binding.statement);
    good = good &&
           (!*added || (add_packed(store, id, stored, error) &&
                        forget_failure(store, stored->key, record->runs[0].seed, error))) &&
           lab_store_execute(store, "RELEASE adding", error);
    if (!good) { // the failure may have ended the transaction
        sqlite3_exec(store->sql, "ROLLBACK TO adding; RELEASE adding", NULL, NULL, NULL);
    }
    return good;
}

// Returns the text of a record or an extract of `*length` bytes, to be freed; NULL if it is damaged.
static char *unpack(struct lab_store *store, int64_t id, const void *packed, size_t size, size_t *length,
                    struct ek_error *error)
{
    unsigned long long unpacked = ZSTD_getFrameContentSize(packed, size);
    char *json = unpacked <= RECORD_BYTES_MAX ? malloc((size_t)unpacked + 1) : NULL;
    *length = json ? ZSTD_decompress(json, (size_t)unpacked, packed, size) : 0;
    if (!json || ZSTD_isError(*length) || *length != unpacked) {
        free(json);
        base_refuse(error, "%s is damaged: the record of run %lld cannot be unpacked", store->path, (long long)id);
        return NULL;
    }
    json[*length] = '\0';
    return json;
}

char *lab_store_json(struct lab_store *store, int64_t id, size_t *length, struct ek_error *error)
{
    if (!prepare(store, "SELECT json FROM records WHERE run = ?", &store->record.get, error)) {
        return NULL;
    }
    sqlite3_bind_int64(store->record.get, 1, id);
    int got = sqlite3_step(store->record.get);
    char *json = NULL;
    if (got == SQLITE_ROW) {
        json = unpack(store, id, sqlite3_column_blob(store->record.get, 0),
                      (size_t)sqlite3_column_bytes(store->record.get, 0), length, error);
    } else if (got == SQLITE_DONE) {
        base_refuse(
            error,
            "%s has only the numbers of run %lld, as evenkeel papers keeps them: make its runs by evenkeel sweep "
            "--again",
            store->path, (long long)id);
    } else {
        lab_store_fail(store, error);
    }
    sqlite3_reset(store->record.get);
    return json;
}

bool lab_store_extract(struct lab_store *store, int64_t id, char **extract, struct ek_error *error)
{
    *extract = NULL;
    if (!prepare(store, "SELECT fields FROM extracts WHERE run = ?", &store->extract.get, error)) {
        return false;
    }
    sqlite3_bind_int64(store->extract.get, 1, id);
    int got = sqlite3_step(store->extract.get);
    size_t length;
    bool good = got == SQLITE_DONE ||
                (got == SQLITE_ROW
                     ? (*extract = unpack(store, id, sqlite3_column_blob(store->extract.get, 0),
                                          (size_t)sqlite3_column_bytes(store->extract.get, 0), &length, error)) != NULL
                     : lab_store_fail(store, error));
    sqlite3_reset(store->extract.get);
    return good;
}

bool lab_store_record(struct lab_store *store, int64_t id, struct lab_record *record, struct ek_error *error)
{
    size_t length;
    *record = (struct lab_record){0};
    char *json = lab_store_json(store, id, &length, error);
    bool good = json && lab_record_read(json, length, record, error);
    free(json);
    if (good && record->count != 1) {
        lab_record_destroy(record);
        return base_refuse(error, "%s is damaged: the record of run %lld does not hold one run", store->path,
                           (long long)id);
    }
    return good;
}
