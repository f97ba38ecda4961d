// SPDX-License-Identifier: MIT
// Stragglers: processors that are slower than the others in free timing.
#ifndef CORE_AXES_SLOW_H
#define CORE_AXES_SLOW_H

#include "core/axes/load.h"

enum { CORE_SLOW_MAX = 1000000 };

// Parses none or P:FACTOR,P:FACTOR,... `*factor` becomes an array [processors] that the caller frees: how many times
// slower each processor is, 1 if it is not listed. It becomes NULL for none. Returns false with `error` filled if the
// spec is wrong.
bool core_slow_parse(const char *spec, uint32_t processors, uint32_t **factor, struct ek_error *error);

// Returns stragglers as a list shows them, or NULL past the last.
const struct ek_choice *core_slow_choice(size_t index);

#endif
