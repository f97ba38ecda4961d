// SPDX-License-Identifier: MIT
// Free timing: the operation protocol, which carries any rule without a lock and without a global clock.
//
//   invoker                         member
//   ASK (own load, ticket) ------->
//                          <------- TELL (its load), or REFUSE
//   GIVE (load), or RELEASE ------>                                it has what moves
//   or PULL (wanted) ------------->
//                          <------- GIVE (at most what is there)
//   LOOK ------------------------->                                measured operations only
//                          <------- SEEN (its load)
//
// Nobody holds anything between messages, so nothing can deadlock, and a processor can be in several operations at
// once. Every answer comes: over a failed link the machine itself refuses what is asked and returns what was given. Of
// two processors that ask each other where only one can have the other, the older ticket wins: the one that was refused
// more often, then the lower number. Who was refused by everybody pauses for a few turns, drawn from the seed, and
// keeps its ticket. An operation of one's own is in free_operation.c; here is what a message does.
#include <math.h>

#include "threads/free_protocol.h"
#include "topologies/scan.h"

void ek_violate_at(struct ek_free *free, uint32_t p, uint32_t port, const char *what)
{
    struct ek_error violation;
    ek_fail(&violation, EK_VIOLATION, "", -1, "processor %u %s over its link to %u", p, what,
            free->topology->neighbour[port]);
    ek_free_violate(free, &violation);
}

// Sends load: no more than is there, and than the link carries. Returns what is sent.
double ek_give(struct ek_free_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    amount = fmin(fmin(amount, processor->held), free->machine->link_limit);
    if (!(amount > 0.0)) {
        if (flag == EK_FLAG_ANSWER) {
            ek_post(worker, port, EK_GIVE, 0.0, flag);
        }
        return 0.0;
    }
    processor->held -= amount;
    processor->moved += amount;
    processor->native = fmin(processor->native, processor->held); // tokens that came from elsewhere leave first
    processor->minimum = fmin(processor->minimum, processor->held);
    if (processor->held < 0.0) {
        ek_violate_at(free, p, port, "gives more than it holds");
    }
    worker->parcels++;
    if (free->sent) {
        free->sent[port] += amount;
    }
    ek_post(worker, port, EK_GIVE, amount, flag);
    return amount;
}

// How many operations p is in, and how often that is more than one.
void ek_enter(struct ek_free_worker *worker, struct ek_free_processor *processor)
{
    processor->entries++;
    uint32_t in = processor->engaged + (processor->phase != EK_PHASE_IDLE && !processor->withdrawn);
    worker->overlap_most = in > worker->overlap_most ? in : worker->overlap_most;
}

static void credit(struct ek_free *free, uint32_t p, uint32_t port, double amount)
{
    if (!(amount >= 0.0) || isinf(amount)) {
        ek_violate_at(free, p, port, "was given an amount that is no load");
        return;
    }
    free->processor[p].held += amount;
    if (free->received) {
        free->received[port] += amount;
    }
}

static uint64_t member_bit(const struct ek_free *free, uint32_t p, uint32_t port)
{
    uint32_t k = port - free->topology->first[p];
    return UINT64_C(1) << (k < 63 ? k : 63);
}

static bool older(unsigned age, uint32_t p, unsigned than_age, uint32_t than)
{
    return age != than_age ? age > than_age : p < than;
}

bool ek_promised_before(const struct ek_free_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    const struct ek_free *free = worker->free;
    const struct ek_free_processor *processor = &free->processor[p];
    uint32_t who = port == UINT32_MAX ? p : free->topology->neighbour[port];
    return worker->sweeps < processor->promised_until && processor->promised_to != port &&
           older(processor->promised_age, free->topology->neighbour[processor->promised_to], age, who);
}

// Gives way to an older ticket: nothing has moved yet, who told is let go.
static void withdraw(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    free->processor[p].withdrawn = true;
    for (uint32_t port = free->topology->first[p]; port < free->topology->first[p + 1]; port++) {
        if (free->port[port].part == EK_PART_TOLD) {
            free->port[port].part = EK_PART_REFUSED;
            ek_post(worker, port, EK_RELEASE, 0.0, 0);
        }
    }
}

// Whether p, which has an operation of its own, takes part in that of the neighbour at this port all the same: its
// ticket must be the younger one. With one port, the two must have asked each other, so that one link is used; in an
// exclusive domain, its own operation must not have moved anything yet.
static bool gives_way(struct ek_free_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    bool moved = processor->phase != EK_PHASE_ASKING || (!free->together && processor->told_by_any);
    if (!older(age, free->topology->neighbour[port], processor->age, p) ||
        (free->one_port && free->port[port].part != EK_PART_ASKED) || (free->exclusive && moved)) {
        return false;
    }
    if (free->exclusive) {
        withdraw(worker, p);
    }
    return true;
}

