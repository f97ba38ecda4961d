// SPDX-License-Identifier: MIT
// Mailboxes: one per direction of each link. What is put at a port is taken at its twin, the port at the other end.
//
//   call              who                       at the same time, on one mailbox
//   room, put         the port's owner only     with waiting and take at the twin: yes; with each other: no
//   waiting, take     the port's owner only     with room and put at the twin: yes; with each other: no
//   plan, begin, end  the owner of the run      nothing else
//
// First in, first out. Each end looks before it acts: `room` says how many messages can be put, `waiting` how many can
// be taken, and both answers stay good, for the other end can only add to them. So what orders the two ends is in the
// look, and a look pays for all that is put and taken after it. Nothing is dropped or overwritten: a sender without
// room keeps its message and goes on, and a receiver never waits for room before it takes, so no cycle of full
// mailboxes can stop the machine (threads/free/post.c has the bound on what a sender keeps).
#ifndef THREADS_MAIL_MAILBOX_H
#define THREADS_MAIL_MAILBOX_H

#include "base/arena.h"
#include "threads/api/run.h"

// What a link carries. In rounds only the amount says anything; `stamp`, which is never 0, is for free timing.
struct mail_message {
    double amount;
    uint64_t stamp;
};

struct mail_boxes;

struct mail_kind {
    struct ek_choice choice; // its name, and what it is
    // NULL in all of these for `slot`: its messages are put straight into the receiver's inbox (rounds/phases.c), and a
    // barrier orders them.
    void (*plan)(struct mail_boxes *boxes, struct base_arena *memory);
    bool (*begin)(struct mail_boxes *boxes); // when the memory is taken; false where the system has no more locks
    void (*end)(struct mail_boxes *boxes);   // before it is given back
    uint32_t (*room)(const struct mail_boxes *boxes, uint32_t port);
    uint32_t (*waiting)(const struct mail_boxes *boxes, uint32_t port);
    void (*put)(struct mail_boxes *boxes, uint32_t port, struct mail_message message);   // there is room
    void (*take)(struct mail_boxes *boxes, uint32_t port, struct mail_message *message); // one is waiting
};

// The mailboxes of a machine's ports.
struct mail_boxes {
    const struct mail_kind *kind;
    uint32_t count;
    const uint32_t *twin; // by port
    uint32_t capacity;    // messages in each, 1 .. MAIL_CAPACITY_MAX
    bool apart;           // the two ends belong to different workers: pad
    void *store[3];       // the kind's own arrays
    size_t stride;        // the kind's own: from one mailbox to the next
    bool begun;
};

enum { MAIL_CAPACITY_MAX = 4096 };

// Their memory; when it is taken, false where the system has no more locks; before it is given back, also where they
// have not begun. `slot` needs none.
void mail_boxes_plan(struct mail_boxes *boxes, struct base_arena *memory);
bool mail_boxes_begin(struct mail_boxes *boxes);
void mail_boxes_end(struct mail_boxes *boxes);

extern const struct mail_kind mail_slot, mail_spsc, mail_wfcq, mail_mutex;

const struct mail_kind *mail_kind_at(size_t index);       // NULL past the last
const struct mail_kind *mail_kind_find(const char *name); // NULL where there is none
const struct ek_choice *mail_choice(size_t index);        // as a list shows them; NULL past the last

#endif
