// SPDX-License-Identifier: MIT
// The exploration of schedules: makes a schedule from its first step to the end of the run, and reports on it.
#include "threads/machine/conclude.h"
#include "threads/machine/machine.h"
#include "threads/machine/report_memory.h"
#include "threads/api/explore.h"

#include <stdlib.h>
#include <string.h>

#include "threads/free/control/end.h"
#include "threads/free/control/attend.h"
#include "threads/free/control/free_run.h"
#include "threads/free/control/report.h"
#include "threads/free/finish.h"
#include "threads/drivers/explore/exhaustive.h"
#include "threads/drivers/explore/explore_virtual.h"
#include "threads/free/post.h"
#include "threads/free/processor.h"
#include "threads/drivers/explore/strategy.h"
#include "threads/drivers/virtual/virtual_engine.h"
#include "threads/machine/budget.h"
#include "base/cursor.h"
#include "base/random.h"

static bool keep_step(struct ek_explore *explore, struct ek_scheduled step)
{
    if (explore->steps == explore->steps_size) {
        size_t size = 2 * explore->steps_size + 1024;
        struct ek_scheduled *more = realloc(explore->step, size * sizeof *more);
        if (!more) {
            return false;
        }
        explore->step = more;
        explore->steps_size = size;
    }
    explore->step[explore->steps++] = step;
    return true;
}

static void violate(struct ek_explore *explore, const char *what, uint64_t count)
{
    free_violate(explore->run, what, (unsigned long long)count);
}

// Drains the run, as the attendant does when its time is over.
static void drain(struct ek_explore *explore)
{
    free_drain(explore->control, EK_ENDED_TIME);
    explore->drained_at = explore->turns;
    for (unsigned w = 0; w < explore->run->machine->workers; w++) {
        explore_wake(explore, w);
    }
}

// Ends a run in which no event will come any more. If no processor waits, only a reason to end is missing, and the run
// is drained.
static void end_at_rest(struct ek_explore *explore)
{
    const struct free_run *run = explore->run;
    uint32_t p = explore_waiting_processor(explore);
    if (p < run->topology->processors) {
        violate(explore, "nothing is left to do, but processor %llu waits in an operation", p);
    } else if (free_drains(explore->control)) {
        violate(explore, "nothing is left to do, but the run does not end, with %llu messages under way",
                explore->checker.under_way);
    } else {
        drain(explore);
        explore->rests = 0;
    }
}

// Drains a schedule that has too many turns, and notes a violation if it does not end then. A run that drained because
// its criterion held goes on if the criterion no longer holds. Such a run is drained again.
static void bound_turns(struct ek_explore *explore)
{
    if (explore->drained_at > 0 && !free_drains(explore->control)) {
        free_drain(explore->control, EK_ENDED_TIME);
    }
    if (explore->drained_at == 0 && explore->turns >= explore->turns_most) {
        drain(explore);
        explore->was_cut = true;
    } else if (explore->drained_at > 0 && explore->turns - explore->drained_at >= explore_turns_to_end(explore)) {
        violate(explore, "the run has not ended %llu turns after it was told to end", explore_turns_to_end(explore));
    }
}

// At the end of a run with tasks, those that were executed must be those that were created.
static void check_tasks(struct ek_explore *explore)
{
    struct free_run *run = explore->run;
    struct ek_error wrong;
    bool done = explore->control->attendant.ended == EK_ENDED_DONE;
    if (free_has_tasks(run) && !cargo_good(&run->tasks, done, &wrong)) {
        free_violate_with(run, &wrong);
    }
}

// Makes the schedule, to the end of the run.
static enum ek_explored make(struct ek_explore *explore, struct ek_error *error)
{
    while (!explore_is_over(explore)) {
        struct ek_scheduled step = explore_strategy_next(explore);
        if (step.who == EXPLORE_NO_ACTOR) {
            if (!explore_advance_clock(explore)) {
                end_at_rest(explore);
            }
            continue;
        }
        if (!keep_step(explore, step)) {
            base_fail(error, EK_BAD_INPUT, "", "no memory for so many steps: use fewer turns");
            return EK_EXPLORED_REFUSED;
        }
        explore_step(explore, step);
        bound_turns(explore);
    }
    explore_finish(explore);
    if (!explore_has_failed(explore)) {
        explore_check_end_of_run(&explore->checker);
        check_tasks(explore);
    }
    if (explore_has_failed(explore)) {
        *error = explore->run->shared.violation;
        return EK_EXPLORED_FAILS;
    }
    return explore->was_cut ? EK_EXPLORED_CUT : EK_EXPLORED_ENDS;
}

enum ek_explored ek_explore_schedule(struct ek_explore *explore, uint64_t number, struct ek_error *error)
{
    if (explore->plan) {
        return explore_virtual_schedule(explore, number, error);
    }
    explore_restart(explore);
    explore->script = NULL;
    explore->script_count = 0;
    explore->random = base_random_start(explore->run->seed, number, BASE_STREAM_SCHEDULE);
    explore->turn = 0;
    if (explore->strategy->begin) {
        explore->strategy->begin(explore);
    }
    return make(explore, error);
}

