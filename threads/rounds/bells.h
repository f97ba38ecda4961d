// SPDX-License-Identifier: MIT
// Doorbells, one for each processor: how the machine knows whom something has come for, without looking everywhere.
//
//   call             who                          at the same time
//   ring             anybody                      with ring, and with answer for other processors: yes
//   answer           the processors' own worker   with ring for the same processors: no, the barrier lies between
//   look             a serial section             nothing else
//   plan             the owner of the run         nothing else
#ifndef THREADS_ROUNDS_BELLS_H
#define THREADS_ROUNDS_BELLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

// A bit for each processor.
struct rounds_bells {
    atomic_uint_least64_t *rung; // NULL: there are none
};

// Plans the memory of the bells of so many processors.
void rounds_bells_plan(struct rounds_bells *bells, uint32_t processors, struct base_arena *memory);

enum { ROUNDS_BELLS_BITS = 64 };

// A look first: most who are rung are rung more than once, and the locked operation is what costs.
static inline void rounds_bells_ring(struct rounds_bells *bells, uint32_t p)
{
    atomic_uint_least64_t *word = &bells->rung[p / ROUNDS_BELLS_BITS];
    uint64_t bit = UINT64_C(1) << p % ROUNDS_BELLS_BITS;
    if (!(atomic_load_explicit(word, memory_order_relaxed) & bit)) {
        atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
    }
}

// Puts all whose bell was rung into `who`, ascending; their bells go on ringing. Returns how many.
uint32_t rounds_bells_look(const struct rounds_bells *bells, uint32_t processors, uint32_t *who);

// Puts those of begin..end-1 whose bell was rung into `who`, ascending, and silences their bells. Returns how many.
uint32_t rounds_bells_answer(struct rounds_bells *bells, uint32_t begin, uint32_t end, uint32_t *who);

#endif
