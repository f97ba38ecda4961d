// SPDX-License-Identifier: MIT
// A run of a prepared machine: its workers, what the caller does meanwhile, and why it ended.
#include "threads/api/run.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "threads/machine/machine.h"
#include "threads/machine/on_ranks.h"
#include "threads/host/workers.h"
#include "base/cursor.h"

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

// Whether a processor looks at its own load alone.
static bool own_load_decides(const struct core_invoke *invoke)
{
    return invoke->kind != CORE_INVOKE_GRADIENT && invoke->kind != CORE_INVOKE_GLOBAL && core_invoke_by_load(invoke);
}

// Whether a processor that has the mean load invokes. Then, in free timing, somebody always will.
static bool mean_invokes(const struct ek_machine *machine, const struct ek_report *report, double *mean)
{
    *mean = report->total_final / machine->topology->processors;
    return machine->engine->overlapping && own_load_decides(&machine->invoke) &&
           core_invoke_test(&machine->invoke, report->seed, 0, 0, *mean);
}

// Whether nobody invokes an operation with the loads that the run ended with.
static bool nobody_invokes(const struct ek_machine *machine, const struct ek_report *report)
{
    const struct core_invoke *invoke = &machine->invoke;
    return own_load_decides(invoke) && !core_invoke_test(invoke, report->seed, 0, 0, report->minimum) &&
           !core_invoke_test(invoke, report->seed, 0, 0, report->maximum);
}

// Whether something that has failed has not come back.
static bool something_is_down(const struct ek_report *report)
{
    const struct ek_faults_report *faults = report->timed ? &report->free.faults : &report->faults;
    return faults->link_failures + faults->processor_failures > faults->repairs;
}

// Why nothing moves any more, where the theory does not know. Only what is certain.
static const char *why_frozen(const struct ek_machine *machine)
{
    return machine->units == EK_TOKENS
               ? "nothing can move any more: this is as far as whole tokens get with this method"
               : "nothing can move any more: this is as far as the method gets";
}

// Why a run that was given up may have got no nearer. A suspicion each.
static const char *why_hopeless(const struct ek_machine *machine, const struct ek_report *report)
{
    bool overlapping = machine->engine->overlapping && !machine->pushed;
    bool grew = report->error_final > report->error_initial;
    if (something_is_down(report)) {
        return "perhaps what is down lies between those that have much and those that have little";
    }
    if (overlapping && machine->domains != MACHINE_DOMAINS_EXCLUSIVE && (grew || machine->units == EK_REAL)) {
        return "perhaps operations that overlap move too much together: try --domains once or exclusive, --invoke "
               "probability:P, or a smaller parameter";
    }
    if (machine->method->rounds->reads_invokes && machine->invoke.kind == CORE_INVOKE_ALWAYS) {
        return "perhaps domains that overlap move too much together: try --invoke probability:0.1";
    }
    if ((machine->pushed || core_links_delay(&machine->links)) && machine->units == EK_REAL) {
        return "perhaps the loads swing, as what is sent by old announcements comes late: try a smaller parameter";
    }
    if (grew) {
        return "perhaps this method never balances these loads: they are farther from balance than they began";
    }
    return machine->units == EK_TOKENS ? "perhaps this is as far as whole tokens get with this method"
                                       : "perhaps this is as far as the method gets";
}

// Writes what the theory knows of why. What freezes tokens does so in every timing, over links that carry everything.
static bool theory_knows(const struct ek_machine *machine, char *why, size_t size)
{
    bool whole = machine_has(machine, CORE_NEEDS_PLAIN & ~CORE_NEEDS_NO_WORK);
    bool links_matter = machine->units == EK_TOKENS && !core_links_carry_all(&machine->links);
    return machine->stop.kind != CORE_STOP_NEVER && !links_matter &&
           core_never_balances(machine->topology, machine_matrix(machine), machine->plan.parameter, whole,
                               machine->units, why, size);
}

