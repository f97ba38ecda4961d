// SPDX-License-Identifier: MIT
// Repeating states: a run whose state determines all that follows, and returns, never ends otherwise.
#ifndef EK_REPEAT_H
#define EK_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EK_REPEAT_PARTS = 3 };

struct ek_repeat {
    const double *part[EK_REPEAT_PARTS]; // what makes up the state: loads, and what processors keep
    size_t count[EK_REPEAT_PARTS];
    unsigned parts;
    double *kept;     // an earlier state
    uint64_t kept_at; // which one, from 1
    uint64_t looked;  // how often the state was looked at
};

// Takes memory for one state. `part` and what it points to stay where they are. False where there is no memory.
bool ek_repeat_create(struct ek_repeat *repeat, const double *const *part, const size_t *count, unsigned parts);
void ek_repeat_release(struct ek_repeat *repeat);

// Call once an operation. The length of the cycle, in calls, once the state is one that was before; else 0. It is
// noticed at the latest after three times as many calls as there are different states.
uint64_t ek_repeat_look(struct ek_repeat *repeat);

#endif
