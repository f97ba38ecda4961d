// SPDX-License-Identifier: MIT
// Assertions. `assert` stays on in release builds: use it for checks that take constant time and are outside inner
// loops. Use BASE_DEBUG_ASSERT for all other checks: it is on in every build except release builds.
#ifndef BASE_DEBUG_H
#define BASE_DEBUG_H

#include <assert.h>

#ifdef BASE_DEBUG
#define BASE_DEBUG_ASSERT(condition) assert(condition)
#else
#define BASE_DEBUG_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0)) // not evaluated
#endif

#endif
