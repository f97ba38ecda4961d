// SPDX-License-Identifier: MIT
// An operation on requested loads, from its invocation to its end.
//
//   1. Begin (`begin`). The invoker sends ASK to all neighbours at once. If the method works link by link, or
//      processors have one port, it asks one neighbour at a time, in the order of the colours.
//   2. Answers. TELL makes a neighbour a member; REFUSE does not (protocol.c).
//   3. Settle (`proceed`). When all answers have come, the method computes the flow to each member. The invoker
//      sends GIVE for a positive flow, PULL for a negative one, and RELEASE if nothing moves. Some methods settle
//      twice.
//   4. With one neighbour at a time, 1 to 3 repeat with the next neighbour.
//   5. End. When all PULLs are answered the operation ends. If no neighbour has joined, the operation is
//      abandoned: the invoker's ticket, its priority among operations, gets older. The invoker then pauses for a few
//      turns, drawn from the seed.
#include <math.h>
#include <string.h>

#include "threads/api/experiment.h"
#include "threads/free/amounts.h"
#include "threads/free/look.h"
#include "threads/free/operation.h"
#include "threads/free/post.h"
#include "threads/free/processor.h"
#include "base/random.h"

enum { AGE_MAX = 4095 };

static FREE_BY_PATH void note(const struct free_worker *worker, enum ek_event_kind kind, double amount,
                              enum free_path path)
{
    if (path != FREE_PATH_PLAIN) {
        free_note(worker, kind, amount);
    }
}

// Returns what the method sees of an operation of p.
static FREE_BY_PATH struct ek_turn turn_of(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    const struct machine_plan *machine = run->machine;
    uint32_t first = run->topology->first[p];
    const struct free_processor *processor = &run->processor[p];
    worker->at = (struct ek_step){.colour_end = run->topology->colours,
                                  .loads = true,
                                  .number = processor->operation,
                                  .stage = processor->second};
    bool at_start = !run->together && machine->method->links != EK_LINKS_COLOUR;
    return (struct ek_turn){.view = {.plan = &machine->method_plan,
                                     .step = &worker->at,
                                     .processor = p,
                                     .degree = free_degree(run, p),
                                     .load = at_start && processor->phase != FREE_PHASE_IDLE ? run->alone[p].level
                                                                                             : free_level(run, p, path),
                                     .held = processor->held,
                                     .capacity = free_beyond(path, machine->capacity) ? machine->capacity[p] : 1.0,
                                     .announced = worker->announced,
                                     .dimension = run->topology->dimension + first,
                                     .direction = run->topology->direction + first,
                                     .memory = run->memory + (size_t)first * machine->method_plan.port_doubles,
                                     .seed = run->seed},
                            .state = run->state + (size_t)p * machine->method_plan.state_doubles,
                            .arrived = worker->arrived,
                            .invokes = true};
}

struct ek_turn free_turn_as_known(struct free_worker *worker, uint32_t p)
{
    const struct free_port *port = worker->run->port + worker->run->topology->first[p];
    for (uint32_t k = 0; k < free_degree(worker->run, p); k++) {
        worker->announced[k] = port[k].neighbour_level;
    }
    return turn_of(worker, p, FREE_PATH_ANY);
}

static bool is_near_neighbours(const struct free_run *run, uint32_t p)
{
    double level = free_level(run, p, FREE_PATH_ANY);
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        // NaN, a level that was never received, counts as different
        if (!(fabs(level - run->port[port].neighbour_level) <= run->machine->invoke.gradient)) {
            return false;
        }
    }
    return true;
}

// Returns whether the axis `invoke` lets p begin. Even then the method may include none of p's neighbours.
static bool axis_invokes(const struct free_worker *worker, uint32_t p)
{
    const struct free_run *run = worker->run;
    const struct core_invoke *invoke = &run->machine->invoke;
    switch (invoke->kind) {
    case CORE_INVOKE_GRADIENT:
        return !is_near_neighbours(run, p);
    case CORE_INVOKE_GLOBAL:
        return worker->look.triggered;
    default:
        return core_invoke_test(invoke, run->seed, p, worker->look.pass, run->processor[p].held);
    }
}

