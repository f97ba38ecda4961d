// SPDX-License-Identifier: MIT
// Parses and tests invocations. A draw depends on the processor and the operation only.
#include "core/axes/invoke.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "core/axes/spec.h"
#include "base/random.h"

static bool parse_always(struct core_invoke *invoke, struct base_cursor *cursor, uint32_t processors)
{
    (void)invoke;
    (void)cursor;
    (void)processors;
    return true;
}

static bool parse_below(struct core_invoke *invoke, struct base_cursor *cursor, uint32_t processors)
{
    (void)processors;
    return base_cursor_real(cursor, "the bound", -DBL_MAX, DBL_MAX, &invoke->low);
}

static bool parse_above(struct core_invoke *invoke, struct base_cursor *cursor, uint32_t processors)
{
    (void)processors;
    return base_cursor_real(cursor, "the bound", -DBL_MAX, DBL_MAX, &invoke->high);
}

static bool parse_outside(struct core_invoke *invoke, struct base_cursor *cursor, uint32_t processors)
{
    (void)processors;
    size_t at = cursor->at;
    if (!base_cursor_real(cursor, "the lower bound", -DBL_MAX, DBL_MAX, &invoke->low) ||
        !base_cursor_expect(cursor, ':', "the lower bound") ||
        !base_cursor_real(cursor, "the upper bound", -DBL_MAX, DBL_MAX, &invoke->high)) {
        return false;
    }
    return invoke->low <= invoke->high ||
           base_cursor_fail(cursor, at, "the lower bound comes first, as in outside:200:800");
}

static bool parse_probability(struct core_invoke *invoke, struct base_cursor *cursor, uint32_t processors)
{
    (void)processors;
    return base_cursor_real(cursor, "the probability", 0.0, 1.0, &invoke->probability);
}

static bool parse_gradient(struct core_invoke *invoke, struct base_cursor *cursor, uint32_t processors)
{
    (void)processors;
    return base_cursor_real(cursor, "the difference", 0.0, DBL_MAX, &invoke->gradient);
}

static bool parse_every(struct core_invoke *invoke, struct base_cursor *cursor, uint32_t processors)
{
    (void)processors;
    return base_cursor_whole(cursor, "the period", 1, UINT32_MAX, &invoke->every);
}

static bool parse_at(struct core_invoke *invoke, struct base_cursor *cursor, uint32_t processors)
{
    invoke->at = calloc(processors, sizeof *invoke->at);
    if (!invoke->at) {
        return base_cursor_fail(cursor, 0, "no memory for %u processors: use a smaller topology", processors);
    }
    do {
        uint64_t processor;
        if (!base_cursor_whole(cursor, "a processor", 0, processors - 1, &processor)) {
            return false;
        }
        invoke->at[processor] = true;
    } while (base_cursor_accept(cursor, ','));
    return true;
}

static bool parse_global(struct core_invoke *invoke, struct base_cursor *cursor, uint32_t processors)
{
    (void)processors;
    size_t at = cursor->at;
    char measure[32] = "";
    base_cursor_name(cursor, measure, sizeof measure);
    invoke->spread = strcmp(measure, "spread") == 0;
    if (!invoke->spread && strcmp(measure, "variance") != 0) {
        return base_cursor_fail(cursor, at, "a condition on all loads is variance:V or spread:D");
    }
    return base_cursor_expect(cursor, ':', measure) &&
           base_cursor_real(cursor, "the limit", 0.0, DBL_MAX, &invoke->limit);
}

// In the order of enum core_invoke_kind.
static const struct {
    const char *name;
    bool (*parse)(struct core_invoke *invoke, struct base_cursor *cursor, uint32_t processors);
    struct ek_choice choice;
} kinds[] = {
    {"always", parse_always, {"always", "every processor, every operation"}},
    {"below", parse_below, {"below:L", "processors whose load is below L"}},
    {"outside", parse_outside, {"outside:L:H", "processors whose load is below L or above H"}},
    {"probability",
     parse_probability,
     {"probability:P", "each processor with probability P, drawn for every operation"}},
    {"gradient",
     parse_gradient,
     {"gradient:D",
      "free timing: processors whose load differs by more than D from a neighbour's load announced last"}},
    {"above", parse_above, {"above:H", "processors whose load is above H"}},
    {"every", parse_every, {"every:N", "every processor, in every N-th operation (free timing: turn)"}},
    {"at", parse_at, {"at:P,Q,…", "only processors P, Q, …, in every operation"}},
    {"global",
     parse_global,
     {"global:variance:V", "every processor while the variance of all loads is above V; with global:spread:D while "
                           "their spread is above D"}},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const struct ek_choice *core_invoke_choice(size_t index)
{
    return index < KINDS ? &kinds[index].choice : NULL;
}

static const char *known_invoke(size_t index)
{
    return index < KINDS ? kinds[index].name : NULL;
}

bool core_invoke_parse(struct core_invoke *invoke, const char *spec, uint32_t processors, struct ek_error *error)
{
    *invoke = (struct core_invoke){.kind = CORE_INVOKE_ALWAYS};
    struct base_cursor cursor = base_cursor_start("invoke", spec, error);
    size_t kind;
    if (!core_spec_kind(&cursor, "invocation", known_invoke, core_invoke_choice, 1, &kind)) {
        return false;
    }
    invoke->kind = (enum core_invoke_kind)kind;
    if (kinds[kind].parse(invoke, &cursor, processors) && base_cursor_end(&cursor)) {
        return true;
    }
    core_invoke_destroy(invoke);
    return false;
}

void core_invoke_destroy(struct core_invoke *invoke)
{
    free(invoke->at);
    invoke->at = NULL;
}

bool core_invoke_by_load(const struct core_invoke *invoke)
{
    return invoke->kind != CORE_INVOKE_ALWAYS && invoke->kind != CORE_INVOKE_AT && !core_invoke_recurs(invoke);
}

bool core_invoke_recurs(const struct core_invoke *invoke)
{
    return invoke->kind == CORE_INVOKE_EVERY || (invoke->kind == CORE_INVOKE_PROBABILITY && invoke->probability > 0.0);
}

bool core_invoke_global(const struct core_invoke *invoke, const struct core_measure *measure)
{
    double value = invoke->spread ? measure->maximum - measure->minimum : measure->variance;
    return invoke->kind == CORE_INVOKE_GLOBAL && value > invoke->limit;
}

bool core_invoke_test(const struct core_invoke *invoke, uint64_t seed, uint32_t processor, uint64_t operation,
                      double load)
{
    switch (invoke->kind) {
    case CORE_INVOKE_ALWAYS:
        break;
    case CORE_INVOKE_BELOW:
        return load < invoke->low;
    case CORE_INVOKE_OUTSIDE:
        return load < invoke->low || load > invoke->high;
    case CORE_INVOKE_PROBABILITY: {
        struct base_random random = base_random_moment(seed, processor, BASE_STREAM_INVOKE, operation);
        return base_random_unit(&random) < invoke->probability;
    }
    case CORE_INVOKE_ABOVE:
        return load > invoke->high;
    case CORE_INVOKE_EVERY:
        return (operation + 1) % invoke->every == 0;
    case CORE_INVOKE_AT:
        return invoke->at[processor];
    case CORE_INVOKE_GRADIENT:
    case CORE_INVOKE_GLOBAL:
        return false;
    }
    return true;
}
