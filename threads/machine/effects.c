// SPDX-License-Identifier: MIT
// The effects of one run, and the pooled effects of several runs.
#include "threads/machine/effects.h"
#include "threads/api/report.h"

#include <math.h>

static struct ek_effect effect_of(const struct core_effect *sums)
{
    double count = (double)sums->count;
    return (struct ek_effect){.count = sums->count,
                              .before = sums->count > 0 ? sums->before / count : NAN,
                              .after = sums->count > 0 ? sums->after / count : NAN,
                              .left = core_effect_left(sums),
                              .left_error = core_effect_left_error(sums)};
}

struct ek_effects machine_effects_of(const struct core_effects *effects)
{
    return (struct ek_effects){.alone = effect_of(&effects->of[CORE_EFFECT_ALONE]),
                               .overlapped = effect_of(&effects->of[CORE_EFFECT_OVERLAPPED]),
                               .adjacent = effect_of(&effects->of[CORE_EFFECT_ADJACENT]),
                               .one_shared = effect_of(&effects->of[CORE_EFFECT_ONE_SHARED]),
                               .two_shared = effect_of(&effects->of[CORE_EFFECT_TWO_SHARED]),
                               .many = effect_of(&effects->of[CORE_EFFECT_MANY]),
                               .unknown = effects->unknown};
}

void machine_effects_report(const struct core_effects *effects, struct ek_report *report)
{
    report->has_effects = true;
    report->effects = machine_effects_of(effects);
}

// Returns the pooled effect at this offset of struct ek_effects. The first run's struct is at `runs`, and each next one
// `size` bytes further. The runs are the clusters of a ratio estimate.
static struct ek_effect pool(const char *runs, size_t size, size_t count, size_t offset)
{
    struct core_effect sums = {0};
    uint64_t operations = 0;
    for (size_t i = 0; i < count; i++) {
        const struct ek_effect *effect = (const void *)(runs + i * size + offset);
        if (effect->count > 0) {
            core_effect_add(&sums, (double)effect->count * effect->before, (double)effect->count * effect->after);
            operations += effect->count;
        }
    }
    return (struct ek_effect){.count = operations,
                              .before = operations > 0 ? sums.before / (double)operations : NAN,
                              .after = operations > 0 ? sums.after / (double)operations : NAN,
                              .left = core_effect_left(&sums),
                              .left_error = core_effect_left_error(&sums)};
}

struct ek_effects ek_effects_pool_sized(const struct ek_report *runs, size_t size, size_t count)
{
    if (count == 1) {
        return runs->effects;
    }
    // The caller's struct ek_report may have another size than this one, so `runs` must not be indexed.
    const char *first = (const char *)&runs->effects;
    struct ek_effects effects = {.alone = pool(first, size, count, offsetof(struct ek_effects, alone)),
                                 .overlapped = pool(first, size, count, offsetof(struct ek_effects, overlapped)),
                                 .adjacent = pool(first, size, count, offsetof(struct ek_effects, adjacent)),
                                 .one_shared = pool(first, size, count, offsetof(struct ek_effects, one_shared)),
                                 .two_shared = pool(first, size, count, offsetof(struct ek_effects, two_shared)),
                                 .many = pool(first, size, count, offsetof(struct ek_effects, many))};
    for (size_t i = 0; i < count; i++) {
        effects.unknown += ((const struct ek_effects *)(const void *)(first + i * size))->unknown;
    }
    return effects;
}
