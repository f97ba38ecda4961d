// SPDX-License-Identifier: MIT
// Finds cycles as Brent does (An improved Monte Carlo factorization algorithm, BIT 20, 1980): the state at each power
// of two is kept, and each later state is compared with it. The first equal state gives the length of the cycle. A
// comparison ends at the first difference, so a run that does not repeat pays less than for a hash of its state, and
// the result is certain.
#include "core/theory/repeat.h"

#include <assert.h>
#include <string.h>

void core_repeat_plan(struct core_repeat *repeat, uint64_t doubles, size_t parts, struct base_arena *memory)
{
    *repeat = (struct core_repeat){.parts = 0};
    base_arena_plan(memory, &repeat->kept, doubles, sizeof *repeat->kept);
    base_arena_plan(memory, &repeat->part, parts, sizeof *repeat->part);
    base_arena_plan(memory, &repeat->count, parts, sizeof *repeat->count);
}

void core_repeat_add(struct core_repeat *repeat, const double *part, size_t count)
{
    repeat->part[repeat->parts] = part;
    repeat->count[repeat->parts++] = count;
}

bool core_repeat_is_kept(const struct core_repeat *repeat)
{
    if (repeat->states == 0) {
        return false;
    }
    const double *kept = repeat->kept;
    for (size_t i = 0; i < repeat->parts; i++) {
        if (repeat->count[i] > 0 && memcmp(kept, repeat->part[i], repeat->count[i] * sizeof *kept) != 0) {
            return false;
        }
        kept += repeat->count[i];
    }
    return true;
}

static void keep(struct core_repeat *repeat)
{
    double *kept = repeat->kept;
    for (size_t i = 0; i < repeat->parts; i++) {
        if (repeat->count[i] > 0) {
            memcpy(kept, repeat->part[i], repeat->count[i] * sizeof *kept);
        }
        kept += repeat->count[i];
    }
    repeat->kept_at = repeat->states;
}

uint64_t core_repeat_look(struct core_repeat *repeat, bool again, bool keep_it)
{
    assert(repeat->kept && repeat->states < UINT64_MAX);
    uint64_t length = again ? repeat->states + 1 - repeat->kept_at : 0;
    repeat->states++;
    if (keep_it || (repeat->states & (repeat->states - 1)) == 0) {
        keep(repeat);
    }
    return length;
}