// Whether taking part at this port breaks what the machine promises. That is looked at apart from `accepts`, which is
// to see to it: with one port only two that asked each other share a link; in exclusive domains nobody is in two at
// once.
static bool breaks_promise(const struct ek_free *free, uint32_t p, uint32_t port)
{
    const struct ek_free_processor *processor = &free->processor[p];
    bool own = processor->phase != EK_PHASE_IDLE;
    return (free->one_port && (processor->engaged > 0 || (own && free->port[port].part != EK_PART_ASKED))) ||
           (free->exclusive && (processor->engaged > 0 || (own && !processor->withdrawn)));
}

// Whether p, which has no operation yet, has waited for one so long that younger tickets have to wait for it.
static bool goes_first(const struct ek_free *free, uint32_t p, uint32_t port, unsigned age)
{
    enum { PATIENCE = 8 };
    const struct ek_free_processor *processor = &free->processor[p];
    return processor->wanted_at > 0 && processor->age >= PATIENCE &&
           older(processor->age, p, age, free->topology->neighbour[port]);
}

// Whether p takes part in the operation of the neighbour at this port.
static bool accepts(struct ek_free_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    struct ek_free *free = worker->free;
    const struct ek_free_processor *processor = &free->processor[p];
    if (!ek_usable(worker, port)) {
        return false;
    }
    if (!free->one_port && !free->exclusive) {
        return true;
    }
    return processor->engaged == 0 && !ek_promised_before(worker, p, port, age) &&
           (processor->phase == EK_PHASE_IDLE ? !goes_first(free, p, port, age) : gives_way(worker, p, port, age));
}

// Who refuses remembers the oldest ticket that it has refused, and takes part in no younger operation and begins none
// before that one has come again: so everybody's turn comes. The asker pauses for no more turns than the promise lasts,
// unless it has changed its mind.
static void promise(struct ek_free_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    enum { SLACK = 8 };
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    uint32_t asker = free->topology->neighbour[port];
    if (!ek_usable(worker, port) || ek_promised_before(worker, p, port, age)) {
        return;
    }
    processor->promised_to = port;
    processor->promised_age = (uint16_t)age;
    processor->promised_until = worker->sweeps + 2u * ek_degree(free, asker) + SLACK;
}

static void take_ask(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    struct ek_free_port *here = &free->port[port];
    if (here->engaged) {
        ek_violate_at(free, p, port, "was asked by somebody whose operation it is in");
        return;
    }
    if (here->part == EK_PART_NONE) {
        here->told = message->amount;
    }
    if (!accepts(worker, p, port, ek_message_flag(message))) {
        worker->refusals++;
        promise(worker, p, port, ek_message_flag(message));
        ek_post(worker, port, EK_REFUSE, 0.0, 0);
        return;
    }
    if (processor->promised_to == port) {
        processor->promised_until = 0;
    }
    if (breaks_promise(free, p, port)) {
        ek_violate_at(free, p, port, "takes part though its one port or its domain is in use");
        return;
    }
    here->met = processor->engaged > 0 || (processor->phase != EK_PHASE_IDLE && !processor->withdrawn);
    here->engaged = true;
    here->told_at = worker->now;
    processor->engaged++;
    ek_enter(worker, processor);
    here->entries = processor->entries;
    worker->engagements++;
    worker->overlaps += here->met;
    ek_post(worker, port, EK_TELL, ek_level(free, p), here->met ? EK_FLAG_MET : 0);
}

// Something has come that takes an operation on. An ASK that is refused does not: those can go round for ever.
static void note_advance(struct ek_free_worker *worker)
{
    // Relaxed: this worker alone writes it, the attendant only looks whether it still grows.
    uint64_t advances = atomic_load_explicit(&worker->advances, memory_order_relaxed);
    atomic_store_explicit(&worker->advances, advances + 1, memory_order_relaxed);
}

static void take_tell(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    note_advance(worker);
    struct ek_free_processor *processor = &free->processor[p];
    struct ek_free_port *here = &free->port[port];
    if (here->part != EK_PART_ASKED) {
        ek_violate_at(free, p, port, "was told a load that it did not ask for");
        return;
    }
    here->told = message->amount;
    processor->waiting--;
    if (processor->withdrawn || !ek_usable(worker, port)) { // a link that failed meanwhile: as if it had refused
        here->part = EK_PART_REFUSED;
        ek_post(worker, port, EK_RELEASE, 0.0, 0);
    } else {
        uint64_t waited = worker->now + 1 - processor->wanted_at;
        worker->longest_wait = !processor->told_by_any && waited > worker->longest_wait ? waited : worker->longest_wait;
        here->part = EK_PART_TOLD;
        processor->told_by_any = true;
        processor->overlapped = processor->overlapped || ek_message_flag(message) == EK_FLAG_MET;
        processor->members |= member_bit(free, p, port);
        double distance = message->amount - free->mean;
        processor->before += distance * distance;
    }
    ek_go_on(worker, p);
}

