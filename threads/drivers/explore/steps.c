// SPDX-License-Identifier: MIT
// The steps of an explorer. The explorer is the source of looks (look.h): a look sees the current state without the
// part that the step must not see. A worker sleeps after a pass that saw everything and in which no processor had
// anything to do. It wakes when a message is sent to it, when the event that it waits for is due, or after a step of
// the attendant or the fault thread. Until then its turns would have no effect.
#include "threads/drivers/explore/steps.h"

#include <stddef.h>
#include <string.h>

#include "threads/free/control/audit.h"
#include "threads/free/control/end.h"
#include "threads/free/control/attend.h"
#include "threads/free/control/fault_injection.h"
#include "threads/free/control/free_run.h"
#include "threads/free/finish.h"
#include "threads/free/look.h"
#include "threads/free/post.h"
#include "threads/drivers/recorder/look_stream.h"
#include "threads/drivers/explore/explore_log.h"

// ---- which actors have something to do ----

static void get_ready(struct ek_explore *explore, uint32_t w)
{
    struct explore_worker *worker = &explore->worker[w];
    if (worker->place == EXPLORE_NO_ACTOR && worker->turns.next != FREE_NEXT_OVER) {
        worker->place = explore->ready_count;
        explore->ready[explore->ready_count++] = w;
    }
}

static void go_to_sleep(struct ek_explore *explore, uint32_t w)
{
    struct explore_worker *worker = &explore->worker[w];
    uint32_t last = explore->ready[--explore->ready_count];
    explore->ready[worker->place] = last;
    explore->worker[last].place = worker->place;
    worker->place = EXPLORE_NO_ACTOR;
    uint64_t due = explore->run->worker[w].due;
    if (worker->turns.next != FREE_NEXT_OVER && due < explore->next_due) {
        explore->next_due = due;
    }
}

void explore_wake(struct ek_explore *explore, uint32_t w)
{
    explore->worker[w].own = true;
    get_ready(explore, w);
}

static void wake_all(struct ek_explore *explore)
{
    for (unsigned w = 0; w < explore->run->machine->workers; w++) {
        explore_wake(explore, w);
    }
}

// Wakes the workers for which something is due.
static void wake_due(struct ek_explore *explore)
{
    uint64_t next = UINT64_MAX;
    for (unsigned w = 0; w < explore->run->machine->workers; w++) {
        uint64_t due = explore->run->worker[w].due;
        if (due <= explore->clock) {
            explore_wake(explore, w);
        } else if (explore->worker[w].place == EXPLORE_NO_ACTOR && explore->worker[w].turns.next != FREE_NEXT_OVER) {
            next = due < next ? due : next;
        }
    }
    explore->next_due = next;
}

// Returns whether every worker that is within a stretch uses the current link table. A worker keeps the table that it
// read in its look before the stretch.
static bool all_see_links(const struct ek_explore *explore)
{
    const struct free_run *run = explore->run;
    const uint8_t *table = free_links_read(&run->links);
    for (unsigned w = 0; w < run->machine->workers; w++) {
        if (explore->worker[w].turns.next == FREE_NEXT_TURN && run->worker[w].look.usable != table) {
            return false;
        }
    }
    return true;
}

bool explore_can_act(const struct ek_explore *explore, uint32_t who)
{
    const struct free_run *run = explore->run;
    if (who < run->machine->workers) {
        return explore->worker[who].place != EXPLORE_NO_ACTOR;
    }
    if (who == explore_attendant(explore)) {
        return free_attend_due(explore->control, explore->clock);
    }
    return who == explore_fault_thread(explore) && free_faults_next_ns(explore->control) <= explore->clock &&
           all_see_links(explore);
}

bool explore_is_over(const struct ek_explore *explore)
{
    return atomic_load_explicit(&explore->run->shared.over,
                                memory_order_relaxed); // relaxed, here and below: there is one thread only
}

bool explore_has_failed(const struct ek_explore *explore)
{
    return atomic_load_explicit(&explore->run->shared.violated, memory_order_relaxed);
}

// ---- looks ----

static void around(struct free_look_source *source, struct free_worker *worker)
{
    const struct ek_explore *explore = (const struct ek_explore *)source;
    free_see_around(worker, explore->clock);
}

// Looks at a port. Only this worker fills the mailbox to which it sends over the port, so free places stay free. Once
// all places are known to be free, they are not counted again.
static void look_at(struct ek_explore *explore, struct free_worker *worker, uint32_t port, enum explore_sight sees)
{
    const struct mail_boxes *boxes = &worker->run->boxes;
    struct free_port *here = &worker->run->port[port];
    uint16_t waiting = (uint16_t)boxes->kind->waiting(boxes, port);
    uint16_t room = here->room < boxes->capacity ? (uint16_t)boxes->kind->room(boxes, port) : here->room;
    bool one = sees == EXPLORE_SEES_ONE && waiting > here->waiting + 1;
    bool unseen = one || (sees == EXPLORE_SEES_NOTHING && (waiting > here->waiting || room > here->room));
    struct explore_worker *explored = &explore->worker[worker->index];
    explored->unseen = explored->unseen || unseen;
    if (sees != EXPLORE_SEES_NOTHING) {
        here->waiting = one ? (uint16_t)(here->waiting + 1) : waiting;
        here->room = room;
    }
}

