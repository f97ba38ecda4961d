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
#include "threads/async/post.h"

#include <assert.h>

#include "threads/async/end.h"
#include "threads/async/look.h"
#include "topologies/scan.h"

enum { KIND_BITS = 4, FLAG_BITS = 12 };

// Of the time when it was sent a stamp has the low 48 bits, nanoseconds that come again after 78 hours.
static const uint64_t TIME_MASK = UINT64_MAX >> (KIND_BITS + FLAG_BITS);

static uint64_t stamp_of(enum async_kind kind, unsigned flag, uint64_t time)
{
    assert(kind > 0 && (unsigned)kind < 1u << KIND_BITS && flag < 1u << FLAG_BITS);
    return (uint64_t)kind | (uint64_t)flag << KIND_BITS | time << (KIND_BITS + FLAG_BITS);
}

enum async_kind async_message_kind(const struct mail_message *message)
{
    return (enum async_kind)(message->stamp & ((1u << KIND_BITS) - 1));
}

unsigned async_message_flag(const struct mail_message *message)
{
    return (unsigned)(message->stamp >> KIND_BITS) & ((1u << FLAG_BITS) - 1);
}

uint64_t async_message_sent(const struct mail_message *message, uint64_t now)
{
    uint64_t age = (now - (message->stamp >> (KIND_BITS + FLAG_BITS))) & TIME_MASK;
    return age <= TIME_MASK / 2 ? now - age : now + (TIME_MASK + 1 - age);
}

bool async_message_carries(const struct mail_message *message)
{
    return async_message_kind(message) == ASYNC_GIVE || async_message_kind(message) == ASYNC_RETURN;
}

const char *async_kind_name(enum async_kind kind)
{
    static const char *const names[] = {
        [ASYNC_ASK] = "ask",       [ASYNC_TELL] = "tell",     [ASYNC_REFUSE] = "refuse",
        [ASYNC_GIVE] = "give",     [ASYNC_PULL] = "pull",     [ASYNC_RELEASE] = "release",
        [ASYNC_RETURN] = "return", [ASYNC_MARKER] = "marker", [ASYNC_ANNOUNCE] = "announce",
    };
    return names[kind];
}

static void shelf_push(struct async_run *run, struct async_shelf *shelf, struct mail_message *place,
                       struct mail_message message)
{
    if (shelf->count == ASYNC_SHELF) {
        struct ek_error violation;
        topo_fail(&violation, EK_VIOLATION, "", -1, "more than %d messages are under way in one direction of a link",
                  ASYNC_SHELF);
        async_violate(run, &violation);
        return;
    }
    place[(shelf->first + shelf->count++) % ASYNC_SHELF] = message;
}

static struct mail_message shelf_pop(struct async_shelf *shelf, const struct mail_message *place)
{
    assert(shelf->count > 0);
    struct mail_message message = place[shelf->first];
    shelf->first = (uint8_t)((shelf->first + 1) % ASYNC_SHELF);
    shelf->count--;
    shelf->taken++;
    return message;
}

// Puts into the mailbox at the other end where there is room, and rings its owner if that is another worker. Of a port
// whose other end belongs to the same worker the room is looked for here, when what was known of it is used up.
static bool put(struct async_worker *worker, uint32_t port, struct mail_message message)
{
    struct async_run *run = worker->run;
    struct async_port *here = &run->port[port];
    if (here->inside && here->room == 0) {
        here->room = (uint16_t)run->boxes.kind->room(&run->boxes, port);
    }
    if (here->room == 0) {
        return false;
    }
    here->room--;
    run->boxes.kind->put(&run->boxes, port, message);
    if (!here->inside) {
        mail_bell_ring(async_bell(run, run->topology->neighbour[port]));
    }
    return true;
}

void async_post(struct async_worker *worker, uint32_t port, enum async_kind kind, double amount, unsigned flag)
{
    struct async_run *run = worker->run;
    struct mail_message message = {amount, stamp_of(kind, flag, worker->look.now)};
    async_note_message(worker, EK_EVENT_SENDS, port, &message);
    async_perturb(worker);
    struct async_shelf *kept = &run->port[port].kept;
    if (kept->count > 0 || !put(worker, port, message)) {
        worker->counts.stalls++;
        if (run->use) {
            run->use[run->topology->twin[port]].stalls++;
        }
        worker->polls = true;
        shelf_push(run, kept, run->kept + (size_t)port * ASYNC_SHELF, message);
    }
}

