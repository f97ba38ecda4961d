// SPDX-License-Identifier: MIT
// Shrinks a schedule that fails to a smaller one that fails too: fewer processors, simpler loads, fewer turns, and in
// virtual time a smaller factor.
#ifndef LAB_STUDIES_SHRINK_H
#define LAB_STUDIES_SHRINK_H

#include "lab/studies/exploration.h"

// A schedule that fails, and its experiment.
struct lab_shrunk {
    struct ek_experiment experiment;
    char *topology, *load;     // the texts of a smaller experiment; NULL if the experiment has its original ones
    uint64_t number;           // of the schedule
    struct ek_scheduled *step; // [count]; in virtual time there are none
    size_t count;
    uint64_t turns;
    struct ek_error what; // what failed
    uint64_t tried;       // schedules that were tried
};

// Shrinks the schedule, with a bounded number of trials. The caller frees its steps and texts.
void lab_shrink(struct lab_shrunk *shrunk, const char *strategy, uint64_t turns_most);

#endif
