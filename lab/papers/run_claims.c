// SPDX-License-Identifier: MIT
// Trying claims: one sweep of all their experiments, then each is judged by the runs of its own, some side by side.
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/papers/experiment_line.h"
#include "lab/papers/verdict.h"
#include "lab/text/memory_stream.h"

enum {
    QUICK_PART = 4, // of the seeds, but
    QUICK_LEAST = 20
};

// A check with its experiments.
struct probe {
    const struct lab_check *check;
    char *command;       // that sweeps them
    size_t first, count; // of the grids
};

// A trial under way.
struct court {
    const struct lab_claims_request *trial;
    struct probe *probe; // [probes]: of all claims, one after the other
    size_t probes;
    struct lab_grid *grid; // [grids]: of all probes
    size_t grids;
    struct lab_plan plan; // of all grids, for the keys of their runs
};

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory to try so many claims: name fewer");
}

// The seeds that are written are those of --seed 1; another --seed has as many others. Quickly, few do.
static bool choose_seeds(const struct lab_claims_request *trial, struct lab_section *section, struct ek_error *error)
{
    struct lab_grid grid;
    if (!lab_section_grid(section, &grid, error)) {
        return false;
    }
    size_t count = grid.seeds;
    const bool drawn = section->runs || count > 1;
    if (trial->quick && count > QUICK_LEAST) {
        count = count / QUICK_PART > QUICK_LEAST ? count / QUICK_PART : QUICK_LEAST;
    }
    const uint64_t from = grid.seed[0] + (trial->seed - 1) * LAB_CLAIMS_SEED_STRIDE;
    lab_grid_destroy(&grid);
    char seeds[64];
    snprintf(seeds, sizeof seeds, drawn ? "%" PRIu64 "..%" PRIu64 : "%" PRIu64, from, from + count - 1);
    free(section->runs);
    section->runs = NULL;
    return (!drawn && trial->seed == 1) || lab_section_set(section, "seed", seeds, error);
}

// The next experiment of a check: its grid, and its line behind the others'.
static bool add_experiment(struct court *court, struct probe *probe, const char *line, FILE *command,
                           struct ek_error *error)
{
    struct lab_grid *larger = realloc(court->grid, (court->grids + 1) * sizeof *larger);
    struct lab_section section;
    if (!larger) {
        return no_memory(error);
    }
    court->grid = larger;
    if (!lab_experiment_line_read(&section, line, error)) {
        return false;
    }
    bool good =
        choose_seeds(court->trial, &section, error) && lab_section_grid(&section, &court->grid[court->grids], error);
    if (good) {
        fputs(probe->count > 0 ? " && evenkeel sweep" : "evenkeel sweep", command);
        lab_section_write(command, &section);
        court->grids++;
        probe->count++;
    }
    lab_section_destroy(&section);
    return good;
}

static bool add_probe(struct court *court, const struct lab_claim *claim, const struct lab_check *check,
                      struct ek_error *error)
{
    struct probe *probe = &court->probe[court->probes++];
    *probe = (struct probe){.check = check, .first = court->grids};
    struct lab_stream command;
    char *lines = strdup(check->run), *rest = NULL;
    bool good = (lab_stream_begin(&command) && lines) || no_memory(error);
    for (char *line = good ? strtok_r(lines, "\n", &rest) : NULL; good && line; line = strtok_r(NULL, "\n", &rest)) {
        good = add_experiment(court, probe, line, command.out, error);
    }
    free(lines);
    probe->command = lab_stream_end(&command);
    if (!good) {
        struct ek_error inner = *error;
        return base_refuse(error, "[%s %s]: %.500s", claim->id, check->name, inner.sentence);
    }
    return probe->command || no_memory(error);
}

static bool open_court(struct court *court, struct ek_error *error)
{
    const struct lab_claims_request *trial = court->trial;
    size_t checks = 0;
    if (trial->seed < 1 || trial->seed > LAB_CLAIMS_SEED_MAX) {
        return base_refuse(error, "--seed of papers is a number from 1 to %d: another draws other seeds for all claims",
                           LAB_CLAIMS_SEED_MAX);
    }
    for (size_t i = 0; i < trial->count; i++) {
        checks += trial->claim[i]->checks;
    }
    court->probe = calloc(checks > 0 ? checks : 1, sizeof *court->probe);
    if (!court->probe) {
        return no_memory(error);
    }
    for (size_t i = 0; i < trial->count; i++) {
        const struct lab_claim *claim = trial->claim[i];
        for (size_t c = 0; c < claim->checks; c++) {
            if (!add_probe(court, claim, &claim->check[c], error)) {
                return false;
            }
        }
    }
    struct lab_plan_request wish = trial->sweep.wish;
    wish.grids = court->grid;
    wish.count = court->grids;
    return lab_plan_make(&court->plan, &wish, NULL, error);
}

