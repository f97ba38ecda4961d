// SPDX-License-Identifier: MIT
// The checker.
#include "threads/drivers/explore/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "threads/api/experiment.h"
#include "threads/free/finish.h"
#include "threads/free/pushed.h"
#include "threads/free/look.h"
#include "threads/free/operation.h"
#include "threads/free/post.h"
#include "threads/free/processor.h"
#include "threads/watch/ledger.h"
#include "base/cursor.h"

// The bounds on messages of operations on requested loads (post.c).
enum { UNDER_WAY_MOST = 8, KEPT_MOST = 8 };

// Returns whether messages have no answers: announcements and gifts, or letters.
static bool has_no_answers(const struct free_run *run)
{
    return run->pushed || free_has_letters(run);
}

// Returns whether a sender may have any number of messages under way: on wires it can push announcements, or send
// letters, as long as the first one has not arrived.
static bool is_unbounded(const struct free_run *run)
{
    return has_no_answers(run) && run->wires;
}

// Returns the bound, or for how many messages there is room at first.
static uint32_t bound_of(const struct free_run *run)
{
    return has_no_answers(run) ? run->boxes.capacity + 2 * FREE_SHELF : UNDER_WAY_MOST;
}

static unsigned state_of(const struct free_port *port)
{
    return 2u * port->member + port->engaged;
}

static unsigned coming_of(const struct mail_message *message)
{
    enum free_kind kind = free_message_kind(message);
    bool answer = kind == FREE_GIVE && free_message_flag(message) == FREE_FLAG_ANSWER;
    return answer ? 0 : (unsigned)kind < EXPLORE_MESSAGES ? (unsigned)kind : EXPLORE_MESSAGES;
}

// Returns whether the protocol has a meaning for a kind of message in a state (docs/model.md).
static bool has_meaning(const struct free_run *run, unsigned state, unsigned coming)
{
    bool pushed = run->pushed;
    enum free_member member = (enum free_member)(state / 2);
    bool engaged = state % 2;
    switch (coming) {
    case 0:
        return member == FREE_MEMBER_PULLED;
    case FREE_ASK:
        return !engaged;
    case FREE_TELL:
        return member == FREE_MEMBER_ASKED;
    case FREE_REFUSE:
        return member == FREE_MEMBER_ASKED || member == FREE_MEMBER_PULLED;
    case FREE_GIVE:
        return engaged || pushed;
    case FREE_PULL:
    case FREE_RELEASE:
        return engaged;
    case FREE_RETURN:
    case FREE_MARKER:
        return true;
    case FREE_ANNOUNCE:
        return pushed || cargo_letters_announce(run->machine);
    case FREE_LETTERS:
        return free_has_letters(run);
    case FREE_PROBE:
    case FREE_TALLY:
        return true;
    default:
        return false;
    }
}

// Returns whether a kind of message can be received in a state in this run.
static bool is_possible(const struct free_run *run, unsigned state, unsigned coming)
{
    if (coming == FREE_PROBE || coming == FREE_TALLY) {
        return run->detector && (!has_no_answers(run) || state == 0);
    }
    if (free_has_letters(run)) { // no processor is a member of an operation, here and below
        return state == 0 && (coming == FREE_LETTERS || coming == FREE_MARKER ||
                              (coming == FREE_ANNOUNCE && cargo_letters_announce(run->machine)));
    }
    if (run->pushed) {
        return state == 0 && (coming == FREE_GIVE || coming == FREE_ANNOUNCE || coming == FREE_MARKER);
    }
    return has_meaning(run, state, coming) && (coming != FREE_RETURN || free_faults(run->machine));
}

size_t explore_check_bytes(const struct free_run *run)
{
    struct explore_checker *checker;
    return run->topology->ports * (sizeof *checker->way + bound_of(run) * sizeof *checker->place);
}

void explore_check_end(struct explore_checker *checker)
{
    free(checker->way);
    free(checker->place);
}

void explore_check_restart(struct explore_checker *checker)
{
    memset(checker->way, 0, checker->run->topology->ports * sizeof *checker->way);
    memset(checker->met, 0, sizeof checker->met);
    checker->in_flight = 0.0;
    checker->carriers = checker->under_way = checker->additions = checker->owed = 0;
}

