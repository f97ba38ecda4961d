// SPDX-License-Identifier: MIT
// No balancing: the comparison for every other method.
#include <math.h>

#include "core/method.h"
#include "core/methods/methods.h"
#include "core/parameter.h"

struct ek_setting;

static bool none_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                         struct ek_error *error)
{
    (void)plan;
    (void)setting;
    return core_parameter_none(parameter, at, error);
}

static void none_announce(const struct ek_turn *turn, double *values)
{
    for (unsigned port = 0; port < turn->view.degree; port++) {
        values[port] = NAN; // no message
    }
}

void method_none_act(struct ek_turn *turn, double *amounts)
{
    (void)turn;
    (void)amounts;
}

static bool none_includes(const struct ek_turn *turn, unsigned port)
{
    (void)turn;
    (void)port;
    return false;
}

const struct ek_rounds_part method_none_rounds = {.announce = none_announce, .act = method_none_act};

static const struct ek_texts none_texts = {
    .title = "no balancing",
    .example = "none --tasks queens:8",
    .equation = "w_i := w_i",
    .optimum = "It has no parameter.",
    .assumes = "Nothing.",
    .source = "The baseline of every comparison",
    .findings = "It sends no message. A run of tasks takes as many ticks as its busiest processor has work.",
};

const struct ek_method core_method_none = {
    .name = "none",
    .texts = &none_texts,
    .supports = {.units = EK_REAL | EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT, .capacities = true},
    .links = EK_LINKS_ALL,
    .prepare = none_prepare,
    .rounds = &method_none_rounds,
    .free = &(const struct ek_free_part){.includes = none_includes, .operate = method_none_act},
};
