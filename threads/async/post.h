// SPDX-License-Identifier: MIT
// What crosses the links in free timing.
#ifndef ASYNC_POST_H
#define ASYNC_POST_H

#include "threads/async/state.h"

// Sends over the port, or keeps the message where there is no room; puts what is kept, and says whether any of it went.
// `flag` is the stamp's.
void async_post(struct async_worker *worker, uint32_t port, enum async_kind kind, double amount, unsigned flag);
bool async_post_kept(struct async_worker *worker, uint32_t port);

// With delays: lets what has come in the mailbox go into the port's line, and says how many are there; takes the first
// of them, false where it is not due yet.
unsigned async_delay(struct async_worker *worker, uint32_t port);
bool async_fetch_due(struct async_worker *worker, uint32_t port, struct mail_message *message);

// After each turn of p: rings those to whom it has put something, once each.
void async_post_end(struct async_worker *worker, uint32_t p);

// As a person calls it: "ask".
const char *async_kind_name(enum async_kind kind);

// Of the time when it was sent a stamp has the low 48 bits, nanoseconds that come again after 78 hours.
enum { ASYNC_KIND_BITS = 4, ASYNC_FLAG_BITS = 12 };

static inline enum async_kind async_message_kind(const struct mail_message *message)
{
    return (enum async_kind)(message->stamp & ((1u << ASYNC_KIND_BITS) - 1));
}

static inline unsigned async_message_flag(const struct mail_message *message)
{
    return (unsigned)(message->stamp >> ASYNC_KIND_BITS) & ((1u << ASYNC_FLAG_BITS) - 1);
}

// How long before `now` it was sent, by the time nearest to `now` that the stamp can mean; below 0 where that lies
// ahead: its sender has looked at the clock since.
static inline int64_t async_message_since(const struct mail_message *message, uint64_t now)
{
    // The low 48 bits of the difference, and their sign.
    const unsigned low = ASYNC_KIND_BITS + ASYNC_FLAG_BITS;
    return (int64_t)((now - (message->stamp >> low)) << low) >> low;
}

// When it was sent, ns since the run's start.
static inline uint64_t async_message_sent(const struct mail_message *message, uint64_t now)
{
    return now - (uint64_t)async_message_since(message, now);
}

bool async_message_carries(const struct mail_message *message); // load

// How many lay in a mailbox that is emptied.
static inline void async_note_depth(struct async_worker *worker, unsigned found)
{
    if (found == 0) {
        return;
    }
    unsigned step = found == 1 ? 0 : 32u - (unsigned)__builtin_clz(found - 1);
    worker->counts.depth[step < EK_DEPTHS ? step : EK_DEPTHS - 1]++;
    worker->counts.depth_most = found > worker->counts.depth_most ? found : worker->counts.depth_most;
}

// The same of one link, where that is asked for.
static inline void async_note_link_depth(struct async_run *run, uint32_t port, unsigned found)
{
    if (run->use && found > run->use[port].depth_most) {
        run->use[port].depth_most = found;
    }
}

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
                                      struct mail_message message)
{
    struct async_run *run = worker->run;
    if (run->witness) {
        run->witness->message(run, kind, port, &message);
    }
}

// Yields, with the probability that --perturb asks for: rare interleavings come out where a thread stops at the wrong
// moment.
void async_perturb_by_lot(struct async_worker *worker);

static inline void async_perturb(struct async_worker *worker)
{
    if (worker->run->perturbed) {
        async_perturb_by_lot(worker);
    }
}

#endif
