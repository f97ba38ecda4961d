// SPDX-License-Identifier: MIT
// Reading control groups, of version 1, which has a tree for each controller, and of version 2, which has one for all.
#include "threads/host/cgroup.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "threads/host/sysfile.h"

enum { PATH_LENGTH = 512, GROUPS_LENGTH = 8192 };

// Whether `word` is one of a list with commas.
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

// From a group to the root of its tree.
static void climb(const char *base, char *group, unsigned version, host_cgroup_look *look, void *context)
{
    char folder[2 * PATH_LENGTH];
    for (;;) {
        snprintf(folder, sizeof folder, "%s%s", base, group);
        look(folder, version, context);
        char *slash = strrchr(group, '/');
        if (!slash) {
            return;
        }
        *slash = '\0';
    }
}

void host_cgroup_each(const char *root, const char *controller, host_cgroup_look *look, void *context)
{
    char text[GROUPS_LENGTH], line[PATH_LENGTH], base[PATH_LENGTH];
    snprintf(base, sizeof base, "%s/proc/self/cgroup", root);
    const char *next = host_sysfile_read(base, text, sizeof text) ? text : NULL;
    for (; next; next = host_sysfile_next(next)) { // as 4:cpu,cpuacct:/group, and in version 2 as 0::/group
        snprintf(line, sizeof line, "%.*s", (int)strcspn(next, "\n"), next);
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) {
            continue;
        }
        *controllers++ = '\0';
        *group++ = '\0';
        group += strcmp(group, "/") == 0; // the root, whose folder is the tree's own
        bool unified = !*controllers;
        if (unified || is_listed(controllers, controller)) {
            snprintf(base, sizeof base, "%s/sys/fs/cgroup%s%s", root, unified ? "" : "/", unified ? "" : controller);
            climb(base, group, unified ? 2 : 1, look, context);
        }
    }
}

// The numbers that a group's file begins with, two at most; how many.
static int read_numbers(const char *folder, const char *name, double number[2])
{
    char path[2 * PATH_LENGTH + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char text[128];
    return host_sysfile_read(path, text, sizeof text) ? sscanf(text, "%lf %lf", &number[0], &number[1]) : 0;
}

// Microseconds of work in a period of so many. Where there is no quota version 2 has the word max, and version 1 -1.
static void look_for_quota(const char *folder, unsigned version, void *context)
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
    host_cgroup_each(root, "cpu", look_for_quota, &cores);
    return cores;
}
