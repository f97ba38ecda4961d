// SPDX-License-Identifier: MIT
// What the computer itself does at most, for what is measured on it to be held against, and how busy others keep it.
#ifndef LAB_STUDIES_HOST_LIMITS_H
#define LAB_STUDIES_HOST_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

enum lab_floor {
    LAB_FLOOR_YIELDS,   // a second: two threads for each core that only give way to each other, all together
    LAB_FLOOR_TRANSFER, // seconds for a cache line from one core to another; NaN with one core
    LAB_FLOOR_MEMORY,   // bytes a second: what one thread reads and writes as it copies 64 MiB
    LAB_FLOORS
};

extern const char *const lab_floor_names[LAB_FLOORS]; // in reports

// Measures all of them, each for about so long. NaN where there was no thread or no memory for it.
void lab_floors_measure(double seconds, double floor[LAB_FLOORS]);

// The processor time of the whole computer so far, in ticks, and how much of it was spent working.
struct lab_ticks {
    uint64_t all, working;
};

// From the first line of /proc/stat. False where it is none.
bool lab_ticks_read(const char *line, struct lab_ticks *ticks);

// Who else works meanwhile.
struct lab_others {
    struct lab_ticks before;
    double own_before_s;
    bool known;
};
void lab_others_begin(struct lab_others *others);

// The share of the computer's processor time that other programs took since then; NaN where it is not known.
double lab_others_end(const struct lab_others *others);

#endif
