// SPDX-License-Identifier: MIT
// What crosses the links in free timing.
#ifndef ASYNC_POST_H
#define ASYNC_POST_H

#include <sched.h>

#include "threads/async/state.h"

// Sends over the port, or keeps the message where there is no room; puts what is kept, and says whether any of it went.
// `flag` is the stamp's.
void async_post(struct async_worker *worker, uint32_t port, enum async_kind kind, double amount, unsigned flag);
bool async_post_kept(struct async_worker *worker, uint32_t port);

// How many messages can be taken at the port in this turn; takes the next of them, false where it is not due yet.
unsigned async_waiting(struct async_worker *worker, uint32_t port);
bool async_fetch(struct async_worker *worker, uint32_t port, struct mail_message *message);

// As a person calls it: "ask".
const char *async_kind_name(enum async_kind kind);

enum async_kind async_message_kind(const struct mail_message *message);
unsigned async_message_flag(const struct mail_message *message);

// When it was sent, ns since the run's start: the time nearest to `now` that the stamp can mean. It may lie ahead,
// where its sender has looked at the clock since.
uint64_t async_message_sent(const struct mail_message *message, uint64_t now);
bool async_message_carries(const struct mail_message *message); // load

// Notes what happens, where somebody wants to know.
static inline void async_note(const struct async_worker *worker, enum ek_event_kind kind, double amount)
{
    struct async_run *run = worker->run;
    if (run->witness) {
        run->witness->event(run, &(struct ek_event){.kind = kind, .amount = amount});
    }
}

// The same of a message over this port.
static inline void async_note_message(const struct async_worker *worker, enum ek_event_kind kind, uint32_t port,
                                      const struct mail_message *message)
{
    struct async_run *run = worker->run;
    if (run->witness) {
        run->witness->message(run, kind, port, message);
    }
}

// Yields, with the probability that --perturb asks for: rare interleavings come out where a thread stops at the wrong
// moment.
static inline void async_perturb(struct async_worker *worker)
{
    double probability = worker->run->machine->experiment.perturb;
    if (probability > 0.0 && topo_random_unit(&worker->lots) < probability) {
        sched_yield();
    }
}

#endif
