// SPDX-License-Identifier: MIT
// Mailboxes: one for each direction of each link.
//
// Terms. A message that is put at a port is taken at its *twin*, the port at the other end of the link. A *kind* is one
// implementation of mailboxes.
//
//   call              caller                    concurrent with, on one mailbox
//   room, put         the owner of the port     waiting and take at the twin
//   waiting, take     the owner of the port     room and put at the twin
//   plan, begin, end  the owner of the run      nothing
//
// Protocol of a mailbox, which is first in, first out:
//
//   1. The sender calls `room`, which returns how many messages can be put, and then puts up to as many.
//   2. The receiver calls `waiting`, which returns how many messages can be taken, and then takes up to as many.
//   3. Both numbers stay valid, because the other end can only increase them. So memory is ordered in these two calls,
//      and their cost is shared by all messages that are put or taken afterwards.
//
// Nothing is dropped or overwritten. A sender without room keeps its message and goes on, and a receiver never needs
// room to take a message, so no cycle of full mailboxes can stop the machine (threads/free/post.c bounds what a sender
// keeps).
#ifndef THREADS_MAIL_MAILBOX_H
#define THREADS_MAIL_MAILBOX_H

#include "base/arena.h"
#include "base/common.h"

// A message on a link. Rounds use only the amount. `stamp` is for free timing, and is never 0.
struct mail_message {
    double amount;
    uint64_t stamp;
};

struct mail_boxes;

struct mail_kind {
    struct ek_choice choice; // name and description
    // All functions are NULL for `slot`: its messages are written straight into the receiver's inbox (rounds_state.h),
    // and a barrier orders them.
    void (*plan)(struct mail_boxes *boxes, struct base_arena *memory);
    bool (*begin)(
        struct mail_boxes *boxes);         // after the memory has been allocated; false if the system has no more locks
    void (*end)(struct mail_boxes *boxes); // before the memory is freed
    uint32_t (*room)(const struct mail_boxes *boxes, uint32_t port);
    uint32_t (*waiting)(const struct mail_boxes *boxes, uint32_t port);
    void (*put)(struct mail_boxes *boxes, uint32_t port, struct mail_message message);   // needs room
    void (*take)(struct mail_boxes *boxes, uint32_t port, struct mail_message *message); // needs a waiting message
};

// The mailboxes of a machine's ports.
struct mail_boxes {
    const struct mail_kind *kind;
    uint32_t count;
    const uint32_t *twin;   // by port
    struct base_range here; // the ports of this process, which uses them and their twins only; empty: all
    uint32_t capacity;      // messages in each, 1 .. MAIL_CAPACITY_MAX
    bool apart;             // the two ends of a link may belong to different workers: pad
    void *store[3];         // arrays of the kind
    size_t stride;          // used by the kind: distance of successive mailboxes
    bool begun;
};

enum { MAIL_CAPACITY_MAX = 4096 };

// Plan the memory of the mailboxes; prepare them after it has been allocated (false if the system has no more locks);
// end them before it is freed, also if they have not begun. `slot` needs none of this.
void mail_boxes_plan(struct mail_boxes *boxes, struct base_arena *memory);
bool mail_boxes_begin(struct mail_boxes *boxes);
void mail_boxes_end(struct mail_boxes *boxes);

extern const struct mail_kind mail_slot, mail_spsc, mail_wfcq, mail_mutex;

const struct mail_kind *mail_kind_at(size_t index);       // NULL past the last
const struct mail_kind *mail_kind_find(const char *name); // NULL: no such kind
const struct ek_choice *mail_choice(size_t index);        // name and description; NULL past the last

#endif
