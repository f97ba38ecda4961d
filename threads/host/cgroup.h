// SPDX-License-Identifier: MIT
// Control groups: the limits that Linux sets for the group of this process and for the groups above it.
#ifndef THREADS_HOST_CGROUP_H
#define THREADS_HOST_CGROUP_H

// Receives a group's folder, and the version of control groups, 1 or 2. The names of the files in the folder depend on
// the version.
typedef void host_cgroup_visit(const char *folder, unsigned version, void *context);

// Calls `visit` with the folder of this process' group for a controller ("cpu", "pids"), and with the folder of each
// group above it, because their limits hold too. A folder may be absent: a container may hide the groups that it is in.
// `root` is "", or in tests a folder that stands for /.
void host_cgroup_each(const char *root, const char *controller, host_cgroup_visit *visit, void *context);

// Returns the CPU quota of the process in cores (such as 1.5), or INFINITY if there is no quota.
double host_cgroup_cores(const char *root);

#endif
