// SPDX-License-Identifier: MIT
// What a turn takes in. Every message goes through here, so it is inlined into the one place that does so.
#ifndef THREADS_FREE_FETCH_H
#define THREADS_FREE_FETCH_H

#include "threads/free/post.h"
#include "threads/mail/mailbox_spsc.h"

// Brings what was counted apart into the histogram of latencies; of all of a worker, when it has ended.
void free_fetch_tally(struct free_worker *worker, struct free_tallied *tallied);
void free_fetch_tally_all(struct free_worker *worker);

enum { FREE_VISIT_MAX = FREE_SHELF }; // messages taken from a port in a turn: others come, too

// What was sent in one stretch and taken in another has one latency: it is counted together, since the histogram of a
// core's workers costs a locked addition each time.
static inline void free_note_latency(struct free_worker *worker, uint64_t latency)
{
    struct free_tallied *tallied = &worker->latency[latency % FREE_TALLIED];
    if (tallied->value != latency) {
        free_fetch_tally(worker, tallied);
        tallied->value = latency;
    }
    tallied->count++;
}

// The most messages that can be taken at the port in this turn. From a processor of the same worker all that are there:
// whether there is another one is seen when it is taken. Here and below, where it is known that the run is plain the
// compiler leaves out what others need.
static inline unsigned free_fetch_begin(struct free_worker *worker, uint32_t port, bool plain)
{
    const struct free_run *run = worker->run;
    const struct free_port *here = &run->port[port];
    return !plain && run->line ? free_delay(worker, port) : here->inside ? FREE_VISIT_MAX : here->waiting;
}

// Takes the next of them; false where there is none, or it is not due yet.
static inline bool free_fetch(struct free_worker *worker, uint32_t port, struct mail_message *message, bool plain)
{
    struct free_run *run = worker->run;
    struct mail_message taken; // not *message, which then need not lie in memory
    if (plain) {
        if (!mail_spsc_fetch(&run->boxes, port, message)) {
            return false;
        }
    } else if (run->line) {
        if (!free_fetch_due(worker, port, &taken)) {
            return false;
        }
        *message = taken;
    } else if (!mail_fetch(&run->boxes, port, message)) {
        return false;
    }
    int64_t since = free_message_since(message, worker->look.now);
    uint64_t latency = since > 0 ? (uint64_t)since : 0;
    free_note_latency(worker, latency);
    if (plain) {
        return true;
    }
    if (run->use) {
        run->use[port].messages++;
        watch_histogram_add(&run->use[port].latency, latency);
    }
    free_note_message(worker, EK_EVENT_TAKES, port, *message);
    free_perturb(worker);
    return true;
}

// After the last of a turn: so many were taken, one at least.
static inline void free_fetch_end(struct free_worker *worker, uint32_t port, unsigned taken, bool plain)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    free_count(&worker->messages, taken);
    if (!plain && run->line) {
        return;
    }
    unsigned found = here->waiting;
    if (here->inside) {
        found = taken + (taken < FREE_VISIT_MAX ? 0 : mail_waiting(&run->boxes, port));
    } else {
        here->waiting = (uint16_t)(found - taken);
    }
    free_note_depth(worker, found);
    if (!plain) {
        free_note_link_depth(run, port, found);
    }
}

#endif