// Returns whether the method includes a neighbour of p in its next operation.
static bool includes_any(struct free_worker *worker, uint32_t p)
{
    bool (*includes)(const struct ek_turn *, unsigned) = worker->run->machine->method->free->includes;
    if (!includes) {
        return true;
    }
    struct ek_turn turn = free_turn_as_known(worker, p);
    for (unsigned k = 0; k < turn.view.degree; k++) {
        if (includes(&turn, k)) {
            return true;
        }
    }
    return false;
}

bool free_wanted(struct free_worker *worker, uint32_t p)
{
    return axis_invokes(worker, p) && includes_any(worker, p);
}

bool free_recurs(struct free_worker *worker, uint32_t p)
{
    return core_invoke_recurs(&worker->run->machine->invoke) && includes_any(worker, p);
}

bool free_blocked(struct free_worker *worker, uint32_t p)
{
    const struct ek_topology *topology = worker->run->topology;
    const struct ek_method *method = worker->run->machine->method;
    if (!method->free->includes || method->draws) { // a method that draws may include another neighbour next time
        return !free_has_link(worker, p);
    }
    struct ek_turn turn = free_turn_as_known(worker, p);
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        if (free_usable(worker, port) && method->free->includes(&turn, port - topology->first[p])) {
            return false;
        }
    }
    return true;
}

// Returns whether p's own operation can use the link. With `--domains once`, it cannot while an operation of the
// neighbour uses the link.
static FREE_BY_PATH bool can_ask(const struct free_worker *worker, uint32_t port, enum free_path path)
{
    const struct free_port *here = &worker->run->port[port];
    return path == FREE_PATH_PLAIN ||
           (free_usable(worker, port) &&
            !(worker->run->link_once && (here->engaged || here->member != FREE_MEMBER_NONE)));
}

static FREE_BY_PATH void ask(struct free_worker *worker, uint32_t p, uint32_t port, enum free_path path)
{
    struct free_run *run = worker->run;
    const struct free_processor *asker = &run->processor[p];
    if (free_beyond(path, ((run->one_port || run->exclusive) && asker->engaged > 0) ||
                              (run->one_port && asker->waiting > 0))) {
        free_violate_at(run, p, port, "sent ASK though its one port or its domain is in use");
    }
    run->processor[p].phase = FREE_PHASE_ASKING;
    run->port[port].member = FREE_MEMBER_ASKED;
    run->port[port].got = 0.0;
    run->processor[p].waiting++;
    free_post(worker, port, FREE_ASK, free_level(run, p, path), run->processor[p].age, path);
}

// Asks the next neighbour that the method includes. Returns false if there is none.
static FREE_BY_PATH bool ask_next(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    const struct ek_method *method = run->machine->method;
    uint32_t first = run->topology->first[p];
    while (processor->cursor < free_degree(run, p)) {
        uint32_t port = run->order[first + processor->cursor++];
        bool included = true;
        if (method->free->includes) {
            struct ek_turn turn = free_turn_as_known(worker, p);
            included = method->free->includes(&turn, port - first);
        }
        if (included && can_ask(worker, port, path)) {
            ask(worker, p, port, path);
            return true;
        }
    }
    return false;
}

// Asks all neighbours that the method includes. Returns false if there are none.
static FREE_BY_PATH bool ask_all(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    const struct ek_method *method = run->machine->method;
    uint32_t first = run->topology->first[p];
    uint32_t degree = free_degree(run, p);
    if (method->free->includes) { // decide for all ports before any message is sent
        struct ek_turn turn = free_turn_as_known(worker, p);
        for (uint32_t k = 0; k < degree; k++) {
            worker->amounts[k] = method->free->includes(&turn, k);
        }
    }
    for (uint32_t k = 0; k < degree; k++) {
        if ((!method->free->includes || worker->amounts[k] != 0.0) && can_ask(worker, first + k, path)) {
            ask(worker, p, first + k, path);
        }
    }
    if (method->free->includes) {
        memset(worker->amounts, 0, degree * sizeof *worker->amounts);
    }
    return run->processor[p].waiting > 0;
}

