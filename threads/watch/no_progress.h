// SPDX-License-Identifier: MIT
// Whether a run still gets nearer to balance. That it does not for long is no proof that it never will: a run is given
// up for it only where its user set no limit, since every run must end.
#ifndef THREADS_WATCH_NO_PROGRESS_H
#define THREADS_WATCH_NO_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct watch_hope {
    double least;     // distance from balance since the last look
    double before;    // the least before that
    uint64_t doubled; // operations at the last look
    uint64_t first;   // operations before the first
    bool lost;        // at the last look: it was at its floor, swung, or grew
};

// How many operations of so many processors come before the first look: `budget` operations of single processors in
// all, within bounds; but 4 times as many as load takes to cross a machine of this diameter (-1: in pieces).
uint64_t watch_hope_first(uint64_t budget, uint32_t processors, int64_t diameter);

// At the run's start, or where something has come that must be balanced anew after so many operations. `distance` is
// the first that counts; INFINITY: the next.
void watch_hope_begin(struct watch_hope *hope, double distance, uint64_t operations, uint64_t first);

// Notes a distance after so many operations. Hope is lost when the least one did not fall while their number doubled.
void watch_hope_look(struct watch_hope *hope, double distance, uint64_t operations);

#endif
