// SPDX-License-Identifier: MIT
// Vectors of four amounts, for loops with AVX2; installed as <evenkeel/lanes.h>.
#ifndef EK_LANES_H
#define EK_LANES_H

#include <stdbool.h>
#include <stdint.h>

// Four amounts in one vector. Functions that use it are EK_WIDE: they run on CPUs with AVX2 only.
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

// Returns whether functions that are EK_WIDE can run here, and are faster than others.
static inline bool ek_cpu_is_wide(void)
{
#if defined __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

#endif
