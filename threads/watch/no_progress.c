// SPDX-License-Identifier: MIT
// Verdicts on progress.
#include "threads/watch/no_progress.h"

#include <math.h>

// With delays a distance can rise for thousands of operations before it falls: on complete:16, sender:1/(2deg) with the
// delay fixed:10 converges after 4,764 operations, and its distance rises up to operation 2,048. Operations of small
// machines cost little, so small machines get more operations.
enum { LEAST = 1024, MOST = 65536 };

uint64_t watch_no_progress_patience(uint64_t budget, uint32_t processors, int64_t diameter)
{
    uint64_t first = budget / processors;
    uint64_t across = 4 * (diameter >= 0 ? (uint64_t)diameter : processors);
    first = first < LEAST ? LEAST : first > MOST ? MOST : first;
    return first > across ? first : across;
}

void watch_no_progress_begin(struct watch_no_progress *progress, double distance, uint64_t operations, uint64_t first)
{
    *progress =
        (struct watch_no_progress){.least = INFINITY, .before = distance, .doubled = operations, .first = first};
}

void watch_no_progress_note(struct watch_no_progress *progress, double distance, uint64_t operations)
{
    progress->least = distance < progress->least ? distance : progress->least;
    if (operations < progress->first || operations < 2 * progress->doubled) {
        return;
    }
    progress->suspected = !(progress->least < progress->before * (1.0 - 1e-9));
    progress->before = progress->least;
    progress->least = INFINITY;
    progress->doubled = operations;
}
