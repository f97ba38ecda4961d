// SPDX-License-Identifier: MIT
// The operation protocol: what a message does.
//
// Purpose. The protocol carries any method's rule without a lock and without a global clock.
//
//   invoker                         member
//   ASK (own level, ticket) ------>
//                          <------- TELL (own level), or REFUSE
//   GIVE (load), or RELEASE ------>
//   or PULL (amount) ------------->
//                          <------- GIVE (at most the load held)
//
// No deadlock. No processor holds anything between messages, and every request is answered. If a message comes over a
// failed link, its receiver answers: it refuses an ASK or a PULL, and returns a GIVE. A processor can be in several
// operations at once.
//
// Exclusion. With one port, or in exclusive domains, a processor takes part in one operation at a time:
//
//   1. A processor that is engaged refuses other invokers.
//   2. If two invokers ask each other the older ticket wins.
//   3. A processor that refuses *reserves* itself for the oldest ticket that it refused. Until the invoker of that
//      ticket asks again, the processor joins no younger operation and begins none of its own. A reservation lasts
//      longer than any pause.
//   4. A processor that has waited for its own operation in many turns refuses younger tickets.
//   5. An invoker that all neighbours have refused pauses for a few turns and keeps its ticket.
//
// operation.c has the invoker's side from its invocation to the end. The protocol's model is tests/models/protocol.pml:
// two and three processors with tickets of any age. It does not cover fairness, the methods' amounts, and work.
#include "threads/free/protocol.h"

#include <math.h>

#include "threads/free/detect.h"
#include "threads/free/free_letters.h"
#include "threads/free/pushed.h"
#include "threads/free/look.h"
#include "threads/free/operation.h"
#include "threads/free/post.h"
#include "threads/free/processor.h"
#include "threads/free/snapshot.h"

static uint64_t member_bit(const struct free_run *run, uint32_t p, uint32_t port)
{
    uint32_t k = port - run->topology->first[p];
    return UINT64_C(1) << (k < 63 ? k : 63);
}

// Withdraws the operation of p, which has not moved any load yet. Releases the members that have joined.
static void withdraw(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    run->processor[p].withdrawn = true;
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (run->port[port].member == FREE_MEMBER_JOINED) {
            run->port[port].member = FREE_MEMBER_REFUSED;
            free_post(worker, port, FREE_RELEASE, 0.0, FREE_FLAG_NO_PART, FREE_PATH_ANY);
        }
    }
}

// Returns whether p, which has its own operation, gives way to the ticket of the neighbour at this port. The
// neighbour's ticket must be the older one. With one port, the two must have asked each other, so that one link is
// used. In an exclusive domain, p's own operation must not have moved any load yet.
static bool gives_way(const struct free_run *run, uint32_t p, uint32_t port, unsigned age)
{
    const struct free_processor *processor = &run->processor[p];
    bool moved = processor->phase != FREE_PHASE_ASKING || (!run->together && processor->any_joined);
    return free_older(age, run->topology->neighbour[port], processor->age, p) &&
           !(run->one_port && run->port[port].member != FREE_MEMBER_ASKED) && !(run->exclusive && moved);
}

// Returns whether taking part at this port breaks the exclusion of operations: with one port, only two processors that
// asked each other share a link; in exclusive domains, no processor is in two operations. The result is used to check
// the decision of `joins`.
static bool breaks_exclusion(const struct free_run *run, uint32_t p, uint32_t port)
{
    const struct free_processor *processor = &run->processor[p];
    bool own = processor->phase != FREE_PHASE_IDLE;
    return (run->one_port && (processor->engaged > 0 || (own && run->port[port].member != FREE_MEMBER_ASKED))) ||
           (run->exclusive && (processor->engaged > 0 || (own && !processor->withdrawn)));
}

// Returns whether p, which has no operation yet, has waited for one so long that the younger ticket of the neighbour at
// this port must wait.
static bool goes_first(const struct free_run *run, uint32_t p, uint32_t port, unsigned age)
{
    enum { PATIENCE = 8 };
    const struct free_processor *processor = &run->processor[p];
    return processor->wanted_at > 0 && processor->age >= PATIENCE &&
           free_older(processor->age, p, age, run->topology->neighbour[port]);
}

// For --domains once, where a link serves only one operation at a time: returns whether the link at this port serves
// the neighbour's operation. If two processors ask each other, the operation of the older ticket uses the link. But if
// p's own operation has used the link already, it keeps the link.
static bool serves(const struct free_run *run, uint32_t p, uint32_t port, unsigned age)
{
    uint8_t member = run->port[port].member;
    return member == FREE_MEMBER_NONE || member == FREE_MEMBER_REFUSED ||
           (member == FREE_MEMBER_ASKED && free_older(age, run->topology->neighbour[port], run->processor[p].age, p));
}

