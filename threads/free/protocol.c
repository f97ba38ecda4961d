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
            free_post(worker, port, FREE_RELEASE, 0.0, FREE_FLAG_NO_PART);
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
static bool joins(const struct free_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    const struct free_run *run = worker->run;
    const struct free_processor *processor = &run->processor[p];
    if (!free_usable(worker, port) || (run->link_once && !serves(run, p, port, age))) {
        return false;
    }
    if (!run->one_port && !run->exclusive) {
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

// The functions for the kinds of messages are not inlined. If they were inlined, every message would save all registers
// that any kind of message needs.
static __attribute__((noinline)) void receive_ask(struct free_worker *worker, uint32_t p, uint32_t port, double load,
                                                  unsigned age)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    struct free_port *here = &run->port[port];
    if (here->engaged) {
        free_violate_at(run, p, port, "received ASK from a processor whose operation it is in");
        return;
    }
    if (here->member == FREE_MEMBER_NONE) {
        here->neighbour_level = load;
    }
    if (!joins(worker, p, port, age)) {
        worker->counts.refusals++;
        reserve(worker, p, port, age);
        free_post(worker, port, FREE_REFUSE, 0.0, 0);
        return;
    }
    if (run->alone && run->alone[p].reserved_port == port) {
        run->alone[p].reserved_until = 0;
    }
    if (run->exclusive && processor->phase != FREE_PHASE_IDLE) {
        withdraw(worker, p);
    }
    if (breaks_exclusion(run, p, port)) {
        free_violate_at(run, p, port, "joins an operation though its one port or its domain is in use");
        return;
    }
    worker->counts.engagements++;
    worker->counts.overlaps += processor->engaged > 0 || free_invokes(processor);
    if (run->link_once && here->member == FREE_MEMBER_NONE && processor->phase != FREE_PHASE_IDLE) {
        here->member = FREE_MEMBER_REFUSED; // its own operation leaves this link out
    }
    here->engaged = true;
    here->answered_at = worker->look.now;
    processor->engaged++;
    free_note_overlap(worker, p);
    if (run->engagement) {
        run->engagement[port].answers_sent++;
        free_begin_part(worker, p, &run->engagement[port].entry);
    }
    free_post(worker, port, FREE_TELL, free_level(run, p), 0);
}

// Counts a message that brings an operation forward. An ASK does not count, because refused ASKs could repeat for ever.
static void note_advance(struct free_worker *worker)
{
    free_count(&worker->advances, 1);
}

static __attribute__((noinline)) void receive_tell(struct free_worker *worker, uint32_t p, uint32_t port, double load)
{
    struct free_run *run = worker->run;
    note_advance(worker);
    struct free_processor *processor = &run->processor[p];
    struct free_port *here = &run->port[port];
    if (here->member != FREE_MEMBER_ASKED) {
        free_violate_at(run, p, port, "received TELL without an ASK");
        return;
    }
    here->neighbour_level = load;
    if (run->engagement) {
        run->engagement[port].answers_received++;
    }
    processor->waiting--;
    if (processor->withdrawn || !free_usable(worker, port)) { // if the link has failed meanwhile it counts as refused
        here->member = FREE_MEMBER_REFUSED;
        free_post(worker, port, FREE_RELEASE, 0.0, FREE_FLAG_NO_PART);
    } else {
        uint64_t waited = worker->look.now + 1 - processor->wanted_at;
        worker->counts.longest_wait =
            !processor->any_joined && waited > worker->counts.longest_wait ? waited : worker->counts.longest_wait;
        here->member = FREE_MEMBER_JOINED;
        processor->any_joined = true;
        if (run->own_part) {
            run->own_part[p].members |= member_bit(run, p, port);
        }
    }
    free_proceed_if_answered(worker, p);
}

static __attribute__((noinline)) void receive_refuse(struct free_worker *worker, uint32_t p, uint32_t port)
{
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
    free_proceed_if_answered(worker, p);
}

// Ends the engagement of p in the neighbour's operation. `took_part` is false if p was released before it could take
// part.
static __attribute__((noinline)) void disengage(struct free_worker *worker, uint32_t p, uint32_t port, bool took_part)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    if (!here->engaged) {
        free_violate_at(run, p, port, "was released from an operation that it is not in");
        return;
    }
    here->engaged = false;
    run->processor[p].engaged--;
    free_note_release(worker, p, port, took_part);
    if (took_part && run->engagement) {
        free_log_part(worker, p, &run->engagement[port].entry, port, run->engagement[port].answers_sent);
    }
    free_proceed_if_answered(worker, p); // with one port, its own operation may have waited for this
}

