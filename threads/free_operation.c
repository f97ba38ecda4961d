// SPDX-License-Identifier: MIT
// Free timing: an operation of a processor's own, from its invocation to its end. It asks all neighbours at once, or
// one after the other in the order of the colours; it settles when all who were asked have answered.
#include <math.h>
#include <string.h>

#include "core/block.h"
#include "threads/free_protocol.h"

enum { MEASURED_EVERY = 16, AGE_MAX = 4095 };

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
                 .degree = ek_degree(free, p),
                 .load = at_start && processor->phase != EK_PHASE_IDLE ? processor->level : ek_level(free, p),
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
    for (uint32_t k = 0; k < ek_degree(worker->free, p); k++) {
        worker->announced[k] = port[k].told;
    }
    return turn_of(worker, p);
}

static bool nears(const struct ek_free *free, uint32_t p)
{
    double level = ek_level(free, p);
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
        if (ek_usable(worker, port)) {
            return true;
        }
    }
    return false;
}

bool ek_operation_blocked(struct ek_free_worker *worker, uint32_t p)
{
    const struct ek_topology *topology = worker->free->topology;
    const struct ek_method *method = worker->free->machine->method;
    if (!method->asks || method->lots) { // another lot, another neighbour
        return !ek_operation_possible(worker, p);
    }
    struct ek_turn turn = turn_of_choice(worker, p);
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        if (ek_usable(worker, port) && method->asks(&turn, port - topology->first[p])) {
            return false;
        }
    }
    return true;
}

static void ask(struct ek_free_worker *worker, uint32_t p, uint32_t port)
{
    struct ek_free *free = worker->free;
    const struct ek_free_processor *asker = &free->processor[p];
    if (((free->one_port || free->exclusive) && asker->engaged > 0) || (free->one_port && asker->waiting > 0)) {
        ek_violate_at(free, p, port, "asked though its one port or its domain is in use");
    }
    free->processor[p].phase = EK_PHASE_ASKING;
    free->port[port].part = EK_PART_ASKED;
    free->port[port].got = 0.0;
    free->processor[p].waiting++;
    ek_post(worker, port, EK_ASK, ek_level(free, p), free->processor[p].age);
}

