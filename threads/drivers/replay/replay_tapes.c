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
#include "threads/drivers/replay/replay_tapes.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "threads/api/axis.h"
#include "threads/api/experiment.h"
#include "threads/api/replay.h"
#include "threads/drivers/recorder/look_stream.h"
#include "threads/drivers/replay/link_versions.h"
#include "threads/drivers/replay/replay_source.h"
#include "threads/free/control/end.h"
#include "threads/free/control/free_run.h"
#include "threads/free/control/report.h"

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

struct replay_tapes {
    struct free_look_source source; // the recorded looks
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
};

// The heap's order: by the clock of the next turn, then by the worker's number.
static bool earlier(const struct replay_tapes *tapes, uint32_t a, uint32_t b)
{
    uint64_t at = tapes->worker[a].next.now;
    uint64_t than = tapes->worker[b].next.now;
    return at != than ? at < than : a < b;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t c = *a;
    *a = *b;
    *b = c;
}

static void push(struct replay_tapes *tapes, uint32_t w)
{
    uint32_t *heap = tapes->heap;
    uint32_t at = tapes->ready++;
    heap[at] = w;
    tapes->worker[w].state = READY;
    for (; at > 0 && earlier(tapes, heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2) {
        swap(&heap[at], &heap[(at - 1) / 2]);
    }
}

static uint32_t pop(struct replay_tapes *tapes)
{
    uint32_t *heap = tapes->heap;
    uint32_t first = heap[0];
    heap[0] = heap[--tapes->ready];
    for (uint32_t at = 0;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < tapes->ready; child++) {
            least = earlier(tapes, heap[child], heap[least]) ? child : least;
        }
        if (least == at) {
            return first;
        }
        swap(&heap[at], &heap[least]);
        at = least;
    }
}

static void wait_for(struct replay_tapes *tapes, uint32_t w, uint32_t other)
{
    tapes->worker[w].state = WAITING;
    tapes->worker[w].after = tapes->worker[other].waiters;
    tapes->worker[other].waiters = w;
}

static void wake_waiters(struct replay_tapes *tapes, uint32_t w)
{
    uint32_t waiter = tapes->worker[w].waiters;
    tapes->worker[w].waiters = NO_WORKER;
    while (waiter != NO_WORKER) {
        uint32_t after = tapes->worker[waiter].after;
        push(tapes, waiter);
        waiter = after;
    }
}

// The functions that read a tape set the worker's state to CUT or INVALID if they cannot, and return 0 then.
static unsigned read_byte(struct replay_tapes *tapes, uint32_t w)
{
    struct replay_worker *replayed = &tapes->worker[w];
    if (replayed->at == replayed->end && replayed->state != CUT) {
        size_t count = tapes->tape.read(tapes->tape.context, w, &replayed->at);
        replayed->end = replayed->at + count;
        replayed->state = count > 0 ? replayed->state : CUT;
    }
    return replayed->state == CUT || replayed->state == INVALID ? 0 : *replayed->at++;
}

static uint64_t read_number(struct replay_tapes *tapes, uint32_t w)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned byte = read_byte(tapes, w);
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return number;
        }
    }
    tapes->worker[w].state = INVALID;
    return 0;
}

static bool is_readable(const struct replay_worker *replayed)
{
    return replayed->state != CUT && replayed->state != INVALID;
}

// Reads a number of at most `most`.
static uint32_t read_below(struct replay_tapes *tapes, uint32_t w, uint64_t most)
{
    uint64_t number = read_number(tapes, w);
    if (number > most) {
        tapes->worker[w].state = INVALID;
        return 0;
    }
    return (uint32_t)number;
}

static void read_links(struct replay_tapes *tapes, uint32_t w)
{
    struct replay_worker *replayed = &tapes->worker[w];
    uint32_t version = read_below(tapes, w, UINT32_MAX);
    const uint8_t *table =
        is_readable(replayed) && replayed->next.usable
            ? replay_tables_see(&tapes->tables, tapes->control, replayed->links, version, replayed->next.now)
            : NULL;
    if (table) {
        replayed->links = version;
        replayed->next.usable = table;
    } else if (is_readable(replayed)) {
        replayed->state = INVALID;
    }
}

