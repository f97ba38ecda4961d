// SPDX-License-Identifier: MIT
// Messages of free timing: sending, keeping, delaying.
#ifndef THREADS_FREE_POST_H
#define THREADS_FREE_POST_H

#include "threads/free/look.h"
#include "threads/free/witness.h"
#include "base/debug.h"

// A message's stamp: the kind in its lowest bits, then a flag, then the low 48 bits of the time when it was sent. The
// time is in nanoseconds, and the bits repeat after 78 hours.
enum { FREE_KIND_BITS = 4, FREE_FLAG_BITS = 12 };

// Send a message with this kind and flag over the port.
void free_post_plain(struct free_worker *worker, uint32_t port, double amount, uint64_t kind_and_flag);
void free_post_any(struct free_worker *worker, uint32_t port, double amount, uint64_t kind_and_flag);

// Sends a message over the port, or keeps it if there is no room. `flag` is stored in the message's stamp.
static FREE_BY_PATH void free_post(struct free_worker *worker, uint32_t port, enum free_kind kind, double amount,
                                   unsigned flag, enum free_path path)
{
    BASE_DEBUG_ASSERT(kind > 0 && (unsigned)kind < 1u << FREE_KIND_BITS && flag < 1u << FREE_FLAG_BITS);
    uint64_t kind_and_flag = (uint64_t)kind | (uint64_t)flag << FREE_KIND_BITS;
    (path == FREE_PATH_PLAIN ? free_post_plain : free_post_any)(worker, port, amount, kind_and_flag);
}

// Returns a kind's name for a person: "ask".
const char *free_kind_name(enum free_kind kind);

// Sends kept messages while there is room. Returns whether any was sent.
bool free_post_kept(struct free_worker *worker, uint32_t port);

// Calls `visit` for each message that is kept on the port, the oldest first.
void free_post_each_kept(const struct free_run *run, uint32_t port,
                         void (*visit)(void *context, const struct mail_message *message), void *context);

// Rings, after a turn of p, the workers of the neighbours to which p has sent messages, once for each neighbour.
void free_post_end(struct free_worker *worker, uint32_t p);

// With delays: moves messages from the mailbox to the port's shelf of delayed messages. Returns the number of messages
// on the shelf.
unsigned free_delay(struct free_worker *worker, uint32_t port);

// With delays: receives the first message of the shelf. Returns false if it is not due yet.
bool free_fetch_due(struct free_worker *worker, uint32_t port, struct mail_message *message);

static inline enum free_kind free_message_kind(const struct mail_message *message)
{
    return (enum free_kind)(message->stamp & ((1u << FREE_KIND_BITS) - 1));
}

static inline unsigned free_message_flag(const struct mail_message *message)
{
    return (unsigned)(message->stamp >> FREE_KIND_BITS) & ((1u << FREE_FLAG_BITS) - 1);
}

// Returns how long before `now` a message was sent. Of all times that the stamp can mean, the one nearest to `now` is
// taken. The result is negative if the sender has looked at the clock after the receiver.
static inline int64_t free_message_since(const struct mail_message *message, uint64_t now)
{
    // The low 48 bits of the difference, with their sign. The lowest bits of the stamp carry nothing over.
    const unsigned low = FREE_KIND_BITS + FREE_FLAG_BITS;
    return (int64_t)((now << low | ((UINT64_C(1) << low) - 1)) - message->stamp) >> low;
}

// Returns when a message was sent, ns since the run's start.
static inline uint64_t free_message_sent(const struct mail_message *message, uint64_t now)
{
    return now - (uint64_t)free_message_since(message, now);
}

// Returns whether a message carries load.
static inline bool free_message_carries(const struct mail_message *message)
{
    enum free_kind kind = free_message_kind(message);
    return kind == FREE_GIVE || kind == FREE_RETURN || (kind == FREE_LETTERS && message->amount > 0.0);
}

// Counts how many messages were found in a mailbox.
static inline void free_note_depth(struct free_worker *worker, unsigned found)
{
    if (found == 0) {
        return;
    }
    unsigned step = found == 1 ? 0 : 32u - (unsigned)__builtin_clz(found - 1);
    worker->counts.depth[step < EK_DEPTHS ? step : EK_DEPTHS - 1]++;
    worker->counts.depth_most = found > worker->counts.depth_most ? found : worker->counts.depth_most;
}

static inline void free_note_link_depth(struct free_run *run, uint32_t port, unsigned found)
{
    if (run->use && found > run->use[port].depth_most) {
        run->use[port].depth_most = found;
    }
}

#endif
