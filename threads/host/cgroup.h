// SPDX-License-Identifier: MIT
// Control groups: what the one that this process is in, and each above it, lets it have.
#ifndef THREADS_HOST_CGROUP_H
#define THREADS_HOST_CGROUP_H

// Is given a group's folder, and the version of control groups, 1 or 2, by which its files are named.
typedef void host_cgroup_look(const char *folder, unsigned version, void *context);

// Calls `look` with the folder of this process' group for a controller ("cpu", "pids"), and of each group above it,
// whose bounds hold too. A folder may not be there: a container need not see the groups that it is in. `root` is "", or
// where a test has a system of its own.
void host_cgroup_each(const char *root, const char *controller, host_cgroup_look *look, void *context);

// The cores' worth of time that the process may take (as 1.5); INFINITY where there is no quota.
double host_cgroup_cores(const char *root);

#endif
