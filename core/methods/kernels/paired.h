// SPDX-License-Identifier: MIT
// The loop of a mutual rule over the links of one colour of a grid, with vector instructions. The links are computed
// (topologies/rows.h). As in the loop over uniform runs, parcels are not stored; the amounts sent over the links so far
// lie in planes (topo_plane).
//
// A *stretch* is a range of processors whose partners have the same distance. If the stride of the dimension is 1 or 2,
// a stretch would be shorter than a vector. There it is a range of whole pairs in which both ends of a link lie in the
// same vector: the stretch *crosses*.
#ifndef CORE_METHODS_KERNELS_PAIRED_H
#define CORE_METHODS_KERNELS_PAIRED_H

#include "core/methods/kernels/wide.h"
#include "topologies/rows.h"

struct core_stretch {
    size_t begin, end;
    ptrdiff_t apart; // the distance of the partners; of the lower ends, if the stretch crosses
    bool crosses;
    unsigned plane; // of the ports, counted from the pairing's plane; if the stretch crosses, of the lower ends
};

// A walk over the stretches of a block, in the order of processors. Processors without a partner are left out.
struct core_stretches {
    size_t at, end;        // from at..end-1 the walk is still to go
    size_t stride;         // the pairing's
    size_t inner, x, side; // the place of `at` among the processors of its position, and the position
    size_t pair_from;
    bool wraps, two_planes;
};

static inline struct core_stretches core_stretches_of(const struct topo_pairing *pairing, uint32_t begin, uint32_t end)
{
    // If no position is left alone, the pairs of all rows follow one another as those of a single row.
    bool endless = pairing->pair_from == 0 && pairing->side % 2 == 0;
    size_t side = endless ? (size_t)1 << 31 : pairing->side; // more positions than there are
    return (struct core_stretches){.at = begin,
                                   .end = end,
                                   .stride = pairing->stride,
                                   .inner = begin % pairing->stride,
                                   .x = begin / pairing->stride % side,
                                   .side = side,
                                   .pair_from = pairing->pair_from,
                                   .wraps = pairing->wraps,
                                   .two_planes = pairing->side > 2};
}

// Moves on by `count` processors, which end at the end of a position or of the block.
static inline void core_stretches_skip(struct core_stretches *walk, size_t count)
{
    walk->at += count;
    walk->x += (walk->inner + count) / walk->stride;
    walk->inner = 0;
    walk->x = walk->x == walk->side ? 0 : walk->x;
}

// Returns how many processors, in whole vectors, lie in pairs from here on in this row, if such a stretch can begin.
static inline size_t core_stretches_crossing(const struct core_stretches *walk)
{
    size_t pairs = (walk->side - walk->x) / 2;
    size_t left = walk->end - walk->at;
    size_t most = pairs < left ? 2 * pairs * walk->stride : left;
    return walk->stride <= EK_LANES / 2 && walk->inner == 0 ? (most < left ? most : left) / EK_LANES * EK_LANES : 0;
}

// Finds the next stretch. Returns false if there is none.
static inline bool core_stretches_next(struct core_stretches *walk, struct core_stretch *stretch)
{
    while (walk->at < walk->end) {
        bool lower = walk->x >= walk->pair_from && (walk->x - walk->pair_from) % 2 == 0 && walk->x + 1 < walk->side;
        bool upper = walk->x > walk->pair_from && (walk->x - walk->pair_from) % 2 == 1;
        bool first = walk->wraps && walk->x == 0, last = walk->wraps && walk->x + 1 == walk->side;
        ptrdiff_t stride = (ptrdiff_t)walk->stride, around = stride * (ptrdiff_t)(walk->side - 1);
        size_t crossing = lower ? core_stretches_crossing(walk) : 0;
        size_t left = walk->end - walk->at, row = walk->stride - walk->inner;
        size_t count = crossing > 0 ? crossing : row < left ? row : left;
        *stretch = (struct core_stretch){.begin = walk->at,
                                         .end = walk->at + count,
                                         .apart = lower   ? stride
                                                  : upper ? -stride
                                                  : first ? around
                                                          : -around,
                                         .crosses = crossing > 0,
                                         .plane = walk->two_planes && !lower && (upper || first)};
        core_stretches_skip(walk, count);
        if (lower || upper || first || last) {
            return true;
        }
    }
    return false;
}

// Returns the lanes of the partners: of vectors in which the partner of each lane is `stride` lanes away.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes core_lanes_crossed(ek_lanes own, ptrdiff_t stride)
{
    const ek_lanes next = {own[1], own[0], own[3], own[2]}, second = {own[2], own[3], own[0], own[1]};
    return stride == 1 ? next : second;
}

