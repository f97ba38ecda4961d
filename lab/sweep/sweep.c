// SPDX-License-Identifier: MIT
// The main process of a sweep. It has one thread. It forks the workers (sweep_worker.c), which make the runs, and
// supervises them. If a run takes too long, it kills the worker. If a worker dies, it records the run that the worker
// died of, if any, and starts another worker in its place.
#define _GNU_SOURCE // MAP_ANONYMOUS, which POSIX does not have yet
#include "lab/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "lab/record/clock.h"
#include "lab/sweep/worker_pool.h"
#include "lab/text/clean_text.h"

enum {
    LOOK_NS = 20000000,  // between two checks of the workers
    DEATHS_MAX = 10,     // a worker that dies so often while it makes no run is not replaced
    MEASURED_MORE = 100, // tasks measured in addition to those that predict the times of the others
    MEASURE_S = 10       // the longest duration of a measurement
};
static const uint64_t PROGRESS_NS = UINT64_C(1000000000);
static const uint64_t PATIENCE_NS = UINT64_C(5000000000); // how long workers may take to stop

struct running {
    const struct lab_sweep *sweep;
    struct lab_plan plan;
    struct lab_sweep_phase phase;
    struct lab_worker_pool *pool;
    struct lab_sweep_result *swept;
    unsigned jobs;    // of the current phase
    unsigned workers; // the number of places in the pool ever used
    uint64_t began_ns, reported_ns;
};

// Returns the number of workers for runs that need one core each.
static unsigned jobs_together(const struct lab_sweep *sweep)
{
    unsigned jobs = sweep->jobs > 0 ? sweep->jobs : lab_host_this()->cores;
    return jobs < 1 ? 1 : jobs > LAB_JOBS_MAX ? LAB_JOBS_MAX : jobs;
}

static unsigned jobs_alone(const struct lab_sweep *sweep)
{
    return sweep->jobs > 0 ? jobs_together(sweep) : 1;
}

static bool start(struct running *running, unsigned index, struct ek_error *error)
{
    pid_t parent = getpid(), process = fork();
    if (process < 0) {
        return base_refuse(error, "no further process can be started (%s): choose fewer jobs", strerror(errno));
    }
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent) { // otherwise the parent ended before prctl
            lab_worker_main(&running->phase, running->pool, index);
        }
        _exit(0);
    }
    running->pool->worker[index].process = process;
    running->pool->worker[index].late = false;
    running->pool->worker[index].gave_up = false;
    return true;
}

static bool add_trouble(struct lab_troubles *troubles, const char *command, const char *why, uint64_t runs,
                        struct ek_error *error)
{
    struct lab_trouble *larger = base_grow(troubles->of, troubles->count, sizeof *larger);
    if (!larger) {
        return base_refuse(error, "there is no memory to record what went wrong: free some memory");
    }
    troubles->of = larger;
    struct lab_trouble *trouble = &troubles->of[troubles->count];
    *trouble = (struct lab_trouble){.command = command ? strdup(command) : NULL, .why = strdup(why), .runs = runs};
    troubles->count++;
    if (trouble->command && trouble->why) {
        lab_text_clean(trouble->command);
        lab_text_clean(trouble->why);
    }
    return (trouble->command && trouble->why) ||
           base_refuse(error, "there is no memory to record what went wrong: free some memory");
}

