// SPDX-License-Identifier: MIT
// Notices when a state comes back. Where the state determines all that follows, such a run would go on for ever.
#ifndef CORE_THEORY_REPEAT_H
#define CORE_THEORY_REPEAT_H

#include "base/arena.h"

enum { CORE_REPEAT_PARTS = 3 };

struct core_repeat {
    const double *part[CORE_REPEAT_PARTS]; // what makes up the state: loads, and what processors keep
    size_t count[CORE_REPEAT_PARTS];
    unsigned parts;
    double *kept;     // an earlier state
    uint64_t kept_at; // which one, from 1
    uint64_t looked;  // how often the state was looked at
};

// Plans the memory of a state of so many doubles in all. And when it is taken: a part that is somewhere else later is
// put into `part` before the look.
void core_repeat_plan(struct core_repeat *repeat, uint64_t doubles, struct base_arena *memory);
void core_repeat_begin(struct core_repeat *repeat, const double *const *part, const size_t *count, unsigned parts);

// Looks at the state; to be called once an operation. Returns the length of the cycle, in calls, when the state is one
// that was before, else 0. A cycle is noticed at the latest after three times as many calls as there are different
// states; at the next call where `keep` says that this one may be the same.
uint64_t core_repeat_look(struct core_repeat *repeat, bool keep);

#endif
