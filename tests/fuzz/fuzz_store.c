// SPDX-License-Identifier: MIT
// Fuzzes stores. The input is SQL that changes a store with two runs and an extract. Then every query is tried. A query
// that does not understand the store is refused with a sentence.
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/record/extract.h"
#include "lab/store/stored_records.h"
#include "lab/results/results.h"
#include "lab/record/run_experiment.h"

enum { STEPS_MAX = 20000 }; // of SQLite's machine, for the input

// Gives run 1 an extract in addition to its record.
static void add_extract(struct lab_store *store, const struct lab_record *record)
{
    struct ek_error error;
    struct lab_stored_run stored = {.key = "l",
                                    .started = "2026",
                                    .parts =
                                        LAB_KEEP_EXTRACT | LAB_EXTRACT_TOPOLOGY | LAB_EXTRACT_FACTS | LAB_WITH_TRACE};
    bool added = false;
    assert(lab_store_pack(store, &stored, record, &error) &&
           lab_store_add(store, &stored, record, false, &added, &error) && added);
    assert(lab_store_execute(store, "DELETE FROM runs WHERE key = 'l'; UPDATE extracts SET run = 1", &error));
    free(stored.packed);
    (void)added;
}

static struct lab_store *make_store(void)
{
    struct ek_error error = {.at = -1};
    struct lab_store *store = lab_store_open(":memory:", LAB_STORE_ADD, &error);
    assert(store);
    static struct lab_record record[2];
    for (int i = 0; i < 2; i++) {
        struct lab_run_request order = {
            .experiment = {.topology = "ring:4", .carrier = "pool:1", .seed = 1, .every = 1},
            .runs = 1,
            .command = "evenkeel run",
            .theory = true,
            .traces_kept = 1};
        order.experiment.seed += (uint64_t)i;
        order.experiment.keep_trace = true;
        enum ek_status status = record[i].count > 0 ? EK_OK : lab_run(&order, &record[i], &error);
        struct lab_stored_run stored = {.key = "k", .status = EK_OK, .started = "2026", .parts = LAB_WITH_TRACE};
        bool added = false;
        assert(status == EK_OK && lab_store_pack(store, &stored, &record[i], &error) &&
               lab_store_add(store, &stored, &record[i], false, &added, &error) && added);
        free(stored.packed);
        (void)status;
    }
    add_extract(store, &record[0]);
    return store;
}

static int stop(void *context)
{
    int *steps = context;
    return ++*steps > STEPS_MAX / 1000;
}

// Allows the input to change only the store, in ways that can be rolled back.
static int allow(void *context, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)context, (void)a, (void)b, (void)c, (void)d;
    bool lasts = action == SQLITE_ATTACH || action == SQLITE_DETACH || action == SQLITE_PRAGMA ||
                 action == SQLITE_TRANSACTION || action == SQLITE_SAVEPOINT;
    return lasts ? SQLITE_DENY : SQLITE_OK;
}

static void change(sqlite3 *sql, const char *text)
{
    int steps = 0;
    sqlite3_limit(sql, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(sql, 1000, stop, &steps);
    sqlite3_set_authorizer(sql, allow, NULL);
    sqlite3_exec(sql, text, NULL, NULL, NULL);
    sqlite3_set_authorizer(sql, NULL, NULL);
    sqlite3_progress_handler(sql, 0, NULL, NULL);
}

static void check(bool good, const struct ek_error *error)
{
    size_t length = strnlen(error->sentence, sizeof error->sentence);
    assert(good || (error->status == EK_BAD_INPUT && length > 0 && length < sizeof error->sentence));
}

static bool begin(void *context, const struct lab_heading *headings, size_t count, struct ek_error *error)
{
    size_t *columns = context;
    (void)headings, (void)error;
    *columns = count;
    return true;
}

static bool line(void *context, const struct lab_entry *cells, struct ek_error *error)
{
    const size_t *columns = context;
    (void)error;
    for (size_t i = 0; i < *columns; i++) {
        assert(cells[i].kind != LAB_ENTRY_TEXT || cells[i].text);
    }
    return true;
}

static bool take(void *context, struct lab_record *record, struct ek_error *error)
{
    (void)context, (void)error;
    lab_record_destroy(record);
    return true;
}

static void ask_all(struct lab_store *store)
{
    static const struct lab_question questions[] = {
        {.columns = "topology,method,steps,variance_final,converged"},
        {.columns = "steps,variance_final", .group = "topology,method"},
        {.columns = "steps", .compare = "seed=1 vs seed=2", .group = "method"},
        {.trace = "variance"},
        {.columns = "steps", .over = "processors", .where = "steps > 0 and not method ~ x"}};
    struct ek_error error = {.at = -1};
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct lab_question question = questions[i];
        question.confidence = (struct lab_confidence){.way = LAB_INTERVAL_T, .level = 0.95};
        size_t columns = 0;
        struct lab_answer_sink listener = {.context = &columns, .begin = begin, .line = line};
        struct lab_answer_notes remarks;
        check(lab_results_ask(store, &question, &listener, &remarks, &error), &error);
    }
    struct lab_record_visitor gatherer = {.take = take};
    check(lab_store_visit_records(store, 100, &gatherer, &error), &error);
    char *list = lab_results_columns(store, &questions[0], &error);
    check(list, &error);
    free(list);
    char *extract = NULL;
    size_t length;
    check(lab_store_extract(store, 1, &extract, &error), &error);
    const char *value = extract ? lab_extract_find(extract, "trace", &length) : NULL;
    assert(!value || (value > extract && strnlen(value, length) == length));
    free(extract);
    bool has;
    check(lab_store_has(store, "k", 1, &has, &error), &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = tests_fuzz_text("", data, size);
    static struct lab_store *store;
    store = store ? store : make_store();
    sqlite3 *sql = lab_store_sql(store);
    sqlite3_exec(sql, "BEGIN", NULL, NULL, NULL);
    change(sql, text);
    ask_all(store);
    if (sqlite3_exec(sql, "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK) { // the input has ended the transaction
        lab_store_close(store);
        store = NULL;
    }
    free(text);
    return 0;
}