// Records that a worker died of a run, unless the run was stored just before.
static bool note_failure(struct running *running, const struct lab_worker *worker, int how, struct ek_error *error)
{
    const struct lab_task *task = &running->plan.task[worker->at];
    const char *key = running->plan.experiment[task->experiment].key;
    char why[sizeof worker->error.sentence];
    if (worker->late) {
        snprintf(why, sizeof why, "it took longer than %g s", running->sweep->timeout_s);
    } else if (worker->gave_up) {
        snprintf(why, sizeof why, "%s", worker->error.sentence);
    } else if (WIFSIGNALED(how)) {
        snprintf(why, sizeof why, "it died of signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
    } else {
        snprintf(why, sizeof why, "its process ended with status %d", WEXITSTATUS(how));
    }
    struct lab_store *store = lab_store_open(running->phase.store, LAB_STORE_ADD, error);
    struct lab_experiment_spec spec = lab_plan_experiment(&running->plan, task->experiment);
    char *command = lab_experiment_spec_command(&spec, task->seed);
    bool has = false, good = store && lab_store_has(store, key, task->seed, &has, error);
    if (good && has && !running->sweep->request.again) {
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

// Starts a new worker in place of one that died. The new worker makes the claimed runs that are not stored, except
// those that a worker died of. Some deaths are not the fault of the current run: the worker made no run, or it was
// killed for a slow run when it had just begun the next one.
static bool replace(struct running *running, unsigned index, int how, struct ek_error *error)
{
    struct lab_worker *worker = &running->pool->worker[index];
    if (worker->running && (!worker->late || worker->late_at == worker->at)) {
        if (!note_failure(running, worker, how, error)) {
            return false;
        }
        running->plan.task[worker->at].skipped = true;
    } else if (!worker->late && ++worker->deaths == DEATHS_MAX) {
        return base_refuse(error, "a worker died %d times between its runs, last of signal %d (%s): choose fewer jobs",
                           DEATHS_MAX, WTERMSIG(how), strsignal(WTERMSIG(how)));
    }
    worker->at = (size_t)worker->from;
    worker->running = false;
    return start(running, index, error);
}

// Returns whether a worker's task `at` takes too long. The worker may begin its next task at any moment, so the order
// of the reads matters.
static bool is_late(const struct lab_worker *worker, double limit_s, size_t *at)
{
    *at = worker->at;
    const bool runs = worker->running;
    const uint64_t since_ns = worker->since_ns;
    return runs && limit_s > 0.0 && lab_clock_ns() - since_ns > (uint64_t)(1e9 * limit_s);
}

// Checks a worker. Returns false if the sweep cannot continue.
static bool check_worker(struct running *running, unsigned index, struct ek_error *error)
{
    struct lab_worker *worker = &running->pool->worker[index];
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
        if (!worker->running && !WIFSIGNALED(how)) {
            return WEXITSTATUS(how) == 0 ||
                   base_refuse(error, "a worker had no memory to store its runs: choose fewer jobs");
        }
        return running->pool->stop || replace(running, index, how, error);
    }
    size_t at;
    if (is_late(worker, running->sweep->timeout_s, &at)) {
        worker->late = true;
        worker->late_at = at;
        kill(worker->process, SIGKILL);
    }
    return true;
}

// The sums of the workers' counts.
struct counts {
    uint64_t ran, reused, refused, unreached, violated, stuck, bytes;
};

static struct counts count(const struct running *running)
{
    struct counts sum = {0};
    for (unsigned i = 0; i < running->workers; i++) {
        const struct lab_worker *worker = &running->pool->worker[i];
        sum.ran += worker->ran;
        sum.reused += worker->reused;
        sum.refused += worker->refused;
        sum.unreached += worker->unreached;
        sum.bytes += worker->bytes;
        sum.violated += worker->violated;
        sum.stuck += worker->stuck;
    }
    return sum;
}

// Reports the progress, about once a second.
static void report_progress(struct running *running)
{
    const struct lab_sweep *sweep = running->sweep;
    uint64_t now = lab_clock_ns();
    if (!sweep->progress || now - running->reported_ns < PROGRESS_NS) {
        return;
    }
    running->reported_ns = now;
    struct lab_plan *plan = &running->plan;
    struct counts sum = count(running);
    size_t next = running->pool->next < running->phase.to ? running->pool->next : running->phase.to;
    double left_s = lab_plan_expect(plan, next, running->phase.to) / running->jobs;
    if (running->phase.to <= plan->together && plan->alone > 0) {
        left_s += lab_plan_expect(plan, plan->together, plan->together + plan->alone) / jobs_alone(sweep);
    }
    struct lab_sweep_progress so_far = {.runs = plan->together + plan->alone,
                                        .done = sum.ran + sum.reused + sum.refused + running->swept->failed,
                                        .elapsed_s = 1e-9 * (double)(now - running->began_ns),
                                        .left_s = left_s};
    sweep->progress(sweep->context, &so_far);
}

// Returns whether a worker is still running.
static bool any_running(const struct running *running)
{
    for (unsigned i = 0; i < running->workers; i++) {
        if (running->pool->worker[i].process != 0) {
            return true;
        }
    }
    return false;
}

// Supervises the workers until all have ended. A worker that does not stop in time is killed; only its current run is
// lost.
static bool supervise(struct running *running, struct ek_error *error)
{
    static const struct timespec pause = {.tv_nsec = LOOK_NS};
    bool good = true;
    uint64_t stopping_ns = 0;
    while (any_running(running)) {
        for (unsigned i = 0; i < running->workers; i++) {
            struct ek_error other;
            if (!check_worker(running, i, good ? error : &other)) {
                good = false;
                running->pool->stop = true;
            }
            if (stopping_ns > 0 && lab_clock_ns() - stopping_ns > PATIENCE_NS &&
                running->pool->worker[i].process != 0) {
                kill(running->pool->worker[i].process, SIGKILL);
            }
        }
        if (running->sweep->stopped && running->sweep->stopped()) {
            running->pool->stop = true;
        }
        stopping_ns = running->pool->stop && stopping_ns == 0 ? lab_clock_ns() : stopping_ns;
        report_progress(running);
        nanosleep(&pause, NULL);
    }
    return good;
}

// Runs the tasks [from, to).
static bool run_phase(struct running *running, size_t from, size_t to, unsigned jobs, bool pinned,
                      struct ek_error *error)
{
    running->jobs = to - from < jobs ? (unsigned)(to - from) : jobs;
    running->phase.pinned = pinned && running->jobs > 1;
    running->phase.to = to;
    running->pool->next = from;
    bool good = true;
    for (unsigned i = 0; good && i < running->jobs && !running->pool->stop; i++) {
        running->workers = i >= running->workers ? i + 1 : running->workers;
        good = start(running, i, error);
        running->pool->stop = !good;
    }
    struct ek_error other;
    return supervise(running, good ? error : &other) && good;
}

static bool begin(struct running *running, const struct lab_sweep *sweep, const char *store,
                  struct lab_sweep_result *swept, struct ek_error *error)
{
    *running = (struct running){.sweep = sweep, .swept = swept, .began_ns = lab_clock_ns()};
    running->phase = (struct lab_sweep_phase){.sweep = sweep, .store = store, .plan = &running->plan};
    running->reported_ns = running->began_ns;
    lab_host_this(); // read before the workers are pinned to cores
    void *shared = mmap(NULL, sizeof *running->pool, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    running->pool = shared != MAP_FAILED ? shared : NULL;
    return running->pool || base_refuse(error, "there is no memory for the workers: choose fewer jobs");
}

static void end(struct running *running)
{
    lab_plan_destroy(&running->plan);
    if (running->pool) {
        munmap(running->pool, sizeof *running->pool);
    }
}

static bool note_refusals(const struct lab_plan *plan, struct lab_troubles *refusals, struct ek_error *error)
{
    bool good = true;
    for (size_t c = 0; good && c < plan->experiments; c++) {
        if (plan->outcome[c].refused > 0) {
            struct lab_experiment_spec spec = lab_plan_experiment(plan, c);
            char *command = lab_experiment_spec_command(&spec, plan->experiment[c].grid->seed[0]);
            good = add_trouble(refusals, command, plan->outcome[c].why, plan->outcome[c].refused, error);
            free(command);
        }
    }
    return good;
}

static bool note_keys(const struct lab_plan *plan, struct lab_sweep_result *swept, struct ek_error *error)
{
    swept->key = malloc(plan->experiments * sizeof *swept->key);
    for (size_t c = 0; swept->key && c < plan->experiments; c++) {
        if (*plan->experiment[c].key) {
            memcpy(swept->key[swept->keys++], plan->experiment[c].key, LAB_KEY_SIZE);
        }
    }
    return swept->key ||
           base_refuse(error, "there is no memory for the keys of the runs: divide them into several sweeps");
}

static bool finish(struct running *running, struct ek_error *error)
{
    struct lab_sweep_result *swept = running->swept;
    struct counts sum = count(running);
    swept->runs = running->plan.runs;
    swept->ran += sum.ran;
    swept->reused = running->plan.reused + sum.reused;
    swept->refused = running->plan.refused + sum.refused;
    swept->unreached = sum.unreached;
    swept->violated = sum.violated;
    swept->stuck = sum.stuck;
    swept->left = swept->runs - swept->ran - swept->reused - swept->refused - swept->failed;
    swept->elapsed_s = 1e-9 * (double)(lab_clock_ns() - running->began_ns);
    swept->jobs = jobs_together(running->sweep);
    swept->interrupted = running->sweep->stopped && running->sweep->stopped();
    return note_keys(&running->plan, swept, error) && note_refusals(&running->plan, &swept->refusals, error);
}

bool lab_sweep_run(const struct lab_sweep *sweep, struct lab_sweep_result *swept, struct ek_error *error)
{
    *swept = (struct lab_sweep_result){0};
    struct lab_store *store = lab_store_open(sweep->store, LAB_STORE_ADD, error);
    struct running running = {0};
    bool good = store && lab_store_check(store, error) && begin(&running, sweep, sweep->store, swept, error) &&
                lab_plan_make(&running.plan, &sweep->request, store, error);
    lab_store_close(store); // each worker opens it itself
    if (!good) {
        end(&running);
        return false;
    }
    struct lab_plan *plan = &running.plan;
    good = run_phase(&running, 0, plan->together, jobs_together(sweep), true, error) &&
           run_phase(&running, plan->together, plan->together + plan->alone, jobs_alone(sweep), false, error);
    struct ek_error other;
    good = finish(&running, good ? error : &other) && good;
    end(&running);
    return good;
}

static double cost_s(const struct lab_sweep *sweep, struct lab_plan *plan)
{
    double together_s = lab_plan_expect(plan, 0, plan->together);
    double alone_s = lab_plan_expect(plan, plan->together, plan->together + plan->alone);
    return together_s / jobs_together(sweep) + alone_s / jobs_alone(sweep);
}

// Returns how many of a phase's tasks are measured. These are the tasks that predict, and some more: a store grows in
// pages, so few runs would not show how large each one is.
static size_t measured(size_t first, size_t all)
{
    return all - first > MEASURED_MORE ? first + MEASURED_MORE : all;
}

// Finds the size of a store without runs.
static bool measure_empty(int64_t *bytes, struct ek_error *error)
{
    struct lab_store *store = lab_store_open(":memory:", LAB_STORE_ADD, error);
    bool good = store && lab_store_bytes(store, bytes, error);
    lab_store_close(store);
    return good;
}

bool lab_sweep_measure(const struct lab_sweep *sweep, struct lab_sweep_cost *cost, struct ek_error *error)
{
    *cost = (struct lab_sweep_cost){.jobs = jobs_together(sweep)};
    struct lab_store *store = NULL;
    int64_t empty = 0;
    bool there = access(sweep->store, F_OK) == 0;
    if (there ? !(store = lab_store_open(sweep->store, LAB_STORE_READ, error)) : !measure_empty(&empty, error)) {
        return false;
    }
    struct running running = {0};
    struct lab_sweep_result swept = {0};
    bool good = begin(&running, sweep, ":memory:", &swept, error) &&
                lab_plan_make(&running.plan, &sweep->request, store, error);
    lab_store_close(store);
    if (!good) {
        end(&running);
        return false;
    }
    struct lab_plan *plan = &running.plan;
    running.phase.deadline_ns = running.began_ns + MEASURE_S * UINT64_C(1000000000);
    good =
        run_phase(&running, 0, measured(plan->together_first, plan->together), 1, true, error) &&
        run_phase(&running, plan->together, plan->together + measured(plan->alone_first, plan->alone), 1, false, error);
    struct counts sum = count(&running);
    size_t tasks = plan->together + plan->alone;
    cost->runs = plan->runs;
    cost->reused = plan->reused;
    cost->refused = plan->refused + sum.refused;
    cost->measured = sum.ran;
    cost->elapsed_s = tasks > 0 ? cost_s(sweep, plan) : 0.0;
    double each = sum.ran > 0 ? (double)sum.bytes / (double)sum.ran : NAN;
    cost->bytes = (double)empty + (tasks > 0 ? each * (double)tasks : 0.0);
    struct ek_error other;
    good = note_refusals(plan, &cost->refusals, good ? error : &other) && good;
    lab_troubles_destroy(&swept.failures);
    end(&running);
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

void lab_sweep_result_destroy(struct lab_sweep_result *swept)
{
    lab_troubles_destroy(&swept->refusals);
    lab_troubles_destroy(&swept->failures);
    free(swept->key);
}
