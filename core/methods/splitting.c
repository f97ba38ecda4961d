// SPDX-License-Identifier: MIT
// Alpha-splitting on a ring: Kumar & Rao 1987, as in Henrich, Local load balancing according to a simple liquid model,
// section 2.1. An idle processor is given the fraction 1 - alpha of its predecessor's load. Alpha is a fraction of
// whole numbers, so the amount is exact.
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/methods/kernels/block.h"
#include "core/methods/methods.h"
#include "core/methods/lines/ring.h"
#include "core/parameter.h"

enum { DENOMINATOR_MAX = 1000 * 1000 * 1000 };

// The fraction that is given: part / whole.
struct splitting {
    int64_t part, whole;
};

// Returns floor((1 - alpha) L), computed so that no product reaches 2^63.
static inline double given_of(const struct splitting *given, int64_t load)
{
    return (double)(load / given->whole * given->part + load % given->whole * given->part / given->whole);
}

// L_(i+1) := floor((1 - alpha) L_i) where L_(i+1) = 0.
static inline double splitting_flow_tokens(const struct ek_view *view, unsigned port)
{
    if (port != method_ring_of(view, 0).up || view->announced[port] > 0.0) {
        return 0.0;
    }
    return given_of(view->plan->data, (int64_t)view->load);
}

static void splitting_block_tokens(struct ek_block *block)
{
    ek_block_flows(block, splitting_flow_tokens);
}

// Returns whether a neighbour takes part, in free timing. An idle processor requests load from its predecessor only.
static bool splitting_includes(const struct ek_turn *turn, unsigned port)
{
    return turn->view.load <= 0.0 && port == method_ring_of(&turn->view, 0).down;
}

static void splitting_operate(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    struct method_ring ring = method_ring_of(view, 0);
    if (ring.down != METHOD_ALONE && view->load <= 0.0 && view->announced[ring.down] > 0.0) {
        amounts[ring.down] = -given_of(view->plan->data, (int64_t)view->announced[ring.down]);
    }
}

// Reads p/q, or a decimal number such as 0.25.
static bool read_fraction(struct base_cursor *cursor, int64_t *numerator, int64_t *denominator)
{
    size_t start = cursor->at;
    uint64_t p;
    uint64_t q = 1;
    if (!base_cursor_whole(cursor, "the part that is kept", 0, DENOMINATOR_MAX, &p)) {
        return false;
    }
    if (base_cursor_accept(cursor, '/')) {
        if (!base_cursor_whole(cursor, "its denominator", 1, DENOMINATOR_MAX, &q)) {
            return false;
        }
    } else if (base_cursor_accept(cursor, '.')) {
        for (char digit; (digit = base_cursor_peek(cursor)) >= '0' && digit <= '9'; base_cursor_accept(cursor, digit)) {
            if (q == DENOMINATOR_MAX || p > DENOMINATOR_MAX / 10) {
                return base_cursor_fail(cursor, cursor->at,
                                        "at most nine decimals are possible: use a fraction, as in splitting:1/3");
            }
            p = 10 * p + (uint64_t)(digit - '0');
            q *= 10;
        }
    }
    *numerator = (int64_t)p;
    *denominator = (int64_t)q;
    return base_cursor_end(cursor) &&
           ((p > 0 && p < q) ||
            base_cursor_fail(cursor, start, "the part that is kept must be above 0 and below 1, as in splitting:1/3"));
}

static bool splitting_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                              struct ek_error *error)
{
    if (!method_is_ring(setting->topology)) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "splitting moves load around a ring: use ring:N, as in ring:64");
    }
    if (!parameter) {
        return base_fail_at(error, "method", (size_t)at, "splitting needs the part that is kept, as in splitting:1/3");
    }
    int64_t numerator = 0;
    int64_t denominator = 1;
    struct base_cursor cursor = core_parameter_start(parameter, at, error);
    if (!read_fraction(&cursor, &numerator, &denominator)) {
        return false;
    }
    struct splitting *given = malloc(sizeof *given);
    if (!given) {
        return base_fail(error, EK_BAD_INPUT, "method", "there is no memory left for splitting");
    }
    *given = (struct splitting){.part = denominator - numerator, .whole = denominator};
    plan->parameter = (double)numerator / (double)denominator;
    plan->ends_when_still = true;
    plan->data = given;
    return true;
}

static const struct ek_texts splitting_texts = {
    .title = "alpha-splitting",
    .parameter = "A",
    .example = "splitting:1/2 --topology ring:16 --load peak:1600",
    .equation = "every idle processor is given floor((1 - A) L) of its predecessor's load L > 0. The run ends when "
                "nothing would move. In free timing an idle processor requests this amount",
    .optimum = "A is above 0 and below 1: a fraction such as 1/3, or a decimal number. It is exact.",
    .assumes = "Nothing beyond the neighbours' loads.",
    .source = "Kumar & Rao 1987, as in Henrich, Local load balancing according to a simple liquid model, section 2.1",
    .findings = "A load below 1/(1 - A) is not split, so its successor stays idle.",
};

const struct ek_method core_method_splitting = {
    .name = "splitting",
    .texts = &splitting_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT},
    .links = EK_LINKS_ALL,
    .direct = true,
    .prepare = splitting_prepare,
    .destroy = method_free_data,
    .rule = &(const struct ek_rule){.flow_tokens = splitting_flow_tokens},
    .rounds = &(const struct ek_rounds_part){.block_tokens = splitting_block_tokens},
    .free = &(const struct ek_free_part){.includes = splitting_includes, .operate = splitting_operate},
};