static void close_court(struct court *court)
{
    lab_plan_destroy(&court->plan);
    for (size_t i = 0; i < court->probes; i++) {
        free(court->probe[i].command);
    }
    for (size_t i = 0; i < court->grids; i++) {
        lab_grid_destroy(&court->grid[i]);
    }
    free(court->probe);
    free(court->grid);
}

static bool execute(struct lab_store *store, const char *sql, struct ek_error *error)
{
    return sqlite3_exec(lab_store_sql(store), sql, NULL, NULL, NULL) == SQLITE_OK || lab_store_fail(store, error);
}

// Of the store only some runs are looked at: to whoever asks here, they are the table `runs`.
static struct lab_store *open_store(const char *path, struct ek_error *error)
{
    struct lab_store *store = lab_store_open(path, LAB_STORE_ADD, error);
    if (store &&
        execute(store,
                "CREATE TEMP TABLE asked (key TEXT, seed INTEGER, PRIMARY KEY (key, seed)) WITHOUT ROWID;"
                "CREATE TEMP VIEW runs AS SELECT r.*, r.id AS run, coalesce(r.steps_paper, r.steps) AS steps_counted "
                "FROM temp.asked AS a CROSS JOIN main.runs AS r "
                "ON r.key = a.key AND r.seed = a.seed",
                error) &&
        lab_papers_functions(store, error)) {
        return store;
    }
    lab_store_close(store);
    return NULL;
}

// Looks at the runs of these grids.
static bool ask_for(const struct court *court, struct lab_store *store, size_t first, size_t count,
                    struct ek_error *error)
{
    sqlite3_stmt *insert = NULL;
    bool good = execute(store, "BEGIN; DELETE FROM temp.asked", error) &&
                (sqlite3_prepare_v2(lab_store_sql(store), "INSERT OR IGNORE INTO temp.asked VALUES (?, ?)", -1, &insert,
                                    NULL) == SQLITE_OK ||
                 lab_store_fail(store, error));
    const struct lab_grid *from = court->grid + first, *to = from + count;
    for (size_t c = 0; good && c < court->plan.cells; c++) {
        const struct lab_planned_experiment *cell = &court->plan.cell[c];
        for (size_t s = 0; good && cell->grid >= from && cell->grid < to && s < cell->grid->seeds; s++) {
            sqlite3_bind_text(insert, 1, cell->key, -1, SQLITE_STATIC);
            sqlite3_bind_int64(insert, 2, (sqlite3_int64)cell->grid->seed[s]);
            good = sqlite3_step(insert) == SQLITE_DONE || lab_store_fail(store, error);
            sqlite3_reset(insert);
        }
    }
    sqlite3_finalize(insert);
    return execute(store, "COMMIT", good ? error : &(struct ek_error){0}) && good;
}

// What another version made may not be what this one makes.
static bool forget_others(const struct court *court, struct ek_error *error)
{
    struct lab_store *store = open_store(court->trial->sweep.store, error);
    char *sql = sqlite3_mprintf("CREATE TEMP TABLE stale AS SELECT id FROM temp.runs WHERE version <> %Q;"
                                "DELETE FROM main.records WHERE run IN (SELECT id FROM temp.stale);"
                                "DELETE FROM main.runs WHERE id IN (SELECT id FROM temp.stale);",
                                ek_version());
    bool good = store && (sql || no_memory(error)) && ask_for(court, store, 0, court->grids, error) &&
                execute(store, sql, error);
    sqlite3_free(sql);
    lab_store_close(store);
    return good;
}

// Judges who sit side by side: each takes a claim, and who finds those before it judged too tells the jury of them all.
struct bench {
    const struct court *court;
    const struct lab_claims_sink *jury;
    struct lab_judgement *judgement; // [claims]
    bool *judged;                    // [claims]

    pthread_mutex_t lock; // of what follows, and of the jury
    size_t next;          // claim that nobody has taken
    size_t told;          // claims of which the jury knows
    bool good;
    struct ek_error *error; // where it is not good
};

static const struct probe *probes_of(const struct court *court, size_t claim)
{
    const struct probe *probe = court->probe;
    for (size_t i = 0; i < claim; i++) {
        probe += court->trial->claim[i]->checks;
    }
    return probe;
}

static bool judge_claim(const struct court *court, size_t index, struct lab_store *store,
                        struct lab_judgement *judgement, struct ek_error *error)
{
    const struct lab_claim *claim = court->trial->claim[index];
    const struct probe *probe = probes_of(court, index);
    *judgement = (struct lab_judgement){.claim = claim};
    for (size_t c = 0; c < claim->checks; c++, probe++) {
        if (!ask_for(court, store, probe->first, probe->count, error) ||
            !lab_check_judge(probe->check, probe->command, store, judgement, error)) {
            return false;
        }
    }
    return lab_judgement_conclude(judgement, error);
}

