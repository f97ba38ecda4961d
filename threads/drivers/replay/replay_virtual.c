// SPDX-License-Identifier: MIT
// The replay of a run in virtual time. The turns follow from the experiment (virtual_marks.h has the tape). They are
// made in the order of time.
#include <stdlib.h>

#include "base/cursor.h"
#include "threads/api/axis.h"
#include "threads/api/replay.h"
#include "threads/drivers/replay/replay_source.h"
#include "threads/drivers/virtual/virtual_engine.h"
#include "threads/drivers/virtual/virtual_step.h"
#include "threads/machine/conclude.h"

struct replay_virtual {
    struct virtual_machine *machine;
    struct ek_tape tape;
    uint64_t turns;
};

static void destroy(void *source)
{
    struct replay_virtual *replay = source;
    if (replay->machine) {
        virtual_engine.destroy(replay->machine);
    }
    free(replay);
}

static void *create(const struct machine_plan *machine, uint64_t run, const struct ek_tape *tape,
                    struct ek_error *error)
{
    struct replay_virtual *replay = calloc(1, sizeof *replay);
    if (!replay) {
        base_fail(error, EK_BAD_INPUT, "", "no memory for a replay");
        return NULL;
    }
    replay->machine = virtual_engine.create(machine, run, error);
    if (!replay->machine) {
        destroy(replay);
        return NULL;
    }
    replay->tape = tape ? *tape : (struct ek_tape){.read = NULL};
    virtual_marks_begin(replay->machine, tape ? &replay->tape : NULL);
    return replay;
}

static struct free_control *control(void *source)
{
    return ((const struct replay_virtual *)source)->machine->control;
}

static enum ek_replay_status turn(void *source, struct ek_turn_made *made, struct ek_error *error)
{
    struct replay_virtual *replay = source;
    uint32_t processor;
    uint64_t time;
    if (virtual_step(replay->machine, &processor, &time)) {
        *made = (struct ek_turn_made){.number = ++replay->turns, .time_ns = time, .processor = processor};
        return EK_REPLAY_TURN;
    }
    enum ek_replay_status status = replay->machine->marks.status;
    if (status == EK_REPLAY_MISFIT) {
        base_fail(error, EK_BAD_INPUT, "",
                  "the recording does not fit this experiment: after turn %llu, %.17g s of virtual time, the run "
                  "differs from the recorded one",
                  (unsigned long long)replay->turns, 1e-9 * (double)replay->machine->now_ns);
    }
    return status == EK_REPLAY_TURN ? EK_REPLAY_ENDS : status;
}

// The run knows itself why and when it has ended.
static enum ek_status report(void *source, enum ek_ended ended, double elapsed_s, struct ek_report *report,
                             struct ek_error *error)
{
    struct replay_virtual *replay = source;
    (void)ended;
    enum ek_status status = virtual_engine.report(replay->machine, report, error);
    report->elapsed_s = elapsed_s;
    return machine_conclude(replay->machine->run->machine, status, report, error);
}

const struct replay_source replay_from_virtual = {
    .timing = EK_IN_VIRTUAL, .create = create, .destroy = destroy, .control = control, .turn = turn, .report = report};
