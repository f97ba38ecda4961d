// SPDX-License-Identifier: MIT
// Control groups in both versions. Version 1 has a tree of groups for each controller, version 2 has one tree for all.
#include "threads/host/cgroup.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "threads/host/sysfile.h"

enum { PATH_LENGTH = 512, GROUPS_LENGTH = 8192 };

// Returns whether `word` is an element of a comma-separated list.
static bool is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (; *list; list += strcspn(list, ","), list += *list == ',') {
        if (strcspn(list, ",") == length && strncmp(list, word, length) == 0) {
            return true;
        }
    }
    return false;
}

// Calls `visit` for a group and for each group above it, up to the root.
static void climb(const char *base, char *group, unsigned version, host_cgroup_visit *visit, void *context)
{
    char folder[2 * PATH_LENGTH];
    for (;;) {
        snprintf(folder, sizeof folder, "%s%s", base, group);
        visit(folder, version, context);
        char *slash = strrchr(group, '/');
        if (!slash) {
            return;
        }
        *slash = '\0';
    }
}

void host_cgroup_each(const char *root, const char *controller, host_cgroup_visit *visit, void *context)
{
    char text[GROUPS_LENGTH], line[PATH_LENGTH], base[PATH_LENGTH];
    snprintf(base, sizeof base, "%s/proc/self/cgroup", root);
    const char *next = host_sysfile_read(base, text, sizeof text) ? text : NULL;
    for (; next; next = host_sysfile_next(next)) { // such as 4:cpu,cpuacct:/group; in version 2 0::/group
        snprintf(line, sizeof line, "%.*s", (int)strcspn(next, "\n"), next);
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) {
            continue;
        }
        *controllers++ = '\0';
        *group++ = '\0';
        group += strcmp(group, "/") == 0; // the root group: its folder is that of the tree
        bool unified = !*controllers;
        if (unified || is_listed(controllers, controller)) {
            snprintf(base, sizeof base, "%s/sys/fs/cgroup%s%s", root, unified ? "" : "/", unified ? "" : controller);
            climb(base, group, unified ? 2 : 1, visit, context);
        }
    }
}

// Reads the first two numbers of a group's file, and returns how many it has read.
static int read_numbers(const char *folder, const char *name, double number[2])
{
    char path[2 * PATH_LENGTH + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char text[128];
    return host_sysfile_read(path, text, sizeof text) ? sscanf(text, "%lf %lf", &number[0], &number[1]) : 0;
}

// Both versions have a number of microseconds of CPU time in each period. Without a quota, version 2 has the word max
// instead and version 1 has -1.
static void read_quota(const char *folder, unsigned version, void *context)
{
    double *cores = context;
    double both[2], quota[2], period[2];
    if (version == 2 && read_numbers(folder, "cpu.max", both) == 2) {
        *cores = fmin(*cores, both[0] / both[1]);
    } else if (version == 1 && read_numbers(folder, "cpu.cfs_quota_us", quota) == 1 && quota[0] > 0.0 &&
               read_numbers(folder, "cpu.cfs_period_us", period) == 1) {
        *cores = fmin(*cores, quota[0] / period[0]);
    }
}

double host_cgroup_cores(const char *root)
{
    double cores = INFINITY;
    host_cgroup_each(root, "cpu", read_quota, &cores);
    return cores;
}