static void ports(struct free_look_source *source, struct free_worker *worker, uint32_t first, uint32_t end)
{
    struct ek_explore *explore = (struct ek_explore *)source;
    for (uint32_t port = first; port < end; port++) {
        uint32_t k = port - first;
        enum explore_sight sees =
            k < EXPLORE_PORTS ? (enum explore_sight)(explore->sees >> 2 * k & 3) : EXPLORE_SEES_ALL;
        if (!worker->run->port[port].local) {
            look_at(explore, worker, port, sees);
        }
    }
}

static uint64_t now(struct free_look_source *source)
{
    return ((const struct ek_explore *)source)->clock;
}

// ---- the witness ----

static struct ek_explore *explore_of(struct free_witness *witness)
{
    return (struct ek_explore *)((char *)witness - offsetof(struct ek_explore, witness));
}

static void see_message(struct free_witness *witness, enum ek_event_kind kind, uint32_t port,
                        const struct mail_message *message)
{
    struct ek_explore *explore = explore_of(witness);
    const struct free_run *run = explore->run;
    if (kind == EK_EVENT_SENDS) {
        uint32_t other = run->topology->neighbour[port];
        uint32_t w = free_worker_of(run, other);
        explore->worker[w].rung = true;
        get_ready(explore, w);
    }
    explore_log_message(explore, kind, port, message);
}

static void see_event(struct free_witness *witness, const struct ek_event *event)
{
    explore_log_event(explore_of(witness), event);
}

// Returns whether a message to the worker is in its mailbox, or still kept by the sender.
static bool has_mail(const struct ek_explore *explore, uint32_t w)
{
    const struct free_run *run = explore->run;
    const uint32_t *first = run->topology->first;
    for (uint32_t port = first[run->worker[w].begin]; port < first[run->worker[w].end]; port++) {
        if (explore->checker.way[port].count > (run->delayed ? run->delayed[port].shelf.count : 0u)) {
            return true;
        }
    }
    return false;
}

// ---- steps ----

static void turn(struct ek_explore *explore, uint32_t w)
{
    struct explore_worker *explored = &explore->worker[w];
    struct free_worker *worker = &explore->run->worker[w];
    uint32_t p = explored->turns.place;
    explore_log_turn(explore, p);
    explore->turns += !free_skips_turn(worker, p);
    if (p == worker->begin) { // a message that comes from now on may have to wait for the next pass
        explored->rung = false;
    }
    bool any = free_position_turn(&explored->turns, worker);
    explore->clock += LOOK_STREAM_GRAIN_NS;
    explored->any = explored->any || any;
    if (explored->turns.place == worker->begin) { // the pass is complete
        explored->own = explored->any || worker->stays_awake;
        explored->spins = !explored->any;
        explored->rung = explored->rung || explored->unseen || has_mail(explore, w);
        explored->any = explored->unseen = false;
        if (explored->turns.next == FREE_NEXT_OVER || (!explored->own && !explored->rung)) {
            go_to_sleep(explore, w);
        }
    }
}

// Makes a worker's next turn, with the look around before this turn, or makes only the look.
static void go_on(struct ek_explore *explore, uint32_t w, bool looks_only)
{
    struct explore_worker *explored = &explore->worker[w];
    struct free_worker *worker = &explore->run->worker[w];
    while (explored->turns.next == FREE_NEXT_LOOK) {
        free_position_look(&explored->turns, worker);
        if (looks_only) {
            break;
        }
    }
    if (explored->turns.next == FREE_NEXT_OVER && explored->place != EXPLORE_NO_ACTOR) {
        go_to_sleep(explore, w);
    } else if (explored->turns.next == FREE_NEXT_TURN && !looks_only) {
        turn(explore, w);
    }
}

static void attend(struct ek_explore *explore)
{
    if (recorder_failed(explore->recorder)) {
        free_drain(explore->control, EK_ENDED_INTERRUPT);
    }
    free_attend_at(explore->control, explore->clock);
}

void explore_step(struct ek_explore *explore, struct ek_scheduled step)
{
    explore->sees = step.sees;
    if (step.who < explore->run->machine->workers) {
        go_on(explore, step.who, step.sees & EXPLORE_LOOKS_ONLY);
    } else {
        if (step.who == explore_attendant(explore)) {
            attend(explore);
        } else {
            free_faults_apply(explore->control, explore->clock);
        }
        explore->clock += LOOK_STREAM_GRAIN_NS;
        wake_all(explore);
    }
    if (explore->clock >= explore->next_due) {
        wake_due(explore);
    }
}

