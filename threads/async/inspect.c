// SPDX-License-Identifier: MIT
// The inspector.
#include "threads/async/inspect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "threads/async/announce.h"
#include "threads/async/end.h"
#include "threads/async/operation.h"
#include "threads/async/post.h"
#include "threads/async/processor.h"
#include "threads/watch/ledger.h"
#include "topologies/scan.h"

// What docs and comments promise of asked operations: see post.c.
enum { UNDER_WAY_MOST = 7, KEPT_MOST = 7 };

static uint32_t bound_of(const struct async_run *run)
{
    return run->pushed ? run->boxes.capacity + 2 * ASYNC_SHELF : UNDER_WAY_MOST;
}

static unsigned state_of(const struct async_port *port)
{
    return 2u * port->part + port->engaged;
}

static unsigned coming_of(const struct mail_message *message)
{
    enum async_kind kind = async_message_kind(message);
    bool answer = kind == ASYNC_GIVE && async_message_flag(message) == ASYNC_FLAG_ANSWER;
    return answer ? 0 : (unsigned)kind < ASYNC_COMINGS ? (unsigned)kind : ASYNC_COMINGS;
}

// Whether the protocol has a meaning for it (docs/model.md).
static bool has_meaning(bool pushed, unsigned state, unsigned coming)
{
    enum async_part part = (enum async_part)(state / 2);
    bool engaged = state % 2;
    switch (coming) {
    case 0:
        return part == ASYNC_PART_PULLED;
    case ASYNC_ASK:
        return !engaged;
    case ASYNC_TELL:
        return part == ASYNC_PART_ASKED;
    case ASYNC_REFUSE:
        return part == ASYNC_PART_ASKED || part == ASYNC_PART_PULLED;
    case ASYNC_GIVE:
        return engaged || pushed;
    case ASYNC_PULL:
    case ASYNC_RELEASE:
        return engaged;
    case ASYNC_RETURN:
    case ASYNC_MARKER:
        return true;
    case ASYNC_ANNOUNCE:
        return pushed;
    default:
        return false;
    }
}

// Whether it can come in this state, in this run's experiment.
static bool is_possible(const struct async_run *run, unsigned state, unsigned coming)
{
    if (run->pushed) { // nobody has a part in anything
        return state == 0 && (coming == ASYNC_GIVE || coming == ASYNC_ANNOUNCE || coming == ASYNC_MARKER);
    }
    return has_meaning(false, state, coming) && (coming != ASYNC_RETURN || async_faults(run->machine));
}

size_t async_inspect_bytes(const struct async_run *run)
{
    struct async_inspector *inspector;
    return run->topology->ports * (sizeof *inspector->way + bound_of(run) * sizeof *inspector->place);
}

bool async_inspect_begin(struct async_inspector *inspector, struct async_run *run)
{
    uint32_t ports = run->topology->ports;
    *inspector = (struct async_inspector){.run = run, .bound = bound_of(run)};
    for (unsigned i = 0; i < ASYNC_STATES * ASYNC_COMINGS; i++) {
        struct async_meeting meeting = {(uint8_t)(i / ASYNC_COMINGS), (uint8_t)(i % ASYNC_COMINGS)};
        if (is_possible(run, meeting.state, meeting.coming)) {
            inspector->possible[inspector->possibles++] = meeting;
        }
    }
    inspector->way = calloc(ports + 1u, sizeof *inspector->way);
    inspector->place = calloc((size_t)ports * inspector->bound + 1, sizeof *inspector->place);
    return inspector->way && inspector->place;
}

void async_inspect_end(struct async_inspector *inspector)
{
    free(inspector->way);
    free(inspector->place);
}

void async_inspect_again(struct async_inspector *inspector)
{
    memset(inspector->way, 0, inspector->run->topology->ports * sizeof *inspector->way);
    memset(inspector->met, 0, sizeof inspector->met);
    inspector->in_flight = 0.0;
    inspector->carriers = inspector->under_way = inspector->additions = 0;
}

