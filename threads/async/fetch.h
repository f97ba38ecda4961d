// SPDX-License-Identifier: MIT
// What a turn takes in. Every message goes through here, so it is inlined into the one place that does so.
#ifndef ASYNC_FETCH_H
#define ASYNC_FETCH_H

#include "threads/async/post.h"
#include "threads/mail/mailbox_spsc.h"

enum { ASYNC_VISIT_MAX = ASYNC_SHELF }; // messages taken from a port in a turn: others come, too

// What one neighbour has sent in one turn has one latency: it is counted together, since the histogram of a core's
// workers costs a locked addition each time.
static inline void async_note_latency(struct async_worker *worker, uint64_t latency)
{
    if (worker->latency != latency) {
        watch_histogram_add_many(&worker->histogram[ASYNC_LATENCIES], worker->latency, worker->latencies);
        worker->latency = latency;
        worker->latencies = 0;
    }
    worker->latencies++;
}

// The most messages that can be taken at the port in this turn. From a processor of the same worker all that are there:
// whether there is another one is seen when it is taken.
static inline unsigned async_fetch_begin(struct async_worker *worker, uint32_t port)
{
    const struct async_run *run = worker->run;
    const struct async_port *here = &run->port[port];
    return run->line ? async_delay(worker, port) : here->inside ? ASYNC_VISIT_MAX : here->waiting;
}

// Takes the next of them; false where there is none, or it is not due yet.
static inline bool async_fetch(struct async_worker *worker, uint32_t port, struct mail_message *message)
{
    struct async_run *run = worker->run;
    struct mail_message taken; // not *message, which then need not lie in memory
    if (run->line) {
        if (!async_fetch_due(worker, port, &taken)) {
            return false;
        }
        *message = taken;
    } else if (!mail_take(&run->boxes, port, message)) {
        return false;
    }
    int64_t since = async_message_since(message, worker->look.now);
    uint64_t latency = since > 0 ? (uint64_t)since : 0;
    async_note_latency(worker, latency);
    if (run->use) {
        run->use[port].messages++;
        watch_histogram_add(&run->use[port].latency, latency);
    }
    async_note_message(worker, EK_EVENT_TAKES, port, *message);
    return true;
}

// After the last of a turn: so many were taken, one at least.
static inline void async_fetch_end(struct async_worker *worker, uint32_t port, unsigned taken)
{
    struct async_run *run = worker->run;
    struct async_port *here = &run->port[port];
    async_count(&worker->messages, taken);
    if (run->line) {
        return;
    }
    if (here->inside) {
        unsigned left = taken < ASYNC_VISIT_MAX ? 0 : mail_waiting(&run->boxes, port);
        async_note_depth(worker, port, taken + left);
    } else {
        async_note_depth(worker, port, here->waiting);
        here->waiting = (uint16_t)(here->waiting - taken);
    }
}

#endif
