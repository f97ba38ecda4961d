// SPDX-License-Identifier: MIT
// Which links can be used, while links and processors fail and come back: a table that free-running threads read at
// every turn, and that is replaced under them by RCU (liburcu, its QSBR flavour).
//
//   call                  who                      at the same time
//   register, unregister  a thread, for itself     with everything
//   read                  a registered thread      with everything; its answer is good until its next quiet or offline
//                         the thread of change     with everything; its answer is good until its next change
//   quiet                 a registered thread      with everything; it holds no answer of read any more
//   offline, online       a registered thread      with everything; between them it must not read
//   change                one thread that is not   with all of the above; it waits for every registered thread that is
//                         registered               not offline to be quiet once
//   plan, begin           the owner of the run     nothing else
//
// Why QSBR: a thread reads at every turn and a turn never blocks, so between two turns it holds nothing and says so,
// which costs a load and a comparison as long as nothing changes; reading itself costs a load. The other flavours pay
// at the beginning and end of every read instead. The price: a registered thread must go offline before it waits for
// anything, or a change waits for it. So it does for who waits for a recorder, within a turn (record.c).
#ifndef THREADS_FREE_LINK_TABLE_H
#define THREADS_FREE_LINK_TABLE_H

#include <stdatomic.h>

#include "core/axes/fault.h"
#include "base/arena.h"

struct free_links {
    const struct ek_topology *topology;
    _Atomic(uint8_t *) table; // by port: what can be seen
    uint8_t *spare;           // by port: the table of the next change
    struct core_outages outages;
    uint8_t *tables;     // both
    uint32_t version[2]; // of each: how many changes came before it
};

// Plans their memory. When it is taken, all links and processors are up. `topology` must stay alive.
void free_links_plan(struct free_links *links, const struct ek_topology *topology, struct base_arena *memory);
void free_links_begin(struct free_links *links);

void free_links_register(void);
void free_links_unregister(void);
void free_links_offline(void); // before a sleep
void free_links_online(void);  // after it
void free_links_quiet(void);

// By port: 1 when the link and both its processors are up, else 0.
const uint8_t *free_links_read(const struct free_links *links);

// Takes a link or a processor out, or back in; what is down cannot fail, what is up cannot be repaired. When it
// returns, no thread sees the table of before.
void free_links_change(struct free_links *links, const struct core_fault *fault);

// How many changes came before the table that read answers.
uint32_t free_links_version(const struct free_links *links, const uint8_t *table);

#endif
