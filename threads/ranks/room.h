// SPDX-License-Identifier: MIT
// Room that grows, for exchanges whose size is not known before the run.
#ifndef THREADS_RANKS_ROOM_H
#define THREADS_RANKS_ROOM_H

#include <stdbool.h>
#include <stddef.h>

struct rank_room {
    double *at;
    size_t size; // doubles
};

// Makes room for `count` doubles, and keeps those that are there. Returns false if there is no memory, or if MPI could
// not count them.
bool rank_room_grow(struct rank_room *room, size_t count);
void rank_room_end(struct rank_room *room);

#endif
