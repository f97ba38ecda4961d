// SPDX-License-Identifier: MIT
// The replay of a run from its tapes (look_stream.h). One thread makes the turns of all workers, with the recorded
// looks.
//
//   1. Read the next look of each worker from its tape. The worker is *ready* if the messages and the room that the
//      look has seen are there. Otherwise it waits for a turn of the worker that sends these messages or frees this
//      room.
//   2. Of the ready workers, make the turn of the one with the earliest clock. Then the workers that wait for its
//      worker are tested again.
//
// This never gets stuck with a correct tape: a look never sees too much (look.h), and no turn takes away what another
// look has seen. So a worker that is ready stays ready, and every order that step 2 finds reaches the end.
#include "threads/machine/machine.h"
#include "threads/machine/report_memory.h"
#include "threads/drivers/replay/replay_driver.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "threads/drivers/recorder/look_stream.h"
#include "threads/drivers/replay/link_versions.h"
#include "threads/free/control/attend.h"
#include "threads/free/control/end.h"
#include "threads/free/control/free_run.h"
#include "threads/free/control/report.h"
#include "threads/free/post.h"

#define NO_WORKER UINT32_MAX

enum state {
    READY,   // it is in the heap
    WAITING, // for a turn of another worker
    ENDED,   // it has seen that the run is over
    CUT,     // its tape ends before the run
    INVALID  // its tape contains what no recorder writes
};

struct replay_worker {
    const uint8_t *at, *end; // the unread bytes of the tape's current piece
    struct free_look next;   // the look around before its next stretch
    struct free_position turns;
    bool looked;    // the look at its next processor's ports has been read
    uint32_t links; // the version of the link table in its last look
    enum state state;
    uint32_t waiters, after; // the first worker that waits for it; the next worker in the list that it is in
};

struct ek_replay {
    struct free_look_source source; // the recorded looks
    struct free_witness witness;    // collects the events of the current turn
    struct free_control *control;
    struct free_run *run;      // &control->run
    struct recorder *recorder; // or NULL
    struct ek_tape tape;
    struct replay_worker *worker; // [workers]
    uint32_t *heap;               // [workers] the ready ones, by the clock of their next turns
    uint32_t ready;               // their number
    uint16_t *waiting, *room;     // by port: the look that was read last
    struct replay_tables tables;  // with faults
    uint64_t turns;
    double in_flight;       // load under way,
    uint64_t parcels;       // in this number of messages
    struct ek_event *event; // [count] of the current turn
    size_t count, size;
    bool no_memory;
};

// The heap's order: by the clock of the next turn, then by the worker's number.
static bool earlier(const struct ek_replay *replay, uint32_t a, uint32_t b)
{
    uint64_t at = replay->worker[a].next.now;
    uint64_t than = replay->worker[b].next.now;
    return at != than ? at < than : a < b;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t c = *a;
    *a = *b;
    *b = c;
}

static void push(struct ek_replay *replay, uint32_t w)
{
    uint32_t *heap = replay->heap;
    uint32_t at = replay->ready++;
    heap[at] = w;
    replay->worker[w].state = READY;
    for (; at > 0 && earlier(replay, heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2) {
        swap(&heap[at], &heap[(at - 1) / 2]);
    }
}

static uint32_t pop(struct ek_replay *replay)
{
    uint32_t *heap = replay->heap;
    uint32_t first = heap[0];
    heap[0] = heap[--replay->ready];
    for (uint32_t at = 0;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < replay->ready; child++) {
            least = earlier(replay, heap[child], heap[least]) ? child : least;
        }
        if (least == at) {
            return first;
        }
        swap(&heap[at], &heap[least]);
        at = least;
    }
}

static void wait_for(struct ek_replay *replay, uint32_t w, uint32_t other)
{
    replay->worker[w].state = WAITING;
    replay->worker[w].after = replay->worker[other].waiters;
    replay->worker[other].waiters = w;
}

static void wake_waiters(struct ek_replay *replay, uint32_t w)
{
    uint32_t waiter = replay->worker[w].waiters;
    replay->worker[w].waiters = NO_WORKER;
    while (waiter != NO_WORKER) {
        uint32_t after = replay->worker[waiter].after;
        push(replay, waiter);
        waiter = after;
    }
}

