// SPDX-License-Identifier: MIT
// Tests claims: one sweep makes the runs of all checks, and then several threads judge the claims.
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/papers/experiment_line.h"
#include "lab/papers/verdict.h"
#include "lab/sweep/worker_pool.h"
#include "lab/text/memory_stream.h"

enum { QUICK_PART = 4, QUICK_LEAST = 20 }; // `quick` uses a quarter of the seeds, but at least 20

// A check with its experiments.
struct checked {
    const struct lab_check *check;
    char *command;       // the command line of the sweep of these experiments
    size_t first, count; // its grids
};

struct testing {
    const struct lab_claims_request *request;
    bool drawn;              // charts are drawn, which read more of the runs
    struct checked *checked; // [checks] of all claims in their order
    size_t checks;
    struct lab_grid *grid; // [grids] of all checks
    size_t grids;
    struct lab_plan plan; // of all grids; it has the keys of their runs
};

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory to test so many claims: name fewer");
}

// Gives an experiment without a limit the limit of steps. In free timing the watchdog ends a run that is stuck.
static bool limit(struct lab_section *section, struct ek_error *error)
{
    static const char *const limits[] = {"steps", "operations", "for"};
    const char *timing = lab_section_text(section, "timing");
    bool limited = timing && strcmp(timing, "free") == 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        limited = limited || lab_section_text(section, limits[i]);
    }
    char steps[32];
    snprintf(steps, sizeof steps, "%d", LAB_CLAIMS_STEPS_MAX);
    return limited || lab_section_set(section, "steps", steps, error);
}

// Shifts and reduces the seeds of an experiment as the request says.
static bool choose_seeds(const struct lab_claims_request *request, struct lab_section *section, struct ek_error *error)
{
    struct lab_grid grid;
    if (!lab_section_grid(section, &grid, error)) {
        return false;
    }
    size_t count = grid.seeds;
    const bool several = section->runs || count > 1;
    if (request->quick && count > QUICK_LEAST) {
        count = count / QUICK_PART > QUICK_LEAST ? count / QUICK_PART : QUICK_LEAST;
    }
    const uint64_t from = grid.seed[0] + (request->seed - 1) * LAB_CLAIMS_SEED_STRIDE;
    lab_grid_destroy(&grid);
    char seeds[64];
    snprintf(seeds, sizeof seeds, several ? "%" PRIu64 "..%" PRIu64 : "%" PRIu64, from, from + count - 1);
    free(section->runs);
    section->runs = NULL;
    return (!several && request->seed == 1) || lab_section_set(section, "seed", seeds, error);
}

// Adds an experiment to a check: its grid, and its command line.
static bool add_experiment(struct testing *testing, struct checked *checked, const char *line, FILE *command,
                           struct ek_error *error)
{
    struct lab_grid *larger = realloc(testing->grid, (testing->grids + 1) * sizeof *larger);
    struct lab_section section;
    if (!larger) {
        return no_memory(error);
    }
    testing->grid = larger;
    if (!lab_experiment_line_read(&section, line, error)) {
        return false;
    }
    bool good = choose_seeds(testing->request, &section, error) && limit(&section, error) &&
                lab_section_grid(&section, &testing->grid[testing->grids], error);
    if (good) {
        testing->grid[testing->grids].parts = lab_check_parts(checked->check, testing->drawn);
        fputs(checked->count > 0 ? " && evenkeel sweep" : "evenkeel sweep", command);
        lab_section_write(command, &section);
        testing->grids++;
        checked->count++;
    }
    lab_section_destroy(&section);
    return good;
}

static bool add_check(struct testing *testing, const struct lab_claim *claim, const struct lab_check *check,
                      struct ek_error *error)
{
    struct checked *checked = &testing->checked[testing->checks++];
    *checked = (struct checked){.check = check, .first = testing->grids};
    struct lab_stream command;
    char *lines = strdup(check->run), *rest = NULL;
    bool good = (lab_stream_begin(&command) && lines) || no_memory(error);
    for (char *line = good ? strtok_r(lines, "\n", &rest) : NULL; good && line; line = strtok_r(NULL, "\n", &rest)) {
        good = add_experiment(testing, checked, line, command.out, error);
    }
    free(lines);
    checked->command = lab_stream_end(&command);
    if (!good) {
        struct ek_error inner = *error;
        return base_refuse(error, "[%s %s]: %.500s", claim->id, check->name, inner.sentence);
    }
    return checked->command || no_memory(error);
}