static void read_changes(struct replay_tapes *tapes, uint32_t w)
{
    struct free_look *next = &tapes->worker[w].next;
    unsigned changes = read_byte(tapes, w);
    next->over = changes & LOOK_STREAM_OVER;
    next->draining = changes & LOOK_STREAM_DRAINING;
    next->triggered = changes & LOOK_STREAM_TRIGGERED;
    next->permits_left = changes & LOOK_STREAM_PERMITS_LEFT;
    if (changes & LOOK_STREAM_EPOCH) {
        next->epoch = read_below(tapes, w, UINT32_MAX);
    }
    if (changes & LOOK_STREAM_PERMITS) {
        next->permits = read_below(tapes, w, UINT32_MAX);
    }
    if (changes & LOOK_STREAM_LINKS) {
        read_links(tapes, w);
    }
}

// Reads the look around before the next stretch, as changes of the last one.
static void read_around(struct replay_tapes *tapes, uint32_t w)
{
    struct replay_worker *replayed = &tapes->worker[w];
    struct free_look before = replayed->next;
    replayed->next = tapes->run->worker[w].look;
    uint64_t advance = read_number(tapes, w);
    replayed->next.now += (advance >> 1) * LOOK_STREAM_GRAIN_NS;
    if (advance & 1) {
        read_changes(tapes, w);
    }
    if (!is_readable(replayed)) {
        replayed->next = before;
    }
}

static void read_ports(struct replay_tapes *tapes, uint32_t w, uint32_t p)
{
    const struct free_run *run = tapes->run;
    uint32_t first = run->topology->first[p];
    uint32_t end = run->topology->first[p + 1];
    unsigned bits = 0;
    unsigned left = 0;
    for (uint32_t port = first; port < end; port++) {
        if (run->port[port].local) {
            continue;
        }
        if (left == 0) {
            bits = read_byte(tapes, w);
            left = 8;
        }
        tapes->waiting[port] = bits & 1; // for now: the port's look follows
        bits >>= 1;
        left--;
    }
    tapes->worker[w].state = bits != 0 && is_readable(&tapes->worker[w]) ? INVALID : tapes->worker[w].state;
    for (uint32_t port = first; port < end; port++) {
        tapes->room[port] = run->port[port].room;
        if (!run->port[port].local && tapes->waiting[port]) {
            uint32_t seen = read_below(tapes, w, 2ull * run->boxes.capacity + 1);
            tapes->waiting[port] = (uint16_t)(seen >> 1);
            tapes->room[port] = seen & 1 ? (uint16_t)read_below(tapes, w, run->boxes.capacity) : tapes->room[port];
        }
    }
}

// Returns a worker that must make a turn before p's next one, or NO_WORKER.
static uint32_t awaited(const struct replay_tapes *tapes, uint32_t p)
{
    const struct free_run *run = tapes->run;
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (!run->port[port].local && (run->boxes.kind->waiting(&run->boxes, port) < tapes->waiting[port] ||
                                       run->boxes.kind->room(&run->boxes, port) < tapes->room[port])) {
            uint32_t other = run->topology->neighbour[port];
            return free_worker_of(run, other);
        }
    }
    return NO_WORKER;
}

// The source of recorded looks.
static void around(struct free_look_source *source, struct free_worker *worker)
{
    const struct replay_tapes *tapes = (const struct replay_tapes *)source;
    worker->look = tapes->worker[worker->index].next;
}

static void ports(struct free_look_source *source, struct free_worker *worker, uint32_t first, uint32_t end)
{
    const struct replay_tapes *tapes = (const struct replay_tapes *)source;
    struct free_run *run = worker->run;
    for (uint32_t port = first; port < end; port++) {
        if (!run->port[port].local) {
            run->port[port].waiting = tapes->waiting[port];
            run->port[port].room = tapes->room[port];
        }
    }
}

