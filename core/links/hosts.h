// SPDX-License-Identifier: MIT
// Parallel machines whose costs are published: the values of the axis `host`. A host sets the default of each cost that
// is a time.
#ifndef CORE_LINKS_HOSTS_H
#define CORE_LINKS_HOSTS_H

#include "core/links/costs.h"

struct core_host {
    char cost[CORE_COSTS][CORE_COST_TEXT]; // as specs of the axes; "" for the numbers of bytes
};

// Reads the spec of the axis: the name of a host, or file:PATH with a line for each cost.
bool core_host_read(struct core_host *host, const char *axis, const char *spec, struct ek_reader reader,
                    struct ek_error *error);

// Returns a host as a list shows it, or NULL past the last. The first is the default.
const struct ek_choice *core_host_choice(size_t index);

#endif
