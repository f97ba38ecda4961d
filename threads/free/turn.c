// SPDX-License-Identifier: MIT
// A turn takes what has come on each port and acts on it, lets the workload act, and tests the invocation.
#include "threads/free/turn.h"

#include <math.h>

#include "base/cursor.h"
#include "core/cargo/tick.h"
#include "threads/free/fetch.h"
#include "threads/free/finish.h"
#include "threads/free/look.h"
#include "threads/free/operation.h"
#include "threads/free/post.h"
#include "threads/free/processor.h"
#include "threads/free/protocol.h"
#include "threads/free/pushed.h"
#include "threads/free/snapshot.h"
#include "threads/free/tally.h"

enum {
    TICKS_MAX = 16, // ticks made up for in a turn
    LINE = 64,      // of a cache
    MANY = 4096     // processors of a worker, whose state no longer fits a core's caches
};

static void let_work(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    struct core_ticked ticked =
        core_cargo_tick(&run->machine->work, run->seed, p, processor->ticks++, &processor->held, &processor->native);
    processor->minimum = fmin(processor->minimum, processor->held);
    if (processor->held < 0.0) {
        struct ek_error violation;
        base_fail(&violation, EK_VIOLATION, "", "processor %u consumes more than it holds", p);
        free_violate(run, &violation);
    }
    processor->generated += ticked.generated;
    processor->consumed += ticked.consumed;
    worker->counts.unmet += ticked.unmet;
    processor->consumed_at_home += ticked.at_home;
    free_note(worker, EK_EVENT_WORKS, ticked.generated - ticked.consumed);
}

// A tick passes; where work is suspended while a processor balances, perhaps without any.
static void let_tick(struct free_worker *worker, uint32_t p)
{
    struct free_processor *processor = &worker->run->processor[p];
    bool balances = processor->phase != FREE_PHASE_IDLE || processor->engaged > 0;
    if (balances && worker->run->machine->work.working == CORE_WORKING_SUSPENDED) {
        processor->ticks++;
    } else {
        let_work(worker, p);
    }
}

// Whether p has recorded itself in a snapshot that began after its worker's look: a marker has told it so, and not yet
// whether the run drains since then. What could matter to that waits for the next look.
static bool is_ahead(struct free_worker *worker, const struct free_processor *processor)
{
    bool ahead = processor->epoch > worker->look.epoch;
    worker->polls = worker->polls || ahead;
    return ahead;
}

// One tick a turn, or those that are due. Who has no link left stands still: that is how a processor fails.
static bool work(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    const struct machine_plan *machine = run->machine;
    struct free_processor *processor = &run->processor[p];
    if (worker->look.draining || !core_workload_comes(&machine->work, processor->ticks) ||
        (free_faults(machine) && !free_linked(worker, p)) || is_ahead(worker, processor)) {
        return false;
    }
    double tick_s = machine->experiment.tick_s;
    if (tick_s == 0.0) {
        let_tick(worker, p);
        return true;
    }
    bool any = false;
    for (unsigned k = 0; k < TICKS_MAX; k++) {
        uint64_t due = (uint64_t)(1e9 * tick_s * (double)(processor->ticks + 1));
        if (due > worker->look.now) {
            worker->due = due < worker->due ? due : worker->due;
            break;
        }
        let_tick(worker, p);
        any = true;
    }
    return any;
}

static inline __attribute__((always_inline)) bool visit(struct free_worker *worker, uint32_t p, uint32_t port,
                                                        bool plain)
{
    struct free_run *run = worker->run;
    const struct free_processor *processor = &run->processor[p];
    bool any = run->port[port].kept.count > 0 && free_post_kept(worker, port);
    unsigned waiting = free_fetch_begin(worker, port, plain);
    unsigned most = waiting < FREE_VISIT_MAX ? waiting : FREE_VISIT_MAX;
    unsigned taken = 0;
    struct mail_message message;
    while (taken < most && free_fetch(worker, port, &message, plain)) {
        taken++;
        if (processor->markers > 0) {
            free_snapshot_note(run, p, port, message);
        }
        free_take(worker, p, port, message);
    }
    if (taken == 0) {
        return any;
    }
    free_fetch_end(worker, port, taken, plain);
    if (taken == FREE_VISIT_MAX) {
        worker->polls = true;
    }
    return true;
}

// Takes in what has come to p. Whether there was any.
static inline __attribute__((always_inline)) bool take_in(struct free_worker *worker, uint32_t p, bool plain)
{
    const uint32_t *first = worker->run->topology->first;
    bool any = false;
    for (uint32_t port = first[p], end = first[p + 1]; port < end; port++) {
        any |= visit(worker, p, port, plain);
    }
    return any;
}

// Neither is inlined into a turn, so that both have registers left.
static __attribute__((noinline)) bool take_in_plainly(struct free_worker *worker, uint32_t p)
{
    return take_in(worker, p, true);
}

static __attribute__((noinline)) bool take_in_otherwise(struct free_worker *worker, uint32_t p)
{
    return take_in(worker, p, false);
}

