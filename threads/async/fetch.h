// SPDX-License-Identifier: MIT
// What a turn takes in. Every message goes through here, so it is inlined into the one place that does so.
#ifndef ASYNC_FETCH_H
#define ASYNC_FETCH_H

#include "threads/async/post.h"
#include "threads/mail/mailbox_spsc.h"

// Brings what was counted apart into the histogram of latencies; of all of a worker, when it has ended.
void async_fetch_tally(struct async_worker *worker, struct async_tallied *tallied);
void async_fetch_tally_all(struct async_worker *worker);

enum { ASYNC_VISIT_MAX = ASYNC_SHELF }; // messages taken from a port in a turn: others come, too

// What was sent in one stretch and taken in another has one latency: it is counted together, since the histogram of a
// core's workers costs a locked addition each time.
static inline void async_note_latency(struct async_worker *worker, uint64_t latency)
{
    struct async_tallied *tallied = &worker->latency[latency % ASYNC_TALLIED];
    if (tallied->value != latency) {
        async_fetch_tally(worker, tallied);
        tallied->value = latency;
    }
    tallied->count++;
}

// The most messages that can be taken at the port in this turn. From a processor of the same worker all that are there:
// whether there is another one is seen when it is taken. Here and below, where it is known that the run is plain the
// compiler leaves out what others need.
static inline unsigned async_fetch_begin(struct async_worker *worker, uint32_t port, bool plain)
{
    const struct async_run *run = worker->run;
    const struct async_port *here = &run->port[port];
    return !plain && run->line ? async_delay(worker, port) : here->inside ? ASYNC_VISIT_MAX : here->waiting;
}

// Takes the next of them; false where there is none, or it is not due yet.
static inline bool async_fetch(struct async_worker *worker, uint32_t port, struct mail_message *message, bool plain)
{
    struct async_run *run = worker->run;
    struct mail_message taken; // not *message, which then need not lie in memory
    if (plain) {
        if (!mail_spsc_fetch(&run->boxes, port, message)) {
            return false;
        }
    } else if (run->line) {
        if (!async_fetch_due(worker, port, &taken)) {
            return false;
        }
        *message = taken;
    } else if (!mail_fetch(&run->boxes, port, message)) {
        return false;
    }
    int64_t since = async_message_since(message, worker->look.now);
    uint64_t latency = since > 0 ? (uint64_t)since : 0;
    async_note_latency(worker, latency);
    if (plain) {
        return true;
    }
    if (run->use) {
        run->use[port].messages++;
        watch_histogram_add(&run->use[port].latency, latency);
    }
    async_note_message(worker, EK_EVENT_TAKES, port, *message);
    async_perturb(worker);
    return true;
}

// After the last of a turn: so many were taken, one at least.
static inline void async_fetch_end(struct async_worker *worker, uint32_t port, unsigned taken, bool plain)
{
    struct async_run *run = worker->run;
    struct async_port *here = &run->port[port];
    async_count(&worker->messages, taken);
    if (!plain && run->line) {
        return;
    }
    unsigned found = here->waiting;
    if (here->inside) {
        found = taken + (taken < ASYNC_VISIT_MAX ? 0 : mail_waiting(&run->boxes, port));
    } else {
        here->waiting = (uint16_t)(found - taken);
    }
    async_note_depth(worker, found);
    if (!plain) {
        async_note_link_depth(run, port, found);
    }
}

#endif