void explore_finish(struct ek_explore *explore)
{
    for (unsigned w = 0; w < explore->run->machine->workers; w++) {
        while (explore->worker[w].turns.next != FREE_NEXT_OVER) {
            explore_step(explore, (struct ek_scheduled){.who = w, .sees = EXPLORE_SEES_EVERYTHING});
        }
    }
    explore_log_end(explore);
}

// Returns whether the run may still be ended by a snapshot. New snapshots could follow for ever, so the run is given up
// after RESTS snapshots in a row without an advance of an operation.
static bool still_waits(struct ek_explore *explore)
{
    enum { RESTS = 16 };
    uint64_t advances = free_advances(explore->run);
    explore->rests = advances > explore->advances ? 0 : explore->rests + 1;
    explore->advances = advances;
    return explore->rests <= RESTS;
}

uint64_t explore_turns_to_end(const struct ek_explore *explore)
{
    enum { EACH = 1024 };
    uint64_t least = (uint64_t)EACH * explore->run->topology->processors;
    return explore->turns_most > least ? explore->turns_most : least;
}

uint32_t explore_waiting_processor(const struct ek_explore *explore)
{
    const struct free_run *run = explore->run;
    uint32_t p = 0;
    while (p < run->topology->processors && run->processor[p].phase == FREE_PHASE_IDLE &&
           run->processor[p].engaged == 0) {
        p++;
    }
    return p;
}

bool explore_advance_clock(struct ek_explore *explore)
{
    const struct free_run *run = explore->run;
    uint64_t fault = free_faults_next_ns(explore->control);
    uint64_t next = fault < explore->next_due ? fault : explore->next_due;
    // A processor in an operation waits for a message. If none is under way, no snapshot helps.
    bool waits = explore_waiting_processor(explore) < run->topology->processors;
    if (next == UINT64_MAX && (waits || !still_waits(explore))) {
        return false;
    }
    uint64_t audit = free_audit_next_ns(explore->control);
    next = audit < next ? audit : next;
    if (next == UINT64_MAX) {
        return false;
    }
    uint64_t grains = (next + LOOK_STREAM_GRAIN_NS - 1) / LOOK_STREAM_GRAIN_NS;
    bool later = grains * LOOK_STREAM_GRAIN_NS > explore->clock;
    explore->clock = later ? grains * LOOK_STREAM_GRAIN_NS : explore->clock;
    wake_due(explore);
    return later || explore->ready_count > 0;
}

// Begins a schedule, without steps yet.
static void begin(struct ek_explore *explore)
{
    struct free_run *run = explore->run;
    explore->turns = explore->drained_at = explore->advances = 0;
    explore->rests = explore->ready_count = 0;
    explore->next_due = UINT64_MAX;
    explore->steps = explore->script_at = 0;
    explore->was_cut = false;
    explore->source = (struct free_look_source){.around = around, .ports = ports, .now = now};
    explore->witness = (struct free_witness){.message = see_message, .event = see_event};
    run->witness = NULL;
    free_add_witness(run, &explore->witness);
    free_add_witness(run, &explore->checker.witness);
    recorder_wrap(explore->recorder, run, &explore->source);
}

// Gives the processors their first tasks again, which are not part of an image.
static void restart_tasks(struct ek_explore *explore)
{
    struct ek_error error;
    if (free_has_tasks(explore->run) && !free_restart_tasks(explore->control, &error)) {
        free_violate_with(explore->run, &error);
    }
}

void explore_restart(struct ek_explore *explore)
{
    struct free_run *run = explore->run;
    if (explore->continues) {
        return;
    }
    if (explore->start.bytes) {
        explore_image_restore(&explore->start);
        restart_tasks(explore);
    }
    explore_check_restart(&explore->checker);
    explore->clock = 0;
    begin(explore);
    for (unsigned w = 0; w < run->machine->workers; w++) {
        explore->worker[w] = (struct explore_worker){
            .turns = free_position_first(&run->worker[w]), .own = true, .place = EXPLORE_NO_ACTOR};
        get_ready(explore, w);
    }
}

void explore_continue(struct ek_explore *explore, const struct replay_tapes *replay)
{
    const struct free_run *run = explore->run;
    begin(explore);
    explore->continues = true;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct free_worker *worker = &run->worker[w];
        struct free_position turns = replay_tapes_position(replay, w);
        bool within = turns.place != worker->begin; // within a pass, in which a processor may have done something
        explore->worker[w] =
            (struct explore_worker){.turns = turns, .any = within, .own = true, .place = EXPLORE_NO_ACTOR};
        get_ready(explore, w);
        explore->clock = worker->look.now > explore->clock ? worker->look.now : explore->clock;
    }
    free_attend_from(explore->control, explore->clock, explore->checker.in_flight);
}
