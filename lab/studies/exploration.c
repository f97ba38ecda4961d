// SPDX-License-Identifier: MIT
#include "lab/studies/exploration.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/clock.h"
#include "lab/studies/parallel_schedules.h"
#include "lab/studies/schedule_maker.h"
#include "lab/studies/schedule_recording.h"
#include "lab/studies/shrink.h"

struct exploring {
    struct lab_explore_request request;
    struct lab_exploration *exploration;
    uint64_t began_ns;
    double progress_s; // when progress was last reported
};

static double elapsed(const struct exploring *exploring)
{
    return 1e-9 * (double)(lab_clock_ns() - exploring->began_ns);
}

static bool is_late(const void *context)
{
    const struct exploring *exploring = context;
    const struct lab_explore_request *request = &exploring->request;
    return (request->stopped && request->stopped()) ||
           (request->seconds > 0.0 && elapsed(exploring) >= request->seconds);
}

static void show_progress(struct exploring *exploring)
{
    static const double EVERY_S = 0.1;
    const struct lab_explore_request *request = &exploring->request;
    double now_s = elapsed(exploring);
    if (request->progress && now_s - exploring->progress_s >= EVERY_S) {
        exploring->progress_s = now_s;
        request->progress(request->context, exploring->exploration->schedules, exploring->exploration->turns, now_s);
    }
}

static bool is_enough(void *context)
{
    show_progress(context);
    return is_late(context);
}

// ---- failures ----

static void record(const struct exploring *exploring, struct lab_schedule_origin origin)
{
    const struct lab_explore_request *request = &exploring->request;
    struct lab_exploration *exploration = exploring->exploration;
    origin.turns_most = request->turns_most;
    exploration->recorded =
        lab_schedule_record(&origin, request->recording, request->command, &exploration->unrecorded);
}

// Shrinks the schedule that failed, which the maker has run last, and records the small one.
static bool pursue(struct exploring *exploring, const struct lab_schedule_maker *maker, const struct ek_error *what,
                   struct ek_error *error)
{
    struct lab_exploration *exploration = exploring->exploration;
    struct lab_explore_failure *failure = &exploration->failure;
    struct lab_shrunk shrunk = {
        .experiment = exploring->request.experiment, .turns = ek_explore_turns(maker->explore), .what = *what};
    const struct ek_scheduled *step = ek_explore_steps(maker->explore, &shrunk.count);
    bool machines = lab_explores_machines(&shrunk.experiment);
    shrunk.number = failure->schedule;
    exploration->failed = true;
    failure->what = *what;
    failure->turns = shrunk.turns;
    shrunk.step = malloc((shrunk.count + 1) * sizeof *shrunk.step);
    if (!shrunk.step) {
        return base_refuse(error, "there is no memory to shrink a schedule that failed: %.300s", what->sentence);
    }
    memcpy(shrunk.step, step, shrunk.count * sizeof *shrunk.step);
    lab_shrink(&shrunk, exploring->request.strategy, exploring->request.turns_most);
    failure->topology = shrunk.topology;
    failure->load = shrunk.load;
    failure->within = lab_schedule_within(&shrunk.experiment, shrunk.number);
    failure->small_turns = shrunk.turns;
    failure->small_what = shrunk.what;
    failure->tried = shrunk.tried;
    record(exploring, (struct lab_schedule_origin){.experiment = &shrunk.experiment,
                                                   .strategy = machines ? NULL : "round-robin",
                                                   .step = machines ? NULL : shrunk.step,
                                                   .count = shrunk.count,
                                                   .number = shrunk.number});
    free(shrunk.step);
    return true;
}

// ---- exhaustive strategies, and the others ----

