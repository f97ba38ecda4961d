// SPDX-License-Identifier: MIT
// A run made again from its tapes (tape.h). A world of looks that were written down, and on one thread all workers,
// turn by turn: each goes on as soon as what its next look has seen is there, the one with the earliest clock first.
// What a look has seen can only be too little (look.h), and a turn takes from nobody what it has seen; so whoever can
// go on can also do so later, and any order that is found goes on to the end.
#include "threads/machine/machine.h"
#include "threads/machine/report_memory.h"
#include "threads/drivers/replay/replay.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "threads/drivers/recorder/look_stream.h"
#include "threads/drivers/replay/link_versions.h"
#include "threads/free/control/attend.h"
#include "threads/free/control/free_run.h"
#include "threads/free/control/report.h"
#include "threads/free/post.h"

#define NOBODY UINT32_MAX

// Why a worker does not go on.
enum state {
    READY,   // in the heap, by the time of its next turn
    WAITING, // for a turn of another worker's
    ENDED,   // it has seen that the run is over
    OUT,     // its tape ends here
    TORN     // its tape is none
};

struct lane {
    const uint8_t *at, *end; // what is left of the piece at hand
    struct free_look next;   // the look around before its next stretch
    struct free_position turns;
    bool looked;    // the look at its next processor's ports is read
    uint32_t links; // the version of the link table that it sees
    enum state state;
    uint32_t waiters, after; // a list of the lanes that wait for it, and the next in the list that it is in
};

struct ek_replay {
    struct free_look_source source; // looks that were written down
    struct free_witness witness;    // notes what happens in the turn under way
    struct free_control *control;
    struct free_run *run;      // its
    struct recorder *recorder; // or NULL
    struct ek_tape tape;
    struct lane *lane; // [workers]
    uint32_t *heap;    // [workers] those that are ready
    uint32_t ready;
    uint16_t *waiting, *room;    // by port: what the look that was read last has seen
    struct replay_tables tables; // with faults
    uint64_t turns;
    double in_flight;       // load on its way
    uint64_t parcels;       // in so many messages
    struct ek_event *event; // of the turn under way
    size_t count, size;
    bool no_memory;
};

// The heap: the earliest clock first, then the lowest worker.
static bool earlier(const struct ek_replay *replay, uint32_t a, uint32_t b)
{
    uint64_t at = replay->lane[a].next.now;
    uint64_t than = replay->lane[b].next.now;
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
    replay->lane[w].state = READY;
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
    replay->lane[w].state = WAITING;
    replay->lane[w].after = replay->lane[other].waiters;
    replay->lane[other].waiters = w;
}

static void let_go_on(struct ek_replay *replay, uint32_t w)
{
    uint32_t waiter = replay->lane[w].waiters;
    replay->lane[w].waiters = NOBODY;
    while (waiter != NOBODY) {
        uint32_t after = replay->lane[waiter].after;
        push(replay, waiter);
        waiter = after;
    }
}

// Reading a tape. Where it ends, or holds what no recorder writes, the lane's state says so, and all is 0.
static unsigned read_byte(struct ek_replay *replay, uint32_t w)
{
    struct lane *lane = &replay->lane[w];
    if (lane->at == lane->end && lane->state != OUT) {
        size_t count = replay->tape.read(replay->tape.context, w, &lane->at);
        lane->end = lane->at + count;
        lane->state = count > 0 ? lane->state : OUT;
    }
    return lane->state == OUT || lane->state == TORN ? 0 : *lane->at++;
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
    replay->lane[w].state = TORN;
    return 0;
}

static bool is_readable(const struct lane *lane)
{
    return lane->state != OUT && lane->state != TORN;
}

// A number of at most so much.
static uint32_t read_below(struct ek_replay *replay, uint32_t w, uint64_t most)
{
    uint64_t number = read_number(replay, w);
    if (number > most) {
        replay->lane[w].state = TORN;
        return 0;
    }
    return (uint32_t)number;
}