static void sent(struct async_inspector *inspector, uint32_t port, const struct mail_message *message)
{
    struct async_run *run = inspector->run;
    uint32_t to = run->topology->twin[port];
    struct async_under_way *way = &inspector->way[to];
    if (way->count == inspector->bound) {
        async_violate_at(run, run->topology->neighbour[to], port, "has more messages under way than are ever needed");
        return;
    }
    inspector->place[(size_t)to * inspector->bound + (way->first + way->count++) % inspector->bound] = *message;
    inspector->under_way++;
    if (async_message_carries(message)) {
        inspector->carriers++;
        inspector->in_flight += message->amount;
    }
}

static void taken(struct async_inspector *inspector, uint32_t port, const struct mail_message *message)
{
    struct async_run *run = inspector->run;
    uint32_t p = run->topology->neighbour[run->topology->twin[port]];
    struct async_under_way *way = &inspector->way[port];
    const struct mail_message *first = &inspector->place[(size_t)port * inspector->bound + way->first];
    if (way->count == 0 || memcmp(first, message, sizeof *first) != 0) {
        async_violate_at(run, p, port, "takes what is not the first message under way");
        return;
    }
    way->first = (way->first + 1) % inspector->bound;
    way->count--;
    inspector->under_way--;
    if (async_message_carries(message)) { // where nothing is under way that is said exactly, whatever the sum has lost
        inspector->in_flight = --inspector->carriers > 0 ? inspector->in_flight - message->amount : 0.0;
    }
    inspector->additions++;
    unsigned state = state_of(&run->port[port]);
    unsigned coming = coming_of(message);
    if (!has_meaning(run->pushed, state, coming)) {
        async_violate_at(run, p, port, "takes a message that means nothing in its state");
        return;
    }
    inspector->met[state][coming]++;
}

void async_inspect_message(struct async_inspector *inspector, enum ek_event_kind kind, uint32_t port,
                           const struct mail_message *message)
{
    if (kind == EK_EVENT_SENDS) {
        sent(inspector, port, message);
    } else {
        taken(inspector, port, message);
    }
}

void async_inspect_work(struct async_inspector *inspector)
{
    inspector->additions += 2;
}

static void violate(struct async_run *run, uint32_t p, const char *what)
{
    struct ek_error violation;
    topo_fail(&violation, EK_VIOLATION, "", -1, "processor %u %s", p, what);
    async_violate(run, &violation);
}

static void look_at_ports(struct async_inspector *inspector, uint32_t p)
{
    struct async_run *run = inspector->run;
    const struct async_processor *processor = &run->processor[p];
    uint32_t waiting = 0;
    uint32_t engaged = 0;
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        const struct async_port *here = &run->port[port];
        waiting += here->part == ASYNC_PART_ASKED || here->part == ASYNC_PART_PULLED;
        engaged += here->engaged;
        if (here->kept.count > KEPT_MOST) {
            async_violate_at(run, p, port, "keeps more messages than it may");
        }
        if (here->part != ASYNC_PART_NONE && processor->phase == ASYNC_PHASE_IDLE) {
            async_violate_at(run, p, port, "has a part in an operation that it is not in");
        }
    }
    bool own = async_invokes(processor);
    if (waiting != processor->waiting || engaged != processor->engaged) {
        violate(run, p, "waits for other answers, or is in other operations, than it counts");
    } else if ((run->one_port || run->exclusive) && (engaged > 1 || (run->exclusive && engaged > 0 && own))) {
        violate(run, p, "is in two operations with its one port, or its exclusive domain");
    }
}

static void look_at_load(struct async_inspector *inspector, uint32_t p)
{
    struct async_run *run = inspector->run;
    double held = run->processor[p].held;
    if (!(held >= 0.0)) {
        violate(run, p, "holds less than nothing");
    } else if (run->machine->units == EK_TOKENS && held != floor(held)) {
        violate(run, p, "holds a part of a token");
    }
}

