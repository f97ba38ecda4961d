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
// keeps its ticket.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/block.h"
#include "threads/free_state.h"
#include "topologies/scan.h"

enum { MEASURED_EVERY = 16, AGE_MAX = 4095, ANSWER = 1, MET = 1 };

static uint32_t degree_of(const struct ek_free *free, uint32_t p)
{
    return free->topology->first[p + 1] - free->topology->first[p];
}

// What a method compares.
static double level_of(const struct ek_free *free, uint32_t p)
{
    double held = free->processor[p].held;
    const double *capacity = free->machine->capacity;
    return free->target ? held - free->target[p] : capacity ? held / capacity[p] : held;
}

static bool usable(const struct ek_free_worker *worker, uint32_t port)
{
    return !worker->usable || worker->usable[port];
}

static void violate(struct ek_free *free, uint32_t p, uint32_t port, const char *what)
{
    struct ek_error violation;
    ek_fail(&violation, EK_VIOLATION, "", -1, "processor %u %s over its link to %u", p, what,
            free->topology->neighbour[port]);
    ek_free_violate(free, &violation);
}

// Sends load: no more than is there, and than the link carries. Returns what is sent.
static double give(struct ek_free_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    amount = fmin(fmin(amount, processor->held), free->machine->link_limit);
    if (!(amount > 0.0)) {
        if (flag == ANSWER) {
            ek_post(worker, port, EK_GIVE, 0.0, flag);
        }
        return 0.0;
    }
    processor->held -= amount;
    processor->moved += amount;
    processor->native = fmin(processor->native, processor->held); // tokens that came from elsewhere leave first
    processor->minimum = fmin(processor->minimum, processor->held);
    worker->parcels++;
    if (free->sent) {
        free->sent[port] += amount;
    }
    ek_post(worker, port, EK_GIVE, amount, flag);
    return amount;
}

static void credit(struct ek_free *free, uint32_t p, uint32_t port, double amount)
{
    if (!(amount >= 0.0) || isinf(amount)) {
        violate(free, p, port, "was given an amount that is no load");
        return;
    }
    free->processor[p].held += amount;
    if (free->received) {
        free->received[port] += amount;
    }
}

// What the method sees of an own operation of p.
static struct ek_turn turn_of(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    const struct ek_machine *machine = free->machine;
    uint32_t first = free->topology->first[p];
    const struct ek_free_processor *processor = &free->processor[p];
    worker->at = (struct ek_step){.colour_end = free->topology->colours,
                                  .loads = true,
                                  .number = processor->operation,
                                  .stage = processor->second};
    bool at_start = !free->together && machine->method->links != EK_LINKS_COLOUR;
    return (struct ek_turn){
        .view = {.plan = &machine->plan,
                 .at = &worker->at,
                 .processor = p,
                 .degree = degree_of(free, p),
                 .load = at_start && processor->phase != EK_PHASE_IDLE ? processor->level : level_of(free, p),
                 .held = processor->held,
                 .capacity = machine->capacity ? machine->capacity[p] : 1.0,
                 .announced = worker->announced,
                 .dimension = free->topology->dimension + first,
                 .direction = free->topology->direction + first,
                 .memory = free->memory + (size_t)first * machine->plan.port_words,
                 .seed = free->seed},
        .state = free->state + (size_t)p * machine->plan.state_words,
        .arrived = worker->arrived,
        .invokes = true};
}

// The loads last heard, for a method that chooses whom it asks.
static struct ek_turn turn_of_choice(struct ek_free_worker *worker, uint32_t p)
{
    const struct ek_free_port *port = worker->free->port + worker->free->topology->first[p];
    for (uint32_t k = 0; k < degree_of(worker->free, p); k++) {
        worker->announced[k] = port[k].told;
    }
    return turn_of(worker, p);
}

static bool nears(const struct ek_free *free, uint32_t p)
{
    double level = level_of(free, p);
    for (uint32_t port = free->topology->first[p]; port < free->topology->first[p + 1]; port++) {
        // What was never heard may be anything.
        if (!(fabs(level - free->port[port].told) <= free->machine->invoke.gradient)) {
            return false;
        }
    }
    return true;
}

