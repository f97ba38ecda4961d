// SPDX-License-Identifier: MIT
// Going on from a recording.
#include "lab/studies/continue_from.h"

#include "base/error.h"
#include "lab/record/clock.h"
#include "lab/record/recording.h"
#include "lab/studies/schedule_maker.h"
#include "lab/studies/schedule_recording.h"
#include "lab/sweep/worker_pool.h"

static bool begin(struct lab_schedule_maker *explorer, const struct lab_continue_request *order,
                  struct lab_recording *recorded, uint64_t turns_most, struct ek_error *error)
{
    struct ek_explore_log log = lab_schedule_maker_log(explorer);
    explorer->machine = ek_prepare(&recorded->experiment, error);
    explorer->explore = explorer->machine ? ek_explore_after(explorer->machine, &recorded->tape, order->until,
                                                             order->strategy, turns_most, &log, error)
                                          : NULL;
    return explorer->explore;
}

static bool is_stopped(const void *context)
{
    const struct lab_continue_request *order = context;
    return order->stopped && order->stopped();
}

// Makes the schedule, and says what became of it.
static enum ek_explored make(const struct lab_continue_request *order, struct lab_recording *recorded,
                             struct lab_exploration *explored, struct ek_error *error)
{
    struct lab_schedule_maker explorer = {.stopped = is_stopped, .context = order};
    struct lab_made_schedule made = {.how = EK_EXPLORED_REFUSED};
    struct lab_schedule_sum sum;
    if (begin(&explorer, order, recorded, explored->turns_most, error)) {
        lab_schedule_sum_begin(&sum, explored, &explorer);
        uint64_t began_ns = lab_clock_ns();
        lab_schedule_make(&explorer, order->number, &made, error);
        explored->elapsed_s = 1e-9 * (double)(lab_clock_ns() - began_ns);
        if (made.how != EK_EXPLORED_REFUSED && !lab_schedule_sum_add(&sum, &made)) {
            made.how = EK_EXPLORED_REFUSED;
            base_refuse(error, "there is no memory to add the schedule up");
        }
        lab_schedule_sum_end(&sum);
        explored->cut_first = order->number;
    }
    lab_schedule_maker_end(&explorer);
    return made.how;
}

// Once more, as a tape is read from its beginning once.
static bool record(const struct lab_continue_request *order, uint64_t turns_most, struct ek_error *error)
{
    struct lab_recording recorded;
    if (!lab_recording_read(order->path, &recorded, error)) {
        return false;
    }
    struct lab_schedule_origin scheduled = {.experiment = &recorded.experiment,
                                            .strategy = order->strategy,
                                            .turns_most = turns_most,
                                            .number = order->number,
                                            .tape = &recorded.tape,
                                            .until = order->until};
    bool good = lab_schedule_record(&scheduled, order->recording, order->command, error);
    lab_recording_destroy(&recorded);
    return good;
}

enum ek_status lab_continue_from(const struct lab_continue_request *order, struct lab_exploration *explored,
                                 struct ek_error *error)
{
    *explored = (struct lab_exploration){.turns_most = order->turns_most > 0 ? order->turns_most : LAB_EXPLORE_TURNS};
    struct lab_recording recorded;
    if (!lab_recording_read(order->path, &recorded, error)) {
        return EK_BAD_INPUT;
    }
    enum ek_explored how = make(order, &recorded, explored, error);
    lab_recording_destroy(&recorded);
    if (how == EK_EXPLORED_REFUSED) {
        return EK_BAD_INPUT;
    }
    if (how == EK_EXPLORED_FAILS) {
        explored->failed = true;
        explored->failure = (struct lab_explore_failure){.schedule = order->number,
                                                         .turns = explored->turns,
                                                         .what = *error,
                                                         .small_turns = explored->turns,
                                                         .small_what = *error};
    }
    if (order->recording && !is_stopped(order)) { // what was stopped does not come again
        explored->recorded = record(order, explored->turns_most, &explored->unrecorded);
    }
    return explored->failed ? EK_VIOLATION : is_stopped(order) ? EK_UNREACHED : EK_OK;
}
