// SPDX-License-Identifier: MIT
// Free timing: the operation protocol, which carries any rule without a lock and without a global clock.
//
//   invoker                         member
//   ASK (own load, ticket) ------->
//                          <------- TELL (its load), or REFUSE
//   GIVE (load), or RELEASE ------>                                it has what moves
//   or PULL (wanted) ------------->
//                          <------- GIVE (at most what is there)
//
// Nobody holds anything between messages, so nothing can deadlock, and a processor can be in several operations at
// once. Every answer comes: over a failed link the machine itself refuses what is asked and returns what was given. Of
// two processors that ask each other where only one can have the other, the older ticket wins: the one that was refused
// more often, then the lower number. Who was refused by everybody pauses for a few turns, drawn from the seed, and
// keeps its ticket. An operation of one's own is in operation.c; here is what a message does.
//
// Its model is tests/models/protocol.pml: two and three processors, with any ages of tickets. It does not cover that
// everybody's turn comes, the methods' amounts, nor work.
#include "threads/free/protocol.h"

#include <assert.h>
#include <math.h>

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

// Gives way to an older ticket: nothing has moved yet, who told is let go.
static void withdraw(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    run->processor[p].withdrawn = true;
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (run->port[port].part == FREE_PART_TOLD) {
            run->port[port].part = FREE_PART_REFUSED;
            free_post(worker, port, FREE_RELEASE, 0.0, FREE_FLAG_NO_PART);
        }
    }
}

// Whether p, which has an operation of its own, takes part in that of the neighbour at this port all the same: its
// ticket must be the younger one. With one port, the two must have asked each other, so that one link is used; in an
// exclusive domain, its own operation must not have moved anything yet.
static bool gives_way(struct free_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    bool moved = processor->phase != FREE_PHASE_ASKING || (!run->together && processor->told_by_any);
    if (!free_older(age, run->topology->neighbour[port], processor->age, p) ||
        (run->one_port && run->port[port].part != FREE_PART_ASKED) || (run->exclusive && moved)) {
        return false;
    }
    if (run->exclusive) {
        withdraw(worker, p);
    }
    return true;
}

// Whether taking part at this port breaks what the machine promises. That is looked at apart from `accepts`, which is
// to see to it: with one port only two that asked each other share a link; in exclusive domains nobody is in two at
// once.
static bool breaks_promise(const struct free_run *run, uint32_t p, uint32_t port)
{
    const struct free_processor *processor = &run->processor[p];
    bool own = processor->phase != FREE_PHASE_IDLE;
    return (run->one_port && (processor->engaged > 0 || (own && run->port[port].part != FREE_PART_ASKED))) ||
           (run->exclusive && (processor->engaged > 0 || (own && !processor->withdrawn)));
}

// Whether p, which has no operation yet, has waited for one so long that younger tickets have to wait for it.
static bool goes_first(const struct free_run *run, uint32_t p, uint32_t port, unsigned age)
{
    enum { PATIENCE = 8 };
    const struct free_processor *processor = &run->processor[p];
    return processor->wanted_at > 0 && processor->age >= PATIENCE &&
           free_older(processor->age, p, age, run->topology->neighbour[port]);
}

// Where a link serves one of two operations that overlap: whether it serves the neighbour's at this port. Of two that
// ask each other the older ticket's; an own operation that has used it goes before.
static bool serves(const struct free_run *run, uint32_t p, uint32_t port, unsigned age)
{
    uint8_t part = run->port[port].part;
    return part == FREE_PART_NONE || part == FREE_PART_REFUSED ||
           (part == FREE_PART_ASKED && free_older(age, run->topology->neighbour[port], run->processor[p].age, p));
}

// Whether p takes part in the operation of the neighbour at this port.
static bool accepts(struct free_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    struct free_run *run = worker->run;
    const struct free_processor *processor = &run->processor[p];
    if (!free_usable(worker, port) || (run->once && !serves(run, p, port, age))) {
        return false;
    }
    if (!run->one_port && !run->exclusive) {
        return true;
    }
    return processor->engaged == 0 && !free_promised_before(worker, p, port, age) &&
           (processor->phase == FREE_PHASE_IDLE ? !goes_first(run, p, port, age) : gives_way(worker, p, port, age));
}