static bool begin_testing(struct testing *testing, struct ek_error *error)
{
    const struct lab_claims_request *request = testing->request;
    size_t checks = 0;
    if (request->seed < 1 || request->seed >= LAB_CLAIMS_SEED_MAX) {
        return base_refuse(error, "--seed of papers is a number from 1 to %d: each number gives all claims other seeds",
                           LAB_CLAIMS_SEED_MAX);
    }
    for (size_t i = 0; i < request->count; i++) {
        checks += request->claim[i]->checks;
    }
    testing->checked = calloc(checks > 0 ? checks : 1, sizeof *testing->checked);
    if (!testing->checked) {
        return no_memory(error);
    }
    for (size_t i = 0; i < request->count; i++) {
        const struct lab_claim *claim = request->claim[i];
        for (size_t c = 0; c < claim->checks; c++) {
            if (!add_check(testing, claim, &claim->check[c], error)) {
                return false;
            }
        }
    }
    struct lab_plan_request wanted = request->sweep.request;
    wanted.grids = testing->grid;
    wanted.count = testing->grids;
    return lab_plan_make(&testing->plan, &wanted, NULL, error);
}

static void end_testing(struct testing *testing)
{
    lab_plan_destroy(&testing->plan);
    for (size_t i = 0; i < testing->checks; i++) {
        free(testing->checked[i].command);
    }
    for (size_t i = 0; i < testing->grids; i++) {
        lab_grid_destroy(&testing->grid[i]);
    }
    free(testing->checked);
    free(testing->grid);
}

static bool execute(struct lab_store *store, const char *sql, struct ek_error *error)
{
    return sqlite3_exec(lab_store_sql(store), sql, NULL, NULL, NULL) == SQLITE_OK || lab_store_fail(store, error);
}

// Opens the store such that the table `runs` has only the runs in the table `selected`.
static struct lab_store *open_store(const char *path, struct ek_error *error)
{
    struct lab_store *store = lab_store_open(path, LAB_STORE_ADD, error);
    if (store &&
        execute(
            store,
            "CREATE TEMP TABLE selected (key TEXT, seed INTEGER, parts INTEGER, PRIMARY KEY (key, seed)) WITHOUT ROWID;"
            "CREATE TEMP VIEW runs AS SELECT r.*, r.id AS run, coalesce(r.steps_paper, r.steps) AS steps_counted, "
            "s.parts AS parts_needed "
            "FROM temp.selected AS s CROSS JOIN main.runs AS r ON r.key = s.key AND r.seed = s.seed",
            error) &&
        lab_papers_functions(store, error)) {
        return store;
    }
    lab_store_close(store);
    return NULL;
}

// Selects the runs of `count` grids from grid `first`.
static bool select_runs(const struct testing *testing, struct lab_store *store, size_t first, size_t count,
                        struct ek_error *error)
{
    sqlite3_stmt *insert = NULL;
    bool good = execute(store, "BEGIN; DELETE FROM temp.selected", error) &&
                (sqlite3_prepare_v2(lab_store_sql(store), "INSERT OR IGNORE INTO temp.selected VALUES (?, ?, ?)", -1,
                                    &insert, NULL) == SQLITE_OK ||
                 lab_store_fail(store, error));
    const struct lab_grid *from = testing->grid + first, *to = from + count;
    for (size_t c = 0; good && c < testing->plan.experiments; c++) {
        const struct lab_planned_experiment *planned = &testing->plan.experiment[c];
        for (size_t s = 0; good && planned->grid >= from && planned->grid < to && s < planned->grid->seeds; s++) {
            sqlite3_bind_text(insert, 1, planned->key, -1, SQLITE_STATIC);
            sqlite3_bind_int64(insert, 2, (sqlite3_int64)planned->grid->seed[s]);
            sqlite3_bind_int64(insert, 3, planned->parts);
            good = sqlite3_step(insert) == SQLITE_DONE || lab_store_fail(store, error);
            sqlite3_reset(insert);
        }
    }
    sqlite3_finalize(insert);
    return execute(store, "COMMIT", good ? error : &(struct ek_error){0}) && good;
}