static void look_at_ledger(struct async_inspector *inspector)
{
    struct async_run *run = inspector->run;
    struct watch_ledger ledger = {.initial = run->start.total,
                                  .initial_size = run->start.size,
                                  .in_flight = inspector->in_flight,
                                  .additions = 2.0 * (double)inspector->additions + run->topology->processors};
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        ledger.held += run->processor[p].held;
        ledger.generated += run->processor[p].generated;
        ledger.consumed += run->processor[p].consumed;
    }
    struct ek_error violation;
    if (watch_ledger_look(&ledger, run->topology->processors, run->machine->units, "", &violation) == WATCH_VIOLATED) {
        async_violate(run, &violation);
    }
}

// With --operations each has a permit: not taken yet, in a worker's hand, in an operation or used up by one that ended.
static void look_at_permits(const struct async_inspector *inspector)
{
    struct async_run *run = inspector->run;
    uint64_t most = run->machine->experiment.operations_max;
    uint64_t permits = (uint64_t)atomic_load_explicit(&run->shared.permits, memory_order_relaxed);
    for (unsigned w = 0; w < run->machine->workers; w++) { // relaxed: one thread
        const struct async_worker *worker = &run->worker[w];
        permits += worker->look.permits + atomic_load_explicit(&worker->operations, memory_order_relaxed);
    }
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        permits += run->processor[p].phase != ASYNC_PHASE_IDLE;
    }
    if (permits != most) {
        struct ek_error violation;
        topo_fail(&violation, EK_VIOLATION, "", -1, "%llu operations may begin or have, of the %llu that are allowed",
                  (unsigned long long)permits, (unsigned long long)most);
        async_violate(run, &violation);
    }
}

void async_inspect_turn(struct async_inspector *inspector, uint32_t p)
{
    look_at_ports(inspector, p);
    look_at_load(inspector, p);
    look_at_ledger(inspector);
    if (inspector->run->machine->experiment.operations_max > 0) {
        look_at_permits(inspector);
    }
}

// Whether p would begin an operation, or give.
static bool would_go_on(struct async_run *run, uint32_t p)
{
    struct async_worker *worker = &run->worker[run->owner ? run->owner[p] : p];
    struct async_snapshot part = {0};
    if (!run->pushed) {
        return async_wanted(worker, p);
    }
    async_announce_record(worker, p, &part);
    return part.asks && !part.blocked;
}

// A run that ends by itself does so because nobody would go on, or where loads are pushed because nobody could give.
// What goes on by a clock or a lot, or waits for a link, is not looked at; a method with an end of its own neither.
static void look_at_end(struct async_inspector *inspector)
{
    struct async_run *run = inspector->run;
    const struct ek_machine *machine = run->machine;
    enum ek_ended ended = run->attendant.ended;
    bool by_itself = ended == EK_ENDED_ITSELF || (ended == EK_ENDED_FROZEN && run->pushed);
    bool more_comes = machine->work.kind != CORE_WORKLOAD_NONE || async_faults(machine) ||
                      core_invoke_recurs(&machine->invoke) || machine->invoke.kind == CORE_INVOKE_GLOBAL;
    for (uint32_t p = 0; by_itself && !more_comes && !machine->plan.ends_when_still && p < run->topology->processors;
         p++) {
        if (would_go_on(run, p)) {
            violate(run, p, "would go on, and the run has ended by itself");
        }
    }
}

void async_inspect_last(struct async_inspector *inspector)
{
    struct async_run *run = inspector->run;
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        const struct async_processor *processor = &run->processor[p];
        look_at_ports(inspector, p);
        if (processor->phase != ASYNC_PHASE_IDLE || processor->engaged > 0) {
            violate(run, p, "is in an operation, and the run has ended");
        }
    }
    if (inspector->under_way > 0) {
        struct ek_error violation;
        topo_fail(&violation, EK_VIOLATION, "", -1, "the run has ended with %llu messages under way",
                  (unsigned long long)inspector->under_way);
        async_violate(run, &violation);
    }
    look_at_end(inspector);
    look_at_ledger(inspector);
}
