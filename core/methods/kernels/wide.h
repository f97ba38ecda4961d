// SPDX-License-Identifier: MIT
// The loop of a mutual rule along stretches: processors whose neighbours lie alike, four at a time; installed as
// <evenkeel/wide.h>. What a method sets `block_wide` to is a function that is EK_WIDE and does nothing but call
// ek_block_wide with the rule. The machine calls it where that pays, on a processor that has AVX2 (threads/rounds/
// planes.c). It computes the same amounts as ek_block_flows and adds them in the same order: the same bits.
#ifndef EK_WIDE_H
#define EK_WIDE_H

#include "core/methods/kernels/block.h"

// Four amounts at once, in a function that is EK_WIDE: where the processor that runs it has AVX2.
enum { EK_LANES = 4 };
typedef double ek_lanes __attribute__((vector_size(EK_LANES * sizeof(double))));
typedef double ek_lanes_anywhere
    __attribute__((vector_size(EK_LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t ek_lanes_mask __attribute__((vector_size(EK_LANES * sizeof(double))));

#if defined __x86_64__
#define EK_WIDE __attribute__((target("avx2")))
#else
#define EK_WIDE
#endif

// A loop over ports or lanes whose number the compiler knows; else what it indexes goes through memory.
#define EK_UNROLL _Pragma("GCC unroll 6")

// What lies around a processor, by port. Counted from its own place: its neighbour in an array by processor, and what
// it finds in parcels that lie in planes, each an array by processor. And the plane in which it puts its own. Who has
// fewer ports than others has a mirror in place of each that is missing: it hears itself there, so that nothing goes
// out, puts that in a plane that it does not need, and finds it again.
enum { EK_VICINITY_PORTS = 6 };

struct ek_vicinity {
    int32_t neighbour[EK_VICINITY_PORTS];
    int32_t found[EK_VICINITY_PORTS];
    uint8_t put[EK_VICINITY_PORTS];
    uint16_t degree; // without mirrors; fills the struct: two are compared byte by byte
};

// The processors from `begin` to the next stretch's: every four of them, one for each lane, lie like the first four.
// Fours begin with processor EK_LANES_FIRST: most rows are a multiple of four long, and both their ends, which lie
// otherwise, are then among the same four.
enum { EK_LANE_BITS = 5, EK_LANES_BITS = EK_LANES * EK_LANE_BITS, EK_LANES_FIRST = EK_LANES / 2 };

struct ek_uniform_run {
    uint32_t begin;
    uint32_t lanes : EK_LANES_BITS; // which vicinity each lane has
    uint32_t usual : 2;             // a lane whose vicinity most have
    uint32_t odd : EK_LANES;        // the lanes that have another
};

// The lane of a processor.
static inline unsigned ek_lane(size_t p)
{
    return (unsigned)((p + EK_LANES - EK_LANES_FIRST) % EK_LANES);
}

// Which vicinity a lane has, and that.
static inline uint32_t ek_uniform_run_lane(const struct ek_uniform_run *run, unsigned lane)
{
    return run->lanes >> lane * EK_LANE_BITS & ((1u << EK_LANE_BITS) - 1);
}

static inline __attribute__((always_inline)) const struct ek_vicinity *
ek_uniform_run_vicinity(const struct ek_vicinity *vicinity, const struct ek_uniform_run *run, unsigned lane)
{
    return &vicinity[ek_uniform_run_lane(run, lane)];
}

static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_at(const double *from)
{
    return *(const ek_lanes_anywhere *)from;
}

static inline __attribute__((always_inline)) EK_WIDE void ek_lanes_put(double *to, ek_lanes lanes)
{
    *(ek_lanes_anywhere *)to = lanes;
}

// A value in one lane, among others.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_with(ek_lanes lanes, unsigned lane, double value)
{
    const ek_lanes_mask number = {0, 1, 2, 3};
    ek_lanes_mask here = number == (int64_t)lane;
    ek_lanes all = {value, value, value, value};
    return (ek_lanes)(((ek_lanes_mask)all & here) | ((ek_lanes_mask)lanes & ~here));
}

// Where a block's whole lanes begin and end.
struct ek_whole {
    size_t begin, end;
};

static inline __attribute__((always_inline)) struct ek_whole ek_whole_of(size_t begin, size_t end)
{
    size_t before = ek_lane(begin) > 0 ? EK_LANES - ek_lane(begin) : 0;
    struct ek_whole whole = {begin + before, end - ek_lane(end)};
    if (whole.begin > end) { // the block lies within four lanes
        whole.begin = whole.end = end;
    }
    return whole;
}

// The stretch that a processor is in, which is that one or behind it.
static inline __attribute__((always_inline)) const struct ek_uniform_run *
ek_uniform_run_at(const struct ek_uniform_run *run, size_t p)
{
    while (run[1].begin <= p) {
        run++;
    }
    return run;
}

// Asks a mutual rule about one port of as many processors as there are lanes.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_block_apply(struct ek_view view, unsigned port,
                                                                             ek_lanes own, ek_lanes other,
                                                                             ek_flow *flow)
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

// What of an amount is sent, which is counted.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_block_positive(ek_lanes amount, ek_lanes_mask *parcels)
{
    const ek_lanes nothing = {0.0, 0.0, 0.0, 0.0};
    ek_lanes_mask some = amount > nothing;
    *parcels -= some;
    return (ek_lanes)((ek_lanes_mask)amount & some);
}

// Counts what one of four processors sends, if flows are asked for: most have no mirrors.
static inline __attribute__((always_inline)) EK_WIDE void
ek_block_count(struct ek_block *block, size_t p, const ek_lanes *amount, unsigned lane, unsigned degree, unsigned ports)
{
    double *sent = block->sent ? block->sent + block->first[p + lane] : NULL;
    if (sent && degree == ports) {
        EK_UNROLL
        for (unsigned port = 0; port < ports; port++) {
            sent[port] += amount[port][lane];
        }
    } else if (sent) {
        for (unsigned port = 0; port < degree; port++) {
            sent[port] += amount[port][lane];
        }
    }
}

// Where each port of a vicinity hears and puts, for processor 0.
struct ek_ways {
    const double *heard[EK_VICINITY_PORTS];
    double *put[EK_VICINITY_PORTS];
};

static inline __attribute__((always_inline)) EK_WIDE struct ek_ways
ek_ways_of(const struct ek_block *block, const struct ek_vicinity *vicinity, unsigned ports)
{
    struct ek_ways ways;
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        ways.heard[port] = block->level + vicinity->neighbour[port];
        ways.put[port] = block->parcel + vicinity->put[port] * block->plane;
    }
    return ways;
}

// Goes over the processors p .. p + EK_LANES - 1, which have heard that. Sets what they send, and debits them.
static inline __attribute__((always_inline)) EK_WIDE void
ek_block_four(struct ek_block *block, const struct ek_ways *ways, size_t p, const ek_lanes *heard, unsigned ports,
              ek_flow *flow, ek_lanes *amount, ek_lanes_mask *parcels)
{
    struct ek_view view = ek_block_view(block, (uint32_t)p);
    ek_lanes own = ek_lanes_at(block->level + p);
    ek_lanes out = {0.0, 0.0, 0.0, 0.0};
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        amount[port] = ek_block_positive(ek_block_apply(view, port, own, heard[port], flow), parcels);
        ek_lanes_put(ways->put[port] + p, amount[port]);
        out += amount[port];
    }
    ek_lanes_put(block->held + p, ek_lanes_at(block->held + p) - out);
    ek_lanes_put(block->moved + p, ek_lanes_at(block->moved + p) + out);
}

