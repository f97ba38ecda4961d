// SPDX-License-Identifier: MIT
// A plugin with one method: a rule that averages a processor with its neighbours, unless a test changes it. The
// function `plugin` of tests/support/plugin.sh compiles it with macros for what differs.
#include <errno.h>
#include <evenkeel/block.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifndef NAME
#define NAME "rule"
#endif
#ifndef FUNCTIONS
#define FUNCTIONS // functions that the other macros call
#endif
#ifndef FLOW
#define FLOW share // the amount for a port, from `view`, `port` and `share`
#endif
#ifndef UNITS
#define UNITS EK_REAL
#endif
#ifndef MUTUAL
#define MUTUAL false // whether both ends of a link return opposite amounts
#endif
#ifndef LINKS
#define LINKS EK_LINKS_ALL
#endif
#ifndef ROUNDS
#define ROUNDS 0 // members of the part for rounds
#endif
#ifndef PREPARE
#define PREPARE // what `prepare` does before all else
#endif

static double flow(const struct ek_view *view, unsigned port);

FUNCTIONS

static bool prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    struct ek_error *error)
{
    (void)parameter, (void)at, (void)error;
    PREPARE
    plan->parameter = 1.0 / (setting->topology->degree_max + 1.0);
    return true;
}

static double flow(const struct ek_view *view, unsigned port)
{
    double share = view->plan->parameter * (view->load - view->announced[port]);
    (void)share;
    return FLOW;
}

static const struct ek_method method = {
    .name = NAME,
    .texts = &(const struct ek_texts){.title = "a rule"},
    .supports = {.units = UNITS, .ports = EK_ALL_PORTS, .turns = true, .delays = true},
    .links = LINKS,
    .prepare = prepare,
    .rule = &(const struct ek_rule){.flow = flow, .flow_tokens = flow, .mutual = MUTUAL},
    .rounds = &(const struct ek_rounds_part){ROUNDS},
    .free = &(const struct ek_free_part){0}};
static const struct ek_method *const methods[] = {&method, NULL};
const struct ek_plugin evenkeel_plugin = {.version = EK_VERSION, .methods = methods};
