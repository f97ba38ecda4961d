// SPDX-License-Identifier: MIT
// Parses and tests invocations. A draw depends on the processor and the operation alone.
#include "core/invoke.h"

#include <float.h>
#include <string.h>

#include "core/spec.h"
#include "topologies/random.h"

static bool parse_always(struct core_invoke *invoke, struct topo_scan *scan)
{
    (void)invoke;
    (void)scan;
    return true;
}

static bool parse_below(struct core_invoke *invoke, struct topo_scan *scan)
{
    return topo_scan_real(scan, "the bound", -DBL_MAX, DBL_MAX, &invoke->low);
}

static bool parse_outside(struct core_invoke *invoke, struct topo_scan *scan)
{
    size_t at = scan->at;
    if (!topo_scan_real(scan, "the lower bound", -DBL_MAX, DBL_MAX, &invoke->low) ||
        !topo_scan_expect(scan, ':', "the lower bound") ||
        !topo_scan_real(scan, "the upper bound", -DBL_MAX, DBL_MAX, &invoke->high)) {
        return false;
    }
    return invoke->low <= invoke->high ||
           topo_scan_fail(scan, at, "the lower bound comes first, as in outside:200:800");
}

static bool parse_probability(struct core_invoke *invoke, struct topo_scan *scan)
{
    return topo_scan_real(scan, "the probability", 0.0, 1.0, &invoke->probability);
}

static bool parse_gradient(struct core_invoke *invoke, struct topo_scan *scan)
{
    return topo_scan_real(scan, "the difference", 0.0, DBL_MAX, &invoke->gradient);
}

// In the order of enum core_invoke_kind.
static const struct {
    const char *name;
    bool (*parse)(struct core_invoke *invoke, struct topo_scan *scan);
    struct ek_choice choice;
} kinds[] = {
    {"always", parse_always, {"always", "every processor, every operation"}},
    {"below", parse_below, {"below:L", "those whose load is below L"}},
    {"outside", parse_outside, {"outside:L:H", "those whose load is below L or above H"}},
    {"probability", parse_probability, {"probability:P", "each with probability P, drawn for every operation"}},
    {"gradient",
     parse_gradient,
     {"gradient:D", "free timing: those whose load differs by more than D from a neighbour's as last heard"}},
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

bool core_invoke_parse(struct core_invoke *invoke, const char *spec, struct ek_error *error)
{
    *invoke = (struct core_invoke){.kind = CORE_INVOKE_ALWAYS};
    struct topo_scan scan = topo_scan_start("invoke", spec, error);
    size_t kind;
    if (!core_spec_kind(&scan, "invocation", known_invoke, core_invoke_choice, 1, &kind)) {
        return false;
    }
    invoke->kind = (enum core_invoke_kind)kind;
    return kinds[kind].parse(invoke, &scan) && topo_scan_end(&scan);
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
        struct topo_random random = topo_random_moment(seed, processor, TOPO_STREAM_INVOKE, operation);
        return topo_random_unit(&random) < invoke->probability;
    }
    case CORE_INVOKE_GRADIENT:
        return false;
    }
    return true;
}
