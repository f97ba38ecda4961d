// SPDX-License-Identifier: MIT
// Mailboxes: one per direction of each link. What is put at a port is taken at its twin, the port at the other end.
//
//   call              who                          at the same time, on one mailbox
//   put               the port's owner only        with take at the twin: yes; with put: no
//   take              the port's owner only        with put at the twin: yes; with take: no
//   create, destroy   the owner of the machine     nothing else
//
// First in, first out. Full means put returns false and the sender keeps the message; nothing is dropped or
// overwritten. A sender that keeps its message goes on, and a receiver never waits for room to send before it takes, so
// no cycle of full mailboxes can stop the machine: free_post.c has the bound on what a sender keeps.
#ifndef EK_MAILBOX_H
#define EK_MAILBOX_H

#include "threads/run.h"

// What a link carries. In rounds only the amount says anything; `stamp`, which is never 0, is for free timing.
struct ek_message {
    double amount;
    uint64_t stamp;
};

struct ek_mailboxes;

struct ek_mailbox_kind {
    const char *name;
    const char *summary;
    // NULL in all four for `slot`: its messages are put straight into the receiver's inbox (rounds.c), a barrier orders
    // them.
    bool (*create)(struct ek_mailboxes *boxes);
    void (*destroy)(struct ek_mailboxes *boxes);
    bool (*put)(struct ek_mailboxes *boxes, uint32_t port, struct ek_message message);
    bool (*take)(struct ek_mailboxes *boxes, uint32_t port, struct ek_message *message);
};

// The mailboxes of a machine's ports.
struct ek_mailboxes {
    const struct ek_mailbox_kind *kind;
    uint32_t count;
    const uint32_t *twin; // by port
    uint32_t capacity;    // messages in each, 1 .. EK_MAILBOX_MAX
    bool apart;           // the two ends belong to different workers: pad
    void *store;          // the kind's own
};

enum { EK_MAILBOX_MAX = 4096 };

extern const struct ek_mailbox_kind ek_mailbox_slot, ek_mailbox_spsc, ek_mailbox_wfcq, ek_mailbox_mutex;

const struct ek_mailbox_kind *ek_mailbox_at(size_t index); // NULL past the last

#endif
