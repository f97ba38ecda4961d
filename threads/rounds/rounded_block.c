// SPDX-License-Identifier: MIT
// A block of processors whose amounts the machine rounds to tokens.
#include "core/methods/kernels/rounded.h"
#include "threads/rounds/step.h"

void rounds_run_rounded(const struct rounds_worker *worker, struct ek_block *block, ek_flow *flow)
{
    const struct rounds_run *rounds = worker->rounds;
    struct core_rounded rounded = {.rounding = rounds->machine->rounding,
                                   .flow = flow,
                                   .number = rounds->now.time,
                                   .twin = rounds->topology->twin,
                                   .mirror = rounds->carries ? worker->mirror : NULL};
    core_rounded_block(block, &rounded);
}
