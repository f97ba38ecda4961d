// SPDX-License-Identifier: MIT
// The links that lead from a rank's processors to those of other ranks.
#ifndef THREADS_RANKS_CROSSINGS_H
#define THREADS_RANKS_CROSSINGS_H

#include "base/arena.h"
#include "threads/machine/machine.h"

struct machine_crossing {
    unsigned rank; // at the other end
    uint32_t link; // both ends' name for it: the lower of its ports
    uint32_t port; // at this end
};

struct machine_crossings {
    struct machine_crossing *at; // [count] by rank, then link: in the order in which the other rank has them
    size_t count;
    struct ek_rank_peer *peer; // [peers] the ranks that there are links to, with how many
    size_t peers;
};

// Plans the memory, when the processors are placed; and finds them when it is taken. `topology` has the links: a method
// may have some of its own.
void machine_crossings_plan(struct machine_crossings *crossings, const struct ek_machine *machine,
                            const struct ek_topology *topology, struct base_arena *memory);
void machine_crossings_find(struct machine_crossings *crossings, const struct ek_machine *machine,
                            const struct ek_topology *topology);

#endif
