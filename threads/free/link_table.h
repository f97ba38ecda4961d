// SPDX-License-Identifier: MIT
// The link table: which links can be used while links and processors fail and come back. Threads read it in every turn,
// and a change replaces it under them by RCU (read-copy-update; liburcu's QSBR flavour).
//
//   call                  caller                   may run at the same time as
//   register, unregister  a thread, for itself     everything
//   read                  a registered thread      everything; the answer is valid until its next quiet or offline
//                         the changing thread      everything; the answer is valid until its next change
//   quiet                 a registered thread      everything; it holds no answer of read any more
//   offline, online       a registered thread      everything; it must not read in between
//   change                one unregistered thread  everything above; it waits until every registered thread that is not
//                                                  offline was quiet once
//   plan, begin           the owner of the run     nothing
//
// Why QSBR. Threads read the table in every turn. A turn never blocks, so between two turns a thread holds no answer
// and can say that it is quiet, which costs a load and a comparison while nothing changes. Reading costs one load.
// Other flavours pay at the begin and end of every read. The price: a registered thread must go offline before it waits
// for anything, else a change waits for this thread. A worker that waits for the recorder within a turn keeps a copy of
// its part of the table (recorder.c).
#ifndef THREADS_FREE_LINK_TABLE_H
#define THREADS_FREE_LINK_TABLE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "core/axes/fault.h"

struct free_links {
    const struct ek_topology *topology;
    _Atomic(uint8_t *) table; // by port: the current table
    uint8_t *spare;           // by port: the table of the next change
    struct core_outages outages;
    uint8_t *tables;     // both tables
    uint32_t version[2]; // of each table: how many changes came before it
};

// Plans the memory. `topology` must stay alive.
void free_links_plan(struct free_links *links, const struct ek_topology *topology, struct base_arena *memory);

// Begins, when the memory is taken, with all links and processors up.
void free_links_begin(struct free_links *links);

void free_links_register(void);
void free_links_unregister(void);
void free_links_offline(void);
void free_links_online(void);
void free_links_quiet(void);

// Returns the table: by port 1 if the link and both its processors are up, else 0.
const uint8_t *free_links_read(const struct free_links *links);

// Lets a link or a processor fail or come back. The caller must not let a link or processor fail that is down, or come
// back that is up. When the function returns, no thread reads the table before the change any more.
void free_links_change(struct free_links *links, const struct core_fault *fault);

// Returns how many changes came before the table that `read` returned.
uint32_t free_links_version(const struct free_links *links, const uint8_t *table);

#endif
