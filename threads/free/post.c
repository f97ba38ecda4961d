// SPDX-License-Identifier: MIT
// Messages, and the bound on them.
//
// A sender keeps what a full mailbox has no room for, and goes on; it puts it at its next turn, before anything else on
// that link. At most seven messages of one direction are under way at once, in the mailbox, kept and delayed together,
// so a shelf of eight is never full, with any capacity of the mailboxes:
//
//   of the own operation three: ASK waits for its answer, what follows (GIVE, PULL or RELEASE, and in an exclusive
//   domain the RELEASE at its end) for the answer to the next ASK. Of the neighbour's operation one: each message of
//   it is an answer (TELL, REFUSE, GIVE), and the neighbour asks nothing more before it has that. A
//   snapshot's MARKER: one snapshot at a time, complete when all markers have come. RETURN two: what came on a failed
//   link was given once as an answer and once as a gift, and the next of either needs a message in this direction,
//   behind the RETURN.
//
// Where loads are pushed (announce.c) no message has an answer. There an announcement and a gift are sent over a port
// on which nothing is kept, in one turn; behind them comes a MARKER at most: three are kept. With delays the receiver's
// line takes as many as it has room for, and what is behind stays in the mailbox.
//
// So taking never waits for sending, and a cycle of full mailboxes dissolves: each of its processors still takes.
#include "threads/free/post.h"

#include <sched.h>

#include "threads/free/finish.h"
#include "threads/free/fetch.h"
#include "threads/free/look.h"
#include "base/cursor.h"
#include "base/debug.h"

static uint64_t stamp_of(enum free_kind kind, unsigned flag, uint64_t time)
{
    BASE_DEBUG_ASSERT(kind > 0 && (unsigned)kind < 1u << FREE_KIND_BITS && flag < 1u << FREE_FLAG_BITS);
    return (uint64_t)kind | (uint64_t)flag << FREE_KIND_BITS | time << (FREE_KIND_BITS + FREE_FLAG_BITS);
}

bool free_message_carries(const struct mail_message *message)
{
    return free_message_kind(message) == FREE_GIVE || free_message_kind(message) == FREE_RETURN;
}

const char *free_kind_name(enum free_kind kind)
{
    static const char *const names[] = {
        [FREE_ASK] = "ask",       [FREE_TELL] = "tell",     [FREE_REFUSE] = "refuse",
        [FREE_GIVE] = "give",     [FREE_PULL] = "pull",     [FREE_RELEASE] = "release",
        [FREE_RETURN] = "return", [FREE_MARKER] = "marker", [FREE_ANNOUNCE] = "announce",
    };
    return names[kind];
}

static void shelf_push(struct free_run *run, struct free_shelf *shelf, struct mail_message *place,
                       struct mail_message message)
{
    if (shelf->count == FREE_SHELF) {
        struct ek_error violation;
        base_fail(&violation, EK_VIOLATION, "", "more than %d messages are under way in one direction of a link",
                  FREE_SHELF);
        free_violate(run, &violation);
        return;
    }
    place[(shelf->first + shelf->count++) % FREE_SHELF] = message;
}

static struct mail_message shelf_pop(struct free_shelf *shelf, const struct mail_message *place)
{
    BASE_DEBUG_ASSERT(shelf->count > 0);
    struct mail_message message = place[shelf->first];
    shelf->first = (uint8_t)((shelf->first + 1) % FREE_SHELF);
    shelf->count--;
    shelf->taken++;
    return message;
}

// Puts into the mailbox at the other end where there is room; its owner, if that is another worker, is rung when the
// turn ends, and the room is that of the turn's look.
static inline bool put(struct free_worker *worker, uint32_t port, struct mail_message message, bool plain)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    if (here->inside) {
        return plain ? mail_spsc_offer(&run->boxes, port, message) : mail_offer(&run->boxes, port, message);
    }
    if (here->room == 0) {
        return false;
    }
    here->room--;
    here->rings = true;
    if (plain) {
        mail_spsc_put(&run->boxes, port, message);
    } else {
        mail_put(&run->boxes, port, message);
    }
    return true;
}

