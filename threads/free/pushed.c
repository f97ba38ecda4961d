// SPDX-License-Identifier: MIT
// Free timing where loads are pushed (--announce pushed), after Balancing with delays: at its turn a processor tells
// its neighbours its load, where that has changed, and an operation gives at once by the loads last heard, which are as
// old as the links and the turns make them.
//
//   giver                           neighbour
//   ANNOUNCE (its load) ----------> takes it for the load, until the next one comes
//   GIVE (load) ------------------> takes it in
//
// What is announced is the load before the gifts of the same turn. So where turns come at even times and a message
// takes tau of them, this is the paper's x_i(t) - x_j(t - tau), and the loads are those of rounds with --delay tau, as
// long as nobody would give more than it holds. That bound is the difference: here no load falls below zero, and what
// diverges in rounds swings.
//
// No message has an answer. So nobody is engaged, waits, refuses or pauses; an operation is its gifts, takes no time
// and overlaps with none; an attempt that would give nothing is no operation. What bounds the messages is that over a
// port on which anything is kept neither an announcement nor a gift is sent: at most one of each, of the same turn, and
// a snapshot's marker are kept, and with delays a receiver leaves in the mailbox what its line has no room for
// (post.c). A link that holds no more lets no more load leave, and when it does again, the newest load is announced:
// those between are never heard of.
//
// Why such a run ends: a load that nothing changes is announced once. When all has been said and heard, and by that
// nobody who invokes would give anything, nothing is left that could make anybody act. That is what a snapshot shows.
//
// Its model is tests/models/announce.pml: two processors and one rule. It does not cover delays that fill the line.
#include "threads/free/pushed.h"

#include <math.h>

#include "threads/free/look.h"
#include "threads/free/operation.h"
#include "threads/free/post.h"
#include "threads/free/processor.h"
#include "threads/watch/histogram.h"
#include "base/cursor.h"

bool free_announce_possible(const struct machine_plan *machine, struct ek_error *error)
{
    const struct ek_method *method = machine->method;
    const char *why = NULL;
    if (!method->rule || !method->rule->flow || !method->supports.delays || method->draws ||
        method->links != EK_LINKS_ALL) {
        return base_fail_at(error, "announce", 0,
                            "%s needs more than announced loads: use announce asked, or a method that only gives, "
                            "like adf or sender",
                            method->name);
    }
    if (machine->ports == EK_ONE_PORT) {
        why = "a processor that pushes its load uses all its links: use ports all, or announce asked";
    } else if (machine->domains != MACHINE_DOMAINS_OVERLAP) {
        why = "an operation on pushed loads has no members, so it cannot exclude another: use domains overlap, or "
              "announce "
              "asked";
    } else if (machine->work.working == CORE_WORKING_SUSPENDED) {
        why =
            "an operation on pushed loads takes no time, so no work would be suspended: use working after, or announce "
            "asked";
    }
    return !why || base_fail_at(error, "announce", 0, "%s", why);
}

// Whether p sends over this port in this turn: nothing goes behind what is kept.
static bool is_open(const struct free_worker *worker, uint32_t port)
{
    return free_usable(worker, port) && worker->run->port[port].kept.count == 0;
}

static bool is_up(const struct free_worker *worker, uint32_t port)
{
    return free_usable(worker, port);
}

static bool is_failed(const struct free_worker *worker, uint32_t port)
{
    return !free_usable(worker, port);
}

typedef bool among(const struct free_worker *worker, uint32_t port);

// Whether p would give anything over these of its links, by the loads last heard; fills the worker's amounts. To whom
// it has not heard of it gives nothing.
static bool would_give(struct free_worker *worker, uint32_t p, among *these)
{
    const struct free_run *run = worker->run;
    struct ek_turn turn = free_turn_heard(worker, p);
    ek_flow *flow = free_flow_of(run->machine);
    bool any = false;
    for (uint32_t k = 0; k < turn.view.degree; k++) {
        bool known = !isnan(worker->announced[k]) && these(worker, run->topology->first[p] + k);
        worker->amounts[k] = known ? flow(&turn.view, k) : 0.0;
        double amount = free_least(worker->amounts[k], turn.view.held);
        any =
            any || (amount > 0.0 && core_link_passes(&run->machine->links, run->topology->first[p] + k, amount) > 0.0);
    }
    return any;
}

// Whether p has a load to announce over any of these of its links.
static bool would_announce(const struct free_worker *worker, uint32_t p, among *these)
{
    const struct free_run *run = worker->run;
    double level = free_level(run, p);
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (run->port[port].said != level && these(worker, port)) {
            return true;
        }
    }
    return false;
}

static void give(struct free_worker *worker, uint32_t p, uint32_t port, double amount)
{
    uint64_t now = worker->look.now; // a neighbour's clock may be ahead of it
    uint64_t heard_at = worker->run->port[port].heard_at;
    if (free_give(worker, p, port, amount, 0) > 0.0) {
        watch_histogram_add(&worker->histogram[FREE_ANNOUNCED_AGES], now > heard_at ? now - heard_at : 0);
    }
}

bool free_announce(struct free_worker *worker, uint32_t p, bool begins)
{
    struct free_run *run = worker->run;
    uint32_t first = run->topology->first[p];
    double level = free_level(run, p);
    bool gives = begins && would_give(worker, p, is_open) && free_take_permit(worker);
    bool any = gives;
    for (uint32_t port = first; port < run->topology->first[p + 1]; port++) {
        if (!is_open(worker, port)) {
            continue;
        }
        if (run->port[port].said != level) {
            run->port[port].said = level;
            free_post(worker, port, FREE_ANNOUNCE, level, 0);
            any = true;
        }
        if (gives) {
            give(worker, p, port, worker->amounts[port - first]);
        }
    }
    if (gives) {
        free_note(worker, EK_EVENT_ENDS, 0.0);
        run->processor[p].operation++;
        free_count(&worker->operations, 1);
    }
    return any;
}

void free_hear(struct free_worker *worker, uint32_t port, struct mail_message message)
{
    struct free_port *here = &worker->run->port[port];
    here->told = message.amount;
    here->heard_at = free_message_sent(&message, worker->look.now);
}

// Who may invoke by a later lot counts as one who does. A link that is up counts though it be full: what fills it may
// be taken before its receiver records itself, and then no part of the snapshot shows it. While the run drains nothing
// more is announced, also where a link comes back: what is left to say then keeps nobody.
void free_announce_record(struct free_worker *worker, uint32_t p, struct free_snapshot *part)
{
    part->asks = free_wanted(worker, p) || core_invoke_recurs(&worker->run->machine->invoke);
    part->idle = worker->look.draining || !would_announce(worker, p, is_up);
    part->blocked = !would_give(worker, p, is_up);
    part->held_back = would_announce(worker, p, is_failed) || (part->asks && would_give(worker, p, is_failed));
}
