// SPDX-License-Identifier: MIT
// A turn. Processor p
//
//   1. looks at its ports;
//   2. records itself, if a snapshot has begun;
//   3. on each port, sends kept messages, receives messages and acts on them;
//   4. executes its workload;
//   5. begins an operation, if its load calls for one, or lets its method write letters;
//   6. sends the letters that leave.
#include "threads/free/turn.h"

#include <math.h>

#include "base/cursor.h"
#include "core/cargo/tick.h"
#include "threads/api/experiment.h"
#include "threads/free/detect.h"
#include "threads/free/fetch.h"
#include "threads/free/finish.h"
#include "threads/free/free_letters.h"
#include "threads/free/look.h"
#include "threads/free/operation.h"
#include "threads/free/post.h"
#include "threads/free/processor.h"
#include "threads/free/profile.h"
#include "threads/free/protocol.h"
#include "threads/free/pushed.h"
#include "threads/free/snapshot.h"
#include "threads/free/load_sums.h"

enum {
    TICKS_MAX = 16, // the most ticks of work in a turn
    LINE = 64,      // bytes of a cache line
    MANY = 4096     // processors of a worker from which on their state does not fit a core's caches
};

static void execute_tick(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    struct core_ticked ticked =
        core_cargo_tick(&run->machine->work, run->seed, p, processor->ticks++, &processor->held, &processor->native);
    worker->counts.minimum = fmin(worker->counts.minimum, processor->held);
    if (processor->held < 0.0) {
        free_violate(run, "processor %u consumes more than it holds", p);
    }
    processor->generated += ticked.generated;
    processor->consumed += ticked.consumed;
    free_sum_add(&worker->counts, FREE_SUM_UNMET, ticked.unmet);
    if (run->consumed_at_home) {
        run->consumed_at_home[p] += ticked.at_home;
    }
    free_note(worker, EK_EVENT_WORKS, ticked.generated - ticked.consumed);
}

// Executes tasks and adds the time that they take, without the time of the clock. The clock takes longer than a short
// task. So the time of one execution stands for all executions since the last one that was timed, and the clock takes
// one percent of the time of tasks. A reading that was interrupted does not count: the shortest one says what the clock
// takes. A profile needs the time of each execution.
static struct core_ticked execute_timed(struct free_worker *worker, uint32_t p)
{
    static const double SHARE = 0.01, READINGS = 3.0, LEAST_NS = 50.0; // no execution is shorter
    struct cargo_worker *cargo = free_cargo(worker);
    double *held = &worker->run->processor[p].held;
    cargo->untimed++;
    bool profiled = free_has_profile(worker->run);
    if (worker->run->wires || (cargo->untimed < cargo->timed_after && !profiled)) {
        return cargo_execute(cargo, p, held, &worker->worked);
    }
    uint64_t before_ns = host_thread_ns(), began_ns = host_thread_ns();
    struct core_ticked ticked = cargo_execute(cargo, p, held, &worker->worked);
    double took_ns = (double)(host_thread_ns() - began_ns), reading_ns = (double)(began_ns - before_ns);
    cargo->reading_ns = cargo->reading_ns == 0.0 ? reading_ns : fmin(cargo->reading_ns, reading_ns);
    cargo->took_ns = fmax(took_ns - cargo->reading_ns, LEAST_NS);
    cargo->work_ns += cargo->took_ns * (double)cargo->untimed;
    cargo->timed_after = (uint64_t)(READINGS * cargo->reading_ns / SHARE / cargo->took_ns);
    cargo->untimed = 0;
    if (profiled) {
        free_profile_work(worker, p);
    }
    return ticked;
}

