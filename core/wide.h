// SPDX-License-Identifier: MIT
// The loop of a mutual rule along stretches: processors whose neighbours lie alike, four at a time; installed as
// <evenkeel/wide.h>. What a method sets `block_wide` to is a function that is EK_WIDE and does nothing but call
// ek_block_wide with the rule. The machine calls it where that pays, on a processor that has AVX2 (threads/rounds/
// planes.c). It computes the same amounts as ek_block_flows and adds them in the same order: the same bits.
#ifndef EK_WIDE_H
#define EK_WIDE_H

#include "core/block.h"

// What lies around a processor, by port. Counted from its own place: its neighbour in an array by processor, and what
// it finds in parcels that lie in planes, each an array by processor. And the plane in which it puts its own.
enum { EK_VICINITY_PORTS = 6 };

struct ek_vicinity {
    int32_t neighbour[EK_VICINITY_PORTS];
    int32_t found[EK_VICINITY_PORTS];
    uint8_t put[EK_VICINITY_PORTS];
    uint16_t degree; // fills the struct: two are compared byte by byte
};

// The processors from `begin` to the next stretch's, which all have the same vicinity: most of a ring, and of each row
// of a torus or mesh.
enum { EK_STRETCH_BITS = 27 };

struct ek_stretch {
    uint32_t begin : EK_STRETCH_BITS; // room for TOPO_PROCESSORS_MAX itself: core/stretch.c
    uint32_t vicinity : 32 - EK_STRETCH_BITS;
};

// Four amounts at once, in a function that is EK_WIDE: where the processor that runs it has AVX2. The last of a
// stretch, too few for all lanes, go first, beside others whose own turn comes later; and not soon, since a load waits
// for a store that gives only a part of it: hence only where it is long.
enum { EK_LANES = 4, EK_LONG = 4 * EK_LANES };
typedef double ek_lanes __attribute__((vector_size(EK_LANES * sizeof(double))));
typedef int64_t ek_lanes_mask __attribute__((vector_size(EK_LANES * sizeof(double))));

#if defined __x86_64__
#define EK_WIDE __attribute__((target("avx2")))
#else
#define EK_WIDE
#endif

static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_at(const double *from)
{
    ek_lanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

static inline __attribute__((always_inline)) EK_WIDE void ek_lanes_put(double *to, ek_lanes lanes)
{
    memcpy(to, &lanes, sizeof lanes);
}

// The last `count` lanes.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes_mask ek_lanes_last(size_t count)
{
    ek_lanes_mask last;
    for (unsigned lane = 0; lane < EK_LANES; lane++) {
        last[lane] = lane >= EK_LANES - count ? -1 : 0;
    }
    return last;
}

// Asks a mutual rule about one port of as many processors as there are lanes.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_block_ask(struct ek_view view, unsigned port,
                                                                           ek_lanes own, ek_lanes other, ek_flow *flow)
{
    double heard[EK_VICINITY_PORTS];
    ek_lanes amount;
    view.announced = heard;
    for (unsigned lane = 0; lane < EK_LANES; lane++) {
        view.load = own[lane];
        heard[port] = other[lane];
        amount[lane] = flow(&view, port);
    }
    return amount;
}

// Goes over the processors p .. p + EK_LANES - 1, whose neighbours' loads lie in `heard` as theirs in `seen`. Those
// that are not `fresh` have their turn later: their parcels, the same as then, are put already, and nothing else is
// done. Counts the parcels.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_lanes(struct ek_block *block,
                                                                         const double *const *heard, double *const *put,
                                                                         uint32_t degree, size_t p, ek_lanes_mask fresh,
                                                                         ek_flow *flow, ek_lanes_mask *parcels)
{
    const ek_lanes nothing = {0.0, 0.0, 0.0, 0.0};
    struct ek_view view = ek_block_view(block, (uint32_t)p);
    ek_lanes own = ek_lanes_at(block->seen + p);
    ek_lanes out = nothing;
    for (unsigned port = 0; port < degree; port++) {
        ek_lanes amount = ek_block_ask(view, port, own, ek_lanes_at(heard[port] + p), flow);
        ek_lanes_mask some = amount > nothing;
        amount = (ek_lanes)((ek_lanes_mask)amount & some);
        ek_lanes_put(put[port] + p, amount);
        amount = (ek_lanes)((ek_lanes_mask)amount & fresh);
        for (unsigned lane = 0; block->sent && lane < EK_LANES; lane++) {
            block->sent[block->first[p] + lane * degree + port] += amount[lane];
        }
        *parcels -= some & fresh;
        out += amount;
    }
    ek_lanes_put(block->held + p, ek_lanes_at(block->held + p) - out);
    ek_lanes_put(block->moved + p, ek_lanes_at(block->moved + p) + out);
}

