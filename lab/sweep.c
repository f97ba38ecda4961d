// SPDX-License-Identifier: MIT
// The runner. Worker processes are forked from this one, which has one thread; they take tasks by counting up a number
// in shared memory, run them, and add each to the store themselves. This one looks on: it notes who has died of which
// run, ends who takes too long, and starts another in the place.
#define _GNU_SOURCE // CPU_SET and MAP_ANONYMOUS, which POSIX does not have
#include "lab/sweep.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/fail.h"
#include "lab/run.h"

enum {
    JOBS_MAX = 1024,
    CLAIM_MAX = 64,     // tasks that a worker takes at once
    LOOK_NS = 20000000, // between two looks at the workers
    TRACE_ROWS = 1024,  // a stored trace has at most so many
    MEASURE_S = 10      // how long a measurement takes at most
};
static const double CLAIM_S = 0.1;                        // what a worker takes at once is to last so long
static const uint64_t PATIENCE_NS = UINT64_C(5000000000); // with workers that were told to stop

// A worker, in memory that it shares with this process.
struct worker {
    _Atomic size_t at, to;     // the task under way, and the end of those that it has taken
    _Atomic bool running;      // `at` was begun and has not ended
    _Atomic uint64_t since_ns; // when
    _Atomic uint64_t ran, reused, refused, unreached;
    _Atomic int worst;      // enum ek_status
    _Atomic uint64_t bytes; // of its store, at the end
    _Atomic bool broken;    // it cannot go on:
    struct ek_error error;
    pid_t process; // of this one: its number, 0 where it has ended
    bool late;     // it was killed since the run `late_at` took too long
    size_t late_at;
};

// What all share.
struct crew {
    _Atomic size_t next; // task that nobody has taken
    _Atomic bool stop;
    struct worker worker[JOBS_MAX];
};

// A sweep under way, in this process; a worker has a copy from its beginning.
struct running {
    const struct lab_sweep *sweep;
    const char *store;
    struct lab_plan plan;
    struct lab_swept *swept;
    unsigned jobs;    // of the phase under way
    unsigned workers; // places in the crew that were ever taken
    bool pinned;      // each worker has a core
    size_t to;        // the end of the phase's tasks
    uint64_t began_ns, told_ns;
    uint64_t deadline_ns; // when no more is to be begun; 0: never
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static struct crew *crew; // of the sweep under way: a callback without context asks it whether to stop

// One process a core, where each needs no more.
static unsigned jobs_together(const struct lab_sweep *sweep)
{
    unsigned jobs = sweep->jobs > 0 ? sweep->jobs : lab_host_here()->cores;
    return jobs < 1 ? 1 : jobs > JOBS_MAX ? JOBS_MAX : jobs;
}

static unsigned jobs_alone(const struct lab_sweep *sweep)
{
    return sweep->jobs > 0 ? jobs_together(sweep) : 1;
}

static bool told_to_stop(void)
{
    return crew->stop;
}

// What a worker keeps from one run to the next.
struct bench {
    const struct running *running;
    struct worker *worker;
    struct lab_store *store;
    struct ek_machine *machine;
    size_t cell; // that the machine is of
};

static void refuse(const struct bench *bench, size_t cell, const struct ek_error *error)
{
    struct lab_outcome *outcome = &bench->running->plan.outcome[cell];
    if (atomic_fetch_add(&outcome->refused, 1) == 0) {
        snprintf(outcome->why, sizeof outcome->why, "%s", error->sentence);
    }
    bench->worker->refused++;
}

// The machine for a task: the one before with another seed where it is of the same cell.
static bool set_up(struct bench *bench, const struct lab_task *task, const struct ek_experiment *experiment,
                   struct ek_error *error)
{
    if (bench->machine && bench->cell == task->cell && ek_machine_reseed(bench->machine, task->seed)) {
        return true;
    }
    ek_machine_destroy(bench->machine);
    bench->machine = ek_prepare(experiment, error);
    bench->cell = task->cell;
    return bench->machine;
}

static bool is_default_seed(uint64_t seed)
{
    struct ek_experiment initial;
    struct ek_error error;
    const struct ek_axis *axis = ek_axis_named("seed");
    return ek_axis_set(axis, &initial, axis->initial, &error) && initial.seed == seed;
}

// The machine may have been prepared with another seed: whether this one was given is known here.
static void note_seed(struct lab_record *record, uint64_t seed)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (strcmp(ek_axis_at(i)->option, "seed") == 0) {
            record->axis[i].given = !is_default_seed(seed);
        }
    }
}

