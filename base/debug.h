// SPDX-License-Identifier: MIT
// Assertions. `assert` stays on in release builds: use it for cheap checks, of constant time and outside inner loops.
// BASE_DEBUG_ASSERT is for the others: it is on in every build but release.
#ifndef BASE_DEBUG_H
#define BASE_DEBUG_H

#include <assert.h>

#ifdef BASE_DEBUG
#define BASE_DEBUG_ASSERT(condition) assert(condition)
#else
#define BASE_DEBUG_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0)) // not evaluated
#endif

#endif
