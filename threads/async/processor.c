// SPDX-License-Identifier: MIT
// Processors.
#include "threads/async/processor.h"

#include <assert.h>
#include <math.h>

#include "threads/async/end.h"
#include "threads/async/look.h"
#include "threads/async/post.h"
#include "topologies/scan.h"

void async_violate_at(struct async_run *run, uint32_t p, uint32_t port, const char *what)
{
    struct ek_error violation;
    topo_fail(&violation, EK_VIOLATION, "", -1, "processor %u %s over its link to %u", p, what,
              run->topology->neighbour[port]);
    async_violate(run, &violation);
}

double async_give(struct async_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag)
{
    struct async_run *run = worker->run;
    struct async_processor *processor = &run->processor[p];
    assert(async_bell(run, p) == worker->bell);
    amount = fmin(async_least(amount, processor->held), run->machine->link_limit);
    if (!(amount > 0.0)) {
        if (flag == ASYNC_FLAG_ANSWER) {
            async_post(worker, port, ASYNC_GIVE, 0.0, flag);
        }
        return 0.0;
    }
    processor->held -= amount;
    processor->native = async_least(processor->native, processor->held); // tokens that came from elsewhere leave first
    processor->minimum = async_least(processor->minimum, processor->held);
    if (processor->held < 0.0) {
        async_violate_at(run, p, port, "gives more than it holds");
    }
    worker->counts.parcels++;
    if (run->sent) {
        run->sent[port] += amount;
    }
    async_post(worker, port, ASYNC_GIVE, amount, flag);
    return amount;
}

void async_credit(struct async_run *run, uint32_t p, uint32_t port, double amount)
{
    if (!(amount >= 0.0) || isinf(amount)) {
        async_violate_at(run, p, port, "was given an amount that is no load");
        return;
    }
    run->processor[p].held += amount;
    if (run->received) {
        run->received[port] += amount;
    }
}

void async_enter(struct async_worker *worker, uint32_t p, struct async_entry *entry)
{
    struct async_run *run = worker->run;
    const struct async_processor *processor = &run->processor[p];
    *entry = (struct async_entry){.moment = watch_part_log_moment(&run->parts, async_index(worker)),
                                  .held = processor->held};
    uint32_t in = processor->engaged + async_invokes(processor);
    assert(in > 0);
    worker->counts.overlap_most = in > worker->counts.overlap_most ? in : worker->counts.overlap_most;
}

void async_log_part(struct async_worker *worker, uint32_t p, const struct async_entry *entry, uint32_t port,
                    uint32_t number)
{
    struct async_run *run = worker->run;
    watch_part_log_add(&run->parts, async_index(worker),
                       &(struct watch_part){.begin = entry->moment,
                                            .end = watch_part_log_moment(&run->parts, async_index(worker)),
                                            .before = entry->held,
                                            .after = run->processor[p].held,
                                            .processor = p,
                                            .port = port,
                                            .number = number});
}

void async_note_let_go(struct async_worker *worker, uint32_t p, uint32_t port, bool part)
{
    struct async_run *run = worker->run;
    if (run->witness) {
        double grown = run->processor[p].held - run->engagement[port].entry.held;
        run->witness->event(run, &(struct ek_event){.kind = EK_EVENT_LET_GO,
                                                    .other = run->topology->neighbour[port],
                                                    .amount = part ? grown : NAN});
    }
}

bool async_older(unsigned age, uint32_t p, unsigned than_age, uint32_t than)
{
    return age != than_age ? age > than_age : p < than;
}

bool async_promised_before(const struct async_worker *worker, uint32_t p, uint32_t port, unsigned age)
{
    const struct async_run *run = worker->run;
    const struct async_processor *processor = &run->processor[p];
    uint32_t who = port == UINT32_MAX ? p : run->topology->neighbour[port];
    return worker->look.sweep < processor->promised_until && processor->promised_to != port &&
           async_older(processor->promised_age, run->topology->neighbour[processor->promised_to], age, who);
}

bool async_linked(const struct async_worker *worker, uint32_t p)
{
    const struct ek_topology *topology = worker->run->topology;
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        if (async_usable(worker, port)) {
            return true;
        }
    }
    return false;
}

enum ek_waiting async_waits(const struct async_run *run, uint32_t p)
{
    const struct async_processor *processor = &run->processor[p];
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        if (run->port[port].kept.count > 0) {
            return EK_WAIT_ROOM;
        }
    }
    return processor->phase != ASYNC_PHASE_IDLE ? (processor->waiting > 0 ? EK_WAIT_ANSWER : EK_WAIT_PEER)
           : processor->pause > 0               ? EK_WAIT_TURNED
           : processor->wanted_at > 0           ? EK_WAIT_PEER
                                                : EK_WAIT_IDLE;
}
