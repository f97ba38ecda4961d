// SPDX-License-Identifier: MIT
// Detects that a state occurs again. If the state determines all that follows, the run would repeat for ever.
#ifndef CORE_THEORY_REPEAT_H
#define CORE_THEORY_REPEAT_H

#include "base/arena.h"

struct core_repeat {
    const double **part; // the arrays that make up the state: loads, and the memory of processors
    size_t *count;
    size_t parts;
    double *kept;     // an earlier state
    uint64_t kept_at; // its number, from 1
    uint64_t states;  // number of states so far
};

// core_repeat_plan plans the memory of a state of `doubles` doubles in at most `parts` arrays. After its allocation
// core_repeat_add adds the arrays. If one of them moves, its new address must be written to `part` before the next
// call.
void core_repeat_plan(struct core_repeat *repeat, uint64_t doubles, size_t parts, struct base_arena *memory);
void core_repeat_add(struct core_repeat *repeat, const double *part, size_t count);

// Returns whether the present state is the kept state.
bool core_repeat_is_kept(const struct core_repeat *repeat);

// Notes the present state; call it once per operation. `again` is whether it is the kept state. Then the function
// returns the length of the cycle in calls, otherwise 0. A cycle is detected at the latest after three times as many
// calls as there are different states. If `keep` is set this state is kept, so that its next occurrence is detected.
uint64_t core_repeat_look(struct core_repeat *repeat, bool again, bool keep);

#endif