// Deletes the runs that another version made, since this version may give other results, and those of which the store
// does not keep all that the checks read. Before the column `kept` existed, it kept everything. A record has all fields
// of an extract.
static bool delete_stale(const struct testing *testing, struct ek_error *error)
{
    struct lab_store *store = open_store(testing->request->sweep.store, error);
    char *sql = sqlite3_mprintf("CREATE TEMP TABLE stale AS SELECT id FROM temp.runs WHERE version <> %Q OR "
                                "parts_needed & ~(coalesce(kept, parts_needed) | iif(kept & %d, -%d, 0)) <> 0;"
                                "DELETE FROM main.records WHERE run IN (SELECT id FROM temp.stale);"
                                "DELETE FROM main.extracts WHERE run IN (SELECT id FROM temp.stale);"
                                "DELETE FROM main.runs WHERE id IN (SELECT id FROM temp.stale);",
                                ek_version(), LAB_KEEP_RECORD, LAB_KEEP_EXTRACT);
    bool good = store && (sql || no_memory(error)) && select_runs(testing, store, 0, testing->grids, error) &&
                execute(store, sql, error);
    sqlite3_free(sql);
    lab_store_close(store);
    return good;
}

// Several threads judge the claims. Each thread takes the next claim and judges it. Then the thread passes to the sink
// all judged claims that are next in order.
struct judging {
    const struct testing *testing;
    const struct lab_claims_sink *sink;
    struct judged {
        struct lab_judgement judgement;
        bool done;
    } * judged; // [claims]

    pthread_mutex_t lock; // protects the fields below, `done` and the sink
    size_t next;          // the next claim to judge
    size_t passed;        // claims that the sink has received
    bool good;
    struct ek_error *error; // if not good
};

static const struct checked *checks_of(const struct testing *testing, size_t claim)
{
    const struct checked *checked = testing->checked;
    for (size_t i = 0; i < claim; i++) {
        checked += testing->request->claim[i]->checks;
    }
    return checked;
}

static bool judge_claim(const struct testing *testing, size_t index, struct lab_store *store,
                        struct lab_judgement *judgement, struct ek_error *error)
{
    const struct lab_claim *claim = testing->request->claim[index];
    const struct checked *checked = checks_of(testing, index);
    *judgement = (struct lab_judgement){.claim = claim};
    for (size_t c = 0; c < claim->checks; c++, checked++) {
        if (!select_runs(testing, store, checked->first, checked->count, error) ||
            !lab_check_judge(checked->check, checked->command, store, judgement, error)) {
            return false;
        }
    }
    return lab_judgement_conclude(judgement, error);
}

static bool pass_claim(const struct judging *judging, size_t index, struct lab_store *store, struct ek_error *error)
{
    const struct lab_claims_sink *sink = judging->sink;
    const struct lab_judgement *judgement = &judging->judged[index].judgement;
    const struct checked *checked = checks_of(judging->testing, index);
    size_t from = 0;
    for (size_t c = 0; sink->on_check && c < judgement->claim->checks; c++, checked++) {
        size_t to = from;
        while (to < judgement->count && judgement->evidence[to].check == checked->check) {
            to++;
        }
        if (!select_runs(judging->testing, store, checked->first, checked->count, error) ||
            !sink->on_check(sink->context, judgement->evidence + from, to - from, store, error)) {
            return false;
        }
        from = to;
    }
    return sink->on_claim(sink->context, judgement, error);
}