// Who refuses remembers the oldest ticket that it has refused, and takes part in no younger operation and begins none
// before that one has come again: so everybody's turn comes. The asker pauses for no more turns than the promise lasts,
// unless it has changed its mind.
static void promise(struct free_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    enum { SLACK = 8 };
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    uint32_t asker = run->topology->neighbour[port];
    if (!free_usable(worker, port) || free_promised_before(worker, p, port, age)) {
        return;
    }
    processor->promised_to = port;
    processor->promised_age = (uint16_t)age;
    processor->promised_until = worker->look.sweep + 2u * free_degree(run, asker) + SLACK;
}

// What each kind of message does is not inlined: each would pay for the registers of all.
static __attribute__((noinline)) void take_ask(struct free_worker *worker, uint32_t p, uint32_t port, double load,
                                               unsigned age)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    struct free_port *here = &run->port[port];
    if (here->engaged) {
        free_violate_at(run, p, port, "was asked by somebody whose operation it is in");
        return;
    }
    if (here->part == FREE_PART_NONE) {
        here->told = load;
    }
    if (!accepts(worker, p, port, age)) {
        worker->counts.refusals++;
        promise(worker, p, port, age);
        free_post(worker, port, FREE_REFUSE, 0.0, 0);
        return;
    }
    if (processor->promised_to == port) {
        processor->promised_until = 0;
    }
    if (breaks_promise(run, p, port)) {
        free_violate_at(run, p, port, "takes part though its one port or its domain is in use");
        return;
    }
    worker->counts.engagements++;
    worker->counts.overlaps += processor->engaged > 0 || free_invokes(processor);
    if (run->once && here->part == FREE_PART_NONE && processor->phase != FREE_PHASE_IDLE) {
        here->part = FREE_PART_REFUSED; // its own operation does without this link
    }
    here->engaged = true;
    here->told_at = worker->look.now;
    processor->engaged++;
    run->engagement[port].told++;
    free_enter(worker, p, &run->engagement[port].entry);
    free_post(worker, port, FREE_TELL, free_level(run, p), 0);
}

// Something has come that takes an operation on. An ASK that is refused does not: those can go round for ever.
static void note_advance(struct free_worker *worker)
{
    free_count(&worker->advances, 1);
}

static __attribute__((noinline)) void take_tell(struct free_worker *worker, uint32_t p, uint32_t port, double load)
{
    struct free_run *run = worker->run;
    note_advance(worker);
    struct free_processor *processor = &run->processor[p];
    struct free_port *here = &run->port[port];
    if (here->part != FREE_PART_ASKED) {
        free_violate_at(run, p, port, "was told a load that it did not ask for");
        return;
    }
    here->told = load;
    run->engagement[port].heard++;
    processor->waiting--;
    if (processor->withdrawn || !free_usable(worker, port)) { // a link that failed meanwhile: as if it had refused
        here->part = FREE_PART_REFUSED;
        free_post(worker, port, FREE_RELEASE, 0.0, FREE_FLAG_NO_PART);
    } else {
        uint64_t waited = worker->look.now + 1 - processor->wanted_at;
        worker->counts.longest_wait =
            !processor->told_by_any && waited > worker->counts.longest_wait ? waited : worker->counts.longest_wait;
        here->part = FREE_PART_TOLD;
        processor->told_by_any = true;
        processor->members |= member_bit(run, p, port);
    }
    free_go_on(worker, p);
}

static __attribute__((noinline)) void take_refuse(struct free_worker *worker, uint32_t p, uint32_t port)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    if (here->part == FREE_PART_ASKED) {
        here->part = FREE_PART_REFUSED;
    } else if (here->part == FREE_PART_PULLED) {
        here->part = FREE_PART_SETTLED;
    } else {
        free_violate_at(run, p, port, "was refused what it did not ask for");
        return;
    }
    run->processor[p].waiting--;
    free_go_on(worker, p);
}