// Executes tasks. When the processor has executed its last one, the time is noted: none may be left in the machine.
static void execute_tasks(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    struct cargo_worker *cargo = free_cargo(worker);
    struct core_ticked ticked = execute_timed(worker, p);
    processor->ticks++;
    worker->counts.minimum = fmin(worker->counts.minimum, processor->held);
    processor->generated += ticked.generated;
    processor->consumed += ticked.consumed;
    if (processor->held == 0.0 && !run->wires) { // the driver of virtual time knows when work ends
        cargo->done_ns = free_now(run);
    }
    if (cargo->short_of_memory || cargo->broken) {
        free_finish(run); // the report says why
    }
    free_note(worker, EK_EVENT_WORKS, ticked.generated - ticked.consumed);
}

// Lets a tick pass. With --working suspended, a processor that balances does no work in this tick.
static void pass_tick(struct free_worker *worker, uint32_t p)
{
    struct free_processor *processor = &worker->run->processor[p];
    bool balances = processor->phase != FREE_PHASE_IDLE || processor->engaged > 0;
    if (balances && worker->run->machine->work.working == CORE_WORKING_SUSPENDED) {
        processor->ticks++;
    } else if (free_has_tasks(worker->run)) {
        execute_tasks(worker, p);
    } else {
        execute_tick(worker, p);
    }
}

// Returns whether p was recorded in a snapshot that began after its worker's look. Then p knows of the snapshot by a
// marker, but does not know yet whether the run drains. Decisions that depend on draining wait for the worker's next
// look.
static bool is_ahead(struct free_worker *worker, const struct free_processor *processor)
{
    bool ahead = processor->epoch > worker->look.epoch;
    worker->stays_awake = worker->stays_awake || ahead;
    return ahead;
}

// Executes the workload: one tick, or with --tick those that are due. A processor without a usable link does no work;
// the failure of a processor makes all its links unusable. Returns whether there was any work.
static FREE_BY_PATH bool execute_workload(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    const struct machine_plan *machine = run->machine;
    struct free_processor *processor = &run->processor[p];
    if (worker->look.draining || !free_works(run, processor) ||
        free_beyond(path, free_faults(machine) && !free_has_link(worker, p)) || is_ahead(worker, processor)) {
        return false;
    }
    uint64_t tick_ns = (uint64_t)llround(1e9 * machine->experiment->tick_s);
    if (tick_ns == 0) {
        pass_tick(worker, p);
        worker->stays_awake = worker->stays_awake || free_works(run, processor);
        return true;
    }
    for (unsigned k = 0; k < TICKS_MAX && core_workload_continues(&machine->work, processor->ticks); k++) {
        uint64_t due = tick_ns * (processor->ticks + 1);
        if (due > worker->look.now) {
            worker->due = due < worker->due ? due : worker->due;
            return k > 0;
        }
        pass_tick(worker, p);
    }
    // More ticks may be due.
    worker->stays_awake = worker->stays_awake || core_workload_continues(&machine->work, processor->ticks);
    return true;
}

// Sends the messages kept on a port, and receives the messages of this turn. Returns whether there were any.
static FREE_BY_PATH bool visit(struct free_worker *worker, uint32_t p, uint32_t port, enum free_path path)
{
    struct free_run *run = worker->run;
    const struct free_processor *processor = &run->processor[p];
    bool any = run->port[port].kept.count > 0 && free_post_kept(worker, port);
    unsigned most = free_fetch_begin(worker, port, path);
    unsigned taken = 0;
    struct mail_message message;
    while (taken < most && free_fetch(worker, port, &message, path)) {
        taken++;
        if (processor->markers > 0) {
            free_snapshot_note(run, p, port, message);
        }
        free_receive(worker, p, port, message, path);
    }
    if (taken == 0) {
        return any;
    }
    free_fetch_end(worker, port, taken, path);
    if (taken == FREE_VISIT_MAX && most == FREE_VISIT_MAX) {
        worker->stays_awake = true;
    }
    return true;
}