bool free_take_permit(struct free_worker *worker)
{
    if (worker->run->machine->experiment->operations_max == 0) {
        return true;
    }
    if (worker->look.permits == 0) {
        worker->permits_missing++;
        worker->stays_awake = worker->stays_awake || worker->look.permits_left;
        return false;
    }
    worker->look.permits--;
    worker->permit_used = true;
    return true;
}

// Makes the ticket of a processor older, because all neighbours refused its operation or it must wait for another
// operation.
static void postpone(struct free_processor *processor)
{
    processor->age = (uint16_t)(processor->age + (processor->age < AGE_MAX));
}

// Returns whether p may begin an operation now:
//   1. with one port or exclusive domains: p takes part in no other operation, and is not reserved for an older ticket;
//   2. it keeps no message on any port;
//   3. one of its links can be used;
//   4. with --operations, it gets a permit.
static FREE_BY_PATH bool may_begin(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    bool contested = free_beyond(path, run->one_port || run->exclusive);
    bool engaged = contested && processor->engaged > 0;
    if (engaged || (contested && free_is_reserved_before(worker, p, UINT32_MAX, processor->age))) {
        postpone(processor);
        worker->stays_awake = worker->stays_awake || !engaged; // reservations end after some passes
        return false;
    }
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (run->port[port].kept.count > 0) {
            return false;
        }
    }
    if (path == FREE_PATH_PLAIN ? free_degree(run, p) == 0 : !free_has_link(worker, p)) {
        return false;
    }
    return free_take_permit(worker);
}

// Ends p's own operation. Members of an exclusive domain are released only now.
static FREE_BY_PATH void leave(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (free_beyond(path, run->exclusive && run->port[port].member == FREE_MEMBER_SETTLED)) {
            free_post(worker, port, FREE_RELEASE, 0.0, 0, path);
        }
        run->port[port].member = FREE_MEMBER_NONE;
    }
    processor->phase = FREE_PHASE_IDLE;
    processor->second = false;
}

// Ends an operation in which no neighbour took part. Its ticket gets older, and the processor pauses.
static FREE_BY_PATH void abandon(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    note(worker, EK_EVENT_LEAVES, 0.0, path);
    leave(worker, p, path);
    worker->look.permits += run->machine->experiment->operations_max > 0;
    worker->counts.abandoned++;
    processor->abandoned++;
    processor->operation++;
    postpone(processor);
    struct base_random random = base_random_moment(run->seed, p, BASE_STREAM_PAUSE, worker->look.pass);
    processor->pause = 1 + (uint32_t)base_random_below(&random, 2u * free_degree(run, p) + 2);
}

static FREE_BY_PATH bool begin(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    if (processor->wanted_at == 0) {
        processor->wanted_at = worker->look.now + 1;
    }
    if (!may_begin(worker, p, path)) {
        return false;
    }
    note(worker, EK_EVENT_BEGINS, 0.0, path);
    processor->phase = FREE_PHASE_ASKING;
    processor->begun_at = worker->look.now;
    if (free_beyond(path, run->alone)) {
        run->alone[p].level = free_level(run, p, path);
    }
    processor->asked = processor->got = 0.0;
    processor->cursor = 0;
    processor->withdrawn = processor->any_joined = false;
    bool asks = run->together ? ask_all(worker, p, path) : ask_next(worker, p, path);
    if (!asks) { // none that the method includes can be asked
        abandon(worker, p, path);
        return false;
    }
    free_note_overlap(worker, p);
    if (run->own_part) {
        run->own_part[p].members = 0;
        free_begin_part(worker, p, &run->own_part[p].entry);
    }
    return true;
}

bool free_begin_plain(struct free_worker *worker, uint32_t p)
{
    return begin(worker, p, FREE_PATH_PLAIN);
}

bool free_begin_any(struct free_worker *worker, uint32_t p)
{
    return begin(worker, p, FREE_PATH_ANY);
}

// Logs the members with which the operation has settled, and then the invoker's part.
static void log_parts(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    uint32_t members = 0;
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (run->port[port].member == FREE_MEMBER_SETTLED) {
            members++;
            watch_part_log_note(&run->parts, worker->index,
                                (struct watch_member){.port = run->topology->twin[port],
                                                      .number = run->engagement[port].answers_received});
        }
    }
    free_log_part(worker, p, &run->own_part[p].entry, WATCH_PART_OWN, members);
}

