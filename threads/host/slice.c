// SPDX-License-Identifier: MIT
// Time slices by sched_setattr, which glibc does not have; its <sched.h> and the kernel's header exclude each other.
#define _GNU_SOURCE
#include "threads/host/slice.h"

#include <linux/sched/types.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SHORTEST_NS = 100 * 1000,
    SHARING_MAX = 512 // where more threads yield in turn, a round of them takes a usual slice anyway
};

void host_slice_shorten(unsigned workers, unsigned cores)
{
    if (workers <= cores || workers / cores > SHARING_MAX) {
        return;
    }
    struct sched_attr attributes; // as they are: policy, niceness
    memset(&attributes, 0, sizeof attributes);
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0) {
        attributes.sched_runtime = SHORTEST_NS;
        syscall(SYS_sched_setattr, 0, &attributes, 0);
    }
}
