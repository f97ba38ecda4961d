// SPDX-License-Identifier: MIT
// Replays: the part that does not depend on where the turns come from (replay_source.h).

#include <stddef.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "threads/api/replay.h"
#include "threads/drivers/replay/replay_source.h"
#include "threads/free/control/attend.h"
#include "threads/free/post.h"
#include "threads/free/witness.h"
#include "threads/machine/machine.h"
#include "threads/machine/report_memory.h"

struct ek_replay {
    struct free_witness witness; // collects the events of the current turn
    const struct replay_source *source;
    void *of; // the source's state
    struct free_control *control;
    double in_flight;       // load under way,
    uint64_t parcels;       // in this number of messages
    struct ek_event *event; // [count] of the current turn
    size_t count, size;
    bool no_memory;
};

static struct ek_replay *replay_of(struct free_witness *witness)
{
    return (struct ek_replay *)((char *)witness - offsetof(struct ek_replay, witness));
}

// Adds an event of the current turn.
static void note(struct ek_replay *replay, struct ek_event event)
{
    if (replay->count == replay->size) {
        size_t size = 2 * replay->size + 16;
        struct ek_event *more = realloc(replay->event, size * sizeof *more);
        if (!more) {
            replay->no_memory = true;
            return;
        }
        replay->event = more;
        replay->size = size;
    }
    replay->event[replay->count++] = event;
}

static void note_event(struct free_witness *witness, const struct ek_event *event)
{
    note(replay_of(witness), *event);
}

static void note_message(struct free_witness *witness, enum ek_event_kind kind, uint32_t port,
                         const struct mail_message *message)
{
    struct ek_replay *replay = replay_of(witness);
    note(replay, (struct ek_event){.kind = kind,
                                   .other = replay->control->run.topology->neighbour[port],
                                   .carries = free_message_carries(message),
                                   .message = free_kind_name(free_message_kind(message)),
                                   .amount = message->amount});
}

// Updates the load in flight. Sets it to exactly 0 if no parcel is under way, because the sum may contain rounding
// errors.
static void count_flight(struct ek_replay *replay)
{
    for (size_t i = 0; i < replay->count; i++) {
        const struct ek_event *event = &replay->event[i];
        if (event->carries) {
            bool sent = event->kind == EK_EVENT_SENDS;
            replay->parcels += sent ? 1 : UINT64_MAX;
            replay->in_flight = replay->parcels > 0 ? replay->in_flight + (sent ? event->amount : -event->amount) : 0.0;
        }
    }
}

enum ek_replay_status ek_replay_turn(struct ek_replay *replay, struct ek_turn_made *turn, struct ek_error *error)
{
    replay->count = 0;
    enum ek_replay_status status = replay->source->turn(replay->of, turn, error);
    if (status != EK_REPLAY_TURN) {
        return status;
    }
    turn->held = replay->control->run.processor[turn->processor].held;
    turn->events = replay->event;
    turn->count = replay->count;
    count_flight(replay);
    if (replay->no_memory) {
        base_fail(error, EK_BAD_INPUT, "", "no memory for the events of a turn");
        return EK_REPLAY_MISFIT;
    }
    return EK_REPLAY_TURN;
}

const double *ek_replay_loads(struct ek_replay *replay)
{
    return free_loads_held(replay->control);
}

double ek_replay_in_flight(const struct ek_replay *replay)
{
    return replay->in_flight;
}

enum ek_status ek_replay_report_sized(struct ek_replay *replay, enum ek_ended ended, double elapsed_s,
                                      struct ek_report *report, size_t size, struct ek_error *error)
{
    struct ek_report own = {0};
    *error = (struct ek_error){.at = -1};
    enum ek_status status = replay->source->report(replay->of, ended, elapsed_s, &own, error);
    machine_report_give(&own, report, size);
    return status;
}

// Returns the source of a timing, or NULL if its runs are not recorded.
static const struct replay_source *source_of(unsigned timing)
{
    static const struct replay_source *const sources[] = {&replay_from_tapes, &replay_from_virtual};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (sources[i]->timing == timing) {
            return sources[i];
        }
    }
    return NULL;
}

struct ek_replay *ek_replay_begin(struct ek_machine *machine, uint64_t run, const struct ek_tape *tape,
                                  struct ek_error *error)
{
    const struct machine_plan *plan = &machine->plan;
    const struct replay_source *source = source_of(plan->engine->timing);
    if (!source || plan->experiment->recorder) {
        base_fail(error, EK_BAD_INPUT, "timing",
                  "only runs in free or virtual timing can be replayed, and without a recorder");
        return NULL;
    }
    struct ek_replay *replay = calloc(1, sizeof *replay);
    if (!replay) {
        base_fail(error, EK_BAD_INPUT, "", "no memory for a replay");
        return NULL;
    }
    replay->source = source;
    replay->of = source->create(plan, run, tape, error);
    if (!replay->of) {
        ek_replay_destroy(replay);
        return NULL;
    }
    replay->control = source->control(replay->of);
    replay->witness = (struct free_witness){.message = note_message, .event = note_event};
    free_add_witness(&replay->control->run, &replay->witness);
    return replay;
}

void ek_replay_destroy(struct ek_replay *replay)
{
    if (replay->of) {
        replay->source->destroy(replay->of);
    }
    free(replay->event);
    free(replay);
}
