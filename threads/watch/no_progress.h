// SPDX-License-Identifier: MIT
// Decides whether a run still approaches balance. A run makes no progress if its least distance from balance has not
// fallen while the number of operations doubled. That is a suspicion, not a proof: it ends only runs without limits,
// because every run must end.
#ifndef THREADS_WATCH_NO_PROGRESS_H
#define THREADS_WATCH_NO_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct watch_no_progress {
    double least;     // least distance since the last verdict
    double before;    // least distance before that
    uint64_t doubled; // operations at the last verdict
    uint64_t first;   // operations before the first verdict
    bool suspected;   // the last verdict: the distance stayed, oscillated or grew
};

// Returns how many operations precede the first verdict. `budget` is the number of operations of single processors that
// the run may spend before this verdict. The result lies within fixed bounds, but it is at least 4 times the steps that
// load needs to cross the machine. A diameter of -1 means that the machine is in several parts.
uint64_t watch_no_progress_patience(uint64_t budget, uint32_t processors, int64_t diameter);

// Begins to watch: at the run's start, or when something has changed after so many operations and the run must balance
// anew. `distance` is the distance to compare with; INFINITY stands for the next one noted.
void watch_no_progress_begin(struct watch_no_progress *progress, double distance, uint64_t operations, uint64_t first);

// Notes the distance from balance after so many operations, and gives a verdict when their number has doubled.
void watch_no_progress_note(struct watch_no_progress *progress, double distance, uint64_t operations);

#endif
