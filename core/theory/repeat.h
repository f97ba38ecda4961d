// SPDX-License-Identifier: MIT
// Detects that a state occurs again. If the state determines all that follows, the run would repeat for ever.
#ifndef CORE_THEORY_REPEAT_H
#define CORE_THEORY_REPEAT_H

#include "base/arena.h"

enum { CORE_REPEAT_PARTS = 3 };

struct core_repeat {
    const double *part[CORE_REPEAT_PARTS]; // the arrays that make up the state: loads, and the memory of processors
    size_t count[CORE_REPEAT_PARTS];
    unsigned parts;
    double *kept;     // an earlier state
    uint64_t kept_at; // its number, from 1
    uint64_t states;  // number of states so far
};

// core_repeat_plan plans the memory of a state of `doubles` doubles. Call core_repeat_begin after its allocation. If an
// array of the state moves, its new address must be written to `part` before the next call.
void core_repeat_plan(struct core_repeat *repeat, uint64_t doubles, struct base_arena *memory);
void core_repeat_begin(struct core_repeat *repeat, const double *const *part, const size_t *count, unsigned parts);

// Compares the present state with the kept state; call it once per operation. If the two states are equal, returns the
// length of the cycle in calls. Otherwise returns 0. A cycle is detected at the latest after three times as many calls
// as there are different states. If `keep` is set this state is kept, so that its next occurrence is detected.
uint64_t core_repeat_look(struct core_repeat *repeat, bool keep);

#endif
