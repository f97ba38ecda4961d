// SPDX-License-Identifier: MIT
// What the computer itself does at most, for what is measured on it to be held against, and how busy others keep it.
#ifndef LAB_STUDIES_HOST_LIMITS_H
#define LAB_STUDIES_HOST_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

enum lab_host_limit {
    LAB_HOST_YIELDS,   // a second: two threads for each core that only give way to each other, all together
    LAB_HOST_TRANSFER, // seconds for a cache line from one core to another; NaN with one core
    LAB_HOST_MEMORY,   // bytes a second: what one thread reads and writes as it copies 64 MiB
    LAB_HOST_LIMITS
};

extern const char *const lab_host_limit_names[LAB_HOST_LIMITS]; // in reports

// Measures all of them, each for about so long. NaN where there was no thread or no memory for it.
void lab_host_limits_measure(double seconds, double limit[LAB_HOST_LIMITS]);

// The processor time of the whole computer so far, in ticks, and how much of it was spent working.
struct lab_cpu_ticks {
    uint64_t all, working;
};

// From the first line of /proc/stat. False where it is none.
bool lab_cpu_ticks_read(const char *line, struct lab_cpu_ticks *ticks);

// Who else works meanwhile.
struct lab_other_programs {
    struct lab_cpu_ticks before;
    double own_before_s;
    bool known;
};
void lab_other_programs_begin(struct lab_other_programs *others);

// The share of the computer's processor time that other programs took since then; NaN where it is not known.
double lab_other_programs_end(const struct lab_other_programs *others);

#endif
