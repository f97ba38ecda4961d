// SPDX-License-Identifier: MIT
// Limits of the computer, with which measurements are compared, and the processor time that other programs take.
#ifndef LAB_STUDIES_HOST_LIMITS_H
#define LAB_STUDIES_HOST_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

enum lab_host_limit {
    LAB_HOST_YIELDS,   // yields per second, of all threads together, with two threads per core that do nothing else
    LAB_HOST_TRANSFER, // seconds to move a cache line from one core to another; NaN with one core
    LAB_HOST_MEMORY,   // bytes per second that one thread reads and writes when it copies 64 MiB
    LAB_HOST_LIMITS
};

extern const char *const lab_host_limit_names[LAB_HOST_LIMITS]; // in JSON

// Measures each limit for about `seconds`. A limit is NaN if the system lacked threads or memory for it.
void lab_host_limits_measure(double seconds, double limit[LAB_HOST_LIMITS]);

// The processor time of the whole computer since it started, in clock ticks, and the part that was not idle.
struct lab_cpu_ticks {
    uint64_t all, working;
};

// Reads the first line of /proc/stat. Returns false if `line` has another form.
bool lab_cpu_ticks_read(const char *line, struct lab_cpu_ticks *ticks);

// Measures the processor time of other programs.
struct lab_other_programs {
    struct lab_cpu_ticks before;
    double own_before_s;
    bool known;
};
void lab_other_programs_begin(struct lab_other_programs *others);

// Returns the share of the computer's processor time that other programs took since the beginning; NaN if unknown.
double lab_other_programs_end(const struct lab_other_programs *others);

#endif