enum ek_explored ek_explore_follow(struct ek_explore *explore, const struct ek_scheduled *steps, size_t count,
                                   struct ek_error *error)
{
    if (explore->plan) {
        base_fail(error, EK_BAD_INPUT, "timing",
                  "in virtual time the costs decide the turns: no steps can be followed");
        return EK_EXPLORED_REFUSED;
    }
    explore_restart(explore);
    explore->script = steps;
    explore->script_count = count;
    explore->turn = 0;
    return make(explore, error);
}

uint64_t ek_explore_turns(const struct ek_explore *explore)
{
    return explore->turns;
}

const struct ek_scheduled *ek_explore_steps(const struct ek_explore *explore, size_t *count)
{
    *count = explore->steps;
    return explore->step;
}

const double *ek_explore_loads(struct ek_explore *explore)
{
    return free_loads_held(explore->control);
}

enum ek_status ek_explore_report_sized(struct ek_explore *explore, struct ek_report *report, size_t size,
                                       struct ek_error *error)
{
    struct ek_report own = {0};
    *error = (struct ek_error){.at = -1};
    enum ek_status status;
    if (explore->plan) {
        status = virtual_engine.report(explore->machine, &own, error);
        own.elapsed_s = own.virtual_s; // as in free timing: the explored time
    } else {
        recorder_end(explore->recorder);
        status = free_report(explore->control, &own, error);
        recorder_report(explore->recorder, &own.free);
    }
    status = machine_conclude(explore->run->machine, status, &own, error);
    machine_report_give(&own, report, size);
    return status;
}

bool ek_explore_met(const struct ek_explore *explore, size_t index, struct ek_explore_met *met)
{
    static const char *const parts[] = {
        [FREE_MEMBER_NONE] = "none",     [FREE_MEMBER_ASKED] = "asked",     [FREE_MEMBER_JOINED] = "told",
        [FREE_MEMBER_PULLED] = "pulled", [FREE_MEMBER_SETTLED] = "settled", [FREE_MEMBER_REFUSED] = "refused"};
    const struct explore_checker *checker = &explore->checker;
    if (index >= checker->possibles) {
        return false;
    }
    struct explore_pair at = checker->possible[index];
    *met = (struct ek_explore_met){.part = parts[at.state / 2],
                                   .engaged = at.state % 2,
                                   .message = at.coming == 0 ? "answer" : free_kind_name((enum free_kind)at.coming),
                                   .times = checker->met[at.state][at.coming]};
    return true;
}

enum ek_explored ek_explore_all(struct ek_explore *explore, struct ek_explore_all *all, struct ek_error *error)
{
    *all = (struct ek_explore_all){0};
    if (explore->plan) {
        base_fail(error, EK_BAD_INPUT, "timing", "in virtual time a machine has one schedule: choose timing free");
        return EK_EXPLORED_REFUSED;
    }
    return explore_exhaustively(explore, all, error);
}

// Returns whether there is memory for the explorer. An image takes nearly as much as the run itself.
static bool has_room(const struct ek_explore *explore, bool again, struct ek_error *error)
{
    unsigned workers = explore->plan ? 0 : explore->run->machine->workers;
    uint64_t each = sizeof *explore->worker + sizeof *explore->ready + sizeof *explore->priority;
    struct machine_budget budget = {.run = workers * each + explore_check_bytes(explore->run) +
                                           (again ? explore_image_bytes(explore->control) : 0)};
    return machine_budget_fits(&budget, BASE_NOWHERE, error);
}

static bool take_memory(struct ek_explore *explore)
{
    const struct free_run *run = explore->run;
    unsigned workers = run->machine->workers;
    explore->worker = calloc(workers, sizeof *explore->worker);
    explore->ready = calloc(workers, sizeof *explore->ready);
    explore->priority = calloc(workers + 2u, sizeof *explore->priority);
    explore->change = calloc(explore->depth, sizeof *explore->change);
    return explore->worker && explore->ready && explore->priority && explore->change &&
           explore_check_begin(&explore->checker, explore->control);
}

// Creates an explorer, without a run yet.
static struct ek_explore *create(const struct machine_plan *machine, const char *strategy, uint64_t turns_most,
                                 const struct ek_explore_log *log, struct ek_error *error)
{
    if (!(machine->engine->timing & (EK_IN_FREE | EK_IN_VIRTUAL))) {
        base_fail(error, EK_BAD_INPUT, "timing",
                  "runs in %s have no schedules to explore: choose timing free, or virtual with --within",
                  machine->engine->choice.form);
        return NULL;
    }
    struct ek_explore *explore = calloc(1, sizeof *explore);
    if (!explore) {
        base_fail(error, EK_BAD_INPUT, "", "no memory for an explorer");
        return NULL;
    }
    explore->turns_most = turns_most;
    explore->log = log ? *log : (struct ek_explore_log){0};
    if (!machine->engine->computed && !explore_strategy_read(explore, strategy, error)) {
        ek_explore_destroy(explore);
        return NULL;
    }
    return explore;
}