// Logs p's operation, which ends now or is still open.
static void log_operation(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    const struct free_processor *processor = &run->processor[p];
    if (!run->log.ring) {
        return;
    }
    watch_operation_log_add(&run->log, worker->index,
                            &(struct core_operation){.begin = processor->begun_at,
                                                     .end = worker->look.now,
                                                     .members = run->own_part[p].members,
                                                     .asked = processor->asked,
                                                     .got = processor->got,
                                                     .invoker = p});
}

void free_log_open(struct free_worker *worker, uint32_t p)
{
    const struct free_run *run = worker->run;
    if (run->processor[p].phase != FREE_PHASE_IDLE && run->processor[p].any_joined) {
        log_operation(worker, p);
        if (run->engagement) {
            free_log_part(worker, p, &run->own_part[p].entry, WATCH_PART_OPEN, 0);
        }
    }
    for (uint32_t port = run->topology->first[p]; run->engagement && port < run->topology->first[p + 1]; port++) {
        if (run->port[port].engaged) {
            free_log_part(worker, p, &run->engagement[port].entry, WATCH_PART_OPEN, 0);
        }
    }
}

static FREE_BY_PATH void end_operation(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    if (!processor->any_joined) {
        abandon(worker, p, path);
        return;
    }
    note(worker, EK_EVENT_ENDS, processor->got, path);
    if (run->engagement) {
        log_parts(worker, p);
    }
    free_sum_add(&worker->counts, FREE_SUM_ASKED, processor->asked);
    free_sum_add(&worker->counts, FREE_SUM_GOT, processor->got);
    watch_histogram_add(&worker->histogram[FREE_OPERATION_TIMES], worker->look.now - processor->begun_at);
    log_operation(worker, p);
    processor->operation++;
    processor->age = 0;
    processor->wanted_at = 0;
    leave(worker, p, path);
    free_count(&worker->operations, 1);
}

// Sends one member the result of the method: load, a request for load, or a release.
static FREE_BY_PATH void settle_amount(struct free_worker *worker, uint32_t p, uint32_t port, double amount,
                                       enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    if (amount < 0.0) {
        here->asked = path == FREE_PATH_PLAIN
                          ? -amount
                          : core_link_passes(&run->machine->links, run->topology->twin[port], -amount);
        here->member = FREE_MEMBER_PULLED;
        run->processor[p].waiting++;
        if (free_beyond(path, run->moves_objects)) {
            cargo_objects_forget_rest(&run->objects, port);
        }
        free_post(worker, port, FREE_PULL, here->asked, 0, path);
        return;
    }
    if (!(free_give(worker, p, port, amount, 0, path) > 0.0) && !free_beyond(path, run->exclusive)) {
        free_post(worker, port, FREE_RELEASE, 0.0, 0, path);
    }
    here->member = FREE_MEMBER_SETTLED;
}

// Returns the flow over port k. The rule is tried at both ends of the link. If it is positive at this end, load leaves
// and the flow is positive. If it is positive at the other end, load arrives and the flow is negative.
static double flow_between(struct ek_view *view, double *announced, unsigned k, ek_flow *flow)
{
    double out = flow(view, k);
    if (!(out <= 0.0)) { // positive, or no number
        return out;
    }
    double own = view->load;
    double other = announced[k];
    announced[k] = own;
    view->load = other;
    double in = flow(view, k);
    view->load = own;
    announced[k] = other;
    return in <= 0.0 ? 0.0 : -in;
}

// Returns the amount of the rule over port k, rounded if the machine rounds. A processor carries the rounding errors of
// its own operations, one for each of its links. Load that is missing when it is to be sent is not owed later:
// meanwhile the loads from which the amount was computed have changed.
static double amount_over(const struct free_run *run, struct ek_view *view, double *announced, unsigned k)
{
    const struct machine_plan *machine = run->machine;
    double flow = flow_between(view, announced, k, machine_flow(machine));
    if (machine->rounding == CORE_ROUNDING_DOWN) {
        return flow;
    }
    double *error = machine_carries(machine) ? &view->memory[k] : NULL;
    uint64_t port = run->topology->first[view->processor] + k;
    struct core_due due =
        core_rounding_due(machine->rounding, flow, error ? *error : 0.0, run->seed, port, view->step->number);
    if (error) {
        *error = due.amount - due.whole;
    }
    return due.whole;
}

