// SPDX-License-Identifier: MIT
// Stores: a run that was added comes back, once; a file that is no store is refused; and a store of an older version
// is upgraded.
#define _GNU_SOURCE // strptime, timegm
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/store/columns.h"
#include "tests/support/stores.h"
#include "threads/api/report.h"

TestSuite(store, .init = make_folder, .fini = remove_folder, .timeout = 60);

static char *json_of(const struct lab_record *record)
{
    char *json = NULL;
    size_t length;
    FILE *out = open_memstream(&json, &length);
    lab_record_write(out, record, LAB_WITH_TRACE);
    fclose(out);
    return json;
}

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

// Returns whether the view shows every axis of the runs.
static bool sums_up_all_axes(struct lab_store *store)
{
    bool good = true;
    for (size_t i = 0; ek_axis_at(i); i++) {
        const char *field = ek_axis_at(i)->field;
        char question[200];
        snprintf(question, sizeof question,
                 "SELECT count(*) FROM runs JOIN summary USING (key) WHERE runs.\"%s\" IS summary.\"%s\"", field,
                 field);
        good = good && (!field || ask(store, question) > 0.0);
    }
    return good;
}

// A run without its record would look finished.
Test(store, a_run_is_added_with_its_record_or_not_at_all)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    execute(store, "CREATE TRIGGER none BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'none'); END");
    struct lab_record record = record_of("ring:8", 1);
    struct lab_stored_run stored = {.key = "k", .started = "2000"};
    bool added, has = true;
    cr_assert(lab_store_pack(store, &stored, &record, &error));
    cr_expect_not(lab_store_add(store, &stored, &record, false, &added, &error));
    cr_expect(lab_store_has(store, "k", 1, &has, &error) && !has);
    execute(store, "DROP TRIGGER none");
    cr_expect(lab_store_add(store, &stored, &record, false, &added, &error) && added, "%s", error.sentence);
    lab_record_destroy(&record);
    free(stored.packed);
    lab_store_close(store);
}

// A store may keep the numbers of a run only; a run in its place takes its record away.
Test(store, numbers_without_a_record)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    struct lab_record record = record_of("ring:8", 1), none;
    struct lab_stored_run stored = {.key = "k", .started = "2000"};
    bool added;
    cr_assert(add(store, "k", 1, false));
    cr_expect_eq(ask(store, "SELECT kept FROM runs"), (double)LAB_WITH_TRACE);
    cr_assert(lab_store_add(store, &stored, &record, true, &added, &error) && added, "%s", error.sentence);
    cr_expect_eq(ask(store, "SELECT count(*) FROM runs WHERE kept = 0 AND steps > 0"), 1.0);
    cr_expect_eq(ask(store, "SELECT count(*) FROM records"), 0.0);
    cr_expect_not(lab_store_record(store, 1, &none, &error));
    char sentence[200];
    snprintf(sentence, sizeof sentence,
             "%s has only the numbers of run 1, as evenkeel papers keeps them: make its runs by evenkeel sweep --again",
             path);
    cr_expect_str_eq(error.sentence, sentence);
    lab_record_destroy(&record);
    lab_store_close(store);
    cr_expect(is_sound(path));
}

// A store may keep an extract of a record. A run in its place takes the extract away, and an extract takes the place of
// a record. So does a run that gets the id of a deleted row.
Test(store, an_extract_in_place_of_a_record)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    struct lab_record none;
    cr_assert(add(store, "k", 1, false));
    cr_expect_not(has_extract(store, 1, "ring:8"));
    cr_assert(add_parts(store, "k", 1, true, EXTRACT));
    cr_expect(has_extract(store, 1, "ring:8"));
    cr_expect_eq(ask(store, "SELECT kept FROM runs"), (double)EXTRACT);
    cr_expect_eq(ask(store, "SELECT count(*) FROM records"), 0.0);
    cr_expect_not(lab_store_record(store, 1, &none, &error));
    cr_expect(strstr(error.sentence, "has only the numbers of run 1"), "%s", error.sentence);
    execute(store, "DELETE FROM runs");
    cr_assert(add(store, "l", 1, false));
    cr_expect_eq(ask(store, "SELECT count(*) FROM runs JOIN records ON run = id"), 1.0);
    cr_expect_eq(ask(store, "SELECT count(*) FROM extracts"), 0.0);
    cr_assert(add_parts(store, "l", 1, true, EXTRACT | LAB_KEEP_RECORD)); // a record has all of an extract
    cr_expect_eq(ask(store, "SELECT count(*) FROM records"), 1.0);
    cr_expect_eq(ask(store, "SELECT count(*) FROM extracts"), 0.0);
    lab_store_close(store);
    cr_expect(is_sound(path));
}

