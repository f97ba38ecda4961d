// SPDX-License-Identifier: MIT
// A run of a prepared machine: its workers, what the caller does meanwhile, and why it ended.
#include "threads/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "threads/machine.h"
#include "threads/workers.h"

// What the caller does while the workers run: it attends to the engine, and tells the progress about ten times a
// second.
struct listener {
    const struct machine_engine *engine;
    void *run;
    struct timespec began;
    double told_s; // when progress was told last
    void (*progress)(void *context, const struct ek_progress *so_far);
    void *context;
};

static void tick(void *context)
{
    enum { TELL_EVERY_MS = 100 };
    struct listener *listener = context;
    if (listener->engine->attend) {
        listener->engine->attend(listener->run);
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct ek_progress so_far = {0};
    so_far.elapsed_s =
        (double)(now.tv_sec - listener->began.tv_sec) + 1e-9 * (double)(now.tv_nsec - listener->began.tv_nsec);
    if (listener->progress && so_far.elapsed_s - listener->told_s >= 1e-3 * (TELL_EVERY_MS - 1)) {
        listener->told_s = so_far.elapsed_s;
        listener->engine->progress(listener->run, &so_far);
        listener->progress(listener->context, &so_far);
    }
}

// Whether a processor that has the mean load invokes. Then, in free timing, somebody always will.
static bool mean_invokes(const struct ek_machine *machine, const struct ek_report *report, double *mean)
{
    *mean = report->total_final / machine->topology->processors;
    bool by_load = machine->invoke.kind == CORE_INVOKE_BELOW || machine->invoke.kind == CORE_INVOKE_OUTSIDE;
    return machine->engine->overlapping && by_load && core_invoke_test(&machine->invoke, report->seed, 0, 0, *mean);
}

// Why a run that was given up got no nearer, where the theory does not know.
static const char *why_frozen(const struct ek_machine *machine, const struct ek_report *report)
{
    bool tokens = machine->units == EK_TOKENS;
    bool overlapping = machine->engine->overlapping;
    if (report->parcels == 0 && machine->invoke.kind != CORE_INVOKE_ALWAYS) {
        return "nobody invokes an operation: nothing moves";
    }
    bool grew = report->variance_final > report->variance_initial;
    if (overlapping && !machine->exclusive && (grew || !tokens)) {
        return "operations that overlap move too much together: use --domains exclusive, --invoke probability:P, or a "
               "smaller parameter";
    }
    if (grew) {
        return "the differences between the loads grow: so this method never balances them";
    }
    if (tokens) {
        return overlapping ? "the loads get no nearer to balance: this is as far as whole tokens get with this method"
                           : "nothing moves any more: this is as far as whole tokens get with this method";
    }
    return "the variance no longer falls: this is as far as the method gets";
}

// What the theory knows of why. What freezes tokens does so in every timing; the theory of real loads is of operations
// that do not overlap.
static bool theory_knows(const struct ek_machine *machine, struct ek_report *report)
{
    bool applies = !machine->engine->overlapping || machine->units == EK_TOKENS;
    return applies && machine->stop.kind != CORE_STOP_NEVER &&
           core_theory_why_not(machine->topology, machine_matrix(machine), machine->plan.parameter, machine->units,
                               report->why, sizeof report->why);
}

// What a word for the end says to a person; "" where that is in the numbers.
static const char *why_ended(const struct ek_machine *machine, enum ek_ended ended)
{
    switch (ended) {
    case EK_ENDED_INTERRUPT:
        return "interrupted";
    case EK_ENDED_TIME:
        return "--for cut it";
    case EK_ENDED_ITSELF:
        return ek_machine_direct(machine) ? "the method ended by itself"
                                          : "nobody invokes any more, and nothing is under way";
    case EK_ENDED_STUCK:
        return "the watchdog saw no progress";
    default:
        return "";
    }
}

// Why the criterion was not reached.
static void explain(const struct ek_machine *machine, struct ek_report *report, const struct ek_error *error)
{
    double mean;
    char *why = report->why;
    size_t size = sizeof report->why;
    bool frozen = report->ended == EK_ENDED_FROZEN;
    *why = '\0';
    if (report->converged) {
        return;
    }
    if (report->ended == EK_ENDED_VIOLATION) {
        snprintf(why, size, "%.399s", error->sentence);
    } else if (report->has_cycle) {
        snprintf(why, size,
                 "the loads come back after %llu operation%s, with a spread of %g: with this method they go on so for "
                 "ever",
                 (unsigned long long)report->cycle, report->cycle == 1 ? "" : "s", report->spread_final);
    } else if (frozen && mean_invokes(machine, report, &mean)) {
        snprintf(why, size, "the mean, %g, lies outside the bounds of --invoke: somebody always invokes", mean);
    } else if (!theory_knows(machine, report)) {
        snprintf(why, size, "%s", frozen ? why_frozen(machine, report) : why_ended(machine, report->ended));
    }
}

enum ek_status ek_run(struct ek_machine *machine, uint64_t run, struct ek_report *report,
                      void (*progress)(void *context, const struct ek_progress *so_far), void *context,
                      struct ek_error *error)
{
    const struct machine_engine *engine = machine->engine;
    memset(error, 0, sizeof *error);
    memset(report, 0, sizeof *report);
    struct listener listener = {.engine = engine, .progress = progress, .context = context};
    listener.run = engine->create(machine, run, error);
    if (!listener.run) {
        return error->status;
    }
    struct machine_work work = {.body = engine->work,
                                .context = listener.run,
                                .tick = engine->attend || progress ? tick : NULL,
                                .tick_context = &listener,
                                .period_ns = engine->attend_ns};
    clock_gettime(CLOCK_MONOTONIC, &listener.began);
    enum ek_status status = EK_BAD_INPUT;
    const struct machine_places *places = machine->experiment.unpinned ? NULL : machine->places;
    if (machine_workers_run(machine->workers, places, &work, error)) {
        status = engine->report(listener.run, report, error);
        explain(machine, report, error);
    }
    engine->destroy(listener.run);
    return status;
}

void ek_report_destroy(struct ek_report *report)
{
    free(report->initial);
    free(report->flow);
    free(report->final);
    free(report->trace);
    free(report->async.dump);
    free(report->async.link);
    report->initial = report->final = NULL;
    report->flow = NULL;
    report->flow_count = 0;
    report->trace = NULL;
    report->async.dump = NULL;
    report->async.link = NULL;
}