// The functions that read a tape set the worker's state to CUT or INVALID if they cannot, and return 0 then.
static unsigned read_byte(struct ek_replay *replay, uint32_t w)
{
    struct replay_worker *replayed = &replay->worker[w];
    if (replayed->at == replayed->end && replayed->state != CUT) {
        size_t count = replay->tape.read(replay->tape.context, w, &replayed->at);
        replayed->end = replayed->at + count;
        replayed->state = count > 0 ? replayed->state : CUT;
    }
    return replayed->state == CUT || replayed->state == INVALID ? 0 : *replayed->at++;
}

static uint64_t read_number(struct ek_replay *replay, uint32_t w)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned byte = read_byte(replay, w);
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return number;
        }
    }
    replay->worker[w].state = INVALID;
    return 0;
}

static bool is_readable(const struct replay_worker *replayed)
{
    return replayed->state != CUT && replayed->state != INVALID;
}

// Reads a number of at most `most`.
static uint32_t read_below(struct ek_replay *replay, uint32_t w, uint64_t most)
{
    uint64_t number = read_number(replay, w);
    if (number > most) {
        replay->worker[w].state = INVALID;
        return 0;
    }
    return (uint32_t)number;
}

static void read_links(struct ek_replay *replay, uint32_t w)
{
    struct replay_worker *replayed = &replay->worker[w];
    uint32_t version = read_below(replay, w, UINT32_MAX);
    const uint8_t *table =
        is_readable(replayed) && replayed->next.usable
            ? replay_tables_see(&replay->tables, replay->control, replayed->links, version, replayed->next.now)
            : NULL;
    if (table) {
        replayed->links = version;
        replayed->next.usable = table;
    } else if (is_readable(replayed)) {
        replayed->state = INVALID;
    }
}

static void read_changes(struct ek_replay *replay, uint32_t w)
{
    struct free_look *next = &replay->worker[w].next;
    unsigned changes = read_byte(replay, w);
    next->over = changes & LOOK_STREAM_OVER;
    next->draining = changes & LOOK_STREAM_DRAINING;
    next->triggered = changes & LOOK_STREAM_TRIGGERED;
    next->permits_left = changes & LOOK_STREAM_PERMITS_LEFT;
    if (changes & LOOK_STREAM_EPOCH) {
        next->epoch = read_below(replay, w, UINT32_MAX);
    }
    if (changes & LOOK_STREAM_PERMITS) {
        next->permits = read_below(replay, w, UINT32_MAX);
    }
    if (changes & LOOK_STREAM_LINKS) {
        read_links(replay, w);
    }
}

// Reads the look around before the next stretch, as changes of the last one.
static void read_around(struct ek_replay *replay, uint32_t w)
{
    struct replay_worker *replayed = &replay->worker[w];
    struct free_look before = replayed->next;
    replayed->next = replay->run->worker[w].look;
    uint64_t advance = read_number(replay, w);
    replayed->next.now += (advance >> 1) * LOOK_STREAM_GRAIN_NS;
    if (advance & 1) {
        read_changes(replay, w);
    }
    if (!is_readable(replayed)) {
        replayed->next = before;
    }
}

static void read_ports(struct ek_replay *replay, uint32_t w, uint32_t p)
{
    const struct free_run *run = replay->run;
    uint32_t first = run->topology->first[p];
    uint32_t end = run->topology->first[p + 1];
    unsigned bits = 0;
    unsigned left = 0;
    for (uint32_t port = first; port < end; port++) {
        if (run->port[port].local) {
            continue;
        }
        if (left == 0) {
            bits = read_byte(replay, w);
            left = 8;
        }
        replay->waiting[port] = bits & 1; // for now: the port's look follows
        bits >>= 1;
        left--;
    }
    replay->worker[w].state = bits != 0 && is_readable(&replay->worker[w]) ? INVALID : replay->worker[w].state;
    for (uint32_t port = first; port < end; port++) {
        replay->room[port] = run->port[port].room;
        if (!run->port[port].local && replay->waiting[port]) {
            uint32_t seen = read_below(replay, w, 2ull * run->boxes.capacity + 1);
            replay->waiting[port] = (uint16_t)(seen >> 1);
            replay->room[port] = seen & 1 ? (uint16_t)read_below(replay, w, run->boxes.capacity) : replay->room[port];
        }
    }
}

// Returns a worker that must make a turn before p's next one, or NO_WORKER.
static uint32_t awaited(const struct ek_replay *replay, uint32_t p)
{
    const struct free_run *run = replay->run;
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (!run->port[port].local && (run->boxes.kind->waiting(&run->boxes, port) < replay->waiting[port] ||
                                       run->boxes.kind->room(&run->boxes, port) < replay->room[port])) {
            uint32_t other = run->topology->neighbour[port];
            return free_worker_of(run, other);
        }
    }
    return NO_WORKER;
}