// No changed byte of an extract is overlooked.
Test(store, a_damaged_extract_is_noticed)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    cr_assert(add_parts(store, "k", 1, false, EXTRACT));
    const int size = (int)ask(store, "SELECT length(fields) FROM extracts");
    cr_assert_gt(size, 20);
    for (int byte = 0; byte <= size; byte++) { // the last time it is cut off
        char sql[300], *extract;
        snprintf(sql, sizeof sql,
                 "SAVEPOINT whole; UPDATE extracts SET fields = CAST(substr(fields, 1, %d) || iif(%d, "
                 "iif(hex(substr(fields, %d, 1)) = '55', x'54', x'55') || substr(fields, %d), x'') AS BLOB)",
                 byte < size ? byte : size - 1, byte < size, byte + 1, byte + 2);
        execute(store, sql);
        cr_expect_not(lab_store_extract(store, 1, &extract, &error), "byte %d", byte);
        cr_expect(strstr(error.sentence, "is damaged: the record of run 1 cannot be unpacked"), "%s", error.sentence);
        execute(store, "ROLLBACK TO whole; RELEASE whole");
    }
    cr_expect(has_extract(store, 1, "ring:8"));
    lab_store_close(store);
}

Test(store, its_summary_has_every_axis)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    add(store, "k", 1, false);
    cr_expect(sums_up_all_axes(store));
    execute(store,
            "DROP VIEW summary; CREATE VIEW summary AS SELECT key, topology, count(*) AS runs FROM runs GROUP BY key");
    lab_store_close(store);
    store = open_store(path, LAB_STORE_READ);
    cr_assert(store, "%s", error.sentence);
    cr_expect(sums_up_all_axes(store));
    lab_store_close(store);
}

// The exact factor is preferred to that of the closed formula.
Test(store, its_views)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    add(store, "k", 1, false);
    execute(store, "UPDATE runs SET theory_gamma_exact = 0.5, theory_gamma_closed = 0.25");
    cr_expect_eq(ask(store, "SELECT theory_gamma FROM summary"), 0.5);
    execute(store, "UPDATE runs SET theory_gamma_exact = NULL");
    cr_expect_eq(ask(store, "SELECT theory_gamma FROM summary"), 0.25);
    static const enum ek_status statuses[] = {EK_OK, EK_UNREACHED, EK_VIOLATION, EK_STUCK};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        char sql[64];
        snprintf(sql, sizeof sql, "UPDATE runs SET status = %d", (int)statuses[i]);
        execute(store, sql);
        cr_expect_eq(ask(store, "SELECT count(*) FROM unreached"), statuses[i] == EK_OK ? 0.0 : 1.0, "%s", sql);
    }
    lab_store_close(store);
}

// The time is in UTC, wherever the store is.
Test(store, its_time)
{
    char text[32];
    struct tm utc = {0};
    cr_assert(setenv("TZ", "EAST-11", 1) == 0);
    tzset();
    const time_t before = time(NULL);
    lab_store_now(text);
    const time_t after = time(NULL);
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &utc);
    cr_assert(rest && strlen(rest) == 5 && *rest == '.' && rest[4] == 'Z', "%s", text);
    cr_expect(before <= timegm(&utc) && timegm(&utc) <= after, "%s", text);
}

// Without its last columns and its views, the store is one that a version with fewer axes and fields wrote.
Test(store, an_older_one_gets_what_it_lacks)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    add(store, "k", 1, false);
    execute(store, "DROP TABLE extracts"); // alone: a version with all columns wrote it
    lab_store_close(store);
    store = open_store(path, LAB_STORE_READ);
    cr_assert(store, "%s", error.sentence);
    cr_expect_not(has_extract(store, 1, "ring:8"));
    cr_expect(add_parts(store, "k", 3, false, EXTRACT) && has_extract(store, 2, "ring:8"));
    execute(store, "DELETE FROM runs WHERE seed = 3");
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
    // No view needs the checksum, but a version without it must not open the store from now on.
    execute(store, "ALTER TABLE runs DROP COLUMN checksum; PRAGMA user_version = 1");
    lab_store_close(store);
    store = open_store(path, LAB_STORE_READ);
    cr_assert(store, "%s", error.sentence);
    cr_expect_eq(ask(store, "PRAGMA user_version"), (double)LAB_STORE_SCHEMA);
    lab_store_close(store);
}