static void read_links(struct ek_replay *replay, uint32_t w)
{
    struct lane *lane = &replay->lane[w];
    uint32_t version = read_below(replay, w, UINT32_MAX);
    const uint8_t *table =
        is_readable(lane) && lane->next.usable
            ? replay_tables_see(&replay->tables, replay->control, lane->links, version, lane->next.now)
            : NULL;
    if (table) {
        lane->links = version;
        lane->next.usable = table;
    } else if (is_readable(lane)) {
        lane->state = TORN;
    }
}

static void read_changes(struct ek_replay *replay, uint32_t w)
{
    struct free_look *next = &replay->lane[w].next;
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

// The look around before the next stretch; it begins where the last one ended.
static void read_around(struct ek_replay *replay, uint32_t w)
{
    struct lane *lane = &replay->lane[w];
    struct free_look before = lane->next;
    lane->next = replay->run->worker[w].look;
    uint64_t advance = read_number(replay, w);
    lane->next.now += (advance >> 1) * LOOK_STREAM_GRAIN_NS;
    if (advance & 1) {
        read_changes(replay, w);
    }
    if (!is_readable(lane)) {
        lane->next = before;
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
        replay->waiting[port] = bits & 1; // that it has news, for now
        bits >>= 1;
        left--;
    }
    replay->lane[w].state = bits != 0 && is_readable(&replay->lane[w]) ? TORN : replay->lane[w].state;
    for (uint32_t port = first; port < end; port++) {
        replay->room[port] = run->port[port].room;
        if (!run->port[port].local && replay->waiting[port]) {
            uint32_t seen = read_below(replay, w, 2ull * run->boxes.capacity + 1);
            replay->waiting[port] = (uint16_t)(seen >> 1);
            replay->room[port] = seen & 1 ? (uint16_t)read_below(replay, w, run->boxes.capacity) : replay->room[port];
        }
    }
}

// The worker whose turn must come before p's next one; NOBODY: none.
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
    return NOBODY;
}

// The source of looks that were written down.
static void around(struct free_look_source *source, struct free_worker *worker)
{
    const struct ek_replay *replay = (const struct ek_replay *)source;
    worker->look = replay->lane[worker->index].next;
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

// Only what is done at the end asks for the time.
static uint64_t now(struct free_look_source *source)
{
    return ((const struct ek_replay *)source)->control->attendant.ended_ns;
}

static struct ek_replay *replay_of(struct free_witness *witness)
{
    return (struct ek_replay *)((char *)witness - offsetof(struct ek_replay, witness));
}

// Notes what happens in the turn under way.
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

// Reads what a lane's next turn sees; it looks around when it is made, so that nobody has seen more than the turns that
// were made. Whether there is one.
static bool come_to_turn(struct ek_replay *replay, uint32_t w)
{
    struct lane *lane = &replay->lane[w];
    struct free_worker *worker = &replay->run->worker[w];
    while (is_readable(lane) && lane->turns.next == FREE_NEXT_LOOK) {
        read_around(replay, w);
        if (!is_readable(lane)) {
            return false;
        }
        if (!lane->next.over) {
            break;
        }
        free_position_look(&lane->turns, worker);
    }
    if (lane->turns.next == FREE_NEXT_OVER) {
        lane->state = ENDED;
        return false;
    }
    if (is_readable(lane) && !lane->looked && free_looks_at_ports(worker, lane->turns.place)) {
        read_ports(replay, w, lane->turns.place);
    }
    lane->looked = true;
    return is_readable(lane);
}

// Where nothing is under way that is said exactly, whatever the sum has lost.
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
    struct lane *lane = &replay->lane[w];
    struct free_run *run = replay->run;
    struct free_worker *worker = &run->worker[w];
    uint32_t p = lane->turns.place;
    bool slow = free_skips_turn(worker, p);
    replay->count = 0;
    if (lane->turns.next == FREE_NEXT_LOOK) {
        free_position_look(&lane->turns, worker);
    }
    free_position_turn(&lane->turns, worker);
    replay->turns += !slow;
    *turn = (struct ek_turn_made){.number = replay->turns,
                                  .time_ns = worker->look.now,
                                  .worker = w,
                                  .processor = p,
                                  .held = run->processor[p].held,
                                  .events = replay->event,
                                  .count = replay->count};
    count_flight(replay);
    lane->looked = false;
    let_go_on(replay, w);
    if (come_to_turn(replay, w)) {
        push(replay, w);
    }
    return !slow;
}