static void take_refuse(struct ek_free_worker *worker, uint32_t p, uint32_t port)
{
    struct ek_free *free = worker->free;
    struct ek_free_port *here = &free->port[port];
    if (here->part == EK_PART_ASKED) {
        here->part = EK_PART_REFUSED;
    } else if (here->part == EK_PART_PULLED) {
        here->part = EK_PART_SETTLED;
    } else {
        ek_violate_at(free, p, port, "was refused what it did not ask for");
        return;
    }
    free->processor[p].waiting--;
    ek_go_on(worker, p);
}

// The neighbour's operation has done what it wanted here.
static void disengage(struct ek_free_worker *worker, uint32_t p, uint32_t port)
{
    struct ek_free *free = worker->free;
    struct ek_free_port *here = &free->port[port];
    if (!here->engaged) {
        ek_violate_at(free, p, port, "was let go by an operation that it is not in");
        return;
    }
    here->engaged = false;
    here->met = here->met || here->entries != free->processor[p].entries;
    free->processor[p].engaged--;
    ek_go_on(worker, p); // with one port, its own operation may have waited for that
}

// The operation has settled with p, and goes on with others: an exclusive one keeps its members to its end.
static void let_go_when_settled(struct ek_free_worker *worker, uint32_t p, uint32_t port)
{
    if (!worker->free->exclusive) {
        disengage(worker, p, port);
    }
}

static void take_answer(struct ek_free_worker *worker, uint32_t p, uint32_t port, double amount)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    struct ek_free_port *here = &free->port[port];
    if (here->part != EK_PART_PULLED || amount > here->asked) {
        ek_violate_at(free, p, port, "was given more than it asked for");
        return;
    }
    here->got = amount;
    processor->got += amount;
    processor->waiting--;
    ek_settle_port(worker, p, port);
    ek_go_on(worker, p);
}

static void take_give(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    note_advance(worker);
    bool answer = ek_message_flag(message) == EK_FLAG_ANSWER;
    double amount = message->amount;
    if (!ek_usable(worker, port) && amount > 0.0) {
        worker->returned++;
        worker->load_returned += amount;
        ek_post(worker, port, EK_RETURN, amount, 0);
        amount = 0.0;
    }
    credit(free, p, port, amount);
    if (answer) {
        take_answer(worker, p, port, amount);
    } else {
        let_go_when_settled(worker, p, port);
    }
}

// The answer goes before anything else that this makes possible: what was asked for is not spent on an own operation.
static void take_pull(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    if (!ek_usable(worker, port)) {
        ek_post(worker, port, EK_REFUSE, 0.0, 0);
        let_go_when_settled(worker, p, port);
        return;
    }
    double given = ek_give(worker, p, port, message->amount, EK_FLAG_ANSWER);
    if (given < message->amount) {
        uint64_t age = worker->now - free->port[port].told_at;
        worker->stale++;
        ek_histogram_add(worker->stale_age, age);
    }
    let_go_when_settled(worker, p, port);
}

static void take_return(struct ek_free *free, uint32_t p, uint32_t port, double amount)
{
    credit(free, p, port, amount);
    if (free->sent) { // it has not crossed the link
        free->sent[port] -= amount;
        free->received[port] -= amount;
    }
}

static void take_look(struct ek_free_worker *worker, uint32_t p, uint32_t port)
{
    const struct ek_free *free = worker->free;
    bool met = free->port[port].met || free->port[port].entries != free->processor[p].entries;
    ek_post(worker, port, EK_SEEN, ek_level(free, p), met ? EK_FLAG_MET : 0);
}

static void take_seen(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    note_advance(worker);
    struct ek_free_processor *processor = &free->processor[p];
    if (free->port[port].part != EK_PART_LOOKED) {
        ek_violate_at(free, p, port, "was shown a load that it did not look for");
        return;
    }
    double distance = message->amount - free->mean;
    processor->after += distance * distance;
    processor->overlapped = processor->overlapped || ek_message_flag(message) == EK_FLAG_MET;
    free->port[port].part = EK_PART_SETTLED;
    processor->waiting--;
    ek_go_on(worker, p);
}

void ek_operation_take(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    ek_perturb(worker);
    switch (ek_message_kind(message)) {
    case EK_ASK:
        take_ask(worker, p, port, message);
        return;
    case EK_TELL:
        take_tell(worker, p, port, message);
        return;
    case EK_REFUSE:
        take_refuse(worker, p, port);
        return;
    case EK_GIVE:
        take_give(worker, p, port, message);
        return;
    case EK_PULL:
        take_pull(worker, p, port, message);
        return;
    case EK_RELEASE:
        disengage(worker, p, port);
        return;
    case EK_LOOK:
        take_look(worker, p, port);
        return;
    case EK_SEEN:
        take_seen(worker, p, port, message);
        return;
    case EK_RETURN:
        take_return(free, p, port, message->amount);
        return;
    case EK_MARKER:
        ek_audit_mark(worker, p, port, message);
        return;
    }
    ek_violate_at(free, p, port, "received a message of no kind");
}
