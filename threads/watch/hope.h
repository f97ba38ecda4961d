// SPDX-License-Identifier: MIT
// Whether a run still gets nearer to balance: it must end, also where its criterion cannot be reached.
#ifndef WATCH_HOPE_H
#define WATCH_HOPE_H

#include <stdbool.h>
#include <stdint.h>

struct watch_hope {
    double least;     // distance from balance since the last look
    double before;    // the least before that
    uint64_t doubled; // operations at the last look
};

// At the run's start, or where something has come that must be balanced anew after so many operations. `distance` is
// the first that counts; INFINITY: the next.
void watch_hope_begin(struct watch_hope *hope, double distance, uint64_t operations);

// Notes a distance after so many operations. False when the least one did not fall while their number doubled, beyond
// the first 512 and `transient` operations: then it is at its floor, swings, or grows.
bool watch_hope_lasts(struct watch_hope *hope, double distance, uint64_t operations, uint64_t transient);

#endif
