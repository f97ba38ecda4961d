// SPDX-License-Identifier: MIT
#include "threads/ranks/room.h"

#include <limits.h>
#include <stdlib.h>

bool rank_room_grow(struct rank_room *room, size_t count)
{
    if (count < room->size) {
        return true;
    }
    size_t size = count + count / 2 + 1;
    double *grown = count <= INT_MAX ? realloc(room->at, size * sizeof *grown) : NULL;
    if (grown) {
        room->at = grown;
        room->size = size;
    }
    return grown;
}

void rank_room_end(struct rank_room *room)
{
    free(room->at);
    *room = (struct rank_room){0};
}
