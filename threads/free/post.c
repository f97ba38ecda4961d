// SPDX-License-Identifier: MIT
// Messages of free timing.
//
// Purpose. Receiving never waits for sending: if a mailbox is full the sender keeps the message on the port's shelf and
// goes on. At its next turn it sends the kept messages, in their order, before any other message on that link. So a
// cycle of processors with full mailboxes dissolves, because each of these processors still receives.
//
// The bound. At most eight messages of one direction of a link are under way at once: in the mailbox, kept and delayed
// together. A shelf has eight places, so it is never full, whatever the mailboxes' capacity. The eight are
//
//   1. three of the sender's operations: the message that settles an operation (GIVE, PULL or RELEASE), the RELEASE at
//      the end of an exclusive operation, and the ASK of the next operation. The sender sends nothing behind this ASK
//      before the answer has come;
//   2. one of the neighbour's operation: each message of it in this direction is an answer (TELL, REFUSE, GIVE),
//      and the neighbour requests nothing more before it has the answer;
//   3. one MARKER: there is one snapshot at a time, and it is complete when all markers have come;
//   4. two RETURNs, one for an answer and one for a gift that came over a failed link: another answer or gift needs a
//      further message in this direction, behind the RETURN;
//   5. one PROBE or TALLY: a processor sends the next one over a link when it has received an answer over it.
//
// With pushed announcements (pushed.c) no message has an answer. A processor announces and gives only over a port on
// which no message is kept, in one turn; behind both comes a MARKER at most. So three messages are kept. With delays
// the receiver's shelf takes as many messages as it has places for, and the others stay in the mailbox. The same is
// true of letters (free_letters.c).
#include "threads/free/post.h"

#include "threads/free/finish.h"
#include "threads/free/fetch.h"
#include "threads/free/look.h"
#include "base/cursor.h"
#include "base/debug.h"

static struct mail_message stamped(const struct free_worker *worker, double amount, uint64_t kind_and_flag)
{
    return (struct mail_message){amount, worker->look.now << (FREE_KIND_BITS + FREE_FLAG_BITS) | kind_and_flag};
}

const char *free_kind_name(enum free_kind kind)
{
    static const char *const names[] = {
        [FREE_ASK] = "ask",           [FREE_TELL] = "tell",       [FREE_REFUSE] = "refuse", [FREE_GIVE] = "give",
        [FREE_PULL] = "pull",         [FREE_RELEASE] = "release", [FREE_RETURN] = "return", [FREE_MARKER] = "marker",
        [FREE_ANNOUNCE] = "announce", [FREE_PROBE] = "probe",     [FREE_TALLY] = "tally",   [FREE_LETTERS] = "letters",
    };
    return names[kind];
}