static void keep(struct free_worker *worker, uint32_t port, struct mail_message message)
{
    struct free_run *run = worker->run;
    worker->counts.stalls++;
    if (run->use) {
        run->use[run->topology->twin[port]].stalls++;
    }
    worker->polls = true;
    shelf_push(run, &run->port[port].kept, run->kept + (size_t)port * FREE_SHELF, message);
}

// What is seldom is not inlined: with it every message would pay for its registers.
static __attribute__((noinline)) void post_carefully(struct free_worker *worker, uint32_t port,
                                                     struct mail_message message)
{
    free_note_message(worker, EK_EVENT_SENDS, port, message);
    free_perturb(worker);
    if (worker->run->port[port].kept.count > 0 || !put(worker, port, message, false)) {
        keep(worker, port, message);
    }
}

void free_perturb_by_lot(struct free_worker *worker)
{
    if (base_random_unit(&worker->lots) < worker->run->machine->experiment.perturb) {
        sched_yield();
    }
}

void free_post(struct free_worker *worker, uint32_t port, enum free_kind kind, double amount, unsigned flag)
{
    struct free_run *run = worker->run;
    struct mail_message message = {amount, stamp_of(kind, flag, worker->look.now)};
    if (!run->plain || run->port[port].kept.count > 0 || !put(worker, port, message, true)) {
        post_carefully(worker, port, message);
    }
}

bool free_post_kept(struct free_worker *worker, uint32_t port)
{
    struct free_shelf *kept = &worker->run->port[port].kept;
    const struct mail_message *place = worker->run->kept + (size_t)port * FREE_SHELF;
    bool any = false;
    while (kept->count > 0 && put(worker, port, place[kept->first], false)) {
        shelf_pop(kept, place);
        any = true;
    }
    worker->polls = worker->polls || kept->count > 0;
    return any;
}

// There is room in the line for all that can be under way, but where loads are pushed.
unsigned free_delay(struct free_worker *worker, uint32_t port)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    struct free_shelf *line = &run->line[port];
    unsigned waiting = here->inside ? mail_waiting(&run->boxes, port) : here->waiting;
    free_note_depth(worker, waiting);
    free_note_link_depth(run, port, waiting);
    struct mail_message message;
    unsigned moved = 0;
    while (moved < waiting && line->count < FREE_SHELF && mail_fetch(&run->boxes, port, &message)) {
        shelf_push(run, line, run->due + (size_t)port * FREE_SHELF, message);
        moved++;
    }
    here->waiting = (uint16_t)(here->inside ? 0 : waiting - moved);
    return line->count;
}

// Takes the first of the line, if it is due: what is behind it waits for it, so the order of a link is kept.
bool free_fetch_due(struct free_worker *worker, uint32_t port, struct mail_message *message)
{
    struct free_run *run = worker->run;
    struct free_shelf *line = &run->line[port];
    const struct mail_message *place = run->due + (size_t)port * FREE_SHELF;
    uint64_t now = worker->look.now;
    uint64_t sent = free_message_sent(&place[line->first], now);
    uint64_t due = core_link_arrives(&run->machine->links, run->seed, run->topology->twin[port], line->taken, sent);
    if (due > now) {
        worker->due = due < worker->due ? due : worker->due;
        return false;
    }
    *message = shelf_pop(line, place);
    watch_histogram_add(&worker->histogram[FREE_DELAYS_ASKED], due - sent);
    watch_histogram_add(&worker->histogram[FREE_DELAYS_REALISED], now - sent);
    return true;
}

void free_fetch_tally(struct free_worker *worker, struct free_tallied *tallied)
{
    watch_histogram_add_many(&worker->histogram[FREE_LATENCIES], tallied->value, tallied->count);
    tallied->count = 0;
}

void free_fetch_tally_all(struct free_worker *worker)
{
    for (unsigned k = 0; k < FREE_TALLIED; k++) {
        free_fetch_tally(worker, &worker->latency[k]);
    }
}

void free_post_end(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    uint32_t end = run->processor[p].outside ? run->topology->first[p + 1] : 0;
    for (uint32_t port = run->topology->first[p]; port < end; port++) {
        if (run->port[port].rings) {
            run->port[port].rings = false;
            mail_bell_ring(free_bell(run, run->topology->neighbour[port]));
        }
    }
}
