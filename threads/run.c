// SPDX-License-Identifier: MIT
// A run of a prepared machine: its workers, what the caller does meanwhile, and why it ended.
#include "threads/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "threads/async/async.h"
#include "threads/rounds/turns.h"
#include "threads/workers.h"

void ek_interrupt(struct ek_machine *machine)
{
    atomic_store_explicit(&machine->interrupted, true, memory_order_relaxed); // a lone flag; no data goes with it
}

// What the caller does while the workers run: attends to a free-running machine, and tells the progress about ten
// times a second.
struct listener {
    struct rounds_run *rounds;
    struct async_run *async;
    struct timespec began;
    double told_s; // when progress was told last
    void (*progress)(void *context, const struct ek_progress *so_far);
    void *context;
};

static void tick(void *context)
{
    enum { TELL_EVERY_MS = 100 };
    struct listener *listener = context;
    if (listener->async) {
        async_attend(listener->async);
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct ek_progress so_far = {0};
    so_far.elapsed_s =
        (double)(now.tv_sec - listener->began.tv_sec) + 1e-9 * (double)(now.tv_nsec - listener->began.tv_nsec);
    if (!listener->progress || so_far.elapsed_s - listener->told_s < 1e-3 * (TELL_EVERY_MS - 1)) {
        return;
    }
    listener->told_s = so_far.elapsed_s;
    if (listener->async) {
        async_progress(listener->async, &so_far);
    } else {
        rounds_progress(listener->rounds, &so_far);
    }
    listener->progress(listener->context, &so_far);
}

// Whether whoever has the mean invokes: then somebody always will.
static bool mean_invokes(const struct ek_machine *machine, const struct ek_report *report, double *mean)
{
    *mean = report->total_final / machine->topology->processors;
    bool by_load = machine->invoke.kind == CORE_INVOKE_BELOW || machine->invoke.kind == CORE_INVOKE_OUTSIDE;
    return machine->async && by_load && core_invoke_test(&machine->invoke, report->seed, 0, 0, *mean);
}

// Why a run that was given up got no nearer, where the theory does not know.
static const char *why_frozen(const struct ek_machine *machine, const struct ek_report *report)
{
    bool tokens = machine->units == EK_TOKENS;
    if (report->parcels == 0 && machine->invoke.kind != CORE_INVOKE_ALWAYS) {
        return "nobody invokes an operation: nothing moves";
    }
    bool grew = report->variance_final > report->variance_initial;
    if (machine->async && !machine->exclusive && (grew || !tokens)) {
        return "operations that overlap move too much together: use --domains exclusive, --invoke probability:P, or a "
               "smaller parameter";
    }
    if (grew) {
        return "the differences between the loads grow: so this method never balances them";
    }
    if (tokens) {
        return machine->async
                   ? "the loads get no nearer to balance: this is as far as whole tokens get with this method"
                   : "nothing moves any more: this is as far as whole tokens get with this method";
    }
    return "the variance no longer falls: this is as far as the method gets";
}

// Why the criterion was not reached, where the theory knows.
static void explain(const struct ek_machine *machine, struct ek_report *report)
{
    double mean;
    bool rounds = !machine->async || machine->units == EK_TOKENS; // what freezes tokens does so without a barrier too
    bool known = rounds && report->reason != EK_CRITERION && machine->stop.kind != CORE_STOP_NEVER &&
                 core_theory_why_not(machine->topology, machine_matrix(machine), machine->plan.parameter,
                                     machine->units, report->why_not, sizeof report->why_not);
    if (report->cycle > 0) {
        snprintf(
            report->why_not, sizeof report->why_not,
            "the loads come back after %llu operation%s, with a spread of %g: with this method they go on so for ever",
            (unsigned long long)report->cycle, report->cycle == 1 ? "" : "s", report->spread_final);
    } else if (report->reason == EK_FROZEN && mean_invokes(machine, report, &mean)) {
        snprintf(report->why_not, sizeof report->why_not,
                 "the mean, %g, lies outside the bounds of --invoke: somebody always invokes", mean);
    } else if (report->reason == EK_FROZEN && !known) {
        snprintf(report->why_not, sizeof report->why_not, "%s", why_frozen(machine, report));
    }
}

enum ek_status ek_run(struct ek_machine *machine, uint64_t run, struct ek_report *report,
                      void (*progress)(void *context, const struct ek_progress *so_far), void *context,
                      struct ek_error *error)
{
    memset(error, 0, sizeof *error);
    memset(report, 0, sizeof *report);
    struct listener listener = {.progress = progress, .context = context};
    struct machine_work work = {.tick_context = &listener};
    if (machine->async) {
        work.context = listener.async = async_create(machine, run, error);
        work.body = async_work;
        work.tick = tick;
        work.period_ns = ASYNC_PERIOD;
    } else {
        work.context = listener.rounds = rounds_create(machine, run, error);
        work.body = machine->turns == MACHINE_TURNS_NONE ? rounds_work : rounds_turns_work;
        work.tick = progress ? tick : NULL;
    }
    if (!work.context) {
        return error->status;
    }
    clock_gettime(CLOCK_MONOTONIC, &listener.began);
    enum ek_status status = EK_BAD_INPUT;
    if (machine_workers_run(machine->workers, machine->unpinned ? NULL : machine->places, &work, error)) {
        status = machine->async ? async_report(listener.async, report, error)
                                : rounds_report(listener.rounds, report, error);
        explain(machine, report);
    }
    if (machine->async) {
        async_destroy(listener.async);
    } else {
        rounds_destroy(listener.rounds);
    }
    return status;
}

void ek_report_destroy(struct ek_report *report)
{
    free(report->initial);
    free(report->final);
    free(report->trace);
    report->initial = report->final = NULL;
    report->trace = NULL;
    free(report->async.dump);
    free(report->async.link);
    report->async.dump = NULL;
    report->async.link = NULL;
}