// The neighbour's operation has done what it wanted here. Whether p has had a part in it.
static __attribute__((noinline)) void disengage(struct free_worker *worker, uint32_t p, uint32_t port, bool part)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    if (!here->engaged) {
        free_violate_at(run, p, port, "was let go by an operation that it is not in");
        return;
    }
    here->engaged = false;
    run->processor[p].engaged--;
    free_note_let_go(worker, p, port, part);
    if (part) {
        free_log_part(worker, p, &run->engagement[port].entry, port, run->engagement[port].told);
    }
    free_go_on(worker, p); // with one port, its own operation may have waited for that
}

// The operation has settled with p, and goes on with others: an exclusive one keeps its members to its end.
static void let_go_when_settled(struct free_worker *worker, uint32_t p, uint32_t port)
{
    if (!worker->run->exclusive) {
        disengage(worker, p, port, true);
    }
}

static void take_answer(struct free_worker *worker, uint32_t p, uint32_t port, double amount)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    struct free_port *here = &run->port[port];
    if (here->part != FREE_PART_PULLED || amount > here->asked) {
        free_violate_at(run, p, port, "was given more than it asked for");
        return;
    }
    here->got = amount;
    processor->got += amount;
    processor->waiting--;
    here->part = FREE_PART_SETTLED;
    free_go_on(worker, p);
}

// Load has arrived. It has moved here, since what a failed link returns has not.
static void take_in(struct free_worker *worker, uint32_t p, uint32_t port, double amount)
{
    note_advance(worker);
    free_credit(worker->run, p, port, amount);
    worker->run->processor[p].moved += amount;
}

static __attribute__((noinline)) void take_give(struct free_worker *worker, uint32_t p, uint32_t port, double amount,
                                                bool answer)
{
    bool pushed = worker->run->pushed; // then nobody is to be let go, and what is under way when its link fails arrives
    if (!pushed && !free_usable(worker, port) && amount > 0.0) {
        worker->counts.returned++;
        worker->counts.load_returned += amount;
        free_post(worker, port, FREE_RETURN, amount, 0);
        amount = 0.0;
    }
    take_in(worker, p, port, amount);
    if (answer) {
        take_answer(worker, p, port, amount);
    } else if (!pushed) {
        let_go_when_settled(worker, p, port);
    }
}

// The answer goes before anything else that this makes possible: what was asked for is not spent on an own operation.
static __attribute__((noinline)) void take_pull(struct free_worker *worker, uint32_t p, uint32_t port, double wanted)
{
    struct free_run *run = worker->run;
    if (!free_usable(worker, port)) {
        free_post(worker, port, FREE_REFUSE, 0.0, 0);
        let_go_when_settled(worker, p, port);
        return;
    }
    double given = free_give(worker, p, port, wanted, FREE_FLAG_ANSWER);
    if (given < wanted) {
        uint64_t age = worker->look.now - run->port[port].told_at;
        worker->counts.stale++;
        watch_histogram_add(&worker->histogram[FREE_STALE_AGES], age);
    }
    let_go_when_settled(worker, p, port);
}

static __attribute__((noinline)) void take_return(struct free_run *run, uint32_t p, uint32_t port, double amount)
{
    free_credit(run, p, port, amount);
    if (run->sent) { // it has not crossed the link
        run->sent[port] -= amount;
        run->received[port] -= amount;
    }
}

void free_take(struct free_worker *worker, uint32_t p, uint32_t port, struct mail_message message)
{
    struct free_run *run = worker->run;
    switch (free_message_kind(&message)) {
    case FREE_ASK:
        take_ask(worker, p, port, message.amount, free_message_flag(&message));
        return;
    case FREE_TELL:
        take_tell(worker, p, port, message.amount);
        return;
    case FREE_REFUSE:
        take_refuse(worker, p, port);
        return;
    case FREE_GIVE:
        take_give(worker, p, port, message.amount, free_message_flag(&message) == FREE_FLAG_ANSWER);
        return;
    case FREE_PULL:
        take_pull(worker, p, port, message.amount);
        return;
    case FREE_RELEASE:
        disengage(worker, p, port, free_message_flag(&message) != FREE_FLAG_NO_PART);
        return;
    case FREE_RETURN:
        take_return(run, p, port, message.amount);
        return;
    case FREE_MARKER:
        free_snapshot_mark(worker, p, port, message);
        return;
    case FREE_ANNOUNCE:
        free_hear(worker, port, message);
        return;
    }
    free_violate_at(run, p, port, "received a message of no kind");
}
