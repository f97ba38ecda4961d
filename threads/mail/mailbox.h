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
// no cycle of full mailboxes can stop the machine: post.c has the bound on what a sender keeps.
#ifndef MAIL_MAILBOX_H
#define MAIL_MAILBOX_H

#include "threads/run.h"

// What a link carries. In rounds only the amount says anything; `stamp`, which is never 0, is for free timing.
struct mail_message {
    double amount;
    uint64_t stamp;
};

struct mail_boxes;

struct mail_kind {
    const char *name;
    const char *summary;
    // NULL in all four for `slot`: its messages are put straight into the receiver's inbox (rounds/phases.c), a barrier
    // orders them.
    bool (*create)(struct mail_boxes *boxes);
    void (*destroy)(struct mail_boxes *boxes);
    bool (*put)(struct mail_boxes *boxes, uint32_t port, struct mail_message message);
    bool (*take)(struct mail_boxes *boxes, uint32_t port, struct mail_message *message);
};

// The mailboxes of a machine's ports.
struct mail_boxes {
    const struct mail_kind *kind;
    uint32_t count;
    const uint32_t *twin; // by port
    uint32_t capacity;    // messages in each, 1 .. MAIL_CAPACITY_MAX
    bool apart;           // the two ends belong to different workers: pad
    void *store;          // the kind's own
};

enum { MAIL_CAPACITY_MAX = 4096 };

extern const struct mail_kind mail_slot, mail_spsc, mail_wfcq, mail_mutex;

const struct mail_kind *mail_kind_at(size_t index); // NULL past the last

#endif