static bool keep(struct bench *bench, const struct lab_stored *stored, struct lab_record *record,
                 struct ek_error *error)
{
    struct worker *worker = bench->worker;
    struct lab_outcome *outcome = &bench->running->plan.outcome[bench->cell];
    bool added;
    if (!lab_store_add(bench->store, stored, record, bench->running->sweep->wish.again, &added, error)) {
        return false;
    }
    worker->ran += added;
    worker->reused += !added; // another sweep was quicker
    worker->unreached += added && !record->runs[0].converged;
    if (stored->status > (enum ek_status)worker->worst || worker->worst == EK_OK) {
        worker->worst = stored->status == EK_UNREACHED ? EK_OK : (int)stored->status;
    }
    outcome->runs++;
    outcome->duration_ns += (uint64_t)(1e9 * stored->duration_s);
    return true;
}

// What is to be kept of a run of this experiment.
static struct lab_order order_of(const struct lab_sweep *sweep, struct ek_experiment experiment, const char *command)
{
    experiment.keep_trace = sweep->parts & LAB_TRACE;
    experiment.trace_rows = TRACE_ROWS;
    experiment.keep_loads = sweep->parts & LAB_FINAL;
    return (struct lab_order){.experiment = experiment,
                              .runs = 1,
                              .command = command,
                              .theory = true,
                              .loads_kept = UINT64_MAX,
                              .traces_kept = UINT64_MAX,
                              .stopped = told_to_stop};
}

// Makes a run, and keeps it. What the machine refuses is noted. False and `error` where the worker cannot go on.
static bool make_run(struct bench *bench, const struct lab_task *task, const struct lab_order *order,
                     struct ek_error *error)
{
    const struct running *running = bench->running;
    struct lab_stored stored = {.key = running->plan.cell[task->cell].key, .parts = running->sweep->parts};
    struct lab_record record = {0};
    struct ek_error refusal = {.at = -1};
    uint64_t began_ns = now_ns();
    lab_store_now(stored.started);
    stored.status = set_up(bench, task, &order->experiment, &refusal)
                        ? lab_run_on(order, bench->machine, &record, &refusal)
                        : EK_BAD_INPUT;
    stored.duration_s = 1e-9 * (double)(now_ns() - began_ns);
    if (stored.status == EK_BAD_INPUT) {
        refuse(bench, task->cell, &refusal);
        return true;
    }
    bool whole = record.count == 1 && record.runs[0].ended != EK_ENDED_INTERRUPT; // else it was told to stop
    if (whole) {
        note_seed(&record, task->seed);
    }
    bool good = !whole || keep(bench, &stored, &record, error);
    lab_record_destroy(&record);
    return good;
}

static bool run_task(struct bench *bench, const struct lab_task *task, struct ek_error *error)
{
    const struct lab_sweep *sweep = bench->running->sweep;
    bool has = false;
    if (!sweep->wish.again &&
        !lab_store_has(bench->store, bench->running->plan.cell[task->cell].key, task->seed, &has, error)) {
        return false;
    }
    if (has) {
        bench->worker->reused++;
        return true;
    }
    struct lab_cell cell = lab_plan_cell(&bench->running->plan, task->cell);
    char *command = lab_cell_command(&cell, task->seed);
    struct ek_experiment experiment;
    bool good = command ? lab_cell_experiment(&cell, sweep->wish.reader, &experiment, error)
                        : lab_fail(error, "there is no memory for a run's command");
    if (good) {
        experiment.seed = task->seed;
        struct lab_order order = order_of(sweep, experiment, command);
        good = make_run(bench, task, &order, error);
    }
    free(command);
    return good;
}

