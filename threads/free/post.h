// SPDX-License-Identifier: MIT
// What crosses the links in free timing.
#ifndef THREADS_FREE_POST_H
#define THREADS_FREE_POST_H

#include "threads/free/witness.h"

// Sends over the port, or keeps the message where there is no room; puts what is kept, and says whether any of it went.
// `flag` is the stamp's.
void free_post(struct free_worker *worker, uint32_t port, enum free_kind kind, double amount, unsigned flag);
bool free_post_kept(struct free_worker *worker, uint32_t port);

// With delays: lets what has come in the mailbox go into the port's line, and says how many are there; takes the first
// of them, false where it is not due yet.
unsigned free_delay(struct free_worker *worker, uint32_t port);
bool free_fetch_due(struct free_worker *worker, uint32_t port, struct mail_message *message);

// After each turn of p: rings those to whom it has put something, once each.
void free_post_end(struct free_worker *worker, uint32_t p);

// As a person calls it: "ask".
const char *free_kind_name(enum free_kind kind);

// Of the time when it was sent a stamp has the low 48 bits, nanoseconds that come again after 78 hours.
enum { FREE_KIND_BITS = 4, FREE_FLAG_BITS = 12 };

static inline enum free_kind free_message_kind(const struct mail_message *message)
{
    return (enum free_kind)(message->stamp & ((1u << FREE_KIND_BITS) - 1));
}

static inline unsigned free_message_flag(const struct mail_message *message)
{
    return (unsigned)(message->stamp >> FREE_KIND_BITS) & ((1u << FREE_FLAG_BITS) - 1);
}

// How long before `now` it was sent, by the time nearest to `now` that the stamp can mean; below 0 where that lies
// ahead: its sender has looked at the clock since.
static inline int64_t free_message_since(const struct mail_message *message, uint64_t now)
{
    // The low 48 bits of the difference, and their sign.
    const unsigned low = FREE_KIND_BITS + FREE_FLAG_BITS;
    return (int64_t)((now - (message->stamp >> low)) << low) >> low;
}

// When it was sent, ns since the run's start.
static inline uint64_t free_message_sent(const struct mail_message *message, uint64_t now)
{
    return now - (uint64_t)free_message_since(message, now);
}

bool free_message_carries(const struct mail_message *message); // load

// How many lay in a mailbox that is emptied.
static inline void free_note_depth(struct free_worker *worker, unsigned found)
{
    if (found == 0) {
        return;
    }
    unsigned step = found == 1 ? 0 : 32u - (unsigned)__builtin_clz(found - 1);
    worker->counts.depth[step < EK_DEPTHS ? step : EK_DEPTHS - 1]++;
    worker->counts.depth_most = found > worker->counts.depth_most ? found : worker->counts.depth_most;
}

// The same of one link, where that is asked for.
static inline void free_note_link_depth(struct free_run *run, uint32_t port, unsigned found)
{
    if (run->use && found > run->use[port].depth_most) {
        run->use[port].depth_most = found;
    }
}

// Yields, with the probability that --perturb asks for: rare interleavings come out where a thread stops at the wrong
// moment.
void free_perturb_by_lot(struct free_worker *worker);

static inline void free_perturb(struct free_worker *worker)
{
    if (worker->run->perturbed) {
        free_perturb_by_lot(worker);
    }
}

#endif