// What nobody being ready means.
static enum ek_replay_status verdict(const struct ek_replay *replay, struct ek_error *error)
{
    unsigned workers = replay->run->machine->workers;
    unsigned count[TORN + 1] = {0};
    for (unsigned w = 0; w < workers; w++) {
        count[replay->lane[w].state]++;
        if (replay->lane[w].state == TORN) {
            base_fail(error, EK_BAD_INPUT, "",
                      "the recording does not fit this experiment: after turn %llu worker %u has seen what cannot be",
                      (unsigned long long)replay->turns, w);
            return EK_REPLAY_MISFIT;
        }
    }
    if (count[OUT] == 0 && count[WAITING] > 0) {
        base_fail(error, EK_BAD_INPUT, "",
                  "the recording does not fit this experiment: after turn %llu, %u of %u workers have seen messages "
                  "that nobody sent",
                  (unsigned long long)replay->turns, count[WAITING], workers);
        return EK_REPLAY_MISFIT;
    }
    return count[OUT] > 0 ? EK_REPLAY_CUT : EK_REPLAY_ENDS;
}

enum ek_replay_status ek_replay_turn(struct ek_replay *replay, struct ek_turn_made *turn, struct ek_error *error)
{
    while (replay->ready > 0) {
        uint32_t w = pop(replay);
        uint32_t p = replay->lane[w].turns.place;
        uint32_t other = free_looks_at_ports(&replay->run->worker[w], p) ? awaited(replay, p) : NOBODY;
        if (other != NOBODY) {
            wait_for(replay, w, other);
        } else if (make_turn(replay, w, turn)) {
            if (!replay->no_memory) {
                return EK_REPLAY_TURN;
            }
            base_fail(error, EK_BAD_INPUT, "", "no memory for what happens in a turn");
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
    replay->control->attendant.ended = ended;
    replay->control->attendant.ended_ns = (uint64_t)(1e9 * elapsed_s + 0.5);
    enum ek_status status = free_report(replay->control, &own, error);
    machine_report_give(&own, report, size);
    return status;
}

static bool take_memory(struct ek_replay *replay)
{
    const struct free_run *run = replay->run;
    unsigned workers = run->machine->workers;
    replay->lane = calloc(workers, sizeof *replay->lane);
    replay->heap = calloc(workers, sizeof *replay->heap);
    replay->waiting = calloc(run->topology->ports + 1u, sizeof *replay->waiting);
    replay->room = calloc(run->topology->ports + 1u, sizeof *replay->room);
    return replay->lane && replay->heap && replay->waiting && replay->room;
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
        replay->lane[w] = (struct lane){
            .turns = free_position_first(&run->worker[w]), .links = replay->tables.first, .waiters = NOBODY};
    }
    for (unsigned w = 0; w < run->machine->workers; w++) {
        if (come_to_turn(replay, w)) {
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
        base_fail(error, EK_BAD_INPUT, "timing", "only a run in free timing can be made again, without a recorder");
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
    return (take_memory(replay) && begin(replay)) ||
           base_fail(error, EK_BAD_INPUT, "", "no memory for the run that is to be made again");
}

struct ek_replay *replay_begin(const struct machine_plan *machine, uint64_t run, const struct ek_tape *tape,
                               struct ek_error *error)
{
    struct ek_replay *replay = calloc(1, sizeof *replay);
    if (!replay) {
        base_fail(error, EK_BAD_INPUT, "", "no memory for the run that is to be made again");
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
    free(replay->lane);
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
    return replay->lane[worker].turns;
}