// How many tasks of a cell last about a tenth of a second: nobody is to wait long for who has taken many.
static size_t claim_of(const struct lab_outcome *outcome)
{
    uint64_t runs = outcome->runs;
    double mean_s = runs > 0 ? 1e-9 * (double)outcome->duration_ns / (double)runs : CLAIM_S;
    return (size_t)fmin(fmax(CLAIM_S / fmax(mean_s, 1e-9), 1.0), CLAIM_MAX);
}

// Takes the next tasks, all of one cell. False where none is left.
static bool claim(struct bench *bench)
{
    const struct running *running = bench->running;
    const struct lab_task *task = running->plan.task;
    if (running->deadline_ns > 0 && now_ns() > running->deadline_ns) {
        return false;
    }
    size_t from = crew->next, to;
    do {
        if (from >= running->to) {
            return false;
        }
        size_t most = claim_of(&running->plan.outcome[task[from].cell]);
        to = from + 1;
        while (to < running->to && to - from < most && task[to].cell == task[from].cell) {
            to++;
        }
    } while (!atomic_compare_exchange_weak(&crew->next, &from, to));
    bench->worker->at = from;
    bench->worker->to = to;
    return true;
}

// Runs tasks until none is left; first those that a worker who died here had taken.
static bool run_tasks(struct bench *bench, struct ek_error *error)
{
    struct worker *worker = bench->worker;
    do {
        while (worker->at < worker->to && !crew->stop) {
            worker->since_ns = now_ns();
            worker->running = true;
            bool good = run_task(bench, &bench->running->plan.task[worker->at], error);
            worker->running = false;
            if (!good) {
                return false;
            }
            worker->at++;
        }
    } while (!crew->stop && claim(bench));
    return true;
}

// Gives the process one of the cores that it was given, for its worker thread would else be where all others' are.
static void take_core(unsigned index)
{
    cpu_set_t given, own;
    if (sched_getaffinity(0, sizeof given, &given) != 0) {
        return;
    }
    int skip = (int)(index % (unsigned)CPU_COUNT(&given));
    for (unsigned core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &given) && skip-- == 0) {
            CPU_ZERO(&own);
            CPU_SET(core, &own);
            sched_setaffinity(0, sizeof own, &own); // what fails is left as it was: slower, not wrong
        }
    }
}

// The bytes of a store that is not on a disk, 0 where that is not known.
static uint64_t bytes_of(struct lab_store *store)
{
    sqlite3_stmt *statement = NULL;
    const char *question =
        "SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)";
    bool good = sqlite3_prepare_v2(lab_store_sql(store), question, -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    uint64_t bytes = good ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return bytes;
}

// A worker's whole life. Ctrl-C is for the process that looks on; should that be gone, so is this one.
static void work(const struct running *running, unsigned index)
{
    struct worker *worker = &crew->worker[index];
    struct bench bench = {.running = running, .worker = worker};
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    if (running->pinned) {
        take_core(index);
    }
    bench.store = lab_store_open(running->store, LAB_STORE_ADD, &worker->error);
    uint64_t empty = bench.store ? bytes_of(bench.store) : 0;
    worker->broken = !bench.store || !run_tasks(&bench, &worker->error);
    worker->bytes = bench.store ? bytes_of(bench.store) - empty : 0;
    ek_machine_destroy(bench.machine);
    lab_store_close(bench.store);
}

static bool start(struct running *running, unsigned index, struct ek_error *error)
{
    pid_t parent = getpid(), process = fork();
    if (process < 0) {
        return lab_fail(error, "the system gives no process more (%s): ask for fewer --jobs", strerror(errno));
    }
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent) { // else it was gone before that
            work(running, index);
        }
        _exit(0);
    }
    crew->worker[index].process = process;
    crew->worker[index].late = false;
    return true;
}

static bool add_trouble(struct lab_troubles *troubles, const char *command, const char *why, uint64_t runs,
                        struct ek_error *error)
{
    if ((troubles->count & (troubles->count - 1)) == 0) { // a power of two, or none: there is room for no more
        size_t room = troubles->count > 0 ? 2 * troubles->count : 1;
        struct lab_trouble *larger = realloc(troubles->of, room * sizeof *larger);
        if (!larger) {
            return lab_fail(error, "there is no memory to note what went wrong");
        }
        troubles->of = larger;
    }
    struct lab_trouble *trouble = &troubles->of[troubles->count];
    *trouble = (struct lab_trouble){.command = command ? strdup(command) : NULL, .why = strdup(why), .runs = runs};
    troubles->count++;
    return (trouble->command && trouble->why) || lab_fail(error, "there is no memory to note what went wrong");
}

