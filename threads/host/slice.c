// SPDX-License-Identifier: MIT
// Time slices by sched_setattr. glibc does not declare it, and glibc's <sched.h> excludes the kernel's header.
#define _GNU_SOURCE
#include "threads/host/slice.h"

#include <linux/sched/types.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SHORTEST_NS = 100 * 1000,
    SHARING_MAX = 512 // if more threads yield in turn, one round of them exceeds a normal slice anyway
};

void host_slice_shorten(unsigned workers, unsigned cores)
{
    if (workers <= cores || workers / cores > SHARING_MAX) {
        return;
    }
    struct sched_attr attributes; // policy and niceness stay as they are
    memset(&attributes, 0, sizeof attributes);
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0) {
        attributes.sched_runtime = SHORTEST_NS;
        syscall(SYS_sched_setattr, 0, &attributes, 0);
    }
}
