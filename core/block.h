// SPDX-License-Identifier: MIT
// The loop of a rule over a block of processors. A rule is an inline function; ek_block_flows, handed a rule that the
// compiler can see, becomes that rule's own loop, compiled once in the method's file: calling a rule per port through a
// pointer costs 1.6 to 2.6 times as much (bench/README.md).
#ifndef EK_BLOCK_H
#define EK_BLOCK_H

#include <string.h>

#include "core/method.h"

// The migrate phase of one block of processors: announcements are in, parcels go out. Arrays are by processor or by
// port of the whole machine; a worker only touches its own processors' entries, except through `parcel`.
struct ek_block {
    const struct ek_plan *plan;
    const uint32_t *first;      // by processor: its first port
    uint32_t begin, end;        // the processors of the block
    unsigned regular;           // every processor's degree where all are alike, else 0
    const struct ek_end *ends;  // the block's ends that take part, at most one a processor; NULL: every port does
    size_t ends_count;
    unsigned step;              // within the operation
    const double *seen;         // by processor: the load that the rule computes with
    const double *announced;    // by port: what the neighbour announced
    double *held;               // by processor
    double *native;             // by processor: tokens that never left; NULL in real units
    double *moved;              // by processor: load sent so far
    double *sent;               // by port: load sent so far; NULL when flows are not asked for
    double *parcel;             // where parcels are put; 0 is "nothing"
    const uint32_t *slot;       // by port: its place in `parcel`
    uint64_t parcels;           // counts those that carry something
};

typedef double ek_flow(const struct ek_view *view, unsigned port);

// Asks the rule about one port and puts the parcel. Returns what is sent.
static inline __attribute__((always_inline)) double ek_block_send(struct ek_block *block, const struct ek_view *view,
                                                                  unsigned port, ek_flow *flow)
{
    uint32_t global = block->first[view->processor] + port;
    double amount = flow(view, port);
    amount = amount > 0.0 ? amount : 0.0;
    block->parcel[block->slot[global]] = amount;
    if (block->sent) {
        block->sent[global] += amount;
    }
    uint64_t bits; // counted by its bits: signs are as good as random, and a branch on them would be mispredicted
    memcpy(&bits, &amount, sizeof bits);
    block->parcels += bits != 0;
    return amount;
}

// Debits a processor. Tokens that came from elsewhere leave first, so those that never left are at most what is held.
static inline __attribute__((always_inline)) void ek_block_debit(struct ek_block *block, uint32_t p, double out)
{
    block->held[p] -= out;
    block->moved[p] += out;
    if (block->native && block->native[p] > block->held[p]) {
        block->native[p] = block->held[p] > 0.0 ? block->held[p] : 0.0;
    }
}

static inline __attribute__((always_inline)) struct ek_view ek_block_view(const struct ek_block *block, uint32_t p)
{
    return (struct ek_view){.plan = block->plan,
                            .processor = p,
                            .degree = block->first[p + 1] - block->first[p],
                            .load = block->seen[p],
                            .announced = block->announced + block->first[p],
                            .step = block->step};
}

// All ports of all processors. `regular` is the degree where every processor has the same, 0 otherwise: a constant here unrolls
// the inner loop.
static inline __attribute__((always_inline)) void ek_block_all(struct ek_block *block, ek_flow *flow, unsigned regular)
{
    for (uint32_t p = block->begin; p < block->end; p++) {
        struct ek_view view = ek_block_view(block, p);
        unsigned degree = regular ? regular : view.degree;
        double out = 0.0;
        for (unsigned port = 0; port < degree; port++) {
            out += ek_block_send(block, &view, port, flow);
        }
        ek_block_debit(block, p, out);
    }
}

static inline __attribute__((always_inline)) void ek_block_ends(struct ek_block *block, ek_flow *flow)
{
    for (size_t k = 0; k < block->ends_count; k++) {
        uint32_t p = block->ends[k].processor;
        struct ek_view view = ek_block_view(block, p);
        ek_block_debit(block, p, ek_block_send(block, &view, block->ends[k].port - block->first[p], flow));
    }
}

static inline __attribute__((always_inline)) void ek_block_flows(struct ek_block *given, ek_flow *flow)
{
    struct ek_block block = *given; // a local copy: the stores below cannot change it, and the compiler knows
    if (block.ends) {
        ek_block_ends(&block, flow);
    } else if (block.regular == 4) {
        ek_block_all(&block, flow, 4);
    } else {
        ek_block_all(&block, flow, 0);
    }
    given->parcels = block.parcels;
}

#endif