static bool is_stopped(const struct judging *judging)
{
    bool (*stopped)(void) = judging->testing->request->sweep.stopped;
    return stopped && stopped();
}

static int interrupts_sql(void *context)
{
    return is_stopped(context);
}

// Ends the judging with an error. Ignores the error if it is not the first, or if the judging was stopped. The caller
// holds the lock.
static void give_up(struct judging *judging, const struct ek_error *error)
{
    if (judging->good && !is_stopped(judging)) {
        *judging->error = *error;
        judging->good = false;
    }
}

// Passes the judged claims to the sink, up to the first that is not judged. The caller holds the lock.
static void pass_claims(struct judging *judging, struct lab_store *store)
{
    struct ek_error error;
    while (judging->good && judging->passed < judging->testing->request->count &&
           judging->judged[judging->passed].done) {
        if (!pass_claim(judging, judging->passed, store, &error)) {
            give_up(judging, &error);
            return;
        }
        judging->passed++;
    }
}

// The main function of each thread. SQLite checks for an interrupt regularly, as a single query can take seconds.
static void *judge(void *context)
{
    enum { INSTRUCTIONS = 1000 };
    struct judging *judging = context;
    struct ek_error error;
    struct lab_store *store = open_store(judging->testing->request->sweep.store, &error);
    if (store) {
        sqlite3_progress_handler(lab_store_sql(store), INSTRUCTIONS, interrupts_sql, judging);
    }
    pthread_mutex_lock(&judging->lock);
    if (!store) {
        give_up(judging, &error);
    }
    while (store && judging->good && !is_stopped(judging) && judging->next < judging->testing->request->count) {
        const size_t index = judging->next++;
        pthread_mutex_unlock(&judging->lock);
        const bool good = judge_claim(judging->testing, index, store, &judging->judged[index].judgement, &error);
        pthread_mutex_lock(&judging->lock);
        judging->judged[index].done = good;
        if (good) {
            pass_claims(judging, store);
        } else {
            give_up(judging, &error);
        }
    }
    pthread_mutex_unlock(&judging->lock);
    lab_store_close(store);
    return NULL;
}

// Judges all claims. The caller's thread is one of the judges, and the only one if the system starts no threads.
static bool judge_all(const struct testing *testing, const struct lab_claims_sink *sink,
                      struct lab_sweep_result *result, struct ek_error *error)
{
    const size_t claims = testing->request->count;
    struct judging judging = {.testing = testing,
                              .sink = sink,
                              .judged = calloc(claims + 1, sizeof *judging.judged),
                              .good = true,
                              .error = error};
    if (!judging.judged) {
        return no_memory(error);
    }
    assert(result->jobs <= LAB_JOBS_MAX);
    pthread_t other[LAB_JOBS_MAX];
    pthread_mutex_init(&judging.lock, NULL);
    unsigned others = 0;
    while (others + 1 < result->jobs && others + 1 < claims &&
           pthread_create(&other[others], NULL, judge, &judging) == 0) {
        others++;
    }
    judge(&judging);
    while (others > 0) {
        pthread_join(other[--others], NULL);
    }
    pthread_mutex_destroy(&judging.lock);
    for (size_t i = 0; i < claims; i++) {
        lab_judgement_destroy(&judging.judged[i].judgement);
    }
    free(judging.judged);
    result->interrupted = judging.passed < claims;
    return judging.good;
}

bool lab_claims_run(const struct lab_claims_request *request, const struct lab_claims_sink *sink,
                    struct lab_sweep_result *result, struct ek_error *error)
{
    *result = (struct lab_sweep_result){0};
    struct testing testing = {.request = request, .drawn = sink->on_check};
    struct lab_sweep sweep = request->sweep;
    bool good = begin_testing(&testing, error) && delete_stale(&testing, error);
    sweep.request.grids = testing.grid;
    sweep.request.count = testing.grids;
    good = good && lab_sweep_run(&sweep, result, error);
    const bool whole = good && result->left == 0;
    good = good && (!whole || judge_all(&testing, sink, result, error));
    end_testing(&testing);
    return good;
}
