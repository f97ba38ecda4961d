// SPDX-License-Identifier: MIT
// Bells on a futex.
#define _GNU_SOURCE
#include "threads/mail/bell.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool mail_bell_ring(struct mail_bell *bell)
{
    // Acquire and release: see the header
    if (atomic_exchange_explicit(&bell->lying, 0, memory_order_acq_rel) == 0) {
        return false;
    }
    syscall(SYS_futex, &bell->lying, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return true;
}

void mail_bell_lie_down(struct mail_bell *bell)
{
    atomic_exchange_explicit(&bell->lying, 1, memory_order_acq_rel); // see the header
}

void mail_bell_sleep(struct mail_bell *bell, uint64_t nanoseconds)
{
    struct timespec most = {.tv_sec = (time_t)(nanoseconds / 1000000000u),
                            .tv_nsec = (long)(nanoseconds % 1000000000u)};
    // The kernel compares the flag with 1: a ring since the sleeper lay down ends the sleep before it begins.
    syscall(SYS_futex, &bell->lying, FUTEX_WAIT_PRIVATE, 1, nanoseconds == UINT64_MAX ? NULL : &most, NULL, 0);
}

bool mail_bell_rise(struct mail_bell *bell)
{
    return atomic_exchange_explicit(&bell->lying, 0, memory_order_acq_rel) == 0; // see the header
}
