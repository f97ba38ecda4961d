// SPDX-License-Identifier: MIT
// Free timing: what a worker does. Its processors take their turns one after the other, again and again: a turn takes
// what has come on each port and acts on it, lets the workload act, tests the invocation. With more workers than cores
// a worker yields after its turns, for what it waits for is on another thread; after some turns without anything to do
// it sleeps until somebody rings, a delayed message is due or a tick comes.
#include <math.h>
#include <sched.h>

#include "threads/async/state.h"
#include "threads/slice.h"
#include "topologies/scan.h"

enum {
    CLOCK_EVERY = 64,        // processors between two looks at the clock
    SAMPLE_EVERY = 64,       // sweeps between two looks at the core
    VISIT_MAX = ASYNC_SHELF, // messages taken from a port in a turn: others come, too
    TICKS_MAX = 16,          // ticks made up for in a turn
    IDLE_SWEEPS = 16         // without anything to do, before a worker sleeps
};

static void let_work(struct async_worker *worker, uint32_t p)
{
    struct async_run *run = worker->run;
    struct async_processor *processor = &run->processor[p];
    double generated = 0.0;
    double wanted = 0.0;
    core_workload_at(&run->machine->work, run->seed, p, processor->ticks++, &generated, &wanted);
    processor->held += generated;
    processor->native += generated; // what is generated here begins here; what came from elsewhere is consumed first
    double consumed = fmin(wanted, processor->held);
    processor->held -= consumed;
    processor->native = fmin(processor->native, processor->held);
    processor->minimum = fmin(processor->minimum, processor->held);
    if (processor->held < 0.0) {
        struct ek_error violation;
        topo_fail(&violation, EK_VIOLATION, "", -1, "processor %u consumes more than it holds", p);
        async_violate(run, &violation);
    }
    processor->generated += generated;
    processor->consumed += consumed;
}

// One tick a turn, or those that are due. Who has no link left stands still: that is how a processor fails.
static bool work(struct async_worker *worker, uint32_t p)
{
    struct async_run *run = worker->run;
    const struct ek_machine *machine = run->machine;
    struct async_processor *processor = &run->processor[p];
    bool over = machine->work.kind == CORE_WORKLOAD_FILE && processor->ticks >= machine->work.ticks;
    if (machine->work.kind == CORE_WORKLOAD_NONE || over || (run->links && !async_operation_possible(worker, p)) ||
        atomic_load_explicit(&run->draining, memory_order_relaxed)) { // a lone flag
        return false;
    }
    if (machine->tick_s == 0.0) {
        let_work(worker, p);
        return true;
    }
    bool any = false;
    for (unsigned k = 0; k < TICKS_MAX; k++) {
        uint64_t due = (uint64_t)(1e9 * machine->tick_s * (double)(processor->ticks + 1));
        if (due > worker->now) {
            worker->due = due < worker->due ? due : worker->due;
            break;
        }
        let_work(worker, p);
        any = true;
    }
    return any;
}

static void note_depth(struct async_worker *worker, uint32_t port, unsigned taken)
{
    unsigned step = taken == 1 ? 0 : 32u - (unsigned)__builtin_clz(taken - 1);
    worker->depth[step < EK_DEPTHS ? step : EK_DEPTHS - 1]++;
    worker->depth_most = taken > worker->depth_most ? taken : worker->depth_most;
    if (worker->run->use && taken > worker->run->use[port].depth_most) {
        worker->run->use[port].depth_most = taken;
    }
}

static bool visit(struct async_worker *worker, uint32_t p, uint32_t port)
{
    struct async_run *run = worker->run;
    bool any = run->port[port].kept.count > 0 && async_post_kept(worker, port);
    struct mail_message message;
    unsigned taken = 0;
    while (taken < VISIT_MAX && async_fetch(worker, port, &message)) {
        taken++;
        if (run->processor[p].markers > 0) {
            async_snapshot_note(run, p, port, &message);
        }
        async_operation_take(worker, p, port, &message);
    }
    if (taken > 0) {
        note_depth(worker, port, taken);
    }
    worker->polls = worker->polls || taken == VISIT_MAX;
    return any || taken > 0;
}

static bool invoke(struct async_worker *worker, uint32_t p)
{
    struct async_run *run = worker->run;
    struct async_processor *processor = &run->processor[p];
    if (processor->phase != ASYNC_PHASE_IDLE) {
        return false;
    }
    if (processor->pause > 0) {
        processor->pause--;
        worker->polls = true;
        return false;
    }
    // Relaxed: a processor that has recorded itself in a snapshot that began while draining sees the flag, since it saw
    // that snapshot's epoch, or a marker behind it.
    if (atomic_load_explicit(&run->draining, memory_order_relaxed)) {
        return false;
    }
    if (!async_operation_wanted(worker, p)) {
        processor->wanted_at = 0;
        processor->age = 0;
        worker->polls = worker->polls || run->machine->invoke.kind == CORE_INVOKE_PROBABILITY;
        return false;
    }
    return async_operation_begin(worker, p);
}