// Whether p is to begin an operation, if nothing stands in its way.
static bool invokes(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    if (processor->phase != FREE_PHASE_IDLE) {
        return false;
    }
    if (processor->pause > 0) {
        processor->pause--;
        worker->polls = true;
        return false;
    }
    if (!free_wanted(worker, p)) {
        processor->wanted_at = 0;
        processor->age = 0;
        worker->polls = worker->polls || core_invoke_recurs(&run->machine->invoke);
        return false;
    }
    return true;
}

static bool turn(struct free_worker *worker, uint32_t p)
{
    const struct free_run *run = worker->run;
    free_look_at_ports(worker, p);
    bool any = free_snapshot_record(worker, p, worker->look.epoch);
    any = (run->plain ? take_in_plainly : take_in_otherwise)(worker, p) || any;
    any = work(worker, p) || any;
    if (worker->look.draining || is_ahead(worker, &run->processor[p])) {
        return any;
    }
    bool begins = invokes(worker, p);
    return (run->pushed ? free_announce(worker, p, begins) : begins && free_begin(worker, p)) || any;
}

bool free_is_slow(const struct free_worker *worker, uint32_t p)
{
    const uint32_t *slow = worker->run->machine->slow;
    return slow && worker->look.sweep % slow[p] != 0;
}

bool free_looks(const struct free_worker *worker, uint32_t p)
{
    return worker->run->processor[p].outside && !free_is_slow(worker, p);
}

// Takes the turn of p in this pass. Returns whether p had something to do.
static bool step(struct free_worker *worker, uint32_t p)
{
    if (free_is_slow(worker, p)) {
        worker->polls = true;
        return false;
    }
    free_count(&worker->turns, 1);
    bool any = turn(worker, p);
    free_post_end(worker, p);
    if (any) {
        return true;
    }
    worker->counts.empty_turns++;
    worker->counts.waited_ns[free_waits(worker->run, p)] += (double)worker->sweep_ns;
    return false;
}

static void ask_for_lines(const void *from, const void *to)
{
    for (const char *line = from; line < (const char *)to; line += LINE) {
        __builtin_prefetch(line, 1);
    }
}

// Asks for the memory that turns will need: of the next one the places of its messages, of the one after that its
// state, which says where they are. From some ten thousand processors on, whose state comes from memory, a seventh more
// messages pass (bench/README.md).
static void ask_ahead(const struct free_worker *worker, uint32_t place)
{
    const struct free_run *run = worker->run;
    const uint32_t *first = run->topology->first;
    if (place + 2 >= worker->end) {
        return;
    }
    uint32_t next = free_processor_at(run, place + 1), second = free_processor_at(run, place + 2);
    for (uint32_t port = first[next]; port < first[next + 1]; port++) {
        mail_ask_for_places(&run->boxes, port);
    }
    ask_for_lines(&run->processor[second], &run->processor[second + 1]);
    ask_for_lines(&run->port[first[second]], &run->port[first[second + 1]]);
    ask_for_lines(&run->engagement[first[second]], &run->engagement[first[second + 1]]);
    for (uint32_t port = first[second]; port < first[second + 1]; port++) {
        mail_ask_for_end(&run->boxes, port);
    }
}

struct free_position free_position_first(const struct free_worker *worker)
{
    return (struct free_position){.place = worker->begin, .until = worker->begin};
}

// Ends the pass, if it is through.
static inline enum free_next next_of(struct free_position *at, struct free_worker *worker)
{
    if (at->place < at->until) {
        return FREE_NEXT_TURN;
    }
    if (at->place < worker->end) {
        return FREE_NEXT_LOOK;
    }
    worker->look.sweep++;
    worker->sweep_ns = worker->look.now - worker->swept_ns;
    worker->swept_ns = worker->look.now;
    free_tally(worker);
    at->place = at->until = worker->begin;
    return worker->look.over ? FREE_NEXT_OVER : FREE_NEXT_LOOK;
}

enum free_next free_position_look(struct free_position *at, struct free_worker *worker)
{
    if (at->place == worker->begin) {
        worker->polls = false;
        worker->due = UINT64_MAX;
    }
    free_look_around(worker);
    uint32_t left = worker->end - at->place;
    at->until = at->place + (left < FREE_STRETCH ? left : FREE_STRETCH);
    at->place = worker->look.over ? at->until : at->place;
    return next_of(at, worker);
}

enum free_next free_position_turn(struct free_position *at, struct free_worker *worker, bool *any)
{
    uint32_t p = free_processor_at(worker->run, at->place);
    if (worker->end - worker->begin >= MANY) {
        ask_ahead(worker, at->place);
    }
    *any = step(worker, p);
    free_note_turn(worker, p);
    at->place++;
    return next_of(at, worker);
}

bool free_pass(struct free_worker *worker)
{
    struct free_position at = free_position_first(worker);
    bool any = false;
    do {
        enum free_next next = free_position_look(&at, worker);
        while (next == FREE_NEXT_TURN) {
            bool did;
            next = free_position_turn(&at, worker, &did);
            any = did || any;
        }
    } while (at.place != worker->begin);
    return any;
}
