// SPDX-License-Identifier: MIT
// Of a schedule that fails a small one that fails too: fewer processors, simpler loads, fewer turns.
#ifndef LAB_STUDIES_SHRINK_H
#define LAB_STUDIES_SHRINK_H

#include "lab/studies/exploration.h"

// A schedule that fails, of this experiment.
struct lab_shrunk {
    struct ek_experiment experiment;
    char *topology, *load; // if not NULL, where the experiment's lie
    struct ek_scheduled *step;
    size_t count;
    uint64_t turns;
    struct ek_error what;
    uint64_t tried; // schedules made
};

// Makes what fails smaller, as far as a bounded number of schedules gets. Its steps are to be freed, and its texts.
void lab_shrink(struct lab_shrunk *shrunk, const char *strategy, uint64_t turns_most);

#endif