// A worker has died of a run: it is noted, unless the run was in the store a moment before.
static bool note_failure(struct running *running, const struct worker *worker, int how, struct ek_error *error)
{
    const struct lab_task *task = &running->plan.task[worker->at];
    const char *key = running->plan.cell[task->cell].key;
    char why[160];
    if (worker->late) {
        snprintf(why, sizeof why, "it took longer than %g s", running->sweep->timeout_s);
    } else if (WIFSIGNALED(how)) {
        snprintf(why, sizeof why, "it died of signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
    } else {
        snprintf(why, sizeof why, "its process ended with status %d", WEXITSTATUS(how));
    }
    struct lab_store *store = lab_store_open(running->store, LAB_STORE_ADD, error);
    struct lab_cell cell = lab_plan_cell(&running->plan, task->cell);
    char *command = lab_cell_command(&cell, task->seed);
    bool has = false, good = store && lab_store_has(store, key, task->seed, &has, error);
    if (good && has && !running->sweep->wish.again) {
        running->swept->ran++;
    } else if (good) {
        running->swept->failed++;
        good = add_trouble(&running->swept->failures, command, why, 1, error) &&
               lab_store_add_failure(store, key, task->seed, command, why, error);
    }
    free(command);
    lab_store_close(store);
    return good;
}

// A worker has died of the run that it was at: another goes on behind it. One that was killed as it had just begun the
// next begins that again.
static bool replace(struct running *running, unsigned index, int how, struct ek_error *error)
{
    struct worker *worker = &crew->worker[index];
    bool its_own = !worker->late || worker->late_at == worker->at;
    if (its_own && !note_failure(running, worker, how, error)) {
        return false;
    }
    worker->running = false;
    worker->at += its_own;
    return start(running, index, error);
}

// What has become of a worker. False and `error` where the sweep cannot go on.
static bool look_at(struct running *running, unsigned index, struct ek_error *error)
{
    struct worker *worker = &crew->worker[index];
    int how;
    if (worker->process == 0) {
        return true;
    }
    if (waitpid(worker->process, &how, WNOHANG) == worker->process) {
        worker->process = 0;
        if (worker->broken) {
            *error = worker->error;
            return false;
        }
        return crew->stop || !worker->running || replace(running, index, how, error);
    }
    double limit_s = running->sweep->timeout_s;
    if (worker->running && limit_s > 0.0 && now_ns() - worker->since_ns > (uint64_t)(1e9 * limit_s)) {
        worker->late = true;
        worker->late_at = worker->at;
        kill(worker->process, SIGKILL);
    }
    return true;
}

// What the workers have counted.
struct counts {
    uint64_t ran, reused, refused, unreached, bytes;
    enum ek_status worst;
};

static struct counts count(const struct running *running)
{
    struct counts sum = {0};
    for (unsigned i = 0; i < running->workers; i++) {
        const struct worker *worker = &crew->worker[i];
        sum.ran += worker->ran;
        sum.reused += worker->reused;
        sum.refused += worker->refused;
        sum.unreached += worker->unreached;
        sum.bytes += worker->bytes;
        sum.worst = worker->worst != EK_OK && sum.worst != EK_VIOLATION ? (enum ek_status)worker->worst : sum.worst;
    }
    return sum;
}

// About once a second.
static void tell(struct running *running)
{
    const struct lab_sweep *sweep = running->sweep;
    uint64_t now = now_ns();
    if (!sweep->progress || now - running->told_ns < 1000000000U) {
        return;
    }
    running->told_ns = now;
    const struct lab_plan *plan = &running->plan;
    struct counts sum = count(running);
    size_t next = crew->next < running->to ? crew->next : running->to;
    double left_s = lab_plan_expect(plan, next, running->to) / running->jobs;
    if (running->to <= plan->together && plan->alone > 0) {
        left_s += lab_plan_expect(plan, plan->together, plan->together + plan->alone) / jobs_alone(sweep);
    }
    struct lab_sweep_progress so_far = {.runs = plan->together + plan->alone,
                                        .done = sum.ran + sum.reused + sum.refused + running->swept->failed,
                                        .elapsed_s = 1e-9 * (double)(now - running->began_ns),
                                        .left_s = left_s};
    sweep->progress(sweep->context, &so_far);
}

// Whether a worker is still there.
static bool any(const struct running *running)
{
    for (unsigned i = 0; i < running->workers; i++) {
        if (crew->worker[i].process != 0) {
            return true;
        }
    }
    return false;
}

// Looks on until all workers have ended. Those that were told to stop and do not are killed: nothing is lost but the
// run that they are at.
static bool look_on(struct running *running, struct ek_error *error)
{
    static const struct timespec pause = {.tv_nsec = LOOK_NS};
    bool good = true;
    uint64_t stopping_ns = 0;
    while (any(running)) {
        for (unsigned i = 0; i < running->workers; i++) {
            struct ek_error other;
            if (!look_at(running, i, good ? error : &other)) {
                good = false;
                crew->stop = true;
            }
            if (stopping_ns > 0 && now_ns() - stopping_ns > PATIENCE_NS && crew->worker[i].process != 0) {
                kill(crew->worker[i].process, SIGKILL);
            }
        }
        if (running->sweep->stopped && running->sweep->stopped()) {
            crew->stop = true;
        }
        stopping_ns = crew->stop && stopping_ns == 0 ? now_ns() : stopping_ns;
        tell(running);
        nanosleep(&pause, NULL);
    }
    return good;
}

// Makes the tasks [from, to).
static bool run_phase(struct running *running, size_t from, size_t to, unsigned jobs, bool pinned,
                      struct ek_error *error)
{
    running->jobs = to - from < jobs ? (unsigned)(to - from) : jobs;
    running->pinned = pinned && running->jobs > 1;
    running->to = to;
    crew->next = from;
    bool good = true;
    for (unsigned i = 0; good && i < running->jobs && !crew->stop; i++) {
        running->workers = i >= running->workers ? i + 1 : running->workers;
        crew->worker[i].at = crew->worker[i].to = 0;
        good = start(running, i, error);
        crew->stop = !good;
    }
    struct ek_error other;
    return look_on(running, good ? error : &other) && good;
}

static bool begin(struct running *running, const struct lab_sweep *sweep, const char *store, struct lab_swept *swept,
                  struct ek_error *error)
{
    *running = (struct running){.sweep = sweep, .store = store, .swept = swept, .began_ns = now_ns()};
    running->told_ns = running->began_ns;
    lab_host_here(); // as it is for all, before each worker is confined to a core
    void *shared = mmap(NULL, sizeof *crew, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    crew = shared != MAP_FAILED ? shared : NULL;
    return crew || lab_fail(error, "there is no memory for the workers");
}

static bool note_refusals(const struct lab_plan *plan, struct lab_troubles *refusals, struct ek_error *error)
{
    bool good = true;
    for (size_t c = 0; good && c < plan->cells; c++) {
        if (plan->outcome[c].refused > 0) {
            struct lab_cell cell = lab_plan_cell(plan, c);
            char *command = lab_cell_command(&cell, plan->cell[c].grid->seed[0]);
            good = add_trouble(refusals, command, plan->outcome[c].why, plan->outcome[c].refused, error);
            free(command);
        }
    }
    return good;
}

static bool note_keys(const struct lab_plan *plan, struct lab_swept *swept, struct ek_error *error)
{
    swept->key = malloc(plan->cells * sizeof *swept->key);
    for (size_t c = 0; swept->key && c < plan->cells; c++) {
        if (*plan->cell[c].key) {
            memcpy(swept->key[swept->keys++], plan->cell[c].key, LAB_KEY_SIZE);
        }
    }
    return swept->key || lab_fail(error, "there is no memory for the keys of the runs");
}

static bool finish(struct running *running, struct ek_error *error)
{
    struct lab_swept *swept = running->swept;
    struct counts sum = count(running);
    swept->runs = running->plan.runs;
    swept->ran += sum.ran;
    swept->reused = running->plan.reused + sum.reused;
    swept->refused = running->plan.refused + sum.refused;
    swept->unreached = sum.unreached;
    swept->worst = sum.worst;
    swept->left = swept->runs - swept->ran - swept->reused - swept->refused - swept->failed;
    swept->elapsed_s = 1e-9 * (double)(now_ns() - running->began_ns);
    swept->jobs = jobs_together(running->sweep);
    swept->interrupted = running->sweep->stopped && running->sweep->stopped();
    return note_keys(&running->plan, swept, error) && note_refusals(&running->plan, &swept->refusals, error);
}

bool lab_sweep_run(const struct lab_sweep *sweep, struct lab_swept *swept, struct ek_error *error)
{
    *swept = (struct lab_swept){0};
    struct lab_store *store = lab_store_open(sweep->store, LAB_STORE_ADD, error);
    struct running running;
    bool good = store && lab_store_check(store, error) && begin(&running, sweep, sweep->store, swept, error) &&
                lab_plan_make(&running.plan, &sweep->wish, store, error);
    lab_store_close(store); // each worker opens it for itself
    if (!good) {
        return false;
    }
    struct lab_plan *plan = &running.plan;
    good = run_phase(&running, 0, plan->together, jobs_together(sweep), true, error) &&
           run_phase(&running, plan->together, plan->together + plan->alone, jobs_alone(sweep), false, error);
    struct ek_error other;
    good = finish(&running, good ? error : &other) && good;
    lab_plan_destroy(plan);
    munmap(crew, sizeof *crew);
    return good;
}

static double cost_s(const struct lab_sweep *sweep, const struct lab_plan *plan)
{
    double together_s = lab_plan_expect(plan, 0, plan->together);
    double alone_s = lab_plan_expect(plan, plan->together, plan->together + plan->alone);
    return together_s / jobs_together(sweep) + alone_s / jobs_alone(sweep);
}

bool lab_sweep_measure(const struct lab_sweep *sweep, struct lab_sweep_cost *cost, struct ek_error *error)
{
    *cost = (struct lab_sweep_cost){.jobs = jobs_together(sweep)};
    struct lab_store *store = NULL;
    if (access(sweep->store, F_OK) == 0 && !(store = lab_store_open(sweep->store, LAB_STORE_READ, error))) {
        return false;
    }
    struct running running;
    struct lab_swept swept = {0};
    bool good =
        begin(&running, sweep, ":memory:", &swept, error) && lab_plan_make(&running.plan, &sweep->wish, store, error);
    lab_store_close(store);
    if (!good) {
        return false;
    }
    struct lab_plan *plan = &running.plan;
    running.deadline_ns = running.began_ns + MEASURE_S * UINT64_C(1000000000);
    good = run_phase(&running, 0, plan->together_first, 1, true, error) &&
           run_phase(&running, plan->together, plan->together + plan->alone_first, 1, false, error);
    struct counts sum = count(&running);
    size_t tasks = plan->together + plan->alone;
    cost->runs = plan->runs;
    cost->reused = plan->reused;
    cost->refused = plan->refused + sum.refused;
    cost->measured = sum.ran;
    cost->elapsed_s = tasks > 0 ? cost_s(sweep, plan) : 0.0;
    cost->bytes = tasks == 0 ? 0.0 : sum.ran > 0 ? (double)sum.bytes / (double)sum.ran * (double)tasks : NAN;
    struct ek_error other;
    good = note_refusals(plan, &cost->refusals, good ? error : &other) && good;
    lab_troubles_destroy(&swept.failures);
    lab_plan_destroy(plan);
    munmap(crew, sizeof *crew);
    return good;
}

void lab_troubles_destroy(struct lab_troubles *troubles)
{
    for (size_t i = 0; i < troubles->count; i++) {
        free(troubles->of[i].command);
        free(troubles->of[i].why);
    }
    free(troubles->of);
    *troubles = (struct lab_troubles){0};
}

void lab_swept_destroy(struct lab_swept *swept)
{
    lab_troubles_destroy(&swept->refusals);
    lab_troubles_destroy(&swept->failures);
    free(swept->key);
}