static void shelf_push(struct free_run *run, struct free_shelf *shelf, struct mail_message *place,
                       struct mail_message message)
{
    if (shelf->count == FREE_SHELF) {
        free_violate(run, "more than %d messages are under way in one direction of a link", FREE_SHELF);
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
    return message;
}

// Puts a message into the mailbox at the other end. Returns false if there is no room. If the other end belongs to
// another worker, the room is the one that the turn's look saw, and that worker is rung when the turn ends.
static FREE_BY_PATH bool put(struct free_worker *worker, uint32_t port, struct mail_message message,
                             enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    if (path == FREE_PATH_WIRED || (path == FREE_PATH_ANY && run->wires)) {
        return run->wires->put(worker, port, message);
    }
    if (here->local) {
        return path == FREE_PATH_MAIL ? mail_spsc_offer(&run->boxes, port, message)
                                      : mail_offer(&run->boxes, port, message);
    }
    if (here->room == 0) {
        return false;
    }
    here->room--;
    here->rings = true;
    if (path == FREE_PATH_MAIL) {
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
    worker->stays_awake = worker->stays_awake || !run->wires; // the driver knows when a wire has room again
    shelf_push(run, &run->port[port].kept, run->kept_message + (size_t)port * FREE_SHELF, message);
}

// Sends a message that needs more than the fast path. This function is not inlined, because every message would pay for
// its registers.
static __attribute__((noinline)) void post_slowly(struct free_worker *worker, uint32_t port,
                                                  struct mail_message message)
{
    const struct free_run *run = worker->run;
    free_note_message(worker, EK_EVENT_SENDS, port, message);
    if (free_has_tasks(run) && cargo_has_values(&run->tasks)) {
        cargo_note_sent(free_cargo(worker), run->topology->neighbour[run->topology->twin[port]], port);
    }
    free_perturb(worker);
    if (worker->run->port[port].kept.count > 0 || !put(worker, port, message, FREE_PATH_ANY)) {
        keep(worker, port, message);
    }
}

void free_post_plain(struct free_worker *worker, uint32_t port, double amount, uint64_t kind_and_flag)
{
    struct mail_message message = stamped(worker, amount, kind_and_flag);
    if (worker->run->port[port].kept.count > 0 || !put(worker, port, message, FREE_PATH_MAIL)) {
        post_slowly(worker, port, message);
    }
}

void free_post_any(struct free_worker *worker, uint32_t port, double amount, uint64_t kind_and_flag)
{
    struct free_run *run = worker->run;
    struct mail_message message = stamped(worker, amount, kind_and_flag);
    bool kept = run->port[port].kept.count > 0;
    bool sent = run->path <= FREE_PATH_MAIL    ? !kept && put(worker, port, message, FREE_PATH_MAIL)
                : run->path == FREE_PATH_WIRED ? !kept && put(worker, port, message, FREE_PATH_WIRED)
                                               : false;
    if (!sent) {
        post_slowly(worker, port, message);
    }
}

bool free_post_kept(struct free_worker *worker, uint32_t port)
{
    struct free_shelf *kept = &worker->run->port[port].kept;
    const struct mail_message *place = worker->run->kept_message + (size_t)port * FREE_SHELF;
    bool any = false;
    while (kept->count > 0 && put(worker, port, place[kept->first], FREE_PATH_ANY)) {
        shelf_pop(kept, place);
        any = true;
    }
    worker->stays_awake = worker->stays_awake || (kept->count > 0 && !worker->run->wires);
    return any;
}

void free_post_each_kept(const struct free_run *run, uint32_t port,
                         void (*visit)(void *context, const struct mail_message *message), void *context)
{
    const struct free_shelf *kept = &run->port[port].kept;
    for (unsigned k = 0; k < kept->count; k++) {
        visit(context, &run->kept_message[(size_t)port * FREE_SHELF + (kept->first + k) % FREE_SHELF]);
    }
}

// The shelf has room for all messages that can be under way, except with pushed announcements.
unsigned free_delay(struct free_worker *worker, uint32_t port)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    struct free_shelf *shelf = &run->delayed[port].shelf;
    unsigned waiting = here->local ? mail_waiting(&run->boxes, port) : here->waiting;
    free_note_depth(worker, waiting);
    free_note_link_depth(run, port, waiting);
    struct mail_message message;
    unsigned moved = 0;
    while (moved < waiting && shelf->count < FREE_SHELF && mail_fetch(&run->boxes, port, &message)) {
        shelf_push(run, shelf, run->delayed_message + (size_t)port * FREE_SHELF, message);
        moved++;
    }
    here->waiting = (uint16_t)(here->local ? 0 : waiting - moved);
    return shelf->count;
}

// Messages behind the first one wait for it, so the order of a link is kept.
bool free_fetch_due(struct free_worker *worker, uint32_t port, struct mail_message *message)
{
    struct free_run *run = worker->run;
    struct free_delayed *delayed = &run->delayed[port];
    const struct mail_message *place = run->delayed_message + (size_t)port * FREE_SHELF;
    uint64_t now = worker->look.now;
    const struct mail_message *next = &place[delayed->shelf.first];
    uint64_t sent = free_message_sent(next, now);
    uint64_t due = core_link_arrives(&run->machine->links, free_message_carries(next), run->seed,
                                     run->topology->twin[port], delayed->taken, sent);
    if (due > now) {
        worker->due = due < worker->due ? due : worker->due;
        return false;
    }
    *message = shelf_pop(&delayed->shelf, place);
    delayed->taken++;
    watch_histogram_add(&worker->histogram[FREE_DELAYS_ASKED], due - sent);
    watch_histogram_add(&worker->histogram[FREE_DELAYS_REALISED], now - sent);
    return true;
}

void free_flush_latency(struct free_worker *worker, struct free_latency_count *counted)
{
    struct watch_histogram *histogram = &worker->histogram[FREE_LATENCIES];
    uint64_t latency = counted->value > 0 ? (uint64_t)counted->value : 0;
    if (worker->run->wires) { // then no group has two workers
        watch_histogram_add_many_alone(histogram, latency, counted->count);
    } else {
        watch_histogram_add_many(histogram, latency, counted->count);
    }
    counted->count = 0;
}

void free_flush_latencies(struct free_worker *worker)
{
    for (unsigned k = 0; k < FREE_LATENCY_COUNTS; k++) {
        free_flush_latency(worker, &worker->latency[k]);
    }
}

void free_post_end(struct free_worker *worker, uint32_t p)
{
    struct free_run *run = worker->run;
    uint32_t end = run->processor[p].has_remote ? run->topology->first[p + 1] : 0;
    for (uint32_t port = run->topology->first[p]; port < end; port++) {
        if (run->port[port].rings) {
            run->port[port].rings = false;
            mail_bell_ring(free_bell(run, run->topology->neighbour[port]));
        }
    }
}