// Notes that a message was sent over this port. It may be the answer to the message that the processor received there.
static void answer(struct explore_checker *checker, uint32_t port, const struct mail_message *message)
{
    enum free_kind kind = free_message_kind(message);
    bool refuses = kind == FREE_REFUSE && checker->owed != FREE_GIVE;
    if (port == checker->owed_port && (refuses || kind == (checker->owed == FREE_ASK    ? FREE_TELL
                                                           : checker->owed == FREE_PULL ? FREE_GIVE
                                                                                        : FREE_RETURN))) {
        checker->owed = 0;
    }
}

// Returns whether the load that processor p receives goes back, because its link has failed.
static bool comes_back(const struct free_run *run, uint32_t p, uint32_t port, const struct mail_message *message)
{
    return !run->pushed && message->amount > 0.0 && !free_usable(&run->worker[free_worker_of(run, p)], port);
}

// Doubles the places of each port. Returns false if there is no memory.
static bool make_room(struct explore_checker *checker)
{
    uint32_t ports = checker->run->topology->ports;
    uint32_t bound = 2 * checker->bound;
    struct mail_message *place = calloc((size_t)ports * bound + 1, sizeof *place);
    for (uint32_t port = 0; place && port < ports; port++) {
        struct explore_under_way *way = &checker->way[port];
        const struct mail_message *before = &checker->place[(size_t)port * checker->bound];
        for (uint32_t i = 0; i < way->count; i++) {
            place[(size_t)port * bound + i] = before[(way->first + i) % checker->bound];
        }
        way->first = 0;
    }
    if (!place) {
        return false;
    }
    free(checker->place);
    checker->place = place;
    checker->bound = bound;
    return true;
}

static void sent(struct explore_checker *checker, uint32_t port, const struct mail_message *message)
{
    struct free_run *run = checker->run;
    uint32_t to = run->topology->twin[port];
    struct explore_under_way *way = &checker->way[to];
    if (way->count == checker->bound && !(is_unbounded(run) && make_room(checker))) {
        free_violate_at(run, run->topology->neighbour[to], port,
                        "has more messages under way than the protocol allows");
        return;
    }
    checker->place[(size_t)to * checker->bound + (way->first + way->count++) % checker->bound] = *message;
    checker->under_way++;
    if (checker->owed != 0) {
        answer(checker, port, message);
    }
    if (free_message_carries(message)) {
        checker->carriers++;
        checker->additions++;
        checker->in_flight += message->amount;
    }
}

// Reports that processor p has not answered the message that it received last.
static __attribute__((cold)) void violate_unanswered(struct explore_checker *checker, uint32_t p)
{
    free_violate_at(checker->run, p, checker->owed_port,
                    checker->owed == FREE_ASK    ? "has not answered ASK"
                    : checker->owed == FREE_PULL ? "has not answered PULL"
                                                 : "has not returned load that came");
}

static void taken(struct explore_checker *checker, uint32_t port, const struct mail_message *message)
{
    struct free_run *run = checker->run;
    uint32_t p = run->topology->neighbour[run->topology->twin[port]];
    struct explore_under_way *way = &checker->way[port];
    const struct mail_message *first = &checker->place[(size_t)port * checker->bound + way->first];
    if (way->count == 0 || memcmp(first, message, sizeof *first) != 0) {
        free_violate_at(run, p, port, "received a message that is not the first one under way");
        return;
    }
    way->first = (way->first + 1) % checker->bound;
    way->count--;
    checker->under_way--;
    if (free_message_carries(message)) { // exactly 0 if no load is under way, whatever the sum has lost by rounding
        checker->in_flight = --checker->carriers > 0 ? checker->in_flight - message->amount : 0.0;
    }
    checker->additions++;
    unsigned state = state_of(&run->port[port]);
    unsigned coming = coming_of(message);
    if (!has_meaning(run, state, coming)) {
        free_violate_at(run, p, port, "received a message that has no meaning in its state");
        return;
    }
    checker->met[state][coming]++;
    if (checker->owed != 0) {
        violate_unanswered(checker, p);
    }
    if (coming == FREE_ASK || coming == FREE_PULL ||
        ((coming == 0 || coming == FREE_GIVE) && comes_back(run, p, port, message))) {
        checker->owed = free_message_kind(message);
        checker->owed_port = port;
    }
}