bool ek_operation_wanted(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    const struct ek_invoke *invoke = &free->machine->invoke;
    bool invokes = invoke->kind == EK_INVOKE_GRADIENT
                       ? !nears(free, p)
                       : ek_invoke_test(invoke, free->seed, p, worker->sweeps, free->processor[p].held);
    bool (*asks)(const struct ek_turn *, unsigned) = free->machine->method->asks;
    if (!invokes || !asks) {
        return invokes;
    }
    struct ek_turn turn = turn_of_choice(worker, p);
    for (unsigned k = 0; k < turn.view.degree; k++) {
        if (asks(&turn, k)) {
            return true;
        }
    }
    return false;
}

bool ek_operation_possible(struct ek_free_worker *worker, uint32_t p)
{
    const struct ek_topology *topology = worker->free->topology;
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        if (usable(worker, port)) {
            return true;
        }
    }
    return false;
}

// How many operations p is in, and how often that is more than one.
static void enter(struct ek_free_worker *worker, struct ek_free_processor *processor)
{
    processor->entries++;
    uint32_t in = processor->engaged + (processor->phase != EK_PHASE_IDLE && !processor->withdrawn);
    worker->overlap_most = in > worker->overlap_most ? in : worker->overlap_most;
}

static void ask(struct ek_free_worker *worker, uint32_t p, uint32_t port)
{
    struct ek_free *free = worker->free;
    const struct ek_free_processor *asker = &free->processor[p];
    if (((free->one_port || free->exclusive) && asker->engaged > 0) || (free->one_port && asker->waiting > 0)) {
        violate(free, p, port, "asked though its one port or its domain is in use");
    }
    free->port[port].part = EK_PART_ASKED;
    free->port[port].got = 0.0;
    free->processor[p].waiting++;
    ek_post(worker, port, EK_ASK, level_of(free, p), free->processor[p].age);
}

static void end_operation(struct ek_free_worker *worker, uint32_t p);

// Neighbour after neighbour: asks the next that is to be asked. False when there is none.
static bool ask_next(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    const struct ek_method *method = free->machine->method;
    uint32_t first = free->topology->first[p];
    while (processor->cursor < degree_of(free, p)) {
        uint32_t port = free->order[first + processor->cursor++];
        bool asked = true;
        if (method->asks) {
            struct ek_turn turn = turn_of_choice(worker, p);
            asked = method->asks(&turn, port - first);
        }
        if (asked && usable(worker, port)) {
            ask(worker, p, port);
            return true;
        }
    }
    return false;
}

// All at once. False when nobody is to be asked.
static bool ask_all(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    const struct ek_method *method = free->machine->method;
    uint32_t first = free->topology->first[p];
    uint32_t degree = degree_of(free, p);
    if (method->asks) { // before anything is sent: all answers of `asks` are of one moment
        struct ek_turn turn = turn_of_choice(worker, p);
        for (uint32_t k = 0; k < degree; k++) {
            worker->amounts[k] = method->asks(&turn, k);
        }
    }
    for (uint32_t k = 0; k < degree; k++) {
        if ((!method->asks || worker->amounts[k] != 0.0) && usable(worker, first + k)) {
            ask(worker, p, first + k);
        }
    }
    memset(worker->amounts, 0, degree * sizeof *worker->amounts);
    return free->processor[p].waiting > 0;
}

// Permits are a count of tickets, with which no data goes: hence relaxed.
static void give_permit_back(struct ek_free *free)
{
    if (free->machine->operations_max > 0) {
        atomic_fetch_add_explicit(&free->permits, 1, memory_order_relaxed);
    }
}

static bool take_permit(struct ek_free *free)
{
    bool some = atomic_fetch_sub_explicit(&free->permits, 1, memory_order_relaxed) > 0;
    if (!some) {
        give_permit_back(free);
    }
    return some;
}

// What goes before an operation: no message is kept on a port, nobody else has the one port or the domain, and with
// --operations there is one left.
static bool may_begin(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    if ((free->one_port || free->exclusive) && free->processor[p].engaged > 0) {
        return false;
    }
    for (uint32_t port = free->topology->first[p]; port < free->topology->first[p + 1]; port++) {
        if (free->port[port].kept.count > 0) {
            return false;
        }
    }
    if (!ek_operation_possible(worker, p)) {
        return false;
    }
    if (free->machine->operations_max == 0) {
        return true;
    }
    return atomic_load_explicit(&free->permits, memory_order_relaxed) > 0 && take_permit(free);
}

