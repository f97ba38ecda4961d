// SPDX-License-Identifier: MIT
#include "lab/studies/continue_from.h"

#include "base/error.h"
#include "lab/record/clock.h"
#include "lab/record/recording.h"
#include "lab/studies/schedule_maker.h"
#include "lab/studies/schedule_recording.h"
#include "threads/api/run.h"

static bool begin(struct lab_schedule_maker *maker, const struct lab_continue_request *request,
                  struct lab_recording *recorded, uint64_t turns_most, struct ek_error *error)
{
    struct ek_explore_log log = lab_schedule_maker_log(maker);
    maker->machine = ek_prepare(&recorded->experiment, error);
    maker->explore = maker->machine ? ek_explore_after(maker->machine, &recorded->tape, request->until,
                                                       request->strategy, turns_most, &log, error)
                                    : NULL;
    return maker->explore;
}

static bool is_stopped(const void *context)
{
    const struct lab_continue_request *request = context;
    return request->stopped && request->stopped();
}

// Runs the schedule, and returns how it ended.
static enum ek_explored make(const struct lab_continue_request *request, struct lab_recording *recorded,
                             struct lab_exploration *exploration, struct ek_error *error)
{
    struct lab_schedule_maker maker = {.stopped = is_stopped, .context = request};
    struct lab_made_schedule made = {.how = EK_EXPLORED_REFUSED};
    struct lab_schedule_sum sum;
    if (begin(&maker, request, recorded, exploration->turns_most, error)) {
        lab_schedule_sum_begin(&sum, exploration, &maker);
        uint64_t began_ns = lab_clock_ns();
        lab_schedule_make(&maker, request->number, &made, error);
        exploration->elapsed_s = 1e-9 * (double)(lab_clock_ns() - began_ns);
        if (made.how != EK_EXPLORED_REFUSED && !lab_schedule_sum_add(&sum, &made)) {
            made.how = EK_EXPLORED_REFUSED;
            base_refuse(error, "there is no memory for the results of the schedule");
        }
        lab_schedule_sum_end(&sum);
        exploration->cut_first = request->number;
    }
    lab_schedule_maker_end(&maker);
    return made.how;
}

// Runs the schedule again with a recorder. The tape has to be opened again because it is read only once.
static bool record(const struct lab_continue_request *request, uint64_t turns_most, struct ek_error *error)
{
    struct lab_recording recorded;
    if (!lab_recording_read(request->path, &recorded, error)) {
        return false;
    }
    struct lab_schedule_origin origin = {.experiment = &recorded.experiment,
                                         .strategy = request->strategy,
                                         .turns_most = turns_most,
                                         .number = request->number,
                                         .tape = &recorded.tape,
                                         .until = request->until};
    bool good = lab_schedule_record(&origin, request->recording, request->command, error);
    lab_recording_destroy(&recorded);
    return good;
}

enum ek_status lab_continue_from(const struct lab_continue_request *request, struct lab_exploration *exploration,
                                 struct ek_error *error)
{
    *exploration =
        (struct lab_exploration){.turns_most = request->turns_most > 0 ? request->turns_most : LAB_EXPLORE_TURNS};
    struct lab_recording recorded;
    if (!lab_recording_read(request->path, &recorded, error)) {
        return EK_BAD_INPUT;
    }
    enum ek_explored how = make(request, &recorded, exploration, error);
    lab_recording_destroy(&recorded);
    if (how == EK_EXPLORED_REFUSED) {
        return EK_BAD_INPUT;
    }
    if (how == EK_EXPLORED_FAILS) {
        exploration->failed = true;
        exploration->failure = (struct lab_explore_failure){.schedule = request->number,
                                                            .turns = exploration->turns,
                                                            .what = *error,
                                                            .small_turns = exploration->turns,
                                                            .small_what = *error};
    }
    if (request->recording && !is_stopped(request)) { // a run that was stopped cannot be repeated
        exploration->recorded = record(request, exploration->turns_most, &exploration->unrecorded);
    }
    return exploration->failed ? EK_VIOLATION : is_stopped(request) ? EK_UNREACHED : EK_OK;
}
