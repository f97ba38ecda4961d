// SPDX-License-Identifier: MIT
// The loop of a mutual rule over all links of a grid of any number of dimensions, with vector instructions. The links
// are computed, one bundle after another (topologies/rows.h). As in the loop over uniform runs, parcels are not stored;
// the amounts sent so far lie in planes (topo_plane). A part of the block that fits the caches goes through all bundles
// before the next one does: first with what it sends, then with what it receives.
//
// The bundles follow one another as the ports of a row do. So amounts are added in the order of ports.
#ifndef CORE_METHODS_KERNELS_BUNDLED_H
#define CORE_METHODS_KERNELS_BUNDLED_H

#include "core/methods/kernels/wide.h"
#include "topologies/rows.h"

enum { CORE_BUNDLED_PART = 512 }; // processors

// A range of successive processors that have a port in a bundle.
struct core_bundled {
    size_t begin, end;
};

// Returns the part from p on of the range of p's period. It ends at `last` at the latest, and is empty if it would end
// before p.
static inline struct core_bundled core_bundled_at(const struct topo_bundle *bundle, size_t p, size_t last)
{
    size_t row = p - p % bundle->period;
    size_t begin = row + bundle->begin, end = row + bundle->end;
    return (struct core_bundled){begin > p ? begin : p, end < last ? end : last};
}

static inline struct core_bundled core_bundled_next(const struct topo_bundle *bundle, struct core_bundled range,
                                                    size_t last)
{
    size_t begin = range.end + bundle->period - (bundle->end - bundle->begin), end = range.end + bundle->period;
    return (struct core_bundled){begin, end < last ? end : last};
}

static inline __attribute__((always_inline)) EK_WIDE void
core_bundled_send_four(struct ek_block *block, const struct topo_bundle *bundle, size_t p, double *out,
                       struct ek_rule_lanes rule, struct ek_found *found)
{
    ek_lanes other = ek_lanes_at(block->level + (ptrdiff_t)p + bundle->apart);
    ek_lanes amount = ek_wide_sent(block, 0, ek_lanes_at(block->level + p), other, rule);
    found->parcels += ek_wide_parcels(amount);
    ek_lanes_put(out, ek_lanes_at(out) + amount);
    if (block->sent) {
        double *sent = block->sent + bundle->plane * block->plane + p;
        ek_lanes_put(sent, ek_lanes_at(sent) + amount);
    }
}

static inline __attribute__((always_inline)) EK_WIDE void core_bundled_send_one(struct ek_block *block,
                                                                                const struct topo_bundle *bundle,
                                                                                size_t p, double *out,
                                                                                struct ek_rule_lanes rule)
{
    const double *level = block->level + p;
    double amount = ek_wide_sent_by_one(block, level[0], level[bundle->apart], rule);
    *out += amount;
    block->parcels += amount > 0.0;
    if (block->sent) {
        block->sent[bundle->plane * block->plane + p] += amount;
    }
}

// Adds the amounts that the processors begin..end-1 send over a bundle to `out`, which begins with the first of them.
static inline __attribute__((always_inline)) EK_WIDE void
core_bundled_send(struct ek_block *block, const struct topo_bundle *bundle, size_t begin, size_t end, double *out,
                  struct ek_rule_lanes rule, struct ek_found *found)
{
    struct core_bundled range = core_bundled_at(bundle, begin, end);
    for (; range.begin < end; range = core_bundled_next(bundle, range, end)) {
        size_t p = range.begin;
        for (; p + EK_LANES <= range.end; p += EK_LANES) {
            core_bundled_send_four(block, bundle, p, out + (p - begin), rule, found);
        }
        for (; p < range.end; p++) {
            core_bundled_send_one(block, bundle, p, out + (p - begin), rule);
        }
    }
}

// Adds the amounts that the processors begin..end-1 receive over a bundle to their next loads.
static inline __attribute__((always_inline)) EK_WIDE void core_bundled_receive(struct ek_block *block,
                                                                               const struct topo_bundle *bundle,
                                                                               size_t begin, size_t end,
                                                                               struct ek_rule_lanes rule)
{
    struct core_bundled range = core_bundled_at(bundle, begin, end);
    for (; range.begin < end; range = core_bundled_next(bundle, range, end)) {
        size_t p = range.begin;
        for (; p + EK_LANES <= range.end; p += EK_LANES) {
            ek_lanes other = ek_lanes_at(block->level + (ptrdiff_t)p + bundle->apart);
            ek_lanes amount = ek_wide_sent(block, 0, other, ek_lanes_at(block->level + p), rule);
            ek_lanes_put(block->next + p, ek_lanes_at(block->next + p) + amount);
        }
        for (; p < range.end; p++) {
            const double *level = block->level + p;
            block->next[p] += ek_wide_sent_by_one(block, level[bundle->apart], level[0], rule);
        }
    }
}

static inline __attribute__((always_inline)) EK_WIDE void
core_bundled_part(struct ek_block *block, size_t begin, size_t end, struct ek_rule_lanes rule, struct ek_found *found)
{
    double out[CORE_BUNDLED_PART] = {0.0};
    const struct topo_bundle *bundle_end = block->bundle + block->bundles;
    for (const struct topo_bundle *bundle = block->bundle; bundle < bundle_end; bundle++) {
        core_bundled_send(block, bundle, begin, end, out, rule, found);
    }
    for (size_t p = begin; p < end; p++) {
        block->next[p] = block->level[p] - out[p - begin];
        block->moved[p] += out[p - begin];
        ek_wide_keep_one(block, p, block->next[p]);
    }
    for (const struct topo_bundle *bundle = block->bundle; bundle < bundle_end; bundle++) {
        core_bundled_receive(block, bundle, begin, end, rule);
    }
    for (size_t p = begin; p < end; p++) {
        block->lowest = block->next[p] < block->lowest ? block->next[p] : block->lowest;
    }
}

// Runs the loop of a mutual rule. Loads must be readable in place, all processors must invoke, and links must
// carry any amount.
static inline __attribute__((always_inline)) EK_WIDE void core_block_bundled(struct ek_block *given,
                                                                             struct ek_rule_lanes rule)
{
    struct ek_block block = *given;
    struct ek_plan plan = *given->plan; // a local copy: the compiler knows that no store changes it
    struct ek_found found = ek_found_of(&block);
    block.plan = &plan;
    block.native = rule.lanes ? block.native : NULL;
    for (size_t p = block.begin, end; p < block.end; p = end) {
        end = p + CORE_BUNDLED_PART < block.end ? p + CORE_BUNDLED_PART : block.end;
        core_bundled_part(&block, p, end, rule, &found);
    }
    ek_block_found(&block, &found);
    given->parcels = block.parcels;
    given->lowest = block.lowest;
}

#endif
