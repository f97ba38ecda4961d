// SPDX-License-Identifier: MIT
// Counts pairs of operations that overlap. Two operations may overlap at several processors; the pair is counted at the
// lowest of these processors.
#include "core/domains/overlap_pairs.h"

#include <string.h>

// The parts of each operation, in the order of their processors.
struct index {
    const struct core_overlaps *work;
    uint32_t *first; // [operations + 1] by operation: the index of its first part
    uint32_t *part;
};

static void begin(struct index *index, const struct core_overlaps *work, uint32_t *room)
{
    *index = (struct index){.work = work, .first = room, .part = room + work->operations + 1};
    memset(index->first, 0, (work->operations + 1u) * sizeof *index->first);
    for (uint32_t i = 0; i < work->parts; i++) {
        index->first[work->part[i].operation]++;
    }
    uint32_t end = 0;
    for (uint32_t operation = 0; operation <= work->operations; operation++) {
        end += index->first[operation];
        index->first[operation] = end; // for now the end of its parts
    }
    for (uint32_t i = work->parts; i-- > 0;) {
        index->part[--index->first[work->part[i].operation]] = i;
    }
}

// Returns the kind of overlap of two operations whose parts are at one processor at the same time. Returns
// CORE_EFFECT_ALONE if they also overlap at a lower processor.
static enum core_effect_kind kind_of(const struct index *index, const struct core_part *one,
                                     const struct core_part *other)
{
    const struct core_overlaps *work = index->work;
    uint32_t a = one->operation;
    uint32_t b = other->operation;
    uint32_t shared = 0;
    bool adjacent = false;
    for (uint32_t i = index->first[a], j = index->first[b]; i < index->first[a + 1] && j < index->first[b + 1];) {
        const struct core_part *mine = &work->part[index->part[i]];
        const struct core_part *its = &work->part[index->part[j]];
        if (mine->processor == its->processor) {
            uint32_t p = mine->processor;
            if (p < one->processor && mine->begin < its->end && its->begin < mine->end) {
                return CORE_EFFECT_ALONE;
            }
            shared++;
            adjacent = adjacent || p == work->operation[a].invoker || p == work->operation[b].invoker;
        }
        i += mine->processor <= its->processor;
        j += its->processor <= mine->processor;
    }
    return core_overlaps_kind_of_two(adjacent, shared);
}

void core_overlap_pairs_count(const struct core_overlaps *work, uint32_t *room, uint64_t count[CORE_EFFECTS])
{
    struct index index;
    begin(&index, work, room);
    for (uint32_t i = 0; i < work->parts; i++) {
        const struct core_part *one = &work->part[i];
        for (uint32_t j = i + 1; j < work->parts; j++) {
            const struct core_part *other = &work->part[j];
            if (other->processor != one->processor || other->begin >= one->end) {
                break; // parts are sorted by their begins: no later part overlaps
            }
            if (!work->operation[one->operation].missing && !work->operation[other->operation].missing) {
                enum core_effect_kind kind = kind_of(&index, one, other);
                count[kind] += kind != CORE_EFFECT_ALONE;
            }
        }
    }
}
