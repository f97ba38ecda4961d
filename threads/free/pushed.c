// SPDX-License-Identifier: MIT
// Operations on announced loads (--announce pushed), as in *Balancing with delays*.
//
// Purpose. No load is requested. A processor announces its load, and its neighbours use the announcement that they
// received last, which is as old as the links and the turns make it.
//
//   giver                           neighbour
//   ANNOUNCE (own level) ---------> uses it until the next announcement
//   GIVE (load) ------------------> receives the load
//
// A turn of processor p, after it has received its messages:
//
//   1. p computes what its rule gives to each neighbour, by the announcements received last.
//   2. p announces its level to each neighbour to which it last announced another one: the level before its gifts.
//   3. p gives, if it begins an operation and would give anything.
//
// If turns are equally spaced and a message takes tau of them, this is the paper's x_i(t) - x_j(t - tau), and the loads
// are those of rounds with delay tau, as long as no processor would give more than it holds. A processor gives at most
// what it holds, so no load goes negative; a method that diverges in rounds oscillates here.
//
// No message has an answer: no processor is engaged, waits, refuses or pauses. An operation is its gifts; it takes no
// time and overlaps with none. An attempt that would give nothing is not an operation.
//
// The bound on messages: a processor sends neither announcement nor gift over a port on which a message is kept
// (post.c). So a full link lets no more load leave. When the link has room again, the newest load is announced. The
// loads in between are never announced.
//
// Termination: a load that does not change is announced once. When all announcements have arrived, and no processor
// that invokes would give anything by them, no processor acts any more. A snapshot shows this.
//
// The model is tests/models/announce.pml: two processors and one rule. It does not cover delays that fill the shelf.
#include "threads/free/pushed.h"

#include <math.h>

#include "threads/free/amounts.h"
#include "threads/free/look.h"
#include "threads/free/operation.h"
#include "threads/free/post.h"
#include "threads/free/processor.h"
#include "threads/watch/histogram.h"
#include "base/cursor.h"

bool free_push_possible(const struct machine_plan *machine, struct ek_error *error)
{
    const struct ek_method *method = machine->method;
    const char *why = NULL;
    if (!method->rule || !method->rule->flow || !method->supports.delays || method->draws ||
        method->links != EK_LINKS_ALL) {
        return base_fail_at(
            error, "announce", 0,
            "%s requests load or draws links, which pushed announcements do not allow: choose announce asked, or a "
            "method that only gives, like adf or sender",
            method->name);
    }
    if (machine->ports == EK_ONE_PORT) {
        why = "with pushed announcements a processor uses all its links at once: choose ports all, or announce asked";
    } else if (machine->domains != MACHINE_DOMAINS_OVERLAP) {
        why = "with pushed announcements an operation has no members, so none can exclude another: choose domains "
              "overlap, or announce asked";
    } else if (machine->work.working == CORE_WORKING_SUSPENDED) {
        why = "with pushed announcements an operation takes no time, so no work would be suspended: choose working "
              "after, or announce asked";
    }
    if (machine->rounding == CORE_ROUNDING_RANDOM || machine_carries(machine)) {
        return base_fail_at(error, "announce", 0,
                            "with pushed announcements a processor that would give nothing has no operation, so it "
                            "draws and carries nothing: choose rounding down or nearest, or announce asked");
    }
    return !why || base_fail_at(error, "announce", 0, "%s", why);
}

// Returns whether a processor announces and gives over this port in this turn.
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

// A filter of ports: returns whether the port is selected.
typedef bool port_filter(const struct free_worker *worker, uint32_t port);

// Returns what the rule gives over port k, if it is positive.
static double amount_over(const struct machine_plan *machine, const struct ek_view *view, unsigned k)
{
    double flow = machine_flow(machine)(view, k);
    bool whole = machine->rounding == CORE_ROUNDING_DOWN || !(flow > 0.0);
    return whole ? flow : core_rounding_due(machine->rounding, flow, 0.0, 0, 0, 0).whole;
}

// Returns whether p would give anything over the selected ports, and fills the worker's amounts. p gives nothing over a
// port on which it has received no announcement.
static bool would_give(struct free_worker *worker, uint32_t p, port_filter *selected)
{
    struct free_run *run = worker->run;
    struct ek_turn turn = free_turn_as_known(worker, p);
    bool any = false;
    for (uint32_t k = 0; k < turn.view.degree; k++) {
        bool known = !isnan(worker->announced[k]) && selected(worker, run->topology->first[p] + k);
        worker->amounts[k] = known ? amount_over(run->machine, &turn.view, k) : 0.0;
    }
    if (run->machine->checked) {
        free_amounts_check(worker, &turn.view);
    }
    for (uint32_t k = 0; k < turn.view.degree; k++) {
        uint32_t port = run->topology->first[p] + k;
        double amount = free_least(worker->amounts[k], turn.view.held);
        any = any ||
              (run->moves_objects ? cargo_objects_would_give(&run->objects, p, amount, run->port[port].neighbour_level)
                                  : amount > 0.0 && core_link_passes(&run->machine->links, port, amount) > 0.0);
    }
    return any;
}

// Returns whether p has a level to announce over any of the selected ports.
static bool would_announce(const struct free_worker *worker, uint32_t p, port_filter *selected)
{
    const struct free_run *run = worker->run;
    double level = free_level(run, p, FREE_PATH_ANY);
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (run->port[port].announced != level && selected(worker, port)) {
            return true;
        }
    }
    return false;
}

static void give(struct free_worker *worker, uint32_t p, uint32_t port, double amount)
{
    uint64_t now = worker->look.now; // the neighbour may have looked at the clock since
    uint64_t announced_at = worker->run->port[port].announced_at;
    if (free_give(worker, p, port, amount, 0, FREE_PATH_ANY) > 0.0) {
        watch_histogram_add(&worker->histogram[FREE_ANNOUNCED_AGES], now > announced_at ? now - announced_at : 0);
    }
}

bool free_push(struct free_worker *worker, uint32_t p, bool begins)
{
    struct free_run *run = worker->run;
    uint32_t first = run->topology->first[p];
    double level = free_level(run, p, FREE_PATH_ANY);
    bool gives = begins && would_give(worker, p, is_open) && free_take_permit(worker);
    bool any = gives;
    for (uint32_t port = first; port < run->topology->first[p + 1]; port++) {
        if (!is_open(worker, port)) {
            continue;
        }
        if (run->port[port].announced != level) {
            run->port[port].announced = level;
            free_post(worker, port, FREE_ANNOUNCE, level, 0, FREE_PATH_ANY);
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
        worker->stays_awake = true; // its load has changed and is not announced yet
    }
    return any;
}

void free_receive_announcement(struct free_worker *worker, uint32_t port, struct mail_message message)
{
    struct free_port *here = &worker->run->port[port];
    here->neighbour_level = message.amount;
    here->announced_at = free_message_sent(&message, worker->look.now);
}

// A processor that may invoke by a later draw counts as one that invokes. A link that is up counts even if it is full:
// the messages that fill it may be received before their receiver is recorded, and then no part of the snapshot shows
// them. While the run drains nothing is announced, so a processor with a load to announce counts as idle.
void free_push_record(struct free_worker *worker, uint32_t p, struct free_snapshot *part)
{
    part->asks = free_wanted(worker, p) || core_invoke_recurs(&worker->run->machine->invoke);
    part->idle = worker->look.draining || !would_announce(worker, p, is_up);
    part->blocked = !would_give(worker, p, is_up);
    part->held_back = would_announce(worker, p, is_failed) || (part->asks && would_give(worker, p, is_failed));
}