// Goes over the processors begin..end-1, whole lanes, which have the same vicinity. The compiler knows `ports`.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_alike(struct ek_block *block,
                                                                         const struct ek_vicinity *vicinity,
                                                                         size_t begin, size_t end, unsigned ports,
                                                                         ek_flow *flow, ek_lanes_mask *parcels)
{
    struct ek_ways ways = ek_ways_of(block, vicinity, ports);
    unsigned degree = vicinity->degree;
    for (size_t p = begin; p < end; p += EK_LANES) {
        ek_lanes heard[EK_VICINITY_PORTS], amount[EK_VICINITY_PORTS];
        EK_UNROLL
        for (unsigned port = 0; port < ports; port++) {
            heard[port] = ek_lanes_at(ways.heard[port] + p);
        }
        ek_block_four(block, &ways, p, heard, ports, flow, amount, parcels);
        EK_UNROLL
        for (unsigned lane = 0; lane < EK_LANES; lane++) {
            ek_block_count(block, p, amount, lane, degree, ports);
        }
    }
}

// What processor p, of that vicinity, hears takes its place among what its lane's neighbours hear.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_hear_odd(const struct ek_block *block,
                                                                            const struct ek_vicinity *odd, size_t p,
                                                                            unsigned ports, ek_lanes *heard)
{
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        heard[port] = ek_lanes_with(heard[port], ek_lane(p), block->level[(ptrdiff_t)p + odd->neighbour[port]]);
    }
}

// What it has put where its lane's neighbours put theirs is put where it belongs, in the same planes all in all.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_put_odd(struct ek_block *block,
                                                                           const struct ek_ways *ways,
                                                                           const struct ek_vicinity *odd, size_t p,
                                                                           unsigned ports)
{
    double amount[EK_VICINITY_PORTS];
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        amount[port] = ways->put[port][p];
    }
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        block->parcel[odd->put[port] * block->plane + p] = amount[port];
    }
}

