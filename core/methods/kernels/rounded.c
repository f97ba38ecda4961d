// SPDX-License-Identifier: MIT
// Rounds the amounts of a linear rule. If a link carries one error for both directions, each end keeps it with its own
// sign. The end that sends subtracts what it sends. The other end adds the parcel when it receives it (the engine does
// that), so both ends have the same error again.
#include "core/methods/kernels/rounded.h"

// Returns the flow that the processor at the other end of the link computes. It sees only this link.
static double flow_at_twin(const struct ek_block *block, const struct core_rounded *rounded, uint32_t port, double own,
                           double other)
{
    uint32_t q = block->neighbour[port];
    struct ek_view view = ek_block_view(block, q);
    for (unsigned k = 0; k < view.degree; k++) {
        rounded->mirror[k] = NAN;
    }
    unsigned k = rounded->twin[port] - block->first[q];
    rounded->mirror[k] = own;
    view.announced = rounded->mirror;
    view.load = other;
    return rounded->flow(&view, k);
}

// Returns the flow over a link: positive if it leaves, negative if it arrives. The other end computes the opposite
// amount (core/method.h), so it is asked only where the rule does not say here what arrives.
static double flow_of(const struct ek_block *block, const struct core_rounded *rounded, const struct ek_view *view,
                      uint32_t port)
{
    unsigned k = port - block->first[view->processor];
    double out = rounded->flow(view, k);
    if (out != 0.0 || !rounded->mirror) {
        return out;
    }
    double in = flow_at_twin(block, rounded, port, view->load, view->announced[k]);
    return in > 0.0 ? -in : 0.0;
}

// Puts the parcel of a port. Returns the amount sent, which is at most `left`.
static double send(struct ek_block *block, const struct core_rounded *rounded, const struct ek_view *view,
                   uint32_t port, double left)
{
    bool silent = block->invokes && !block->invokes[view->processor] && block->invited[port] == 0.0;
    double flow = silent ? 0.0 : flow_of(block, rounded, view, port);
    if (silent || (!rounded->mirror && !(flow > 0.0))) {
        return ek_block_put(block, port, 0.0);
    }
    double *error =
        rounded->rounding == CORE_ROUNDING_CARRY ? &view->memory[port - block->first[view->processor]] : NULL;
    struct core_due due =
        core_rounding_due(rounded->rounding, flow, error ? *error : 0.0, block->seed, port, rounded->number);
    double sent = ek_block_put(block, port, due.whole < left ? due.whole : left);
    if (error) {
        *error = due.amount - sent;
    }
    return sent;
}

void core_rounded_block(struct ek_block *block, const struct core_rounded *rounded)
{
    size_t at = 0;
    for (uint32_t p = block->begin; p < block->end; p++) {
        struct ek_slice slice = ek_block_slice(block, p, &at);
        struct ek_view view = ek_block_view(block, p);
        double out = 0.0;
        for (unsigned i = 0; i < slice.count; i++) {
            ek_block_read(block, p, ek_slice_port(&slice, i) - block->first[p]);
        }
        for (unsigned i = 0; i < slice.count; i++) {
            out += send(block, rounded, &view, ek_slice_port(&slice, i), block->held[p] - out);
        }
        ek_block_debit(block, p, out);
    }
}