// Returns the time at which the run ended. The attendant's time is needed only then.
static uint64_t now(struct free_look_source *source)
{
    return ((const struct replay_tapes *)source)->control->attendant.ended_ns;
}

// Reads the looks of a worker's next turn. The worker itself looks around when that turn is made, so that between two
// turns no worker has made a look of a later turn (replay_tapes.h). Returns whether there is a next turn.
static bool prepare_turn(struct replay_tapes *tapes, uint32_t w)
{
    struct replay_worker *replayed = &tapes->worker[w];
    struct free_worker *worker = &tapes->run->worker[w];
    while (is_readable(replayed) && replayed->turns.next == FREE_NEXT_LOOK) {
        read_around(tapes, w);
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
        read_ports(tapes, w, replayed->turns.place);
    }
    replayed->looked = true;
    return is_readable(replayed);
}

static bool make_turn(struct replay_tapes *tapes, uint32_t w, struct ek_turn_made *turn)
{
    struct replay_worker *replayed = &tapes->worker[w];
    struct free_worker *worker = &tapes->run->worker[w];
    uint32_t p = replayed->turns.place;
    bool slow = free_skips_turn(worker, p);
    if (replayed->turns.next == FREE_NEXT_LOOK) {
        free_position_look(&replayed->turns, worker);
    }
    free_position_turn(&replayed->turns, worker);
    tapes->turns += !slow;
    *turn = (struct ek_turn_made){.number = tapes->turns, .time_ns = worker->look.now, .worker = w, .processor = p};
    replayed->looked = false;
    wake_waiters(tapes, w);
    if (prepare_turn(tapes, w)) {
        push(tapes, w);
    }
    return !slow;
}

// Returns why no worker is ready.
static enum ek_replay_status verdict(const struct replay_tapes *tapes, struct ek_error *error)
{
    unsigned workers = tapes->run->machine->workers;
    unsigned count[INVALID + 1] = {0};
    for (unsigned w = 0; w < workers; w++) {
        count[tapes->worker[w].state]++;
        if (tapes->worker[w].state == INVALID) {
            base_fail(error, EK_BAD_INPUT, "",
                      "the recording does not fit this experiment: after turn %llu, worker %u observes an impossible "
                      "state",
                      (unsigned long long)tapes->turns, w);
            return EK_REPLAY_MISFIT;
        }
    }
    if (count[CUT] == 0 && count[WAITING] > 0) {
        base_fail(error, EK_BAD_INPUT, "",
                  "the recording does not fit this experiment: after turn %llu, %u of %u workers observe messages "
                  "that no processor has sent",
                  (unsigned long long)tapes->turns, count[WAITING], workers);
        return EK_REPLAY_MISFIT;
    }
    return count[CUT] > 0 ? EK_REPLAY_CUT : EK_REPLAY_ENDS;
}

enum ek_replay_status replay_tapes_turn(struct replay_tapes *tapes, struct ek_turn_made *turn, struct ek_error *error)
{
    while (tapes->ready > 0) {
        uint32_t w = pop(tapes);
        uint32_t p = tapes->worker[w].turns.place;
        uint32_t other = free_looks_at_ports(&tapes->run->worker[w], p) ? awaited(tapes, p) : NO_WORKER;
        if (other != NO_WORKER) {
            wait_for(tapes, w, other);
        } else if (make_turn(tapes, w, turn)) {
            return EK_REPLAY_TURN;
        }
    }
    return verdict(tapes, error);
}

static bool take_memory(struct replay_tapes *tapes)
{
    const struct free_run *run = tapes->run;
    unsigned workers = run->machine->workers;
    tapes->worker = calloc(workers, sizeof *tapes->worker);
    tapes->heap = calloc(workers, sizeof *tapes->heap);
    tapes->waiting = calloc(run->topology->ports + 1u, sizeof *tapes->waiting);
    tapes->room = calloc(run->topology->ports + 1u, sizeof *tapes->room);
    return tapes->worker && tapes->heap && tapes->waiting && tapes->room;
}

