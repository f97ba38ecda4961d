// SPDX-License-Identifier: MIT
// A worker of a sweep. It claims some tasks by advancing a counter that all workers share, makes them, and stores them
// together, about ten times a second.
#define _GNU_SOURCE // CPU_SET, which POSIX does not have
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "lab/record/clock.h"
#include "lab/record/run_experiment.h"
#include "lab/sweep/mpirun.h"
#include "lab/sweep/worker_pool.h"
#include "threads/api/run.h"

enum {
    CLAIM_MAX = 64,   // the most tasks that a worker claims at once
    TRACE_ROWS = 1024 // the most rows of a stored trace
};
static const double CLAIM_S = 0.1; // the intended duration of the tasks claimed at once

// A run that is made and not stored yet.
struct made {
    struct lab_stored_run stored;
    struct lab_record record;
};

// The data that a worker keeps from one run to the next.
struct state {
    const struct lab_sweep_phase *phase;
    struct lab_worker *worker;
    struct lab_store *store;
    struct ek_machine *machine;
    size_t experiment; // the experiment of the machine
    double limit_s;    // the time limit of the current run; 0: none
    struct made made[CLAIM_MAX];
    size_t count;
    uint64_t reused, refused; // of the claimed tasks; and why the last one was refused
    char why[sizeof((struct ek_error *)NULL)->sentence];
};

static struct lab_worker_pool *pool; // for lab_run's callback `stopped`, which has no context

static bool is_stopping(void)
{
    return pool->stop;
}

// Prepares the machine for a task: the current one with another seed if the experiment is the same.
static bool set_up(struct state *state, const struct lab_task *task, const struct ek_experiment *experiment,
                   struct ek_error *error)
{
    if (state->machine && state->experiment == task->experiment && ek_machine_reseed(state->machine, task->seed)) {
        return true;
    }
    ek_machine_destroy(state->machine);
    state->machine = ek_prepare(experiment, error);
    state->experiment = task->experiment;
    return state->machine;
}

// Corrects whether the seed differs from its default: the machine may have been prepared with another seed.
static void note_seed(struct lab_record *record, uint64_t seed)
{
    size_t axis = lab_axis_index("seed");
    record->axis[axis].given = seed != strtoull(ek_axis_at(axis)->initial, NULL, 10);
}

// Returns the request for a run of this experiment.
static struct lab_run_request request_for(unsigned parts, struct ek_experiment experiment, const char *command)
{
    experiment.keep_trace = parts & LAB_WITH_TRACE;
    experiment.trace_rows = TRACE_ROWS;
    experiment.keep_loads = parts & (LAB_WITH_FINAL | LAB_WITH_INITIAL);
    return (struct lab_run_request){.experiment = experiment,
                                    .runs = 1,
                                    .command = command,
                                    .theory = parts & LAB_KEEP_THEORY,
                                    .loads_kept = UINT64_MAX,
                                    .traces_kept = UINT64_MAX,
                                    .stopped = is_stopping};
}

// Ends the process, because memory was short for a run. The end of the process returns its memory, and another worker
// continues after this run. If the sweep is only measured, the worker fails instead.
static bool starve(struct state *state, const char *sentence, struct ek_error *error)
{
    base_refuse(error, "%s", *sentence ? sentence : "there was no memory for all of a run");
    if (state->phase->deadline_ns == 0) {
        state->worker->error = *error;
        state->worker->gave_up = true;
        _exit(EXIT_FAILURE);
    }
    return false;
}

// Ends the process if the run continues long after its time limit, because then its method or its program does not
// return. Another worker continues with the next run.
static void end_overdue(void *context, uint64_t run, const struct ek_progress *so_far)
{
    static const double PATIENCE_S = 5.0;
    struct state *state = context;
    (void)run;
    if (state->limit_s > 0.0 && so_far->elapsed_s > state->limit_s + PATIENCE_S) {
        base_refuse(&state->worker->error,
                    "it went on %g s after its time limit: its method or its program does not return", PATIENCE_S);
        state->worker->gave_up = true;
        _exit(EXIT_FAILURE);
    }
}

// Returns what the store is to keep of this task besides the numbers.
static unsigned parts_of(const struct lab_sweep_phase *phase, const struct lab_task *task)
{
    return phase->sweep->parts | phase->plan->experiment[task->experiment].parts;
}