// Returns whether p joins the operation of the neighbour at this port.
static FREE_BY_PATH bool joins(const struct free_worker *worker, uint32_t p, uint32_t port, unsigned age,
                               enum free_path path)
{
    const struct free_run *run = worker->run;
    const struct free_processor *processor = &run->processor[p];
    if (free_beyond(path, !free_usable(worker, port) || (run->link_once && !serves(run, p, port, age)))) {
        return false;
    }
    if (!free_beyond(path, run->one_port || run->exclusive)) {
        return true;
    }
    return processor->engaged == 0 && !free_is_reserved_before(worker, p, port, age) &&
           (processor->phase == FREE_PHASE_IDLE ? !goes_first(run, p, port, age) : gives_way(run, p, port, age));
}

// With one port or exclusive domains: reserves p for the ticket that it refuses, if p is not reserved for an older one.
// The invoker's pause ends before the reservation. The reservation has an end because an invoker that no longer wants
// its operation may never ask again.
static void reserve(struct free_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    enum { SLACK = 8 };
    struct free_run *run = worker->run;
    uint32_t asker = run->topology->neighbour[port];
    if (!run->alone || !free_usable(worker, port) || free_is_reserved_before(worker, p, port, age)) {
        return;
    }
    run->alone[p].reserved_port = port;
    run->alone[p].reserved_age = (uint16_t)age;
    run->alone[p].reserved_until = worker->look.pass + 2u * free_degree(run, asker) + SLACK;
}

static FREE_BY_PATH void receive_ask(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message,
                                     enum free_path path)
{
    unsigned age = free_message_flag(&message);
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    struct free_port *here = &run->port[port];
    if (here->engaged) {
        free_violate_at(run, p, port, "received ASK from a processor whose operation it is in");
        return;
    }
    if (here->member == FREE_MEMBER_NONE) {
        here->neighbour_level = message.amount;
    }
    if (!joins(worker, p, port, age, path)) {
        worker->counts.refusals++;
        reserve(worker, p, port, age);
        free_post(worker, port, FREE_REFUSE, 0.0, 0, path);
        return;
    }
    if (free_beyond(path, run->alone && run->alone[p].reserved_port == port)) {
        run->alone[p].reserved_until = 0;
    }
    if (free_beyond(path, run->exclusive && processor->phase != FREE_PHASE_IDLE)) {
        withdraw(worker, p);
    }
    if (free_beyond(path, breaks_exclusion(run, p, port))) {
        free_violate_at(run, p, port, "joins an operation though its one port or its domain is in use");
        return;
    }
    worker->counts.engagements++;
    worker->counts.overlaps += processor->engaged > 0 || free_invokes(processor);
    if (free_beyond(path, run->link_once && here->member == FREE_MEMBER_NONE && processor->phase != FREE_PHASE_IDLE)) {
        here->member = FREE_MEMBER_REFUSED; // its own operation leaves this link out
    }
    here->engaged = true;
    here->gives = false;
    here->answered_at = worker->look.now;
    processor->engaged++;
    free_note_overlap(worker, p);
    if (run->engagement) {
        run->engagement[port].answers_sent++;
        free_begin_part(worker, p, &run->engagement[port].entry);
    }
    free_post(worker, port, FREE_TELL, free_level(run, p, path), 0, path);
}

// Counts a message that brings an operation forward. An ASK does not count, because refused ASKs could repeat for ever.
static void note_advance(struct free_worker *worker)
{
    free_count(&worker->advances, 1);
}

static FREE_BY_PATH void receive_tell(struct free_worker *worker, uint32_t p, uint32_t port,
                                      struct mail_message message, enum free_path path)
{
    struct free_run *run = worker->run;
    note_advance(worker);
    struct free_processor *processor = &run->processor[p];
    struct free_port *here = &run->port[port];
    if (here->member != FREE_MEMBER_ASKED) {
        free_violate_at(run, p, port, "received TELL without an ASK");
        return;
    }
    here->neighbour_level = message.amount;
    if (run->engagement) {
        run->engagement[port].answers_received++;
    }
    processor->waiting--;
    // If the link has failed meanwhile it counts as refused.
    if (free_beyond(path, processor->withdrawn || !free_usable(worker, port))) {
        here->member = FREE_MEMBER_REFUSED;
        free_post(worker, port, FREE_RELEASE, 0.0, FREE_FLAG_NO_PART, path);
    } else {
        uint64_t waited = processor->any_joined ? 0 : worker->look.now + 1 - processor->wanted_at;
        worker->counts.longest_wait = waited > worker->counts.longest_wait ? waited : worker->counts.longest_wait;
        here->member = FREE_MEMBER_JOINED;
        processor->any_joined = true;
        if (run->own_part) {
            run->own_part[p].members |= member_bit(run, p, port);
        }
    }
    free_proceed_if_answered(worker, p, path);
}