// Visits all ports of p. Returns whether there were any messages.
static FREE_BY_PATH bool visit_ports(struct free_worker *worker, uint32_t p, enum free_path path)
{
    const uint32_t *first = worker->run->topology->first;
    bool any = false;
    for (uint32_t port = first[p], end = first[p + 1]; port < end; port++) {
        // Most ports have no message, which a look at two numbers shows.
        bool quiet = path == FREE_PATH_WIRED && worker->run->arrival[port].at > worker->look.now &&
                     worker->run->port[port].kept.count == 0;
        any |= !quiet && visit(worker, p, port, path);
    }
    return any;
}

// These functions are not inlined into a turn, so that each has enough registers.
static __attribute__((noinline)) bool visit_ports_plain(struct free_worker *worker, uint32_t p)
{
    return visit_ports(worker, p, FREE_PATH_PLAIN);
}

static __attribute__((noinline)) bool visit_ports_by_mail(struct free_worker *worker, uint32_t p)
{
    return visit_ports(worker, p, FREE_PATH_MAIL);
}

static __attribute__((noinline)) bool visit_ports_wired(struct free_worker *worker, uint32_t p)
{
    return visit_ports(worker, p, FREE_PATH_WIRED);
}

static __attribute__((noinline)) bool visit_ports_any(struct free_worker *worker, uint32_t p)
{
    return visit_ports(worker, p, FREE_PATH_ANY);
}

// Returns whether p wants to begin an operation in this turn.
static bool invokes(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    if (processor->phase != FREE_PHASE_IDLE) {
        return false;
    }
    if (processor->pause > 0) {
        processor->pause--;
        worker->stays_awake = true;
        return false;
    }
    if (!free_wanted(worker, p)) {
        processor->wanted_at = 0;
        processor->age = 0;
        worker->stays_awake = worker->stays_awake || core_invoke_recurs(&run->machine->invoke);
        return false;
    }
    return true;
}

// Lets p act by itself. Returns whether it did.
static FREE_BY_PATH bool act(struct free_worker *worker, uint32_t p, enum free_path path)
{
    const struct free_run *run = worker->run;
    if (free_beyond(path, run->detector)) {
        run->detector->act(worker, p);
    }
    if (free_beyond(path, free_has_letters(run))) {
        return free_letters_act(worker, p);
    }
    bool begins = invokes(worker, p);
    return free_beyond(path, run->pushed) ? free_push(worker, p, begins) : begins && free_begin(worker, p, path);
}

static FREE_BY_PATH bool turn(struct free_worker *worker, uint32_t p, enum free_path path)
{
    const struct free_run *run = worker->run;
    free_look_at_ports(worker, p);
    bool any = run->processor[p].epoch < worker->look.epoch && free_snapshot_record(worker, p, worker->look.epoch);
    bool visited = path == FREE_PATH_PLAIN        ? visit_ports_plain(worker, p)
                   : run->path == FREE_PATH_MAIL  ? visit_ports_by_mail(worker, p)
                   : run->path == FREE_PATH_WIRED ? visit_ports_wired(worker, p)
                                                  : visit_ports_any(worker, p);
    any = visited || any;
    any = execute_workload(worker, p, path) || any;
    bool acts = !worker->look.draining && !is_ahead(worker, &run->processor[p]);
    any = (acts && act(worker, p, path)) || any;
    return (free_beyond(path, free_has_letters(run)) && free_letters_leave(worker, p, acts)) || any;
}

bool free_turn(struct free_worker *worker, uint32_t p)
{
    bool plain = worker->run->path == FREE_PATH_PLAIN;
    return plain ? turn(worker, p, FREE_PATH_PLAIN) : turn(worker, p, FREE_PATH_ANY);
}

bool free_skips_turn(const struct free_worker *worker, uint32_t p)
{
    const uint32_t *slow = worker->run->machine->slow;
    return slow && worker->look.pass % slow[p] != 0;
}

bool free_looks_at_ports(const struct free_worker *worker, uint32_t p)
{
    return worker->run->processor[p].has_remote && !free_skips_turn(worker, p);
}

