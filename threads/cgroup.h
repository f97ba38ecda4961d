// SPDX-License-Identifier: MIT
// Control groups: what the one that this process is in, and each above it, lets it have.
#ifndef MACHINE_CGROUP_H
#define MACHINE_CGROUP_H

// Calls `look` with the folder of this process' group for a controller ("cpu", "pids"), and of each group above it,
// whose bounds hold too. A folder may not be there: a container need not see the groups that it is in. `root` is "", or
// where a test has a system of its own.
void machine_cgroup_each(const char *root, const char *controller, void (*look)(const char *folder, void *context),
                         void *context);

// The cores' worth of time that the process may take (as 1.5); INFINITY where there is no quota.
double machine_cgroup_cores(const char *root);

#endif
