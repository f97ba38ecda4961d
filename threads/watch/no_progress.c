// SPDX-License-Identifier: MIT
// Hope.
#include "threads/watch/no_progress.h"

#include <math.h>

// With delays a distance may rise for some thousand operations before it falls (complete:16, sender:1/(2deg), delay
// fixed:10: up to 2,048, and it converges at 4,764), so that small machines, whose operations cost little, have more.
enum { LEAST = 1024, MOST = 65536 };

uint64_t watch_hope_first(uint64_t budget, uint32_t processors, int64_t diameter)
{
    uint64_t first = budget / processors;
    uint64_t across = 4 * (diameter >= 0 ? (uint64_t)diameter : processors);
    first = first < LEAST ? LEAST : first > MOST ? MOST : first;
    return first > across ? first : across;
}

void watch_hope_begin(struct watch_hope *hope, double distance, uint64_t operations, uint64_t first)
{
    *hope = (struct watch_hope){.least = INFINITY, .before = distance, .doubled = operations, .first = first};
}

void watch_hope_look(struct watch_hope *hope, double distance, uint64_t operations)
{
    hope->least = distance < hope->least ? distance : hope->least;
    if (operations < hope->first || operations < 2 * hope->doubled) {
        return;
    }
    hope->lost = !(hope->least < hope->before * (1.0 - 1e-9));
    hope->before = hope->least;
    hope->least = INFINITY;
    hope->doubled = operations;
}