static void leave(struct ek_free *free, uint32_t p)
{
    struct ek_free_processor *processor = &free->processor[p];
    for (uint32_t port = free->topology->first[p]; port < free->topology->first[p + 1]; port++) {
        free->port[port].part = EK_PART_NONE;
    }
    processor->phase = EK_PHASE_IDLE;
    processor->second = false;
}

bool ek_operation_begin(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    if (processor->wanted_at == 0) {
        processor->wanted_at = worker->now + 1;
    }
    if (!may_begin(worker, p)) {
        return false;
    }
    processor->phase = EK_PHASE_ASKING;
    processor->begun_at = worker->now;
    processor->level = level_of(free, p);
    processor->overlapped = processor->engaged > 0;
    processor->measured = !free->weighted && processor->operation % MEASURED_EVERY == 0;
    processor->before = (processor->level - free->mean) * (processor->level - free->mean);
    processor->after = processor->asked = processor->got = 0.0;
    processor->members = 0;
    processor->cursor = 0;
    processor->withdrawn = processor->told_by_any = false;
    if (!(free->together ? ask_all(worker, p) : ask_next(worker, p))) {
        leave(free, p);
        give_permit_back(free);
        return false;
    }
    enter(worker, processor);
    processor->entries_begun = processor->entries;
    return true;
}

static uint64_t member_bit(const struct ek_free *free, uint32_t p, uint32_t port)
{
    uint32_t k = port - free->topology->first[p];
    return UINT64_C(1) << (k < 63 ? k : 63);
}

// Nobody took part: the ticket stays, one refusal older, and the processor pauses.
static void abandon(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    leave(free, p);
    give_permit_back(free);
    worker->abandoned++;
    processor->operation++;
    processor->age = (uint16_t)(processor->age + (processor->age < AGE_MAX));
    struct ek_random random = ek_random_moment(free->seed, p, EK_STREAM_PAUSE, worker->sweeps);
    processor->pause = 1 + (uint32_t)ek_random_below(&random, 2u * degree_of(free, p) + 2);
}

static void note_effect(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    double level = level_of(free, p) - free->mean;
    double after = processor->after + level * level;
    int kind = processor->overlapped || processor->entries != processor->entries_begun;
    worker->effect[kind].count++;
    worker->effect[kind].before += processor->before;
    worker->effect[kind].after += after;
    worker->effect[kind].square += after * after;
}

static void end_operation(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    if (!processor->told_by_any) {
        abandon(worker, p);
        return;
    }
    if (processor->measured) {
        note_effect(worker, p);
    }
    worker->asked += processor->asked;
    worker->got += processor->got;
    ek_histogram_add(worker->operation_time, worker->now - processor->begun_at);
    ek_operation_log_add(free->log, (unsigned)(worker - free->worker),
                         &(struct ek_operation){.begin = processor->begun_at,
                                                .end = worker->now,
                                                .members = processor->members,
                                                .asked = processor->asked,
                                                .got = processor->got,
                                                .invoker = p});
    processor->operation++;
    processor->age = 0;
    processor->wanted_at = 0;
    leave(free, p);
    // Relaxed: this worker alone writes it, the attendant only looks whether it still grows.
    uint64_t operations = atomic_load_explicit(&worker->operations, memory_order_relaxed);
    atomic_store_explicit(&worker->operations, operations + 1, memory_order_relaxed);
}

// A neighbour's part is done; a measured operation looks at what it holds now.
static void settle_port(struct ek_free_worker *worker, uint32_t p, uint32_t port)
{
    struct ek_free_processor *processor = &worker->free->processor[p];
    struct ek_free_port *here = &worker->free->port[port];
    if (processor->measured) {
        here->part = EK_PART_LOOKED;
        processor->waiting++;
        ek_post(worker, port, EK_LOOK, 0.0, 0);
    } else {
        here->part = EK_PART_SETTLED;
    }
}

