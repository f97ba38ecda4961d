// SPDX-License-Identifier: MIT
// Runs a prepared machine: starts its threads, and does the work of the caller's thread meanwhile.
#include "threads/api/run.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "threads/host/workers.h"
#include "threads/machine/conclude.h"
#include "threads/machine/machine.h"
#include "threads/machine/on_ranks.h"
#include "threads/machine/report_memory.h"

// The work of the caller's thread while the workers run: it attends to the engine, and reports progress ten times a
// second.
struct listener {
    const struct machine_engine *engine;
    void *run;
    struct timespec began;
    double reported_s; // when progress was last reported
    void (*progress)(void *context, const struct ek_progress *so_far);
    void *context;
};

static void tick(void *context)
{
    enum { REPORT_EVERY_MS = 100 };
    struct listener *listener = context;
    if (listener->engine->attend) {
        listener->engine->attend(listener->run);
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct ek_progress so_far = {0};
    so_far.elapsed_s =
        (double)(now.tv_sec - listener->began.tv_sec) + 1e-9 * (double)(now.tv_nsec - listener->began.tv_nsec);
    if (listener->progress && so_far.elapsed_s - listener->reported_s >= 1e-3 * (REPORT_EVERY_MS - 1)) {
        listener->reported_s = so_far.elapsed_s;
        listener->engine->progress(listener->run, &so_far);
        listener->progress(listener->context, &so_far);
    }
}

static enum ek_status run_plan(const struct machine_plan *plan, uint64_t run, struct ek_report *report,
                               struct listener *listener, struct ek_error *error)
{
    const struct machine_engine *engine = plan->engine;
    memset(error, 0, sizeof *error);
    if (plan->experiment->by_caller) {
        base_fail(error, EK_BAD_INPUT, "",
                  "this machine was prepared to be explored or replayed: prepare it without `by_caller` to run it");
        return error->status;
    }
    listener->engine = engine;
    listener->run = engine->create(plan, run, error);
    if (!listener->run) {
        return error->status;
    }
    struct host_job job = {.body = engine->run_worker,
                           .help = plan->helped ? engine->help : NULL,
                           .context = listener->run,
                           .tick = engine->attend || listener->progress ? tick : NULL,
                           .tick_context = listener,
                           .period_ns = engine->attend_ns,
                           .large_stack = plan->experiment->large_stacks};
    clock_gettime(CLOCK_MONOTONIC, &listener->began);
    enum ek_status status = EK_BAD_INPUT;
    // The program that starts ranks also pins them.
    const struct host_places *places = plan->experiment->unpinned || plan->ranks ? NULL : plan->places;
    if (host_workers_run(machine_ranks_threads(plan), places, &job, error)) {
        status = engine->report(listener->run, report, error);
        status = machine_conclude(plan, status, report, error);
    }
    engine->destroy(listener->run);
    return status;
}

// The workers use data on this thread's stack, so it must not be cancelled before they have ended.
enum ek_status ek_run_sized(struct ek_machine *machine, uint64_t run, struct ek_report *report, size_t size,
                            void (*progress)(void *context, const struct ek_progress *so_far), void *context,
                            struct ek_error *error)
{
    int cancelable;
    struct ek_report own = {0};
    struct listener listener = {.progress = progress, .context = context};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
    enum ek_status status = run_plan(&machine->plan, run, &own, &listener, error);
    machine_report_give(&own, report, size);
    pthread_setcancelstate(cancelable, &cancelable);
    return status;
}