// Runs all schedules in one call, which only the log can interrupt.
static enum ek_status explore_all(struct exploring *exploring, struct ek_error *error)
{
    const struct lab_explore_request *request = &exploring->request;
    struct lab_exploration *exploration = exploring->exploration;
    struct lab_schedule_maker maker = {.stopped = is_late, .context = exploring};
    struct lab_made_schedule made = {.how = EK_EXPLORED_REFUSED};
    struct lab_schedule_sum sum;
    if (lab_schedule_maker_begin(&maker, &request->experiment, request->strategy, request->turns_most, error)) {
        lab_schedule_sum_begin(&sum, exploration, &maker);
        lab_schedule_make_all(&maker, &exploration->all, &made, error);
        exploration->elapsed_s = elapsed(exploring);
        lab_schedule_sum_add(&sum, &made);
        lab_schedule_sum_end(&sum);
        exploration->ends = exploration->all.ends;
    }
    struct ek_error what = *error;
    bool good = made.how != EK_EXPLORED_FAILS || pursue(exploring, &maker, &what, error);
    lab_schedule_maker_end(&maker);
    return made.how == EK_EXPLORED_REFUSED || !good ? EK_BAD_INPUT
           : made.how == EK_EXPLORED_FAILS          ? EK_VIOLATION
                                                    : EK_OK;
}

// Runs the failed schedule again on the caller's thread, and shrinks it.
static bool pursue_schedule(struct exploring *exploring, const struct ek_error *what, struct ek_error *error)
{
    const struct lab_explore_request *request = &exploring->request;
    struct lab_explore_failure *failure = &exploring->exploration->failure;
    struct lab_schedule_maker maker = {0};
    struct lab_made_schedule made;
    struct ek_error again;
    failure->schedule = exploring->exploration->schedules - 1;
    bool good = lab_schedule_maker_begin(&maker, &request->experiment, request->strategy, request->turns_most, error);
    if (good) {
        lab_schedule_make(&maker, failure->schedule, &made, &again);
        good = pursue(exploring, &maker, what, error);
    }
    lab_schedule_maker_end(&maker);
    return good;
}

static enum ek_status explore(struct exploring *exploring, struct ek_error *error)
{
    struct lab_exploration *exploration = exploring->exploration;
    enum ek_explored how = lab_schedules_make_parallel(&exploring->request, is_enough, exploring, exploration, error);
    exploration->elapsed_s = elapsed(exploring);
    if (how == EK_EXPLORED_ENDS && exploration->cut > 0) {
        record(exploring, (struct lab_schedule_origin){.experiment = &exploring->request.experiment,
                                                       .strategy = exploring->request.strategy,
                                                       .number = exploration->cut_first});
    }
    if (how == EK_EXPLORED_FAILS) {
        struct ek_error what = *error;
        return pursue_schedule(exploring, &what, error) ? EK_VIOLATION : EK_BAD_INPUT;
    }
    return how == EK_EXPLORED_REFUSED ? EK_BAD_INPUT : EK_OK;
}

// Returns whether a run of the experiment may go on for ever by design.
static bool is_endless(const struct ek_experiment *experiment)
{
    bool works = experiment->work && strcmp(experiment->work, "none") != 0;
    return experiment->stop ? strcmp(experiment->stop, "never") == 0 : works;
}

bool lab_explores_machines(const struct ek_experiment *experiment)
{
    return experiment->timing && strcmp(experiment->timing, "virtual") == 0;
}

enum ek_status lab_explore(const struct lab_explore_request *request, struct lab_exploration *exploration,
                           struct ek_error *error)
{
    struct exploring exploring = {.request = *request, .exploration = exploration};
    exploring.request.experiment.by_caller = true;
    bool machines = lab_explores_machines(&request->experiment);
    bool exhaustive = request->strategy && strncmp(request->strategy, "exhaustive", strlen("exhaustive")) == 0;
    double factor = request->experiment.within ? strtod(request->experiment.within, NULL) : 1.0;
    if (machines && factor == 1.0) {
        exploring.request.schedules = 1;
    }
    if (request->turns_most == 0) {
        exploring.request.turns_most = exhaustive ? EK_EXPLORE_DEEPEST : LAB_EXPLORE_TURNS;
    }
    *exploration = (struct lab_exploration){.exhaustive = exhaustive,
                                            .factor = machines ? factor : 0.0,
                                            .endless = is_endless(&request->experiment),
                                            .turns_most = exploring.request.turns_most};
    exploring.began_ns = lab_clock_ns();
    enum ek_status status = exhaustive ? explore_all(&exploring, error) : explore(&exploring, error);
    return status == EK_OK && request->stopped && request->stopped() ? EK_UNREACHED : status;
}

void lab_exploration_destroy(struct lab_exploration *exploration)
{
    free(exploration->failure.topology);
    free(exploration->failure.load);
    free(exploration->failure.within);
}
