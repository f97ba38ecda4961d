// SPDX-License-Identifier: MIT
// Distributions of costs or weights: whole numbers of at least 1, if the caller replaces a draw of 0 by 1.
#ifndef CORE_AXES_COSTS_H
#define CORE_AXES_COSTS_H

#include "base/cursor.h"
#include "core/axes/load.h"

#define CORE_COST_MOST_DRAWN INT32_MAX

// Reads constant:V, uniform:LOW:HIGH, modulo:A:M, normal:M:SD or exponential:M. Every draw (core_load_draw_one) is at
// most CORE_COST_MOST_DRAWN. `what` is drawn: a "cost" or a "weight", for errors.
bool core_costs_read(struct core_load *costs, struct base_cursor *cursor, const char *what);

#endif