static void see_message(struct free_witness *witness, enum ek_event_kind kind, uint32_t port,
                        const struct mail_message *message)
{
    struct explore_checker *checker = (struct explore_checker *)witness;
    if (kind == EK_EVENT_SENDS) {
        sent(checker, port, message);
    } else {
        taken(checker, port, message);
    }
}

static void see_event(struct free_witness *witness, const struct ek_event *event)
{
    struct explore_checker *checker = (struct explore_checker *)witness;
    checker->additions += event->kind == EK_EVENT_WORKS ? 2 : 0;
}

static void violate(struct free_run *run, uint32_t p, const char *what)
{
    free_violate(run, "processor %u %s", p, what);
}

static void look_at_ports(struct explore_checker *checker, uint32_t p)
{
    struct free_run *run = checker->run;
    const struct free_processor *processor = &run->processor[p];
    uint32_t waiting = 0;
    uint32_t engaged = 0;
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        const struct free_port *here = &run->port[port];
        waiting += here->member == FREE_MEMBER_ASKED || here->member == FREE_MEMBER_PULLED;
        engaged += here->engaged;
        if (here->kept.count > KEPT_MOST) {
            free_violate_at(run, p, port, "keeps more messages than it may");
        }
        if (here->member != FREE_MEMBER_NONE && processor->phase == FREE_PHASE_IDLE) {
            free_violate_at(run, p, port, "has a member although it is in no operation");
        }
    }
    bool own = free_invokes(processor);
    if (waiting != processor->waiting || engaged != processor->engaged) {
        violate(run, p, "miscounts the answers it waits for or the operations it is in");
    } else if ((run->one_port || run->exclusive) && (engaged > 1 || (run->exclusive && engaged > 0 && own))) {
        violate(run, p, "is in two operations with its one port or exclusive domain");
    }
}

static void look_at_load(struct explore_checker *checker, uint32_t p)
{
    struct free_run *run = checker->run;
    double held = run->processor[p].held;
    if (!(held >= 0.0)) {
        violate(run, p, "holds less than nothing");
    } else if (run->machine->units == EK_TOKENS && held != floor(held)) {
        violate(run, p, "holds a part of a token");
    }
}

static void look_at_ledger(struct explore_checker *checker)
{
    struct free_run *run = checker->run;
    struct watch_ledger ledger = {.initial = run->start.total,
                                  .initial_size = run->start.total,
                                  .in_flight = checker->in_flight,
                                  .additions = 2.0 * (double)checker->additions + run->topology->processors};
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        ledger.held += run->processor[p].held;
        ledger.generated += run->processor[p].generated;
        ledger.consumed += run->processor[p].consumed;
        ledger.in_flight += free_has_letters(run) ? run->letters.processor[p].tasks : 0.0;
    }
    struct ek_error violation;
    if (watch_ledger_look(&ledger, run->topology->processors, run->machine->units, "", &violation) == WATCH_VIOLATED) {
        free_violate_with(run, &violation);
    }
}

// Checks that the objects that processors hold and that are under way are those of the start.
static void look_at_objects(struct explore_checker *checker)
{
    struct free_run *run = checker->run;
    const struct cargo_objects *objects = &run->objects;
    struct cargo_objects_sum sum = {0};
    struct ek_error lost;
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        cargo_objects_add(objects, &objects->held[p], &sum);
    }
    for (uint32_t port = 0; port < run->topology->ports; port++) {
        cargo_objects_sum_under_way(objects, port, &sum);
    }
    if (sum.count != objects->movable.count || sum.print != objects->movable.print) {
        cargo_objects_refuse(&lost);
        free_violate_with(run, &lost);
    }
}

// Checks, with --operations, that each permit is unused, held by a worker, in an operation, or used up by an operation
// that has ended.
static void look_at_permits(const struct explore_checker *checker)
{
    struct free_run *run = checker->run;
    uint64_t most = run->machine->experiment->operations_max;
    uint64_t permits = (uint64_t)atomic_load_explicit(&run->shared.permits, memory_order_relaxed);
    for (unsigned w = 0; w < run->machine->workers; w++) { // relaxed: one thread
        const struct free_worker *worker = &run->worker[w];
        permits += worker->look.permits + atomic_load_explicit(&worker->operations, memory_order_relaxed);
    }
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        permits += run->processor[p].phase != FREE_PHASE_IDLE;
    }
    if (permits != most) {
        free_violate(run, "%llu operations may begin or have begun, but %llu are allowed", (unsigned long long)permits,
                     (unsigned long long)most);
    }
}