bool async_post_kept(struct async_worker *worker, uint32_t port)
{
    struct async_shelf *kept = &worker->run->port[port].kept;
    const struct mail_message *place = worker->run->kept + (size_t)port * ASYNC_SHELF;
    bool any = false;
    while (kept->count > 0 && put(worker, port, place[kept->first])) {
        shelf_pop(kept, place);
        any = true;
    }
    worker->polls = worker->polls || kept->count > 0;
    return any;
}

// The messages in the mailbox that this turn may take.
static unsigned in_mailbox(const struct async_run *run, uint32_t port)
{
    const struct async_port *here = &run->port[port];
    return here->inside ? run->boxes.kind->waiting(&run->boxes, port) : here->waiting;
}

static void take(struct async_run *run, uint32_t port, struct mail_message *message)
{
    struct async_port *here = &run->port[port];
    assert(here->inside || here->waiting > 0);
    here->waiting = (uint16_t)(here->waiting - !here->inside);
    run->boxes.kind->take(&run->boxes, port, message);
}

// How many lay in a mailbox that is emptied.
static void note_depth(struct async_worker *worker, uint32_t port, unsigned found)
{
    unsigned step = found == 1 ? 0 : 32u - (unsigned)__builtin_clz(found - 1);
    worker->counts.depth[step < EK_DEPTHS ? step : EK_DEPTHS - 1]++;
    worker->counts.depth_most = found > worker->counts.depth_most ? found : worker->counts.depth_most;
    if (worker->run->use && found > worker->run->use[port].depth_most) {
        worker->run->use[port].depth_most = found;
    }
}

// With delays the mailbox's messages go into the line: there is room for all that can be under way, but where loads are
// pushed.
unsigned async_waiting(struct async_worker *worker, uint32_t port)
{
    struct async_run *run = worker->run;
    unsigned waiting = in_mailbox(run, port);
    if (waiting > 0) {
        note_depth(worker, port, waiting);
    }
    if (!run->line) {
        return waiting;
    }
    struct mail_message message;
    for (; waiting > 0 && run->line[port].count < ASYNC_SHELF; waiting--) {
        take(run, port, &message);
        shelf_push(run, &run->line[port], run->due + (size_t)port * ASYNC_SHELF, message);
    }
    return run->line[port].count;
}

// Takes the first of the line, if it is due: what is behind it waits for it, so the order of a link is kept.
static bool take_due(struct async_worker *worker, uint32_t port, struct mail_message *message)
{
    struct async_run *run = worker->run;
    struct async_shelf *line = &run->line[port];
    const struct mail_message *place = run->due + (size_t)port * ASYNC_SHELF;
    uint64_t now = worker->look.now;
    uint64_t sent = async_message_sent(&place[line->first], now);
    uint64_t delay = core_delay_ns(&run->machine->delay, run->seed, run->topology->twin[port], line->taken);
    if (sent + delay > now) {
        worker->due = sent + delay < worker->due ? sent + delay : worker->due;
        return false;
    }
    *message = shelf_pop(line, place);
    watch_histogram_add(&worker->histogram[ASYNC_DELAYS_ASKED], delay);
    watch_histogram_add(&worker->histogram[ASYNC_DELAYS_REALISED], now - sent);
    return true;
}

bool async_fetch(struct async_worker *worker, uint32_t port, struct mail_message *message)
{
    struct async_run *run = worker->run;
    if (!run->line) {
        take(run, port, message);
    } else if (!take_due(worker, port, message)) {
        return false;
    }
    uint64_t sent = async_message_sent(message, worker->look.now);
    uint64_t latency = worker->look.now > sent ? worker->look.now - sent : 0;
    watch_histogram_add(&worker->histogram[ASYNC_LATENCIES], latency);
    if (run->use) {
        run->use[port].messages++;
        watch_histogram_add(&run->use[port].latency, latency);
    }
    async_count(&worker->messages, 1);
    async_note_message(worker, EK_EVENT_TAKES, port, message);
    return true;
}