// Settles with all members: the method computes the load that moves over each link.
static FREE_BY_PATH void settle_all(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    const struct ek_method *method = run->machine->method;
    uint32_t first = run->topology->first[p];
    uint32_t degree = free_degree(run, p);
    struct free_port *port = run->port + first;
    for (uint32_t k = 0; k < degree; k++) {
        bool member = port[k].member == FREE_MEMBER_JOINED || port[k].member == FREE_MEMBER_SETTLED;
        worker->announced[k] = member ? port[k].neighbour_level : NAN;
        worker->arrived[k] = port[k].got;
    }
    struct ek_turn turn = turn_of(worker, p, path);
    if (method->free->operate) {
        method->free->operate(&turn, worker->amounts);
    } else {
        for (uint32_t k = 0; k < degree; k++) {
            bool known = !isnan(worker->announced[k]);
            worker->amounts[k] = known ? amount_over(run, &turn.view, worker->announced, k) : 0.0;
        }
    }
    if (run->machine->checked) {
        free_amounts_check(worker, &turn.view);
    }
    processor->second = turn.busy && !processor->second;
    for (uint32_t k = 0; k < degree; k++) {
        double amount = worker->amounts[k];
        worker->amounts[k] = 0.0;
        if (port[k].member == FREE_MEMBER_JOINED && !(processor->second && amount == 0.0)) {
            settle_amount(worker, p, first + k, amount, path);
        }
    }
}

// Settles with the one neighbour that was asked.
static FREE_BY_PATH void settle_one(struct free_worker *worker, uint32_t p, uint32_t port, enum free_path path)
{
    struct free_run *run = worker->run;
    const struct ek_method *method = run->machine->method;
    uint32_t k = port - run->topology->first[p];
    for (uint32_t other = 0; method->free->operate && other < free_degree(run, p); other++) {
        worker->announced[other] = NAN;
    }
    worker->announced[k] = run->port[port].neighbour_level;
    struct ek_turn turn = turn_of(worker, p, path);
    if (method->free->operate) {
        method->free->operate(&turn, worker->amounts);
    } else {
        worker->amounts[k] = amount_over(run, &turn.view, worker->announced, k);
    }
    if (run->machine->checked) {
        free_amounts_check(worker, &turn.view);
    }
    double amount = worker->amounts[k];
    worker->amounts[k] = 0.0;
    settle_amount(worker, p, port, amount, path);
}

// Settles with the members that have joined. Returns whether there were any.
static FREE_BY_PATH bool settle(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    bool first = processor->phase == FREE_PHASE_ASKING;
    processor->phase = FREE_PHASE_SETTLING;
    if (run->together) {
        bool any = processor->second || (first && processor->any_joined);
        if (any) {
            settle_all(worker, p, path);
        }
        return any;
    }
    uint32_t port = run->order[run->topology->first[p] + processor->cursor - 1];
    bool joined = run->port[port].member == FREE_MEMBER_JOINED;
    if (joined) {
        settle_one(worker, p, port, path);
    }
    return joined;
}

static FREE_BY_PATH void proceed(struct free_worker *worker, uint32_t p, enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    while (processor->waiting == 0 && processor->phase != FREE_PHASE_IDLE) {
        // The one port is in use; its release continues this operation.
        if (free_beyond(path, run->one_port && processor->engaged > 0)) {
            return;
        }
        if (free_beyond(path, processor->withdrawn)) {
            abandon(worker, p, path);
        } else if (!settle(worker, p, path) && (run->together || !ask_next(worker, p, path))) {
            end_operation(worker, p, path);
        }
    }
}

void free_proceed_plain(struct free_worker *worker, uint32_t p)
{
    proceed(worker, p, FREE_PATH_PLAIN);
}

void free_proceed_any(struct free_worker *worker, uint32_t p)
{
    proceed(worker, p, FREE_PATH_ANY);
}