// The source of recorded looks.
static void around(struct free_look_source *source, struct free_worker *worker)
{
    const struct ek_replay *replay = (const struct ek_replay *)source;
    worker->look = replay->worker[worker->index].next;
}

static void ports(struct free_look_source *source, struct free_worker *worker, uint32_t first, uint32_t end)
{
    const struct ek_replay *replay = (const struct ek_replay *)source;
    struct free_run *run = worker->run;
    for (uint32_t port = first; port < end; port++) {
        if (!run->port[port].local) {
            run->port[port].waiting = replay->waiting[port];
            run->port[port].room = replay->room[port];
        }
    }
}

// Returns the time at which the run ended. The attendant's time is needed only then.
static uint64_t now(struct free_look_source *source)
{
    return ((const struct ek_replay *)source)->control->attendant.ended_ns;
}

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
                                   .other = replay->run->topology->neighbour[port],
                                   .carries = free_message_carries(message),
                                   .message = free_kind_name(free_message_kind(message)),
                                   .amount = message->amount});
}

// Reads the looks of a worker's next turn. The worker itself looks around when that turn is made, so that between two
// turns no worker has made a look of a later turn (replay_driver.h). Returns whether there is a next turn.
static bool prepare_turn(struct ek_replay *replay, uint32_t w)
{
    struct replay_worker *replayed = &replay->worker[w];
    struct free_worker *worker = &replay->run->worker[w];
    while (is_readable(replayed) && replayed->turns.next == FREE_NEXT_LOOK) {
        read_around(replay, w);
        if (!is_readable(replayed)) {
            return false;
        }
        if (!replayed->next.over) {
            break;
        }
        free_position_look(&replayed->turns, worker);
    }
    if (replayed->turns.next == FREE_NEXT_OVER) {
        replayed->state = ENDED;
        return false;
    }
    if (is_readable(replayed) && !replayed->looked && free_looks_at_ports(worker, replayed->turns.place)) {
        read_ports(replay, w, replayed->turns.place);
    }
    replayed->looked = true;
    return is_readable(replayed);
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

static bool make_turn(struct ek_replay *replay, uint32_t w, struct ek_turn_made *turn)
{
    struct replay_worker *replayed = &replay->worker[w];
    struct free_run *run = replay->run;
    struct free_worker *worker = &run->worker[w];
    uint32_t p = replayed->turns.place;
    bool slow = free_skips_turn(worker, p);
    replay->count = 0;
    if (replayed->turns.next == FREE_NEXT_LOOK) {
        free_position_look(&replayed->turns, worker);
    }
    free_position_turn(&replayed->turns, worker);
    replay->turns += !slow;
    *turn = (struct ek_turn_made){.number = replay->turns,
                                  .time_ns = worker->look.now,
                                  .worker = w,
                                  .processor = p,
                                  .held = run->processor[p].held,
                                  .events = replay->event,
                                  .count = replay->count};
    count_flight(replay);
    replayed->looked = false;
    wake_waiters(replay, w);
    if (prepare_turn(replay, w)) {
        push(replay, w);
    }
    return !slow;
}

// Returns why no worker is ready.
static enum ek_replay_status verdict(const struct ek_replay *replay, struct ek_error *error)
{
    unsigned workers = replay->run->machine->workers;
    unsigned count[INVALID + 1] = {0};
    for (unsigned w = 0; w < workers; w++) {
        count[replay->worker[w].state]++;
        if (replay->worker[w].state == INVALID) {
            base_fail(error, EK_BAD_INPUT, "",
                      "the recording does not fit this experiment: after turn %llu, worker %u observes an impossible "
                      "state",
                      (unsigned long long)replay->turns, w);
            return EK_REPLAY_MISFIT;
        }
    }
    if (count[CUT] == 0 && count[WAITING] > 0) {
        base_fail(error, EK_BAD_INPUT, "",
                  "the recording does not fit this experiment: after turn %llu, %u of %u workers observe messages "
                  "that no processor has sent",
                  (unsigned long long)replay->turns, count[WAITING], workers);
        return EK_REPLAY_MISFIT;
    }
    return count[CUT] > 0 ? EK_REPLAY_CUT : EK_REPLAY_ENDS;
}

enum ek_replay_status ek_replay_turn(struct ek_replay *replay, struct ek_turn_made *turn, struct ek_error *error)
{
    while (replay->ready > 0) {
        uint32_t w = pop(replay);
        uint32_t p = replay->worker[w].turns.place;
        uint32_t other = free_looks_at_ports(&replay->run->worker[w], p) ? awaited(replay, p) : NO_WORKER;
        if (other != NO_WORKER) {
            wait_for(replay, w, other);
        } else if (make_turn(replay, w, turn)) {
            if (!replay->no_memory) {
                return EK_REPLAY_TURN;
            }
            base_fail(error, EK_BAD_INPUT, "", "no memory for the events of a turn");
            return EK_REPLAY_MISFIT;
        }
    }
    return verdict(replay, error);
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
    free_note_end(replay->control, ended, (uint64_t)(1e9 * elapsed_s + 0.5));
    enum ek_status status = free_report(replay->control, &own, error);
    machine_report_give(&own, report, size);
    return status;
}

static bool take_memory(struct ek_replay *replay)
{
    const struct free_run *run = replay->run;
    unsigned workers = run->machine->workers;
    replay->worker = calloc(workers, sizeof *replay->worker);
    replay->heap = calloc(workers, sizeof *replay->heap);
    replay->waiting = calloc(run->topology->ports + 1u, sizeof *replay->waiting);
    replay->room = calloc(run->topology->ports + 1u, sizeof *replay->room);
    return replay->worker && replay->heap && replay->waiting && replay->room;
}

static bool begin(struct ek_replay *replay)
{
    struct free_run *run = replay->run;
    bool faults = free_faults(run->machine);
    if (faults && !replay_tables_begin(&replay->tables, run)) {
        return false;
    }
    replay->source = (struct free_look_source){.around = around, .ports = ports, .now = now};
    replay->witness = (struct free_witness){.message = note_message, .event = note_event};
    free_add_witness(run, &replay->witness);
    recorder_wrap(replay->recorder, run, &replay->source);
    for (unsigned w = 0; w < run->machine->workers; w++) {
        run->worker[w].look.usable = faults ? replay->tables.table[0] : NULL;
        replay->worker[w] = (struct replay_worker){
            .turns = free_position_first(&run->worker[w]), .links = replay->tables.first, .waiters = NO_WORKER};
    }
    for (unsigned w = 0; w < run->machine->workers; w++) {
        if (prepare_turn(replay, w)) {
            push(replay, w);
        }
    }
    return true;
}

struct ek_replay *ek_replay_begin(struct ek_machine *machine, uint64_t run, const struct ek_tape *tape,
                                  struct ek_error *error)
{
    const struct machine_plan *plan = &machine->plan;
    if (plan->engine->timing != EK_IN_FREE || plan->experiment.recorder) {
        base_fail(error, EK_BAD_INPUT, "timing", "only runs in free timing can be replayed, and without a recorder");
        return NULL;
    }
    return replay_begin(plan, run, tape, error);
}

static bool begin_run(struct ek_replay *replay, const struct machine_plan *machine, uint64_t run,
                      struct ek_error *error)
{
    replay->control = free_create(machine, run, &free_transport_local, error);
    if (!replay->control) {
        return false;
    }
    replay->run = &replay->control->run;
    if (machine->experiment.recorder) {
        replay->recorder = recorder_create(replay->run, error);
        if (!replay->recorder) {
            return false;
        }
    }
    return (take_memory(replay) && begin(replay)) || base_fail(error, EK_BAD_INPUT, "", "no memory for a replay");
}

struct ek_replay *replay_begin(const struct machine_plan *machine, uint64_t run, const struct ek_tape *tape,
                               struct ek_error *error)
{
    struct ek_replay *replay = calloc(1, sizeof *replay);
    if (!replay) {
        base_fail(error, EK_BAD_INPUT, "", "no memory for a replay");
        return NULL;
    }
    replay->tape = *tape;
    if (!begin_run(replay, machine, run, error)) {
        ek_replay_destroy(replay);
        return NULL;
    }
    return replay;
}

void ek_replay_destroy(struct ek_replay *replay)
{
    recorder_destroy(replay->recorder);
    if (replay->control) {
        free_destroy(replay->control);
    }
    replay_end(replay);
}

void replay_end(struct ek_replay *replay)
{
    replay_tables_end(&replay->tables);
    free(replay->worker);
    free(replay->heap);
    free(replay->waiting);
    free(replay->room);
    free(replay->event);
    free(replay);
}

struct free_control *replay_control(const struct ek_replay *replay)
{
    return replay->control;
}

struct recorder *replay_recorder(const struct ek_replay *replay)
{
    return replay->recorder;
}

struct free_position replay_position(const struct ek_replay *replay, uint32_t worker)
{
    return replay->worker[worker].turns;
}
