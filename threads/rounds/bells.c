// SPDX-License-Identifier: MIT
// Bells in a bitmap. Neighbouring blocks may share a word, so the operations are atomic. They are relaxed, because the
// barrier orders them.
#include "threads/rounds/bells.h"

#include <assert.h>

enum { BITS = ROUNDS_BELLS_BITS };

void rounds_bells_plan(struct rounds_bells *bells, uint32_t processors, struct base_arena *memory)
{
    base_arena_plan(memory, &bells->rung, processors / BITS + 1u, sizeof *bells->rung);
}

// Returns the bits of the processors begin..end-1 in the word of the processors base..base+63.
static uint64_t bits_between(uint32_t base, uint32_t begin, uint32_t end)
{
    uint64_t from = begin > base ? UINT64_MAX << (begin - base) : UINT64_MAX;
    uint64_t below = end - base < BITS ? ~(UINT64_MAX << (end - base)) : UINT64_MAX;
    return from & below;
}

// Appends the processors whose bits are set in `rung` to the `count` processors in `found`. The lowest bit stands for
// `base`. Returns the new number of processors.
static uint32_t append(uint64_t rung, uint32_t base, uint32_t *found, uint32_t count)
{
    for (uint32_t p = base; rung > 0;) {
        unsigned skip = rung & 1 ? 0 : rung & 0xff ? 1 : 8;
        if (skip == 0) {
            found[count++] = p;
            skip = 1;
        }
        rung >>= skip;
        p += skip;
    }
    return count;
}

uint32_t rounds_bells_list(const struct rounds_bells *bells, const struct rounds_bells *more, uint32_t processors,
                           uint32_t *found)
{
    uint32_t count = 0;
    for (uint32_t base = 0; base < processors; base += BITS) {
        uint64_t rung = atomic_load_explicit(&bells->rung[base / BITS], memory_order_relaxed);
        rung |= more ? atomic_load_explicit(&more->rung[base / BITS], memory_order_relaxed) : 0;
        count = append(rung, base, found, count);
    }
    return count;
}

uint32_t rounds_bells_answer(struct rounds_bells *bells, uint32_t begin, uint32_t end, uint32_t *found)
{
    assert(begin < end);
    uint32_t count = 0;
    for (uint32_t base = begin / BITS * BITS; base < end; base += BITS) {
        atomic_uint_least64_t *word = &bells->rung[base / BITS];
        uint64_t rung = atomic_load_explicit(word, memory_order_relaxed) & bits_between(base, begin, end);
        if (rung > 0) {
            atomic_fetch_and_explicit(word, ~rung, memory_order_relaxed);
            count = append(rung, base, found, count);
        }
    }
    assert(count <= end - begin);
    return count;
}