// Releases p from an operation that has settled with it. An exclusive operation keeps its members to its end.
static void release_when_settled(struct free_worker *worker, uint32_t p, uint32_t port)
{
    if (!worker->run->exclusive) {
        disengage(worker, p, port, true);
    }
}

static void receive_answer(struct free_worker *worker, uint32_t p, uint32_t port, double amount)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    struct free_port *here = &run->port[port];
    if (here->member != FREE_MEMBER_PULLED || amount > here->asked) {
        free_violate_at(run, p, port, "received more load than it requested");
        return;
    }
    if (free_usable(worker, port)) { // over a failed link the amount says nothing about the neighbour's load
        processor->asked += here->asked;
    }
    here->got = amount;
    processor->got += amount;
    processor->waiting--;
    here->member = FREE_MEMBER_SETTLED;
    free_proceed_if_answered(worker, p);
}

// Receives load. It counts as moved at its receiver, so load that a failed link returns does not count.
static void receive_load(struct free_worker *worker, uint32_t p, uint32_t port, double amount)
{
    note_advance(worker);
    free_credit(worker, p, port, amount);
    worker->run->processor[p].moved += amount;
}

static __attribute__((noinline)) void receive_give(struct free_worker *worker, uint32_t p, uint32_t port, double amount,
                                                   bool answer)
{
    bool pushed = worker->run->pushed; // then there are no members, and load sent before the link failed still arrives
    if (!pushed && !free_usable(worker, port) && amount > 0.0) {
        worker->counts.returned++;
        free_sum_add(&worker->counts, FREE_SUM_RETURNED, amount);
        if (free_has_tasks(worker->run)) {
            cargo_turn_back(&worker->run->tasks, worker->run->topology->twin[port], port);
        }
        free_post(worker, port, FREE_RETURN, amount, 0);
        amount = 0.0;
    }
    receive_load(worker, p, port, amount);
    if (answer) {
        receive_answer(worker, p, port, amount);
    } else if (!pushed) {
        release_when_settled(worker, p, port);
    }
}

// Answers a PULL. The message may also release p, which lets p's own operation go on. The answer comes first: otherwise
// p's own operation could spend the requested load.
static __attribute__((noinline)) void receive_pull(struct free_worker *worker, uint32_t p, uint32_t port, double wanted)
{
    struct free_run *run = worker->run;
    if (!free_usable(worker, port)) {
        free_post(worker, port, FREE_REFUSE, 0.0, 0);
        release_when_settled(worker, p, port);
        return;
    }
    double given = free_give(worker, p, port, wanted, FREE_FLAG_ANSWER);
    if (given < wanted) {
        uint64_t age = worker->look.now - run->port[port].answered_at;
        worker->counts.stale++;
        watch_histogram_add(&worker->histogram[FREE_STALE_AGES], age);
    }
    release_when_settled(worker, p, port);
}

static __attribute__((noinline)) void receive_return(struct free_worker *worker, uint32_t p, uint32_t port,
                                                     double amount)
{
    struct free_run *run = worker->run;
    free_credit(worker, p, port, amount);
    if (run->sent) { // the load has not crossed the link
        run->sent[port] -= amount;
    }
    if (run->received) {
        run->received[port] -= amount;
    }
}

void free_receive(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message)
{
    struct free_run *run = worker->run;
    switch (free_message_kind(&message)) {
    case FREE_ASK:
        receive_ask(worker, p, port, message.amount, free_message_flag(&message));
        return;
    case FREE_TELL:
        receive_tell(worker, p, port, message.amount);
        return;
    case FREE_REFUSE:
        receive_refuse(worker, p, port);
        return;
    case FREE_GIVE:
        receive_give(worker, p, port, message.amount, free_message_flag(&message) == FREE_FLAG_ANSWER);
        return;
    case FREE_PULL:
        receive_pull(worker, p, port, message.amount);
        return;
    case FREE_RELEASE:
        disengage(worker, p, port, free_message_flag(&message) != FREE_FLAG_NO_PART);
        return;
    case FREE_RETURN:
        receive_return(worker, p, port, message.amount);
        return;
    case FREE_MARKER:
        free_snapshot_mark(worker, p, port, message);
        return;
    case FREE_PROBE:
    case FREE_TALLY:
        run->detector->receive(worker, p, port, message);
        return;
    case FREE_ANNOUNCE:
        free_receive_announcement(worker, port, message);
        return;
    case FREE_LETTERS:
        free_letters_receive(worker, p, port, message);
        return;
    }
    free_violate_at(run, p, port, "received a message of an unknown kind");
}