// The same where some lanes have vicinities of their own.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_mixed(struct ek_block *block,
                                                                         const struct ek_uniform_run *run, size_t begin,
                                                                         size_t end, unsigned ports, ek_flow *flow,
                                                                         ek_lanes_mask *parcels)
{
    struct ek_ways ways = ek_ways_of(block, ek_uniform_run_vicinity(block->vicinity, run, run->usual), ports);
    for (size_t p = begin; p < end; p += EK_LANES) {
        ek_lanes heard[EK_VICINITY_PORTS], amount[EK_VICINITY_PORTS];
        EK_UNROLL
        for (unsigned port = 0; port < ports; port++) {
            heard[port] = ek_lanes_at(ways.heard[port] + p);
        }
        for (uint32_t odd = run->odd; odd; odd &= odd - 1) {
            unsigned lane = (unsigned)__builtin_ctz(odd);
            ek_block_hear_odd(block, ek_uniform_run_vicinity(block->vicinity, run, lane), p + lane, ports, heard);
        }
        ek_block_four(block, &ways, p, heard, ports, flow, amount, parcels);
        for (uint32_t odd = run->odd; odd; odd &= odd - 1) {
            unsigned lane = (unsigned)__builtin_ctz(odd);
            ek_block_put_odd(block, &ways, ek_uniform_run_vicinity(block->vicinity, run, lane), p + lane, ports);
        }
        for (unsigned lane = 0; block->sent && lane < EK_LANES; lane++) {
            unsigned degree = ek_uniform_run_vicinity(block->vicinity, run, lane)->degree;
            ek_block_count(block, p, amount, lane, degree, ports);
        }
    }
}

// Goes over the processors begin..end-1 of a block, too few for all lanes, one by one.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_single(struct ek_block *block, size_t begin,
                                                                          size_t end, ek_flow *flow)
{
    const struct ek_uniform_run *run = block->uniform_run;
    for (size_t p = begin; p < end; p++) {
        run = ek_uniform_run_at(run, p);
        const struct ek_vicinity *vicinity = ek_uniform_run_vicinity(block->vicinity, run, ek_lane(p));
        double announced[EK_VICINITY_PORTS];
        struct ek_view view = ek_block_view(block, (uint32_t)p);
        double out = 0.0;
        view.announced = announced;
        for (unsigned port = 0; port < vicinity->degree; port++) {
            announced[port] = block->level[(ptrdiff_t)p + vicinity->neighbour[port]];
            double amount = flow(&view, port);
            amount = amount > 0.0 ? amount : 0.0;
            block->parcel[vicinity->put[port] * block->plane + p] = amount;
            if (block->sent) {
                block->sent[block->first[p] + port] += amount;
            }
            block->parcels += amount > 0.0;
            out += amount;
        }
        block->held[p] -= out;
        block->moved[p] += out;
    }
}

static inline __attribute__((always_inline)) EK_WIDE void ek_block_uniform_runs(struct ek_block *block, unsigned ports,
                                                                                ek_flow *flow)
{
    struct ek_whole whole = ek_whole_of(block->begin, block->end);
    ek_lanes_mask parcels = {0, 0, 0, 0};
    ek_block_single(block, block->begin, whole.begin, flow);
    const struct ek_uniform_run *run = block->uniform_run;
    for (size_t p = whole.begin, end; p < whole.end; p = end) {
        run = ek_uniform_run_at(run, p);
        end = run[1].begin < whole.end ? run[1].begin : whole.end;
        if (run->odd) {
            ek_block_mixed(block, run, p, end, ports, flow, &parcels);
        } else {
            ek_block_alike(block, ek_uniform_run_vicinity(block->vicinity, run, 0), p, end, ports, flow, &parcels);
        }
    }
    ek_block_single(block, whole.end, block->end, flow);
    block->parcels += (uint64_t)(parcels[0] + parcels[1] + parcels[2] + parcels[3]);
}

static inline __attribute__((always_inline)) EK_WIDE void ek_block_planes(struct ek_block *block, ek_flow *flow)
{
    switch (block->planes) { // the compiler knows how many
    case 2:
        ek_block_uniform_runs(block, 2, flow);
        break;
    case 4:
        ek_block_uniform_runs(block, 4, flow);
        break;
    default:
        ek_block_uniform_runs(block, 6, flow);
    }
}

// The loop of a mutual rule where parcels lie in planes: stretches four processors at a time. Loads are real and read
// where they lie, all invoke, and links carry everything.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_wide(struct ek_block *given, ek_flow *flow)
{
    struct ek_block block = *given;
    struct ek_plan plan = *given->plan; // nothing changes it meanwhile, and the compiler knows it
    block.plan = &plan;
    block.announced = block.native = NULL;
    block.invokes = NULL;
    block.links = NULL;
    block.regular = 0;
    if (block.sent) {
        ek_block_planes(&block, flow);
    } else {
        block.sent = NULL;
        ek_block_planes(&block, flow);
    }
    given->parcels = block.parcels;
}

#endif