// Opens the store at the same moment as other processes, which close their end of the pipe.
static void open_at_once(int begin)
{
    char none;
    bool begun = read(begin, &none, 1) == 0;
    struct lab_store *store = open_store(path, LAB_STORE_READ);
    fputs(store ? "" : error.sentence, stderr);
    _exit(begun && store ? 0 : 1);
}

Test(store, an_older_one_can_be_opened_by_many_at_once)
{
    enum { PROCESSES = 8, TRIES = 4 };
    for (int i = 0; i < TRIES; i++) {
        struct lab_store *store = open_store(path, LAB_STORE_ADD);
        execute(store, "DROP VIEW summary; DROP VIEW unreached; ALTER TABLE runs DROP COLUMN checksum; "
                       "ALTER TABLE runs DROP COLUMN theory_steps; PRAGMA user_version = 1");
        lab_store_close(store);
        int begin[2], how, failed = 0;
        cr_assert_eq(pipe(begin), 0);
        for (int j = 0; j < PROCESSES; j++) {
            if (fork() == 0) {
                close(begin[1]);
                open_at_once(begin[0]);
            }
        }
        close(begin[1]);
        for (int j = 0; j < PROCESSES; j++) {
            failed += wait(&how) < 0 || how != 0;
        }
        close(begin[0]);
        cr_expect_eq(failed, 0);
    }
}

// Such a change leaves every page as SQLite wants it.
Test(store, a_row_that_was_changed_is_noticed)
{
    static const char *const changes[] = {"steps = steps + 1",
                                          "seed = 9",
                                          "method = 'ode'",
                                          "variance_final = 0.5",
                                          "moved = NULL",
                                          "host = NULL",
                                          "key = 'l'",
                                          "theory_steps = 1",
                                          "checksum = checksum + 1",
                                          "steps = operations, operations = steps",
                                          "method = topology, topology = method"};
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    add(store, "k", 1, false);
    add(store, "k", 2, false);
    cr_expect(add(store, "k", 2, true));
    cr_expect_eq(ask(store, "SELECT count(checksum) FROM runs"), 2.0);
    lab_store_close(store);
    cr_expect(is_sound(path), "%s", error.sentence);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char sql[300];
        store = open_store(path, LAB_STORE_ADD);
        snprintf(sql, sizeof sql,
                 "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT * FROM runs; UPDATE runs SET %s WHERE id = 2",
                 changes[i]);
        execute(store, sql);
        cr_expect_not(lab_store_check(store, &error), "%s", changes[i]);
        cr_expect(strstr(error.sentence, "a.sqlite is damaged: the row of run 2 is not as it was written."), "%s",
                  error.sentence);
        execute(store, "UPDATE runs SET checksum = NULL WHERE id = 2");
        cr_expect(lab_store_check(store, &error), "of an older version: %s", error.sentence);
        execute(store, "DELETE FROM runs; INSERT INTO runs SELECT * FROM kept");
        lab_store_close(store);
    }
    cr_expect(is_sound(path), "%s", error.sentence);
}

// SQLite keeps no negative zero. Free timing counts no steps. Theory may know only the closed formula.
Test(store, a_row_can_have_any_number)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    struct lab_record record = record_of("ring:8", 1);
    struct lab_stored_run stored = {.key = "k", .started = "2000"};
    bool added;
    record.topology.diameter = -1; // unknown
    record.runs[0].moved = -0.0;
    record.runs[0].variance_final = 4096.0;
    record.runs[0].minimum = -1e300;
    record.runs[0].timed = true;
    record.theory.has_exact = false;
    record.theory.has_closed = true;
    record.theory.gamma_closed = 0.25;
    cr_assert(lab_store_pack(store, &stored, &record, &error) &&
              lab_store_add(store, &stored, &record, false, &added, &error));
    cr_expect(isnan(ask(store, "SELECT diameter FROM runs")) && isnan(ask(store, "SELECT steps FROM runs")));
    cr_expect(isnan(ask(store, "SELECT theory_gamma_exact FROM runs")));
    cr_expect_eq(ask(store, "SELECT theory_gamma_closed FROM runs"), 0.25);
    cr_expect(lab_store_check(store, &error), "%s", error.sentence);
    lab_record_destroy(&record);
    free(stored.packed);
    lab_store_close(store);
}

static void visit_diameter(void *context, const struct lab_column *column)
{
    if (strcmp(column->name, "diameter") == 0) {
        *(struct lab_column *)context = *column;
    }
}

