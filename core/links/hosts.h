// SPDX-License-Identifier: MIT
// Parallel machines whose costs are published: the values of the axis `host`. A host sets the default of each cost that
// is a time.
#ifndef CORE_LINKS_HOSTS_H
#define CORE_LINKS_HOSTS_H

#include "core/links/costs.h"

struct core_host {
    struct ek_choice choice;
    const char *cost[CORE_COSTS]; // as specs of the axes; NULL for the numbers of bytes
};

// Returns the host with this name, or NULL and `error`. `name` is the spec of the axis.
const struct core_host *core_host_read(const char *axis, const char *name, struct ek_error *error);

// Returns a host as a list shows it, or NULL past the last. The first is the default.
const struct ek_choice *core_host_choice(size_t index);

#endif