// Neighbour after neighbour: asks the next that is to be asked. False when there is none.
static bool ask_next(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    const struct ek_method *method = free->machine->method;
    uint32_t first = free->topology->first[p];
    while (processor->cursor < ek_degree(free, p)) {
        uint32_t port = free->order[first + processor->cursor++];
        bool asked = true;
        if (method->asks) {
            struct ek_turn turn = turn_of_choice(worker, p);
            asked = method->asks(&turn, port - first);
        }
        if (asked && ek_usable(worker, port)) {
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
    uint32_t degree = ek_degree(free, p);
    if (method->asks) { // before anything is sent: all answers of `asks` are of one moment
        struct ek_turn turn = turn_of_choice(worker, p);
        for (uint32_t k = 0; k < degree; k++) {
            worker->amounts[k] = method->asks(&turn, k);
        }
    }
    for (uint32_t k = 0; k < degree; k++) {
        if ((!method->asks || worker->amounts[k] != 0.0) && ek_usable(worker, first + k)) {
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

// The ticket gets older each time that its operation was refused, or had to wait for another.
static void put_off(struct ek_free_processor *processor)
{
    processor->age = (uint16_t)(processor->age + (processor->age < AGE_MAX));
}

// What goes before an operation: no message is kept on a port, nobody else has the one port or the domain, and with
// --operations there is one left.
static bool may_begin(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    bool contested = free->one_port || free->exclusive;
    bool engaged = contested && processor->engaged > 0;
    if (engaged || (contested && ek_promised_before(worker, p, UINT32_MAX, processor->age))) {
        put_off(processor);
        worker->polls = worker->polls || !engaged; // promises end by turns
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

// The own operation is over. Members of an exclusive domain were kept until now.
static void leave(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    for (uint32_t port = free->topology->first[p]; port < free->topology->first[p + 1]; port++) {
        if (free->exclusive && free->port[port].part == EK_PART_SETTLED) {
            ek_post(worker, port, EK_RELEASE, 0.0, 0);
        }
        free->port[port].part = EK_PART_NONE;
    }
    processor->phase = EK_PHASE_IDLE;
    processor->second = false;
}

// Nobody took part: the ticket stays, and the processor pauses.
static void abandon(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    leave(worker, p);
    give_permit_back(free);
    worker->abandoned++;
    processor->operation++;
    put_off(processor);
    struct ek_random random = ek_random_moment(free->seed, p, EK_STREAM_PAUSE, worker->sweeps);
    processor->pause = 1 + (uint32_t)ek_random_below(&random, 2u * ek_degree(free, p) + 2);
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
    processor->level = ek_level(free, p);
    processor->overlapped = processor->engaged > 0;
    processor->measured = !free->weighted && processor->operation % MEASURED_EVERY == 0;
    processor->before = (processor->level - free->mean) * (processor->level - free->mean);
    processor->after = processor->asked = processor->got = 0.0;
    processor->members = 0;
    processor->cursor = 0;
    processor->withdrawn = processor->told_by_any = false;
    if (!(free->together ? ask_all(worker, p) : ask_next(worker, p))) { // all that it would ask are cut off
        abandon(worker, p);
        return false;
    }
    ek_enter(worker, processor);
    processor->entries_begun = processor->entries;
    return true;
}

static void note_effect(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    double level = ek_level(free, p) - free->mean;
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
    leave(worker, p);
    // Relaxed: this worker alone writes it, the attendant only looks whether it still grows.
    uint64_t operations = atomic_load_explicit(&worker->operations, memory_order_relaxed);
    atomic_store_explicit(&worker->operations, operations + 1, memory_order_relaxed);
}

// A neighbour's part is done; a measured operation looks at what it holds now.
void ek_settle_port(struct ek_free_worker *worker, uint32_t p, uint32_t port)
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
    if (!(ek_give(worker, p, port, amount, 0) > 0.0) && !free->exclusive) {
        ek_post(worker, port, EK_RELEASE, 0.0, 0);
    }
    ek_settle_port(worker, p, port);
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

static ek_flow *flow_of(const struct ek_machine *machine)
{
    return machine->units == EK_TOKENS ? machine->method->flow_tokens : machine->method->flow;
}

// Asks the method what moves, and settles with every member that has answered.
static void settle_all(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    const struct ek_method *method = free->machine->method;
    uint32_t first = free->topology->first[p];
    uint32_t degree = ek_degree(free, p);
    struct ek_free_port *port = free->port + first;
    for (uint32_t k = 0; k < degree; k++) {
        bool part = port[k].part == EK_PART_TOLD || port[k].part == EK_PART_SETTLED || port[k].part == EK_PART_LOOKED;
        worker->announced[k] = part ? port[k].told : NAN;
        worker->arrived[k] = port[k].got;
    }
    struct ek_turn turn = turn_of(worker, p);
    ek_flow *flow = flow_of(free->machine);
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

// The same with the one neighbour that was asked.
static void settle_one(struct ek_free_worker *worker, uint32_t p, uint32_t port)
{
    struct ek_free *free = worker->free;
    const struct ek_method *method = free->machine->method;
    uint32_t k = port - free->topology->first[p];
    for (uint32_t other = 0; method->operate && other < ek_degree(free, p); other++) {
        worker->announced[other] = NAN;
    }
    worker->announced[k] = free->port[port].told;
    struct ek_turn turn = turn_of(worker, p);
    if (method->operate) {
        method->operate(&turn, worker->amounts);
    } else {
        worker->amounts[k] = flow_between(turn.view, worker->announced, k, flow_of(free->machine));
    }
    double amount = worker->amounts[k];
    worker->amounts[k] = 0.0;
    settle_amount(worker, p, port, amount);
}

// Settles with those who have told. Whether there was anybody.
static bool settle(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    bool first = processor->phase == EK_PHASE_ASKING;
    processor->phase = EK_PHASE_SETTLING;
    if (free->together) {
        bool any = processor->second || (first && processor->told_by_any);
        if (any) {
            settle_all(worker, p);
        }
        return any;
    }
    uint32_t port = free->order[free->topology->first[p] + processor->cursor - 1];
    bool told = free->port[port].part == EK_PART_TOLD;
    if (told) {
        settle_one(worker, p, port);
    }
    return told;
}

// When no answer is out any more: on to the next thing.
void ek_go_on(struct ek_free_worker *worker, uint32_t p)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    while (processor->waiting == 0 && processor->phase != EK_PHASE_IDLE) {
        if (free->one_port && processor->engaged > 0) { // the port is in use; when it is let go, this goes on
            return;
        }
        if (processor->withdrawn) {
            abandon(worker, p);
        } else if (!settle(worker, p) && (free->together || !ask_next(worker, p))) {
            end_operation(worker, p);
        }
    }
}
