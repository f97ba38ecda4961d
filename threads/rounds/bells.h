// SPDX-License-Identifier: MIT
// Bells, one for each processor. A rung bell marks a processor that has received something, so that the machine need
// not look at all of them.
//
//   call             caller                       concurrent with
//   ring             any worker                   ring; answer for other processors
//   answer           the processors' worker       ring for other processors: the barrier lies between
//   look             a serial section             nothing
//   plan             the owner of the run         nothing
#ifndef THREADS_ROUNDS_BELLS_H
#define THREADS_ROUNDS_BELLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

// One bit for each processor.
struct rounds_bells {
    atomic_uint_least64_t *rung; // NULL: no bells
};

// Plans the memory of bells for a number of processors.
void rounds_bells_plan(struct rounds_bells *bells, uint32_t processors, struct base_arena *memory);

enum { ROUNDS_BELLS_BITS = 64 };

// Rings p's bell. The bit is read first: most bells that are rung have been rung before, and the atomic operation is
// the expensive part.
static inline void rounds_bells_ring(struct rounds_bells *bells, uint32_t p)
{
    atomic_uint_least64_t *word = &bells->rung[p / ROUNDS_BELLS_BITS];
    uint64_t bit = UINT64_C(1) << p % ROUNDS_BELLS_BITS;
    if (!(atomic_load_explicit(word, memory_order_relaxed) & bit)) {
        atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
    }
}

// Writes the processors whose bells were rung, in either set, to `found`, ascending, and returns their number. Their
// bells stay rung. `more` may be NULL.
uint32_t rounds_bells_list(const struct rounds_bells *bells, const struct rounds_bells *more, uint32_t processors,
                           uint32_t *found);

// Writes the processors of begin..end-1 whose bells were rung to `found`, ascending, silences their bells, and returns
// their number.
uint32_t rounds_bells_answer(struct rounds_bells *bells, uint32_t begin, uint32_t end, uint32_t *found);

#endif