static bool profiled_turn(struct free_worker *worker, uint32_t p)
{
    struct free_profile_turn turn = free_profile_begin(worker);
    bool any = free_turn(worker, p);
    if (any) {
        free_profile_end(worker, p, &turn);
    }
    return any;
}

// Makes the turn of p in this pass. Returns whether p had something to do.
static bool step(struct free_worker *worker, uint32_t p)
{
    if (free_skips_turn(worker, p)) {
        worker->stays_awake = true;
        return false;
    }
    free_count(&worker->turns, 1);
    bool any = free_has_profile(worker->run) ? profiled_turn(worker, p) : free_turn(worker, p);
    free_post_end(worker, p);
    if (any) {
        return true;
    }
    worker->counts.empty_turns++;
    worker->counts.waited_ns[free_waiting_for(worker, p)] += (double)worker->pass_ns;
    return false;
}

static void prefetch_lines(const void *from, const void *to)
{
    for (const char *line = from; line < (const char *)to; line += LINE) {
        __builtin_prefetch(line, 1);
    }
}

// Prefetches data for the next two turns: the messages of the next processor, and the state of the processor after it.
// This state shows where the messages of that processor are.
static void prefetch(const struct free_worker *worker, uint32_t place)
{
    const struct free_run *run = worker->run;
    const uint32_t *first = run->topology->first;
    if (place + 2 >= worker->end) {
        return;
    }
    uint32_t next = free_processor_at(run, place + 1), second = free_processor_at(run, place + 2);
    for (uint32_t port = first[next]; port < first[next + 1]; port++) {
        mail_prefetch_places(&run->boxes, port);
    }
    prefetch_lines(&run->processor[second], &run->processor[second + 1]);
    prefetch_lines(&run->port[first[second]], &run->port[first[second + 1]]);
    if (run->engagement) {
        prefetch_lines(&run->engagement[first[second]], &run->engagement[first[second + 1]]);
    }
    for (uint32_t port = first[second]; port < first[second + 1]; port++) {
        mail_prefetch_end(&run->boxes, port);
    }
}

struct free_position free_position_first(const struct free_worker *worker)
{
    return (struct free_position){.place = worker->begin, .until = worker->begin, .next = FREE_NEXT_LOOK};
}

// Sets the next action, and ends the pass if all its turns were made.
static inline void move_on(struct free_position *at, struct free_worker *worker)
{
    if (at->place < at->until) {
        at->next = FREE_NEXT_TURN;
        return;
    }
    at->next = FREE_NEXT_LOOK;
    if (at->place < worker->end) {
        return;
    }
    worker->look.pass++;
    worker->pass_ns = worker->look.now - worker->passed_ns;
    worker->passed_ns = worker->look.now;
    free_publish_sums(worker);
    at->place = at->until = worker->begin;
    at->next = worker->look.over ? FREE_NEXT_OVER : FREE_NEXT_LOOK;
}

void free_position_look(struct free_position *at, struct free_worker *worker)
{
    if (at->place == worker->begin) {
        worker->stays_awake = false;
        worker->due = UINT64_MAX;
    }
    free_look_around(worker);
    uint32_t left = worker->end - at->place;
    at->until = at->place + (left < FREE_STRETCH ? left : FREE_STRETCH);
    at->place = worker->look.over ? at->until : at->place;
    move_on(at, worker);
}

bool free_position_turn(struct free_position *at, struct free_worker *worker)
{
    uint32_t p = free_processor_at(worker->run, at->place);
    if (worker->end - worker->begin >= MANY) {
        prefetch(worker, at->place);
    }
    bool any = step(worker, p);
    free_note_turn(worker, p);
    at->place++;
    move_on(at, worker);
    return any;
}

bool free_pass(struct free_worker *worker)
{
    struct free_position at = free_position_first(worker);
    bool any = false;
    do {
        free_position_look(&at, worker);
        while (at.next == FREE_NEXT_TURN) {
            any = free_position_turn(&at, worker) || any;
        }
    } while (at.place != worker->begin);
    return any;
}