// Adds amounts to those sent over the links. In a crossing stretch some lanes are lower ends and some upper ends.
static inline __attribute__((always_inline)) EK_WIDE void
core_paired_count(const struct ek_block *block, const struct core_stretch *stretch, size_t p, ek_lanes amount)
{
    double *sent = block->sent + (block->pairing->plane + stretch->plane) * block->plane + p;
    if (!stretch->crosses || block->pairing->side == 2) {
        ek_lanes_put(sent, ek_lanes_at(sent) + amount);
        return;
    }
    const ek_lanes_mask next = {-1, 0, -1, 0}, second = {-1, -1, 0, 0};
    ek_lanes_mask low = stretch->apart == 1 ? next : second;
    ek_lanes_put(sent, ek_lanes_at(sent) + ek_lanes_if(low, amount));
    sent += block->plane;
    ek_lanes_put(sent, ek_lanes_at(sent) + ek_lanes_if(~low, amount));
}

static inline __attribute__((always_inline)) EK_WIDE void core_paired_four(struct ek_block *block,
                                                                           const struct core_stretch *stretch, size_t p,
                                                                           struct ek_rule_lanes rule,
                                                                           struct ek_found *found)
{
    ek_lanes own = ek_lanes_at(block->level + p);
    ek_lanes other = stretch->crosses ? core_lanes_crossed(own, stretch->apart)
                                      : ek_lanes_at(block->level + (ptrdiff_t)p + stretch->apart);
    ek_lanes amount = ek_wide_sent(block, 0, own, other, rule);
    ek_lanes left = own - amount;
    ek_lanes next = left + ek_wide_sent(block, 0, other, own, rule);
    found->parcels += ek_wide_parcels(amount);
    found->lowest = ek_lanes_lower(next, found->lowest);
    ek_lanes_put(block->next + p, next);
    ek_lanes_put(block->moved + p, ek_lanes_at(block->moved + p) + amount);
    ek_wide_keep(block, p, left);
    if (block->sent) {
        core_paired_count(block, stretch, p, amount);
    }
}

static inline __attribute__((always_inline)) EK_WIDE void
core_paired_one(struct ek_block *block, const struct core_stretch *stretch, size_t p, struct ek_rule_lanes rule)
{
    const double *level = block->level + p;
    double amount = ek_wide_sent_by_one(block, level[0], level[stretch->apart], rule);
    double left = level[0] - amount;
    double next = left + ek_wide_sent_by_one(block, level[stretch->apart], level[0], rule);
    block->next[p] = next;
    block->lowest = next < block->lowest ? next : block->lowest;
    block->moved[p] += amount;
    ek_wide_keep_one(block, p, left);
    block->parcels += amount > 0.0;
    if (block->sent) {
        block->sent[(block->pairing->plane + stretch->plane) * block->plane + p] += amount;
    }
}

// Copies the loads of processors without a partner to the next loads.
static inline void core_paired_keep(struct ek_block *block, size_t begin, size_t end)
{
    memcpy(block->next + begin, block->level + begin, (end - begin) * sizeof *block->next);
}

static inline __attribute__((always_inline)) EK_WIDE void core_paired_stretches(struct ek_block *block,
                                                                                struct ek_rule_lanes rule)
{
    struct core_stretches walk = core_stretches_of(block->pairing, block->begin, block->end);
    struct core_stretch stretch;
    size_t kept = block->begin; // the first processor that has no next load yet
    struct ek_found found = ek_found_of(block);
    while (core_stretches_next(&walk, &stretch)) {
        size_t p = stretch.begin;
        core_paired_keep(block, kept, p);
        kept = stretch.end;
        for (; p + EK_LANES <= stretch.end; p += EK_LANES) {
            core_paired_four(block, &stretch, p, rule, &found);
        }
        for (; p < stretch.end; p++) {
            core_paired_one(block, &stretch, p, rule);
        }
        block->announcements += stretch.end - stretch.begin;
    }
    core_paired_keep(block, kept, block->end);
    ek_block_found(block, &found);
}

// Runs the loop of a mutual rule. Loads must be readable in place, all processors must invoke, and links must
// carry any amount. Also counts the announcements: every partner has announced its load.
static inline __attribute__((always_inline)) EK_WIDE void core_block_paired(struct ek_block *given,
                                                                            struct ek_rule_lanes rule)
{
    struct ek_block block = *given;
    struct ek_plan plan = *given->plan; // local copies: the compiler knows that no store changes them
    struct topo_pairing pairing = *given->pairing;
    block.plan = &plan;
    block.native = rule.lanes ? block.native : NULL;
    block.pairing = &pairing;
    if (block.sent) {
        core_paired_stretches(&block, rule);
    } else {
        block.sent = NULL;
        core_paired_stretches(&block, rule);
    }
    given->parcels = block.parcels;
    given->lowest = block.lowest;
    given->announcements = block.announcements;
}

#endif