// Sends what the method said for one member: a gift, a request, or its release.
static void settle_amount(struct ek_free_worker *worker, uint32_t p, uint32_t port, double amount)
{
    struct ek_free *free = worker->free;
    struct ek_free_port *here = &free->port[port];
    if (amount < 0.0) {
        here->asked = fmin(-amount, free->machine->link_limit);
        here->part = EK_PART_PULLED;
        free->processor[p].asked += here->asked;
        free->processor[p].waiting++;
        ek_post(worker, port, EK_PULL, here->asked, 0);
        return;
    }
    if (!(give(worker, p, port, amount, 0) > 0.0)) {
        ek_post(worker, port, EK_RELEASE, 0.0, 0);
    }
    settle_port(worker, p, port);
}

// By a rule that knows only its own end: positive there, or at the other end.
static double flow_between(struct ek_view view, double *announced, unsigned k, ek_flow *flow)
{
    double out = flow(&view, k);
    if (out > 0.0) {
        return out;
    }
    double told = announced[k];
    announced[k] = view.load;
    view.load = told;
    double in = flow(&view, k);
    announced[k] = told;
    return in > 0.0 ? -in : 0.0;
}

// Asks the method what moves, and settles with every member that has answered.
static void settle(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    const struct ek_method *method = free->machine->method;
    uint32_t first = free->topology->first[p];
    uint32_t degree = degree_of(free, p);
    struct ek_free_port *port = free->port + first;
    processor->phase = EK_PHASE_SETTLING;
    for (uint32_t k = 0; k < degree; k++) {
        bool part = port[k].part == EK_PART_TOLD ||
                    (free->together && (port[k].part == EK_PART_SETTLED || port[k].part == EK_PART_LOOKED));
        worker->announced[k] = part ? port[k].told : NAN;
        worker->arrived[k] = port[k].got;
    }
    struct ek_turn turn = turn_of(worker, p);
    ek_flow *flow = free->machine->units == EK_TOKENS ? method->flow_tokens : method->flow;
    for (uint32_t k = 0; !method->operate && k < degree; k++) {
        worker->amounts[k] = isnan(worker->announced[k]) ? 0.0 : flow_between(turn.view, worker->announced, k, flow);
    }
    if (method->operate) {
        method->operate(&turn, worker->amounts);
    }
    processor->second = turn.busy && !processor->second;
    for (uint32_t k = 0; k < degree; k++) {
        double amount = worker->amounts[k];
        worker->amounts[k] = 0.0;
        if (port[k].part == EK_PART_TOLD && !(processor->second && amount == 0.0)) {
            settle_amount(worker, p, first + k, amount);
        }
    }
}

// When no answer is out any more: on to the next thing.
static void go_on(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    while (processor->waiting == 0 && processor->phase != EK_PHASE_IDLE) {
        if (free->one_port && processor->engaged > 0) { // the port is in use; when it is let go, this goes on
            return;
        }
        if (processor->withdrawn) {
            abandon(worker, p);
        } else if (processor->phase == EK_PHASE_ASKING && processor->told_by_any) {
            settle(worker, p);
        } else if (processor->second) {
            settle(worker, p);
        } else if (free->together || !ask_next(worker, p)) {
            end_operation(worker, p);
        } else {
            processor->phase = EK_PHASE_ASKING;
        }
    }
}

