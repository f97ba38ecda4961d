// SPDX-License-Identifier: MIT
// Hope.
#include "threads/watch/hope.h"

#include <math.h>

enum { FIRST = 512 };

void watch_hope_begin(struct watch_hope *hope, double distance, uint64_t operations)
{
    *hope = (struct watch_hope){.least = INFINITY, .before = distance, .doubled = operations};
}

bool watch_hope_lasts(struct watch_hope *hope, double distance, uint64_t operations, uint64_t transient)
{
    uint64_t first = FIRST;
    while (first < transient && first < UINT64_MAX / 2) {
        first *= 2;
    }
    hope->least = distance < hope->least ? distance : hope->least;
    if (operations < first || operations < 2 * hope->doubled) {
        return true;
    }
    bool nearer = hope->least < hope->before * (1.0 - 1e-9);
    hope->before = hope->least;
    hope->least = INFINITY;
    hope->doubled = operations;
    return nearer;
}