static void see_turn(struct free_witness *witness, uint32_t p)
{
    struct explore_checker *checker = (struct explore_checker *)witness;
    if (checker->owed != 0) {
        violate_unanswered(checker, p);
    }
    look_at_ports(checker, p);
    look_at_load(checker, p);
    look_at_ledger(checker);
    if (checker->run->moves_objects) {
        look_at_objects(checker);
    }
    const struct machine_plan *machine = checker->run->machine;
    if (machine->experiment->operations_max > 0 && !machine->engine->computed) { // in virtual time there are no permits
        look_at_permits(checker);
    }
}

bool explore_check_begin(struct explore_checker *checker, struct free_control *control)
{
    struct free_run *run = &control->run;
    uint32_t ports = run->topology->ports;
    *checker = (struct explore_checker){.witness = {.message = see_message, .event = see_event, .turn = see_turn},
                                        .control = control,
                                        .run = run,
                                        .bound = bound_of(run)};
    for (unsigned i = 0; i < EXPLORE_STATES * EXPLORE_MESSAGES; i++) {
        struct explore_pair meeting = {(uint8_t)(i / EXPLORE_MESSAGES), (uint8_t)(i % EXPLORE_MESSAGES)};
        if (is_possible(run, meeting.state, meeting.coming)) {
            checker->possible[checker->possibles++] = meeting;
        }
    }
    checker->way = calloc(ports + 1u, sizeof *checker->way);
    checker->place = calloc((size_t)ports * checker->bound + 1, sizeof *checker->place);
    return checker->way && checker->place;
}

// Returns whether p would begin an operation, or give with pushed announcements.
static bool would_go_on(struct free_run *run, uint32_t p)
{
    struct free_worker *worker = &run->worker[free_worker_of(run, p)];
    struct free_snapshot part = {0};
    if (!run->pushed) {
        return free_wanted(worker, p);
    }
    free_push_record(worker, p, &part);
    return part.asks && !part.blocked;
}

// Checks, with pushed announcements, that processor p has announced its load over every link.
static void look_at_announcements(struct free_run *run, uint32_t p)
{
    for (uint32_t port = run->topology->first[p]; run->pushed && port < run->topology->first[p + 1]; port++) {
        double announced = run->port[port].announced;
        if (announced != free_level(run, p, FREE_PATH_ANY) ||
            run->port[run->topology->twin[port]].neighbour_level != announced) {
            free_violate_at(run, p, port, "has not announced its load");
        }
    }
}

// Checks a run that has ended by itself: no processor would go on, and with pushed announcements every load is
// announced. The check is left out
//   1. if a processor could go on later, by work, faults, a draw, a clock or a condition on all loads; or
//   2. if the method ends when no load moves; or
//   3. if the run ends when no object can move.
static void look_at_end(struct explore_checker *checker)
{
    struct free_run *run = checker->run;
    const struct machine_plan *machine = run->machine;
    enum ek_ended ended = checker->control->attendant.ended;
    bool by_itself = ended == EK_ENDED_ITSELF || (ended == EK_ENDED_FROZEN && run->pushed);
    bool more_comes = machine->work.kind != CORE_WORKLOAD_NONE || free_faults(machine) ||
                      core_invoke_recurs(&machine->invoke) || machine->invoke.kind == CORE_INVOKE_GLOBAL;
    bool at_rest = machine->method_plan.ends_when_still || run->moves_objects;
    for (uint32_t p = 0; by_itself && !more_comes && !at_rest && p < run->topology->processors; p++) {
        if (would_go_on(run, p)) {
            violate(run, p, "would go on, but the run has ended");
        }
        look_at_announcements(run, p);
    }
}

void explore_check_end_of_run(struct explore_checker *checker)
{
    struct free_run *run = checker->run;
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        const struct free_processor *processor = &run->processor[p];
        look_at_ports(checker, p);
        if (processor->phase != FREE_PHASE_IDLE || processor->engaged > 0) {
            violate(run, p, "is in an operation, but the run has ended");
        }
    }
    if (checker->under_way > 0) {
        free_violate(run, "the run has ended with %llu messages under way", (unsigned long long)checker->under_way);
    }
    look_at_end(checker);
    look_at_ledger(checker);
}