static FREE_BY_PATH void receive_refuse(struct free_worker *worker, uint32_t p, uint32_t port,
                                        struct mail_message message, enum free_path path)
{
    (void)message;
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    if (here->member == FREE_MEMBER_ASKED) {
        here->member = FREE_MEMBER_REFUSED;
    } else if (here->member == FREE_MEMBER_PULLED) {
        here->member = FREE_MEMBER_SETTLED;
        here->got = 0.0;
    } else {
        free_violate_at(run, p, port, "received REFUSE without an ASK or a PULL");
        return;
    }
    run->processor[p].waiting--;
    free_proceed_if_answered(worker, p, path);
}

// Ends the engagement of p in the neighbour's operation. `took_part` is false if p was released before it could take
// part.
static FREE_BY_PATH void disengage(struct free_worker *worker, uint32_t p, uint32_t port, bool took_part,
                                   enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    if (!here->engaged) {
        free_violate_at(run, p, port, "was released from an operation that it is not in");
        return;
    }
    here->engaged = false;
    run->processor[p].engaged--;
    if (path != FREE_PATH_PLAIN) {
        free_note_release(worker, p, port, took_part);
    }
    if (free_beyond(path, took_part && run->moves_objects && !here->gives)) {
        cargo_objects_forget_rest(&run->objects, port);
    }
    if (took_part && run->engagement) {
        free_log_part(worker, p, &run->engagement[port].entry, port, run->engagement[port].answers_sent);
    }
    free_proceed_if_answered(worker, p, path); // with one port, its own operation may have waited for this
}

// Releases p from an operation that has settled with it. An exclusive operation keeps its members to its end.
static FREE_BY_PATH void release_when_settled(struct free_worker *worker, uint32_t p, uint32_t port,
                                              enum free_path path)
{
    if (!free_beyond(path, worker->run->exclusive)) {
        disengage(worker, p, port, true, path);
    }
}

static FREE_BY_PATH void take_answer(struct free_worker *worker, uint32_t p, uint32_t port, double amount,
                                     enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    struct free_port *here = &run->port[port];
    // Objects do not add up to the amount. The giver adds to it what it owes from earlier ones.
    if (here->member != FREE_MEMBER_PULLED || (amount > here->asked && !free_beyond(path, run->moves_objects))) {
        free_violate_at(run, p, port, "received more load than it requested");
        return;
    }
    // Over a failed link the amount says nothing about the neighbour's load.
    if (!free_beyond(path, !free_usable(worker, port))) {
        processor->asked += here->asked;
    }
    here->got = amount;
    processor->got += amount;
    processor->waiting--;
    here->member = FREE_MEMBER_SETTLED;
    free_proceed_if_answered(worker, p, path);
}

// Receives load. It counts as moved at its receiver, so load that a failed link returns does not count.
static FREE_BY_PATH void take_load(struct free_worker *worker, uint32_t p, uint32_t port, double amount,
                                   enum free_path path)
{
    note_advance(worker);
    free_credit(worker, p, port, amount, false, path);
    worker->run->processor[p].moved += amount;
}

static FREE_BY_PATH void receive_load(struct free_worker *worker, uint32_t p, uint32_t port,
                                      struct mail_message message, bool answer, enum free_path path)
{
    double amount = message.amount;
    // With pushed announcements there are no members, and load sent before the link failed still arrives.
    bool pushed = free_beyond(path, worker->run->pushed);
    if (free_beyond(path, !pushed && !free_usable(worker, port) && amount > 0.0)) {
        worker->counts.returned++;
        free_sum_add(&worker->counts, FREE_SUM_RETURNED, amount);
        if (free_has_tasks(worker->run)) {
            cargo_turn_back(&worker->run->tasks, worker->run->topology->twin[port], port);
        } else if (worker->run->moves_objects) {
            cargo_objects_turn_back(&worker->run->objects, worker->run->topology->twin[port], port);
        }
        free_post(worker, port, FREE_RETURN, amount, 0, path);
        amount = 0.0;
    }
    take_load(worker, p, port, amount, path);
    if (answer) {
        take_answer(worker, p, port, amount, path);
    } else if (!pushed) {
        release_when_settled(worker, p, port, path);
    }
}