// Makes a run. If the machine refuses it, the reason is kept. A run that was stopped does not count.
static bool make_run(struct state *state, const struct lab_task *task, const struct lab_run_request *request,
                     struct ek_error *error)
{
    const struct lab_sweep_phase *phase = state->phase;
    struct made *made = &state->made[state->count];
    struct ek_error refusal = {.at = -1};
    uint64_t began_ns = lab_clock_ns();
    errno = 0;
    *made =
        (struct made){.stored = {.key = phase->plan->experiment[task->experiment].key, .parts = parts_of(phase, task)}};
    lab_store_now(made->stored.started);
    unsigned ranks = lab_ranks_of_carrier(request->experiment.carrier);
    if (ranks > 0) {
        made->stored.status = lab_ranks_run(request, ranks, &made->record, &refusal);
    } else {
        made->stored.status = set_up(state, task, &request->experiment, &refusal)
                                  ? lab_run_on(request, state->machine, &made->record, &refusal)
                                  : EK_BAD_INPUT;
    }
    made->stored.duration_s = 1e-9 * (double)(lab_clock_ns() - began_ns);
    if (made->stored.status == EK_BAD_INPUT && errno == ENOMEM) { // a good run can leave an old errno, too
        return starve(state, refusal.sentence, error);
    }
    if (made->stored.status == EK_BAD_INPUT) {
        state->refused++;
        memcpy(state->why, refusal.sentence, sizeof state->why);
    } else if (made->record.count == 1 && made->record.runs[0].ended != EK_ENDED_INTERRUPT) {
        note_seed(&made->record, task->seed);
        state->count++;
        return true;
    }
    lab_record_destroy(&made->record);
    return true;
}

// Makes a task unless the store has its run by now, since another sweep may share the store. Returns false if the
// worker cannot continue.
static bool make_task(struct state *state, const struct lab_task *task, struct ek_error *error)
{
    const struct lab_sweep *sweep = state->phase->sweep;
    const struct lab_plan *plan = state->phase->plan;
    bool has = false;
    if (!sweep->request.again &&
        !lab_store_has(state->store, plan->experiment[task->experiment].key, task->seed, &has, error)) {
        return false;
    }
    if (has) {
        state->reused++;
        return true;
    }
    struct lab_experiment_spec spec = lab_plan_experiment(plan, task->experiment);
    char *command = lab_experiment_spec_command(&spec, task->seed);
    struct ek_experiment experiment;
    bool good = command ? lab_experiment_spec_read(&spec, sweep->request.reader, &experiment, error)
                        : base_refuse(error, "there is no memory for a run's command: choose fewer jobs");
    if (good) {
        experiment.seed = task->seed;
        struct lab_run_request request = request_for(parts_of(state->phase, task), experiment, command);
        state->limit_s = experiment.seconds_max;
        request.on_progress = end_overdue;
        request.context = state;
        good = make_run(state, task, &request, error);
    }
    free(command);
    return good;
}

static void count_run(struct lab_worker *worker, enum ek_status status)
{
    worker->ran++;
    worker->unreached += status == EK_UNREACHED;
    worker->violated += status == EK_VIOLATION;
    worker->stuck += status == EK_STUCK;
}

// Counts the results of an experiment's tasks after they are stored.
static void count_experiment(struct state *state, size_t experiment, uint64_t duration_ns)
{
    struct lab_outcome *outcome = &state->phase->plan->outcome[experiment];
    if (state->refused > 0 && atomic_fetch_add(&outcome->refused, state->refused) == 0) {
        memcpy(outcome->why, state->why, sizeof outcome->why);
    }
    outcome->duration_ns += duration_ns;
    outcome->runs += state->count;
    state->worker->refused += state->refused;
    state->worker->reused += state->reused;
    state->refused = state->reused = 0;
}