static bool tell(const struct bench *bench, size_t index, struct lab_store *store, struct ek_error *error)
{
    const struct lab_claims_sink *jury = bench->jury;
    const struct lab_judgement *judgement = &bench->judgement[index];
    const struct probe *probe = probes_of(bench->court, index);
    size_t from = 0;
    for (size_t c = 0; jury->looked && c < judgement->claim->checks; c++, probe++) {
        size_t to = from;
        while (to < judgement->count && judgement->evidence[to].check == probe->check) {
            to++;
        }
        if (!ask_for(bench->court, store, probe->first, probe->count, error) ||
            !jury->looked(jury->context, judgement->evidence + from, to - from, store, error)) {
            return false;
        }
        from = to;
    }
    return jury->judged(jury->context, judgement, error);
}

static bool is_stopped(const struct bench *bench)
{
    bool (*stopped)(void) = bench->court->trial->sweep.stopped;
    return stopped && stopped();
}

static int ends_what_is_asked(void *context)
{
    return is_stopped(context);
}

// Under the lock. The first thing that goes wrong is what is said; what was stopped was not wrong.
static void give_up(struct bench *bench, const struct ek_error *error)
{
    if (bench->good && !is_stopped(bench)) {
        *bench->error = *error;
        bench->good = false;
    }
}

// Under the lock.
static void tell_all(struct bench *bench, struct lab_store *store)
{
    struct ek_error error;
    while (bench->good && bench->told < bench->court->trial->count && bench->judged[bench->told]) {
        if (!tell(bench, bench->told, store, &error)) {
            give_up(bench, &error);
            return;
        }
        bench->told++;
    }
}

// A store may think about one question for seconds: it is asked in between whether to stop.
static void *judge(void *context)
{
    enum { INSTRUCTIONS = 1000 };
    struct bench *bench = context;
    struct ek_error error;
    struct lab_store *store = open_store(bench->court->trial->sweep.store, &error);
    if (store) {
        sqlite3_progress_handler(lab_store_sql(store), INSTRUCTIONS, ends_what_is_asked, bench);
    }
    pthread_mutex_lock(&bench->lock);
    if (!store) {
        give_up(bench, &error);
    }
    while (store && bench->good && !is_stopped(bench) && bench->next < bench->court->trial->count) {
        const size_t index = bench->next++;
        pthread_mutex_unlock(&bench->lock);
        const bool good = judge_claim(bench->court, index, store, &bench->judgement[index], &error);
        pthread_mutex_lock(&bench->lock);
        bench->judged[index] = good;
        if (good) {
            tell_all(bench, store);
        } else {
            give_up(bench, &error);
        }
    }
    pthread_mutex_unlock(&bench->lock);
    lab_store_close(store);
    return NULL;
}

// The caller is one of the judges, and where there are no threads the only one.
static bool judge_all(const struct court *court, const struct lab_claims_sink *jury, struct lab_sweep_result *swept,
                      struct ek_error *error)
{
    const size_t claims = court->trial->count;
    const unsigned judges = swept->jobs;
    struct bench bench = {.court = court,
                          .jury = jury,
                          .judgement = calloc(claims + 1, sizeof *bench.judgement),
                          .judged = calloc(claims + 1, sizeof *bench.judged),
                          .good = true,
                          .error = error};
    pthread_t *other = calloc(judges + 1u, sizeof *other);
    if (!bench.judgement || !bench.judged || !other) {
        bench.good = no_memory(error);
    }
    pthread_mutex_init(&bench.lock, NULL);
    unsigned others = 0;
    while (bench.good && others + 1 < judges && others + 1 < claims &&
           pthread_create(&other[others], NULL, judge, &bench) == 0) {
        others++;
    }
    if (other && bench.judgement && bench.judged) {
        judge(&bench);
    }
    while (others > 0) {
        pthread_join(other[--others], NULL);
    }
    pthread_mutex_destroy(&bench.lock);
    for (size_t i = 0; bench.judgement && i < claims; i++) {
        lab_judgement_destroy(&bench.judgement[i]);
    }
    free(bench.judgement);
    free(bench.judged);
    free(other);
    swept->interrupted = bench.told < claims;
    return bench.good;
}

bool lab_claims_run(const struct lab_claims_request *trial, const struct lab_claims_sink *jury,
                    struct lab_sweep_result *swept, struct ek_error *error)
{
    *swept = (struct lab_sweep_result){0};
    struct court court = {.trial = trial};
    struct lab_sweep sweep = trial->sweep;
    bool good = open_court(&court, error) && forget_others(&court, error);
    sweep.wish.grids = court.grid;
    sweep.wish.count = court.grids;
    sweep.parts = LAB_WITH_ALL; // whatever check looks at a run first, the next may ask for these
    good = good && lab_sweep_run(&sweep, swept, error);
    const bool whole = good && swept->left == 0 && swept->failed == 0;
    good = good && (!whole || judge_all(&court, jury, swept, error));
    close_court(&court);
    return good;
}
