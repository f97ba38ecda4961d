// SPDX-License-Identifier: MIT
// A processor.
#include "threads/free/processor.h"

#include <math.h>

#include "core/cargo/cargo.h"
#include "threads/free/finish.h"
#include "threads/free/look.h"
#include "threads/free/post.h"
#include "base/cursor.h"
#include "base/debug.h"

void free_violate_at(struct free_run *run, uint32_t p, uint32_t port, const char *what)
{
    free_violate(run, "processor %u %s over its link to %u", p, what, run->topology->neighbour[port]);
}

// Returns how much of an amount a message takes: what p holds and the link passes, in whole tasks. The objects that go
// over a link can weigh more than this amount, which the rest of earlier ones is added to.
static FREE_BY_PATH double prepare_parcel(struct free_worker *worker, uint32_t p, uint32_t port, double amount,
                                          enum free_path path)
{
    struct free_run *run = worker->run;
    if (free_beyond(path, run->moves_objects)) {
        return cargo_objects_post(&run->objects, p, port, amount, run->port[port].neighbour_level);
    }
    amount = free_least(amount, run->processor[p].held);
    if (path == FREE_PATH_PLAIN) {
        return amount;
    }
    amount = amount > 0.0 ? core_link_passes(&run->machine->links, port, amount) : 0.0;
    if (amount > 0.0 && free_has_tasks(run)) {
        amount = (double)cargo_post(free_cargo(worker), p, port, (uint64_t)amount);
    }
    return amount;
}

static FREE_BY_PATH double give(struct free_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag,
                                enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_processor *processor = &run->processor[p];
    BASE_DEBUG_ASSERT(free_bell(run, p) == worker->bell);
    amount = prepare_parcel(worker, p, port, amount, path);
    if (!(amount > 0.0)) {
        if (flag == FREE_FLAG_ANSWER) {
            free_post(worker, port, FREE_GIVE, 0.0, flag, path);
        }
        return 0.0;
    }
    ek_cargo_take(&processor->held, &processor->native, amount);
    if (free_beyond(path, run->moves_objects)) {
        processor->held = cargo_objects_load(&run->objects, p);
    }
    worker->counts.minimum = free_least(worker->counts.minimum, processor->held);
    if (processor->held < 0.0) {
        free_violate_at(run, p, port, "gives more than it holds");
    }
    worker->counts.parcels++;
    if (run->sent) {
        run->sent[port] += amount;
    }
    free_post(worker, port, FREE_GIVE, amount, flag, path);
    return amount;
}

static FREE_BY_PATH void credit(struct free_worker *worker, uint32_t p, uint32_t port, double amount, bool returned,
                                enum free_path path)
{
    struct free_run *run = worker->run;
    if (!(amount >= 0.0) || isinf(amount)) {
        free_violate_at(run, p, port, "received an amount that is no load");
        return;
    }
    run->processor[p].held += amount;
    if (free_beyond(path, amount > 0.0 && free_has_tasks(run))) {
        cargo_take(free_cargo(worker), p, run->topology->twin[port]);
    } else if (free_beyond(path, amount > 0.0 && run->moves_objects)) {
        uint32_t sent_from = run->topology->twin[port];
        (returned ? cargo_objects_take_back : cargo_objects_take)(&run->objects, p, sent_from);
        run->processor[p].held = cargo_objects_load(&run->objects, p);
    }
    if (run->received) {
        run->received[port] += amount;
    }
}

double free_give_plain(struct free_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag)
{
    return give(worker, p, port, amount, flag, FREE_PATH_PLAIN);
}

double free_give_any(struct free_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag)
{
    return give(worker, p, port, amount, flag, FREE_PATH_ANY);
}

void free_credit_plain(struct free_worker *worker, uint32_t p, uint32_t port, double amount, bool returned)
{
    credit(worker, p, port, amount, returned, FREE_PATH_PLAIN);
}

void free_credit_any(struct free_worker *worker, uint32_t p, uint32_t port, double amount, bool returned)
{
    credit(worker, p, port, amount, returned, FREE_PATH_ANY);
}

void free_note_release(struct free_worker *worker, uint32_t p, uint32_t port, bool took_part)
{
    const struct free_run *run = worker->run;
    if (run->witness) {
        double grown = run->processor[p].held - run->engagement[port].entry.held;
        free_note_event(worker, &(struct ek_event){.kind = EK_EVENT_LET_GO,
                                                   .other = run->topology->neighbour[port],
                                                   .amount = took_part ? grown : NAN});
    }
}

bool free_older(unsigned age, uint32_t p, unsigned than_age, uint32_t than)
{
    return age != than_age ? age > than_age : p < than;
}

bool free_is_reserved_before(const struct free_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    const struct free_run *run = worker->run;
    const struct free_alone *alone = &run->alone[p];
    uint32_t other = port == UINT32_MAX ? p : run->topology->neighbour[port];
    return worker->look.pass < alone->reserved_until && alone->reserved_port != port &&
           free_older(alone->reserved_age, run->topology->neighbour[alone->reserved_port], age, other);
}

bool free_has_link(const struct free_worker *worker, uint32_t p)
{
    const struct ek_topology *topology = worker->run->topology;
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        if (free_usable(worker, port)) {
            return true;
        }
    }
    return false;
}

static bool keeps_messages(const struct free_run *run, uint32_t p)
{
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (run->port[port].kept.count > 0) {
            return true;
        }
    }
    return false;
}

enum ek_waiting free_waiting_for(const struct free_worker *worker, uint32_t p)
{
    const struct free_processor *processor = &worker->run->processor[p];
    bool stalled = worker->counts.stalls > 0; // else it keeps none
    return stalled && keeps_messages(worker->run, p) ? EK_WAIT_ROOM
           : processor->phase != FREE_PHASE_IDLE     ? (processor->waiting > 0 ? EK_WAIT_ANSWER : EK_WAIT_PEER)
           : processor->pause > 0                    ? EK_WAIT_TURNED
           : processor->wanted_at > 0                ? EK_WAIT_PEER
                                                     : EK_WAIT_IDLE;
}