static bool older(unsigned age, uint32_t p, unsigned than_age, uint32_t than)
{
    return age != than_age ? age > than_age : p < than;
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

// Whether p takes part in the operation of the neighbour at this port.
static bool accepts(struct ek_free_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    struct ek_free *free = worker->free;
    const struct ek_free_processor *processor = &free->processor[p];
    if (!usable(worker, port)) {
        return false;
    }
    if (!free->one_port && !free->exclusive) {
        return true;
    }
    return processor->engaged == 0 && (processor->phase == EK_PHASE_IDLE || gives_way(worker, p, port, age));
}

static void take_ask(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    struct ek_free_port *here = &free->port[port];
    if (here->engaged) {
        violate(free, p, port, "was asked by somebody whose operation it is in");
        return;
    }
    if (here->part == EK_PART_NONE) {
        here->told = message->amount;
    }
    if (!accepts(worker, p, port, ek_message_flag(message))) {
        worker->refusals++;
        ek_post(worker, port, EK_REFUSE, 0.0, 0);
        return;
    }
    if (breaks_promise(free, p, port)) {
        violate(free, p, port, "takes part though its one port or its domain is in use");
        return;
    }
    here->met = processor->engaged > 0 || (processor->phase != EK_PHASE_IDLE && !processor->withdrawn);
    here->engaged = true;
    here->told_at = worker->now;
    processor->engaged++;
    enter(worker, processor);
    here->entries = processor->entries;
    worker->engagements++;
    worker->overlaps += here->met;
    ek_post(worker, port, EK_TELL, level_of(free, p), here->met ? MET : 0);
}

static void take_tell(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    struct ek_free_port *here = &free->port[port];
    if (here->part != EK_PART_ASKED) {
        violate(free, p, port, "was told a load that it did not ask for");
        return;
    }
    here->told = message->amount;
    processor->waiting--;
    if (processor->withdrawn || !usable(worker, port)) { // a link that failed meanwhile: as if it had refused
        here->part = EK_PART_REFUSED;
        ek_post(worker, port, EK_RELEASE, 0.0, 0);
    } else {
        uint64_t waited = worker->now + 1 - processor->wanted_at;
        worker->longest_wait = !processor->told_by_any && waited > worker->longest_wait ? waited : worker->longest_wait;
        here->part = EK_PART_TOLD;
        processor->told_by_any = true;
        processor->overlapped = processor->overlapped || ek_message_flag(message) == MET;
        processor->members |= member_bit(free, p, port);
        double distance = message->amount - free->mean;
        processor->before += distance * distance;
    }
    go_on(worker, p);
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
        violate(free, p, port, "was refused what it did not ask for");
        return;
    }
    free->processor[p].waiting--;
    go_on(worker, p);
}

// The neighbour's operation has done what it wanted here.
static void disengage(struct ek_free_worker *worker, uint32_t p, uint32_t port)
{
    struct ek_free *free = worker->free;
    struct ek_free_port *here = &free->port[port];
    if (!here->engaged) {
        violate(free, p, port, "was let go by an operation that it is not in");
        return;
    }
    here->engaged = false;
    here->met = here->met || here->entries != free->processor[p].entries;
    free->processor[p].engaged--;
    go_on(worker, p); // with one port, its own operation may have waited for that
}

static void take_answer(struct ek_free_worker *worker, uint32_t p, uint32_t port, double amount)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    struct ek_free_port *here = &free->port[port];
    if (here->part != EK_PART_PULLED || amount > here->asked) {
        violate(free, p, port, "was given more than it asked for");
        return;
    }
    here->got = amount;
    processor->got += amount;
    processor->waiting--;
    settle_port(worker, p, port);
    go_on(worker, p);
}

static void take_give(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    bool answer = ek_message_flag(message) == ANSWER;
    double amount = message->amount;
    if (!usable(worker, port) && amount > 0.0) {
        worker->returned++;
        worker->load_returned += amount;
        ek_post(worker, port, EK_RETURN, amount, 0);
        amount = 0.0;
    }
    credit(free, p, port, amount);
    if (answer) {
        take_answer(worker, p, port, amount);
    } else {
        disengage(worker, p, port);
    }
}

static void take_pull(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    disengage(worker, p, port);
    if (!usable(worker, port)) {
        ek_post(worker, port, EK_REFUSE, 0.0, 0);
        return;
    }
    double given = give(worker, p, port, message->amount, ANSWER);
    if (given < message->amount) {
        uint64_t age = worker->now - free->port[port].told_at;
        worker->stale++;
        ek_histogram_add(worker->stale_age, age);
    }
}

static void take_return(struct ek_free *free, uint32_t p, uint32_t port, double amount)
{
    credit(free, p, port, amount);
    if (free->sent) { // it has not crossed the link
        free->sent[port] -= amount;
        free->received[port] -= amount;
    }
}

static void take_seen(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    if (free->port[port].part != EK_PART_LOOKED) {
        violate(free, p, port, "was shown a load that it did not look for");
        return;
    }
    double distance = message->amount - free->mean;
    processor->after += distance * distance;
    processor->overlapped = processor->overlapped || ek_message_flag(message) == MET;
    free->port[port].part = EK_PART_SETTLED;
    processor->waiting--;
    go_on(worker, p);
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
        ek_post(worker, port, EK_SEEN, level_of(free, p), free->port[port].met ? MET : 0);
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
    violate(free, p, port, "received a message of no kind");
}