Test(store, an_unknown_diameter_is_null)
{
    struct lab_record record = record_of("ring:8", 1);
    const struct lab_stored_run stored = {.key = "k"};
    struct lab_column diameter = {.null = true};
    lab_columns_visit(&stored, &record, visit_diameter, &diameter);
    cr_expect(!diameter.null && diameter.real == 4.0);
    record.topology.diameter = -1;
    lab_columns_visit(&stored, &record, visit_diameter, &diameter);
    cr_expect(diameter.null);
    lab_record_destroy(&record);
}

// Bytes in the middle are changed. Either the damage is noticed at once, or what is read is what was written.
Test(store, a_damaged_one_says_so)
{
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        add(store, "k", seed, false);
    }
    lab_store_close(store);
    FILE *file = fopen(path, "r+");
    for (long at = 8 * 4096; at < 20 * 4096; at += 512) {
        fseek(file, at, SEEK_SET);
        fputs("damage", file);
    }
    fclose(file);
    store = open_store(path, LAB_STORE_ADD);
    bool whole = store && lab_store_check(store, &error);
    size_t unreadable = 0;
    for (int64_t id = 1; whole && id <= 20; id++) {
        struct lab_record record;
        if (lab_store_record(store, id, &record, &error)) {
            lab_record_destroy(&record);
        } else {
            unreadable++;
        }
    }
    cr_expect(!whole || unreadable > 0);
    cr_expect(strstr(error.sentence, "is damaged"), "%s", error.sentence);
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
    execute(store, "PRAGMA user_version = 3");
    lab_store_close(store);
    expect_refused(path, "newer evenkeel (its schema is 3, this version knows 2)");
    store = open_store(path, LAB_STORE_READ);
    cr_expect_null(store);

    char other[80];
    snprintf(other, sizeof other, "%s/other", folder);
    sqlite3 *sql;
    sqlite3_open(other, &sql);
    cr_assert_eq(sqlite3_exec(sql, "CREATE TABLE a (b)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(sql);
    expect_refused(other, "another program made this SQLite file");

    snprintf(other, sizeof other, "%s/text", folder);
    FILE *text = fopen(other, "w");
    fputs("This is a text, and no file of SQLite's, whichever way one looks at it.", text);
    fclose(text);
    expect_refused(other, "it is not an SQLite file");
    expect_refused("/nowhere/at/all", "cannot be opened");
    snprintf(other, sizeof other, "%s/missing", folder);
    cr_expect_null(open_store(other, LAB_STORE_READ));
    cr_expect(access(other, F_OK) != 0);
}

// Reads the store as a user who may not write to its folder. Returns 0 if the run was read, else an error.
static int read_as_guest(void)
{
    if (geteuid() == 0 && setuid(65534) != 0) {
        return 2;
    }
    struct lab_store *store = open_store(path, LAB_STORE_READ);
    bool has = false;
    struct lab_store *into = open_store(":memory:", LAB_STORE_ADD);
    uint64_t added = 0;
    bool good = store && lab_store_has(store, "a key", 7, &has, &error) && has &&
                lab_store_merge(into, path, &added, &error) && added == 1;
    fputs(good ? "" : error.sentence, stderr);
    lab_store_close(into);
    lab_store_close(store);
    return good ? 0 : 1;
}

Test(store, is_read_where_nobody_may_write)
{
    snprintf(path, sizeof path, "%s/a %%3F?#.sqlite", folder);
    struct lab_store *store = open_store(path, LAB_STORE_ADD);
    cr_assert(store, "%s", error.sentence);
    add(store, "a key", 7, false);
    lab_store_close(store);
    cr_assert_eq(chmod(path, 0444) + chmod(folder, 0555), 0);
    pid_t guest = fork();
    if (guest == 0) {
        _exit(read_as_guest());
    }
    int how;
    cr_assert_eq(waitpid(guest, &how, 0), guest);
    cr_expect_eq(how, 0);
    // With a log beside it, the store is not immutable: what is in the log must be read.
    char log[80];
    snprintf(log, sizeof log, "%s-wal", path);
    fclose(fopen(log, "w"));
    guest = fork();
    if (guest == 0) {
        char *name = geteuid() != 0 || setuid(65534) == 0 ? lab_store_name(path, LAB_STORE_READ) : NULL;
        _exit(!name || strchr(name, '?'));
    }
    cr_assert_eq(waitpid(guest, &how, 0), guest);
    cr_expect_eq(how, 0);
    cr_assert_eq(chmod(folder, 0700), 0);
}