// Answers a PULL. The message may also release p, which lets p's own operation go on. The answer comes first: otherwise
// p's own operation could spend the requested load.
static FREE_BY_PATH void receive_pull(struct free_worker *worker, uint32_t p, uint32_t port,
                                      struct mail_message message, enum free_path path)
{
    double wanted = message.amount;
    struct free_run *run = worker->run;
    if (free_beyond(path, !free_usable(worker, port))) {
        free_post(worker, port, FREE_REFUSE, 0.0, 0, path);
        release_when_settled(worker, p, port, path);
        return;
    }
    double held = run->processor[p].held;
    run->port[port].gives = true;
    double given = free_give(worker, p, port, wanted, FREE_FLAG_ANSWER, path);
    if (free_beyond(path, run->moves_objects) ? held < wanted : given < wanted) { // objects seldom add up to the amount
        uint64_t age = worker->look.now - run->port[port].answered_at;
        worker->counts.stale++;
        watch_histogram_add(&worker->histogram[FREE_STALE_AGES], age);
    }
    release_when_settled(worker, p, port, path);
}

static void receive_return(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message)
{
    struct free_run *run = worker->run;
    double amount = message.amount;
    free_credit(worker, p, port, amount, true, FREE_PATH_ANY);
    if (run->sent) { // the load has not crossed the link
        run->sent[port] -= amount;
    }
    if (run->received) {
        run->received[port] -= amount;
    }
}

static FREE_BY_PATH void receive_release(struct free_worker *worker, uint32_t p, uint32_t port,
                                         struct mail_message message, enum free_path path)
{
    disengage(worker, p, port, free_message_flag(&message) != FREE_FLAG_NO_PART, path);
}

static void receive_detection(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message)
{
    worker->run->detector->receive(worker, p, port, message);
}

static void receive_announcement(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message)
{
    (void)p;
    free_receive_announcement(worker, port, message);
}

static void receive_unknown(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message)
{
    (void)message;
    free_violate_at(worker->run, p, port, "received a message of an unknown kind");
}

// Defines what a kind of message of operations does, on the plain path and on any path.
#define RECEIVE(kind, call)                                                                                            \
    static void receive_##kind##_plain(struct free_worker *worker, uint32_t p, uint32_t port,                          \
                                       struct mail_message message)                                                    \
    {                                                                                                                  \
        const enum free_path path = FREE_PATH_PLAIN;                                                                   \
        call;                                                                                                          \
    }                                                                                                                  \
    static void receive_##kind##_any(struct free_worker *worker, uint32_t p, uint32_t port,                            \
                                     struct mail_message message)                                                      \
    {                                                                                                                  \
        const enum free_path path = FREE_PATH_ANY;                                                                     \
        call;                                                                                                          \
    }

RECEIVE(ask, receive_ask(worker, p, port, message, path))
RECEIVE(tell, receive_tell(worker, p, port, message, path))
RECEIVE(refuse, receive_refuse(worker, p, port, message, path))
RECEIVE(give, receive_load(worker, p, port, message, false, path))
RECEIVE(answer, receive_load(worker, p, port, message, true, path))
RECEIVE(pull, receive_pull(worker, p, port, message, path))
RECEIVE(release, receive_release(worker, p, port, message, path))

// The functions for each kind of message with the lowest bit of its flag. `give` is that for a GIVE.
#define RECEIVERS(flag, give, path)                                                                                    \
    [flag | 0] = receive_unknown, [flag | FREE_ASK] = receive_ask_##path, [flag | FREE_TELL] = receive_tell_##path,    \
            [flag | FREE_REFUSE] = receive_refuse_##path, [flag | FREE_GIVE] = receive_##give##_##path,                \
            [flag | FREE_PULL] = receive_pull_##path, [flag | FREE_RELEASE] = receive_release_##path,                  \
            [flag | FREE_RETURN] = receive_return, [flag | FREE_MARKER] = free_snapshot_mark,                          \
            [flag | FREE_ANNOUNCE] = receive_announcement, [flag | FREE_PROBE] = receive_detection,                    \
            [flag | FREE_TALLY] = receive_detection, [flag | FREE_LETTERS] = free_letters_receive,                     \
            [flag | 13] = receive_unknown, [flag | 14] = receive_unknown, [flag | 15] = receive_unknown

enum { FLAGGED = 1 << FREE_KIND_BITS };

free_receiver *const free_receivers_plain[FREE_RECEIVERS] = {RECEIVERS(0, give, plain),
                                                             RECEIVERS(FLAGGED, answer, plain)};
free_receiver *const free_receivers_any[FREE_RECEIVERS] = {RECEIVERS(0, give, any), RECEIVERS(FLAGGED, answer, any)};