static bool begin_run(struct ek_explore *explore, const struct machine_plan *machine, struct ek_error *error)
{
    explore->control = free_create(machine, 0, &free_transport_local, error);
    if (!explore->control) {
        return false;
    }
    explore->run = &explore->control->run;
    bool again = !machine->experiment->recorder;
    if (!again && !(explore->recorder = recorder_create(explore->run, error))) {
        return false;
    }
    if (!has_room(explore, again, error)) {
        return false;
    }
    if (!take_memory(explore) || (again && !explore_image_begin(&explore->start, explore->control))) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for an explorer");
    }
    if (again) {
        explore_image_take(&explore->start);
    }
    return true;
}

struct ek_explore *ek_explore_begin(struct ek_machine *machine, const char *strategy, uint64_t turns_most,
                                    const struct ek_explore_log *log, struct ek_error *error)
{
    if (machine->plan.engine->computed && strategy) {
        base_fail_at(error, "strategy", 0,
                     "in virtual time the costs decide which processor has the next turn: leave the strategy out");
        return NULL;
    }
    struct ek_explore *explore = create(&machine->plan, strategy, turns_most, log, error);
    if (!explore) {
        return NULL;
    }
    bool good = machine->plan.engine->computed
                    ? explore_virtual_begin(explore, &machine->plan, error) && has_room(explore, false, error)
                    : begin_run(explore, &machine->plan, error);
    if (!good) {
        ek_explore_destroy(explore);
        return NULL;
    }
    return explore;
}

static bool can_go_on(const struct machine_plan *machine, const struct ek_explore *explore, struct ek_error *error)
{
    if (machine->engine->computed) {
        return base_fail(error, EK_BAD_INPUT, "timing",
                         "a run in virtual time follows from its costs: it can be replayed but not continued");
    }
    if (free_faults(machine) || machine->experiment->operations_max > 0) {
        return base_fail(error, EK_BAD_INPUT, "",
                         "a run with faults, or a limit on operations, can be replayed but not continued");
    }
    return strcmp(explore->strategy->name, "exhaustive") != 0 ||
           base_fail_at(error, "strategy", 0, "exhaustive cannot continue a recording: choose another strategy");
}

// Replays the turns up to turn `until`, and continues from there.
static bool follow(struct ek_explore *explore, struct replay_tapes *replay, uint64_t until, struct ek_error *error)
{
    free_add_witness(explore->run, &explore->checker.witness);
    for (struct ek_turn_made turn = {0}; turn.number < until;) {
        enum ek_replay_status status = replay_tapes_turn(replay, &turn, error);
        if (status == EK_REPLAY_MISFIT) {
            return false;
        }
        if (status != EK_REPLAY_TURN) {
            return base_fail(error, EK_BAD_INPUT, "until",
                             "the recording has only %llu turns: continue from an earlier one",
                             (unsigned long long)turn.number);
        }
    }
    for (unsigned w = 0; w < explore->run->machine->workers; w++) {
        if (replay_tapes_position(replay, w).next == FREE_NEXT_OVER) {
            return base_fail(error, EK_BAD_INPUT, "until", "at turn %llu the run is over: continue from an earlier one",
                             (unsigned long long)until);
        }
    }
    explore_continue(explore, replay);
    return true;
}

struct ek_explore *ek_explore_after(struct ek_machine *machine, const struct ek_tape *tape, uint64_t until,
                                    const char *strategy, uint64_t turns_most, const struct ek_explore_log *log,
                                    struct ek_error *error)
{
    struct ek_explore *explore = create(&machine->plan, strategy, turns_most, log, error);
    if (!explore) {
        return NULL;
    }
    struct replay_tapes *replay =
        can_go_on(&machine->plan, explore, error) ? replay_tapes_create(&machine->plan, 0, tape, error) : NULL;
    bool good = replay;
    if (good) {
        explore->control = replay_tapes_control(replay);
        explore->run = &explore->control->run;
        explore->recorder = replay_tapes_recorder(replay);
        good = take_memory(explore) || base_fail(error, EK_BAD_INPUT, "", "no memory for an explorer");
        good = good && follow(explore, replay, until, error);
        replay_tapes_end(replay);
    }
    if (!good) {
        ek_explore_destroy(explore);
        return NULL;
    }
    return explore;
}

void ek_explore_destroy(struct ek_explore *explore)
{
    recorder_destroy(explore->recorder);
    if (explore->plan) {
        explore_virtual_end(explore);
    } else if (explore->control) {
        free_destroy(explore->control);
    }
    explore_image_end(&explore->start);
    explore_check_end(&explore->checker);
    free(explore->worker);
    free(explore->ready);
    free(explore->priority);
    free(explore->change);
    free(explore->step);
    free(explore);
}