// What a word for the end says to a person; "" where that is in the numbers.
static const char *why_ended(const struct ek_machine *machine, enum ek_ended ended)
{
    switch (ended) {
    case EK_ENDED_INTERRUPT:
        return "interrupted";
    case EK_ENDED_STEPS:
        return "--steps cut it";
    case EK_ENDED_OPERATIONS:
        return "--operations cut it";
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

// A direct method that came to its end, but not to balance: what rounding did on its way is left.
static void explain_rounding(const struct ek_report *report, char *why, size_t size)
{
    snprintf(
        why, size,
        "the method came to its end %.3g from balance: so far the rounding errors of its steps have grown; another "
        "order of steps, or ops, may do better",
        report->error_final);
}

static void explain_cycle(const struct ek_machine *machine, const struct ek_report *report, char *why, size_t size)
{
    char theory[232] = "";
    bool known = theory_knows(machine, theory, sizeof theory);
    snprintf(why, size, "the loads come back after %llu operation%s, with a spread of %g, and so for ever%s%s",
             (unsigned long long)report->cycle, report->cycle == 1 ? "" : "s", report->spread_final, known ? ": " : "",
             theory);
}

static void explain_growth(const struct ek_machine *machine, const struct ek_report *report, char *why, size_t size)
{
    char theory[232] = "";
    char grown[40] = "beyond all numbers";
    bool known = theory_knows(machine, theory, sizeof theory);
    if (isfinite(report->error_final)) {
        snprintf(grown, sizeof grown, "to %.3g from balance", report->error_final);
    }
    snprintf(why, size,
             "the loads grew %s, and rounding made or lost more than a millionth of all load: the numbers have lost "
             "their meaning%s%s",
             grown, known ? "; " : "", theory);
}

static void explain_giving_up(const struct ek_machine *machine, const struct ek_report *report, char *why, size_t size)
{
    char theory[232] = "";
    bool known = theory_knows(machine, theory, sizeof theory);
    bool given_up = report->ended == EK_ENDED_GIVEN_UP;
    snprintf(why, size, "%sthe distance from balance has not fallen while the operations doubled; %s%s",
             given_up ? "given up, as no limit was set: " : "", known ? theory : why_hopeless(machine, report),
             given_up ? "; that is no proof: --steps, --operations or --for lets it go on" : "");
}

// Why the criterion was not reached. Each sentence stands beside what makes it true.
static void explain(const struct ek_machine *machine, struct ek_report *report, const struct ek_error *error)
{
    double mean;
    char *why = report->why;
    size_t size = sizeof report->why;
    enum ek_ended ended = report->ended;
    *why = '\0';
    if (report->converged) {
        return;
    }
    if (ended == EK_ENDED_VIOLATION) {
        snprintf(why, size, "%.399s", error->sentence);
    } else if (ended == EK_ENDED_DIVERGES) {
        explain_growth(machine, report, why, size);
    } else if (ended == EK_ENDED_REPEATS) {
        explain_cycle(machine, report, why, size);
    } else if (ended == EK_ENDED_ITSELF && machine->stop.kind == CORE_STOP_ITSELF) {
        explain_rounding(report, why, size);
    } else if ((ended == EK_ENDED_GIVEN_UP || ended == EK_ENDED_FROZEN) && mean_invokes(machine, report, &mean)) {
        snprintf(why, size, "the mean, %g, lies outside the bounds of --invoke: somebody always invokes", mean);
    } else if (report->hopeless && machine->stop.kind != CORE_STOP_NEVER && ended != EK_ENDED_FROZEN) {
        explain_giving_up(machine, report, why, size);
    } else if (ended == EK_ENDED_FROZEN && nobody_invokes(machine, report)) {
        snprintf(why, size, "nobody invokes an operation: nothing moves");
    } else if (ended == EK_ENDED_FROZEN && something_is_down(report)) {
        snprintf(why, size, "nothing can move any more over the links that are left");
    } else if (!theory_knows(machine, why, size)) {
        snprintf(why, size, "%s", ended == EK_ENDED_FROZEN ? why_frozen(machine) : why_ended(machine, ended));
    }
}

// Whether a method has done what it promises by its own end: a direct method's real result is held against balance, to
// the error that the papers of such methods balance to, 0.01 for each of at most two stages, or to a millionth of large
// loads.
static bool kept_its_promise(const struct ek_machine *machine, const struct ek_report *report)
{
    double mean = report->total_initial / machine->topology->processors;
    double norm = sqrt(report->variance_initial + machine->topology->processors * mean * mean);
    bool exact = ek_machine_direct(machine) && machine->units == EK_REAL;
    return !exact || report->error_final <= fmax(0.02, 1e-6 * norm);
}

// What the end of a run says of it. Where there was no criterion, an end that was asked for is a good one.
static enum ek_status judge(const struct ek_machine *machine, struct ek_report *report)
{
    enum ek_ended ended = report->ended;
    if (machine->stop.kind == CORE_STOP_ITSELF) {
        report->converged = ended == EK_ENDED_ITSELF && kept_its_promise(machine, report);
    }
    report->converged = report->converged && ended != EK_ENDED_DIVERGES; // the numbers have lost their meaning
    bool asked =
        ended == EK_ENDED_STEPS || ended == EK_ENDED_OPERATIONS || ended == EK_ENDED_TIME || ended == EK_ENDED_ITSELF;
    bool rests = machine->pushed && ended == EK_ENDED_FROZEN; // it would wait for its limit, and do nothing
    bool never = machine->stop.kind == CORE_STOP_NEVER && (asked || rests);
    return report->converged || never ? EK_OK : EK_UNREACHED;
}

enum ek_status machine_conclude(const struct ek_machine *machine, enum ek_status status, struct ek_report *report,
                                const struct ek_error *error)
{
    if (status == EK_OK) {
        status = judge(machine, report);
    }
    report->converged = report->converged && status == EK_OK;
    report->ended = status == EK_VIOLATION ? EK_ENDED_VIOLATION : report->ended;
    explain(machine, report, error);
    return status;
}

static enum ek_status run_whole(struct ek_machine *machine, uint64_t run, struct ek_report *report,
                                void (*progress)(void *context, const struct ek_progress *so_far), void *context,
                                struct ek_error *error)
{
    const struct machine_engine *engine = machine->engine;
    memset(error, 0, sizeof *error);
    memset(report, 0, sizeof *report);
    if (machine->experiment.by_caller) {
        base_fail(error, EK_BAD_INPUT, "",
                  "this machine was prepared to be explored or made again: prepare it without `by_caller` to run it");
        return error->status;
    }
    struct listener listener = {.engine = engine, .progress = progress, .context = context};
    listener.run = engine->create(machine, run, error);
    if (!listener.run) {
        return error->status;
    }
    struct machine_work work = {.body = engine->work,
                                .help = machine->helped ? engine->help : NULL,
                                .context = listener.run,
                                .tick = engine->attend || progress ? tick : NULL,
                                .tick_context = &listener,
                                .period_ns = engine->attend_ns,
                                .speaks = machine->ranks != NULL};
    clock_gettime(CLOCK_MONOTONIC, &listener.began);
    enum ek_status status = EK_BAD_INPUT;
    // Who starts ranks also says where each may run.
    const struct machine_places *places = machine->experiment.unpinned || machine->ranks ? NULL : machine->places;
    if (machine_workers_run(machine_ranks_threads(machine), places, &work, error)) {
        status = engine->report(listener.run, report, error);
        status = machine_conclude(machine, status, report, error);
    }
    engine->destroy(listener.run);
    return status;
}

// The workers use what lies on this thread's stack, so it must not be cancelled before they have ended.
enum ek_status ek_run(struct ek_machine *machine, uint64_t run, struct ek_report *report,
                      void (*progress)(void *context, const struct ek_progress *so_far), void *context,
                      struct ek_error *error)
{
    int cancelable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
    enum ek_status status = run_whole(machine, run, report, progress, context, error);
    pthread_setcancelstate(cancelable, &cancelable);
    return status;
}

void ek_report_destroy(struct ek_report *report)
{
    free(report->initial);
    free(report->flow);
    free(report->quota);
    free(report->final);
    free(report->trace);
    free(report->frame);
    free(report->frame_load);
    free(report->free.dump);
    free(report->free.link);
    report->initial = report->final = NULL;
    report->flow = NULL;
    report->flow_count = 0;
    report->quota = NULL;
    report->quota_dimensions = 0;
    report->trace = NULL;
    report->frame = NULL;
    report->frame_load = NULL;
    report->frame_count = 0;
    report->free.dump = NULL;
    report->free.link = NULL;
}
