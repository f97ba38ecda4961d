// SPDX-License-Identifier: MIT
#ifndef LAB_RECORD_CLOCK_H
#define LAB_RECORD_CLOCK_H

#include <stdint.h>
#include <time.h>

// Returns the monotonic time, which is the same in all processes.
static inline uint64_t lab_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