static bool begin(struct replay_tapes *tapes)
{
    struct free_run *run = tapes->run;
    bool faults = free_faults(run->machine);
    if (faults && !replay_tables_begin(&tapes->tables, run)) {
        return false;
    }
    tapes->source = (struct free_look_source){.around = around, .ports = ports, .now = now};
    recorder_wrap(tapes->recorder, run, &tapes->source);
    for (unsigned w = 0; w < run->machine->workers; w++) {
        run->worker[w].look.usable = faults ? tapes->tables.table[0] : NULL;
        tapes->worker[w] = (struct replay_worker){
            .turns = free_position_first(&run->worker[w]), .links = tapes->tables.first, .waiters = NO_WORKER};
    }
    for (unsigned w = 0; w < run->machine->workers; w++) {
        if (prepare_turn(tapes, w)) {
            push(tapes, w);
        }
    }
    return true;
}

static bool begin_run(struct replay_tapes *tapes, const struct machine_plan *machine, uint64_t run,
                      struct ek_error *error)
{
    tapes->control = free_create(machine, run, &free_transport_local, error);
    if (!tapes->control) {
        return false;
    }
    tapes->run = &tapes->control->run;
    if (machine->experiment->recorder) {
        tapes->recorder = recorder_create(tapes->run, error);
        if (!tapes->recorder) {
            return false;
        }
    }
    return (take_memory(tapes) && begin(tapes)) || base_fail(error, EK_BAD_INPUT, "", "no memory for a replay");
}

struct replay_tapes *replay_tapes_create(const struct machine_plan *machine, uint64_t run, const struct ek_tape *tape,
                                         struct ek_error *error)
{
    struct replay_tapes *tapes = calloc(1, sizeof *tapes);
    if (!tapes) {
        base_fail(error, EK_BAD_INPUT, "", "no memory for a replay");
        return NULL;
    }
    tapes->tape = *tape;
    if (!begin_run(tapes, machine, run, error)) {
        replay_tapes_destroy(tapes);
        return NULL;
    }
    return tapes;
}

void replay_tapes_destroy(struct replay_tapes *tapes)
{
    recorder_destroy(tapes->recorder);
    if (tapes->control) {
        free_destroy(tapes->control);
    }
    replay_tapes_end(tapes);
}

void replay_tapes_end(struct replay_tapes *tapes)
{
    replay_tables_end(&tapes->tables);
    free(tapes->worker);
    free(tapes->heap);
    free(tapes->waiting);
    free(tapes->room);
    free(tapes);
}

struct free_control *replay_tapes_control(const struct replay_tapes *tapes)
{
    return tapes->control;
}

struct recorder *replay_tapes_recorder(const struct replay_tapes *tapes)
{
    return tapes->recorder;
}

struct free_position replay_tapes_position(const struct replay_tapes *tapes, uint32_t worker)
{
    return tapes->worker[worker].turns;
}

// ---- the source ----

static void *create(const struct machine_plan *machine, uint64_t run, const struct ek_tape *tape,
                    struct ek_error *error)
{
    return replay_tapes_create(machine, run, tape, error);
}

static void destroy(void *source)
{
    replay_tapes_destroy(source);
}

static struct free_control *control(void *source)
{
    return replay_tapes_control(source);
}

static enum ek_replay_status turn(void *source, struct ek_turn_made *made, struct ek_error *error)
{
    return replay_tapes_turn(source, made, error);
}

static enum ek_status report(void *source, enum ek_ended ended, double elapsed_s, struct ek_report *report,
                             struct ek_error *error)
{
    struct replay_tapes *tapes = source;
    free_note_end(tapes->control, ended, (uint64_t)(1e9 * elapsed_s + 0.5));
    return free_report(tapes->control, report, error);
}

const struct replay_source replay_from_tapes = {
    .timing = EK_IN_FREE, .create = create, .destroy = destroy, .control = control, .turn = turn, .report = report};
