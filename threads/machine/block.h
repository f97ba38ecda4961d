// SPDX-License-Identifier: MIT
// The *block* of a process: the processors from its first to its last one, and their ports. Without ranks that is all
// of them. If a rank has several spans of processors (threads/ranks/placement.h), processors of other ranks lie
// between.
#ifndef THREADS_MACHINE_BLOCK_H
#define THREADS_MACHINE_BLOCK_H

#include "threads/machine/plan.h"

struct machine_block {
    struct base_range processors, ports;
    uint64_t own, own_ports; // processors and ports without those of other ranks
    uint32_t spans;
};

// Returns the block of this process. Before the processors are placed, all ranks count as equal.
struct machine_block machine_block_of(const struct machine_plan *plan);

// Plan an array with `each` elements for each processor, or for each port, that only their owners read and write. It
// has elements for the block only, and takes whole pages of memory for the own ones. If `each` is 0, nothing is
// planned.
void machine_block_plan(const struct machine_block *block, struct base_arena *memory, void *place, uint64_t each,
                        size_t size);
void machine_block_plan_ports(const struct machine_block *block, struct base_arena *memory, void *place, uint64_t each,
                              size_t size);

#endif