// Goes over processor p, two ports at a time: see ek_block_pairs. Where an odd degree lacks one, it hears the own load.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_lone(struct ek_block *block,
                                                                        const double *const *heard, double *const *put,
                                                                        uint32_t degree, size_t p, ek_flow *flow,
                                                                        ek_pair_mask *parcels)
{
    const ek_pair nothing = {0.0, 0.0};
    double announced[EK_VICINITY_PORTS];
    struct ek_view view = ek_block_view(block, (uint32_t)p);
    double out = 0.0;
    view.announced = announced;
    for (unsigned port = 0; port < degree; port += 2) {
        bool both = port + 1 < degree;
        announced[port] = heard[port][p];
        announced[port + 1] = both ? heard[port + 1][p] : view.load;
        ek_pair amount = {flow(&view, port), flow(&view, port + 1)};
        ek_pair_mask some = amount > nothing;
        amount = (ek_pair)((ek_pair_mask)amount & some);
        for (unsigned i = 0; i < 1u + both; i++) {
            put[port + i][p] = amount[i];
            if (block->sent) {
                block->sent[block->first[p] + port + i] += amount[i];
            }
            out += amount[i];
        }
        *parcels -= some;
    }
    block->held[p] -= out;
    block->moved[p] += out;
}

// Parcels as they are counted.
struct ek_parcels {
    ek_lanes_mask lanes;
    ek_pair_mask lone;
};

// Goes over the processors begin..end-1, which have the same vicinity, of a degree that the compiler knows.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_stretch(struct ek_block *block,
                                                                           const struct ek_vicinity *vicinity,
                                                                           size_t begin, size_t end, uint32_t degree,
                                                                           ek_flow *flow, struct ek_parcels *parcels)
{
    const ek_lanes_mask all = {-1, -1, -1, -1};
    const double *heard[EK_VICINITY_PORTS];
    double *put[EK_VICINITY_PORTS];
    size_t p = begin;
    for (unsigned port = 0; port < degree; port++) {
        heard[port] = block->seen + vicinity->neighbour[port];
        put[port] = block->parcel + vicinity->put[port] * block->plane;
    }
    if (end - begin >= EK_LONG && (end - begin) % EK_LANES > 0) {
        size_t rest = (end - begin) % EK_LANES;
        ek_block_lanes(block, heard, put, degree, end - EK_LANES, ek_lanes_last(rest), flow, &parcels->lanes);
        end -= rest;
    }
    for (; p + EK_LANES <= end; p += EK_LANES) {
        ek_block_lanes(block, heard, put, degree, p, all, flow, &parcels->lanes);
    }
    for (; p < end; p++) {
        ek_block_lone(block, heard, put, degree, p, flow, &parcels->lone);
    }
}

static inline __attribute__((always_inline)) EK_WIDE void ek_block_stretches(struct ek_block *block, ek_flow *flow)
{
    const struct ek_stretch *stretch = block->stretch;
    struct ek_parcels parcels = {{0, 0, 0, 0}, {0, 0}};
    for (uint32_t p = block->begin, end; p < block->end; p = end, stretch++) {
        const struct ek_vicinity *vicinity = &block->vicinity[stretch->vicinity];
        end = stretch[1].begin < block->end ? stretch[1].begin : block->end;
        switch (vicinity->degree) {
        case 2:
            ek_block_stretch(block, vicinity, p, end, 2, flow, &parcels);
            break;
        case 4:
            ek_block_stretch(block, vicinity, p, end, 4, flow, &parcels);
            break;
        case 6:
            ek_block_stretch(block, vicinity, p, end, 6, flow, &parcels);
            break;
        default:
            ek_block_stretch(block, vicinity, p, end, vicinity->degree, flow, &parcels);
        }
    }
    block->parcels += (uint64_t)(parcels.lanes[0] + parcels.lanes[1] + parcels.lanes[2] + parcels.lanes[3]);
    block->parcels += (uint64_t)(parcels.lone[0] + parcels.lone[1]);
}

// The loop of a mutual rule where parcels lie in planes: stretches four processors at a time. Loads are real and read
// where they lie, all invoke, and links have no limit.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_wide(struct ek_block *given, ek_flow *flow)
{
    struct ek_block block = *given;
    struct ek_plan plan = *given->plan; // nothing changes it meanwhile, and the compiler knows it
    block.plan = &plan;
    block.announced = block.native = NULL;
    block.invokes = NULL;
    block.limit = INFINITY;
    block.regular = 0;
    if (block.sent) {
        ek_block_stretches(&block, flow);
    } else {
        block.sent = NULL;
        ek_block_stretches(&block, flow);
    }
    given->parcels = block.parcels;
}

#endif
