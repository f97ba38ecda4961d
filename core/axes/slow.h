// SPDX-License-Identifier: MIT
// Stragglers: processors that are slower than the others, in free timing.
#ifndef CORE_AXES_SLOW_H
#define CORE_AXES_SLOW_H

#include "core/axes/load.h"

enum { CORE_SLOW_MAX = 1000000 };

// Parses none or P:FACTOR,P:FACTOR,...: by processor how many times slower it is, 1 where it is not named, in memory
// that the caller frees; NULL for none. False and `error` otherwise.
bool core_slow_parse(const char *spec, uint32_t processors, uint32_t **factor, struct ek_error *error);

// Stragglers as `list` shows them, or NULL past the last.
const struct ek_choice *core_slow_choice(size_t index);

#endif