static bool turn(struct async_worker *worker, uint32_t p, uint32_t epoch)
{
    const struct async_run *run = worker->run;
    bool any = async_snapshot_record(worker, p, epoch);
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        any = visit(worker, p, port) || any;
    }
    any = work(worker, p) || any;
    return invoke(worker, p) || any;
}

enum ek_waiting async_operation_waits(const struct async_run *run, uint32_t p)
{
    const struct async_processor *processor = &run->processor[p];
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (run->port[port].kept.count > 0) {
            return EK_WAIT_ROOM;
        }
    }
    return processor->phase != ASYNC_PHASE_IDLE ? (processor->waiting > 0 ? EK_WAIT_ANSWER : EK_WAIT_PEER)
           : processor->pause > 0               ? EK_WAIT_TURNED
           : processor->wanted_at > 0           ? EK_WAIT_PEER
                                                : EK_WAIT_IDLE;
}

static bool is_slow(const struct async_worker *worker, uint32_t p)
{
    const uint32_t *slow = worker->run->machine->slow;
    return slow && worker->sweeps % slow[p] != 0;
}

// All processors of the worker, once. Whether any had something to do.
static bool sweep(struct async_worker *worker)
{
    struct async_run *run = worker->run;
    // Acquire: pairs with the release that begins a snapshot; what the attendant did before it is seen.
    uint32_t epoch = atomic_load_explicit(&run->epoch, memory_order_acquire);
    worker->usable = run->links ? async_links_read(run->links) : NULL;
    worker->polls = false;
    worker->due = UINT64_MAX;
    uint64_t turns = 0;
    bool any = false;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        if ((p - worker->begin) % CLOCK_EVERY == 0) {
            worker->now = async_now(run);
        }
        if (is_slow(worker, p)) {
            worker->polls = true;
            continue;
        }
        turns++;
        if (turn(worker, p, epoch)) {
            any = true;
        } else {
            worker->empty_turns++;
            worker->waited[async_operation_waits(run, p)] += (double)worker->sweep_ns;
        }
    }
    if (run->links) {
        async_links_quiet();
    }
    if (worker->sweeps++ % SAMPLE_EVERY == 0) {
        watch_counters_sample(&worker->counters);
    }
    // Relaxed: this worker alone writes it, the attendant only looks whether it still grows.
    uint64_t so_far = atomic_load_explicit(&worker->turns, memory_order_relaxed);
    atomic_store_explicit(&worker->turns, so_far + turns, memory_order_relaxed);
    return any;
}

// Acquire: pairs with the release of async_end, so that the worker sees why.
static bool over(const struct async_run *run)
{
    return atomic_load_explicit(&run->over, memory_order_acquire);
}

// Lies down, looks once more, and sleeps. Whether there was something to do.
static bool rest(struct async_worker *worker)
{
    struct async_run *run = worker->run;
    mail_bell_lie_down(worker->bell);
    bool any = sweep(worker);
    if (!any && !worker->polls && !over(run)) {
        uint64_t now = async_now(run);
        worker->sleeps++;
        if (run->links) { // a sleeper does not hold up those who change the link table
            async_links_offline();
        }
        mail_bell_sleep(worker->bell, worker->due == UINT64_MAX ? UINT64_MAX
                                      : worker->due > now       ? worker->due - now
                                                                : 0);
        if (run->links) {
            async_links_online();
        }
        worker->wakes += mail_bell_rise(worker->bell);
        return false;
    }
    mail_bell_rise(worker->bell);
    return any;
}

// Time begins when the last worker is there.
static void wait_for_all(struct async_run *run)
{
    // Acquire and release: the last one's clock comes after all others' beginnings.
    if (atomic_fetch_add_explicit(&run->ready, 1, memory_order_acq_rel) + 1 == run->machine->workers) {
        run->began = async_now(run);
        // Release: pairs with the acquire below and in async_attend, so that all know when it began.
        atomic_store_explicit(&run->started, true, memory_order_release);
    }
    while (!atomic_load_explicit(&run->started, memory_order_acquire)) {
        sched_yield();
    }
}

void async_work(void *context, unsigned index)
{
    struct async_run *run = context;
    struct async_worker *worker = &run->worker[index];
    if (run->links) {
        async_links_register();
    }
    watch_counters_begin(&worker->counters, run->machine->workers);
    wait_for_all(run);
    machine_slice_shorten(run->machine->workers, machine_places_count(run->machine->places));
    uint64_t before = async_now(run);
    for (unsigned idle = 0; !over(run);) {
        bool any = idle < IDLE_SWEEPS ? sweep(worker) : rest(worker);
        idle = any || worker->polls ? 0 : idle + 1;
        if (run->crowded || !any) {
            sched_yield();
        }
        worker->sweep_ns = worker->now - before;
        before = worker->now;
    }
    watch_counters_end(&worker->counters);
    if (run->links) {
        async_links_unregister();
    }
}
