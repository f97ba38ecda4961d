// SPDX-License-Identifier: MIT
// Receives the messages of a turn. Every message passes through these functions, so they are inlined into the one place
// that receives. On all paths but the last (enum free_path) the compiler leaves out
// the code that only other runs need.
#ifndef THREADS_FREE_FETCH_H
#define THREADS_FREE_FETCH_H

#include <limits.h>

#include "threads/free/post.h"
#include "threads/mail/mailbox_spsc.h"

// Adds a counted latency to its histogram. The second function adds all latencies that a worker has counted, when the
// worker has ended.
void free_flush_latency(struct free_worker *worker, struct free_latency_count *counted);
void free_flush_latencies(struct free_worker *worker);

// The most messages that a turn receives at one port, so that a full port does not delay the other ports.
enum { FREE_VISIT_MAX = FREE_SHELF };

// Counts the latency of a received message. Messages that were sent in the same stretch and received in the same
// stretch have the same latency and are counted together: an update of the histogram takes a locked addition, since the
// workers of a core share it.
static inline void free_note_latency(struct free_worker *worker, int64_t latency)
{
    struct free_latency_count *counted = &worker->latency[(uint64_t)latency % FREE_LATENCY_COUNTS];
    if (counted->value != latency) {
        free_flush_latency(worker, counted);
        counted->value = latency;
    }
    counted->count++;
}

// Returns the most messages that can be received at the port in this turn. If the other end of the port belongs to the
// same worker, or the messages come over wires, they are not counted first: free_fetch finds out whether one waits.
static FREE_BY_PATH unsigned free_fetch_begin(struct free_worker *worker, uint32_t port, enum free_path path)
{
    const struct free_run *run = worker->run;
    const struct free_port *here = &run->port[port];
    if (path == FREE_PATH_WIRED || (path == FREE_PATH_ANY && run->wires)) {
        return UINT_MAX;
    }
    unsigned waiting = path == FREE_PATH_ANY && run->delayed ? free_delay(worker, port)
                       : here->local                         ? FREE_VISIT_MAX
                                                             : here->waiting;
    return waiting < FREE_VISIT_MAX ? waiting : FREE_VISIT_MAX;
}

// Receives the next message. Returns false if no message waits, or if the first one is not due yet.
static FREE_BY_PATH bool free_fetch(struct free_worker *worker, uint32_t port, struct mail_message *message,
                                    enum free_path path)
{
    struct free_run *run = worker->run;
    struct mail_message taken; // not *message, which then need not be in memory
    if (path <= FREE_PATH_MAIL) {
        if (!mail_spsc_fetch(&run->boxes, port, message)) {
            return false;
        }
    } else if (path == FREE_PATH_WIRED || run->wires) {
        if (run->arrival[port].at > worker->look.now) {
            return false;
        }
        *message = run->arrival[port].first;
        run->wires->take(worker, port);
    } else if (run->delayed) {
        if (!free_fetch_due(worker, port, &taken)) {
            return false;
        }
        *message = taken;
    } else if (!mail_fetch(&run->boxes, port, message)) {
        return false;
    }
    int64_t latency = free_message_since(message, worker->look.now);
    free_note_latency(worker, latency);
    if (path != FREE_PATH_ANY) {
        return true;
    }
    if (run->use) {
        run->use[port].messages++;
        watch_histogram_add(&run->use[port].latency, latency > 0 ? (uint64_t)latency : 0);
    }
    free_note_message(worker, EK_EVENT_TAKES, port, *message);
    if (free_has_tasks(run) && cargo_has_values(&run->tasks)) {
        const uint32_t *neighbour = run->topology->neighbour;
        uint32_t sent_from = run->topology->twin[port];
        cargo_note_taken(free_cargo(worker), neighbour[sent_from], sent_from);
    }
    free_perturb(worker);
    return true;
}

// Counts the `taken` messages of a turn at the port, at least one, after the last of them.
static FREE_BY_PATH void free_fetch_end(struct free_worker *worker, uint32_t port, unsigned taken, enum free_path path)
{
    struct free_run *run = worker->run;
    struct free_port *here = &run->port[port];
    free_count(&worker->messages, taken);
    if (path == FREE_PATH_ANY && run->delayed) {
        return;
    }
    unsigned found = here->waiting;
    if (path == FREE_PATH_WIRED || (path == FREE_PATH_ANY && run->wires)) {
        found = taken;
    } else if (here->local) {
        found = taken + (taken < FREE_VISIT_MAX ? 0 : mail_waiting(&run->boxes, port));
    } else {
        here->waiting = (uint16_t)(found - taken);
    }
    free_note_depth(worker, found);
    if (path == FREE_PATH_ANY) {
        free_note_link_depth(run, port, found);
    }
}

#endif