// Stores the runs made, which are all of one experiment.
static bool keep(struct state *state, size_t experiment, struct ek_error *error)
{
    bool again = state->phase->sweep->request.again;
    bool good = true;
    for (size_t i = 0; good && i < state->count; i++) {
        struct lab_stored_run *stored = &state->made[i].stored;
        good = !(stored->parts & (LAB_KEEP_RECORD | LAB_KEEP_EXTRACT)) ||
               lab_store_pack(state->store, stored, &state->made[i].record, error);
    }
    good = good && (state->count == 0 || lab_store_execute(state->store, "BEGIN IMMEDIATE", error));
    bool added[CLAIM_MAX];
    uint64_t duration_ns = 0;
    for (size_t i = 0; good && i < state->count; i++) {
        const struct made *made = &state->made[i];
        good = lab_store_add(state->store, &made->stored, &made->record, again, &added[i], error);
        duration_ns += (uint64_t)(1e9 * made->stored.duration_s);
    }
    good = good && (state->count == 0 || lab_store_execute(state->store, "COMMIT", error));
    for (size_t i = 0; i < state->count; i++) {
        if (good && added[i]) {
            count_run(state->worker, state->made[i].stored.status);
        }
        state->reused += good && !added[i]; // another sweep stored it first
        lab_record_destroy(&state->made[i].record);
        free(state->made[i].stored.packed);
    }
    if (good) {
        count_experiment(state, experiment, duration_ns);
    }
    state->count = 0;
    return good;
}

// Returns how many tasks of an experiment last about CLAIM_S, so that no worker waits long for another one at the end.
static size_t claim_of(const struct lab_outcome *outcome)
{
    uint64_t runs = outcome->runs;
    double mean_s = runs > 0 ? 1e-9 * (double)outcome->duration_ns / (double)runs : CLAIM_S;
    return (size_t)fmin(fmax(CLAIM_S / fmax(mean_s, 1e-9), 1.0), CLAIM_MAX);
}

// Claims the next tasks, all of one experiment. Returns false if none is left.
static bool claim(struct state *state)
{
    const struct lab_sweep_phase *phase = state->phase;
    const struct lab_task *task = phase->plan->task;
    if (pool->stop || (phase->deadline_ns > 0 && lab_clock_ns() > phase->deadline_ns)) {
        return false;
    }
    size_t from = pool->next, to;
    do {
        if (from >= phase->to) {
            return false;
        }
        size_t most = claim_of(&phase->plan->outcome[task[from].experiment]);
        to = from + 1;
        while (to < phase->to && to - from < most && task[to].experiment == task[from].experiment) {
            to++;
        }
    } while (!atomic_compare_exchange_weak(&pool->next, &from, to));
    state->worker->from = state->worker->at = from;
    state->worker->to = to;
    return true;
}

// Makes and stores the claimed tasks.
static bool make_claimed(struct state *state, struct ek_error *error)
{
    struct lab_worker *worker = state->worker;
    const struct lab_task *task = state->phase->plan->task;
    bool good = true;
    for (; good && worker->at < worker->to && !pool->stop; worker->at++) {
        if (!task[worker->at].skipped) {
            worker->since_ns = lab_clock_ns();
            worker->running = true;
            good = make_task(state, &task[worker->at], error);
            worker->running = false;
        }
    }
    good = keep(state, worker->from < worker->to ? task[worker->from].experiment : 0, error) && good;
    worker->from = worker->to = 0;
    return good;
}

// Makes the claimed tasks, and then claims more. A worker that replaces a dead one begins with the tasks that the dead
// worker had claimed.
static bool make_all(struct state *state, struct ek_error *error)
{
    bool good = true;
    do {
        good = make_claimed(state, error);
    } while (good && claim(state));
    return good;
}

// Pins the process to one of its cores, as otherwise all workers' threads would share the same core.
static void pin_to_core(unsigned index)
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
            sched_setaffinity(0, sizeof own, &own); // if it fails, the runs are slower
        }
    }
}

// Ignores Ctrl-C, SIGTERM and a closed terminal: the main process handles them and tells its workers when to stop.
static void ignore_signals(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
}

void lab_worker_main(const struct lab_sweep_phase *phase, struct lab_worker_pool *of, unsigned index)
{
    pool = of;
    struct lab_worker *worker = &pool->worker[index];
    struct state *state = calloc(1, sizeof *state);
    ignore_signals();
    if (phase->pinned) {
        pin_to_core(index);
    }
    if (!state) {
        worker->broken = !base_refuse(&worker->error, "there is no memory for a worker: choose fewer jobs");
        return;
    }
    state->phase = phase;
    state->worker = worker;
    state->store = lab_store_open(phase->store, LAB_STORE_ADD, &worker->error);
    int64_t empty, full;
    bool good = state->store && lab_store_bytes(state->store, &empty, &worker->error) &&
                make_all(state, &worker->error) && lab_store_bytes(state->store, &full, &worker->error);
    worker->bytes += good ? (uint64_t)(full - empty) : 0;
    worker->broken = !good;
    ek_machine_destroy(state->machine);
    lab_store_close(state->store);
    free(state);
}
