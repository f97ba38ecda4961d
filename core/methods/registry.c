// SPDX-License-Identifier: MIT
// The registry of methods: the built-in methods, then those registered from outside.
#include <string.h>

#include "core/method.h"
#include "core/methods/methods.h"
#include "base/cursor.h"
#include "core/register.h"

static const struct ek_method *const built_in[] = {
    &core_method_ade,
    &core_method_ode,
    &core_method_gde,
    &core_method_matching,
    &core_method_adf,
    &core_method_odf,
    &core_method_diffusion,
    &core_method_metropolis,
    &core_method_partners,
    &core_method_tempered,
    &core_method_dde,
    &core_method_twa,
    &core_method_mwa,
    &core_method_dem,
    &core_method_liquid,
    &core_method_nna,
    &core_method_splitting,
    &core_method_rotor,
    &core_method_local_average,
    &core_method_random_neighbours,
    &core_method_sender,
    &core_method_fos,
    &core_method_sos,
    &core_method_chebyshev,
    &core_method_opt,
    &core_method_ops,
    &core_method_adi,
    &core_method_mdi,
    &core_method_de,
    &core_method_de_adi,
    &core_method_ded,
    &core_method_least_flow,
    &core_method_push_sum,
    &core_method_broadcast_gossip,
    &core_method_none,
    &core_method_steal,
    &core_method_place,
    &core_method_central,
    &core_method_gradient,
    &core_method_cwn,
    &core_method_initiated,
};

enum { BUILT_IN = sizeof built_in / sizeof *built_in, REGISTERED_MAX = 64 };

static const struct ek_method *registered[REGISTERED_MAX];
static size_t registered_count;

const struct ek_method *ek_method_at(size_t index)
{
    if (index < BUILT_IN) {
        return built_in[index];
    }
    return index - BUILT_IN < registered_count ? registered[index - BUILT_IN] : NULL;
}

const struct ek_method *ek_method_find(const char *name)
{
    const struct ek_method *method;
    for (size_t i = 0; (method = ek_method_at(i)) != NULL; i++) {
        if (strcmp(method->name, name) == 0) {
            return method;
        }
    }
    return NULL;
}

bool core_method_is_registered(const struct ek_method *method)
{
    size_t i = 0;
    while (i < registered_count && registered[i] != method) {
        i++;
    }
    return i < registered_count;
}

// Returns whether the method has all the functions that its units and its links need.
static bool has_functions(const struct ek_method *method)
{
    const struct ek_rounds_part *rounds = method->rounds;
    const struct ek_rule *rule = method->rule;
    if (!method->prepare || !rounds) {
        return false;
    }
    bool real = rounds->act || (rule && rule->flow) || !(method->supports.units & EK_REAL);
    bool tokens = rounds->act || (rule && rule->flow_tokens) || !(method->supports.units & EK_TOKENS);
    return real && tokens && (rounds->next || method->links != EK_LINKS_SCHEDULED) &&
           (rounds->takes_part || method->links != EK_LINKS_CHOSEN);
}

bool ek_method_register_for(unsigned api, const struct ek_method *method, struct ek_error *error)
{
    if (api != EK_API_VERSION) {
        return base_fail(error, EK_BAD_INPUT, "method",
                         "this method was compiled with version %u of the header, and the library has version %u: "
                         "compile it again with the library's header",
                         api, EK_API_VERSION);
    }
    if (!method->name || !*method->name || ek_method_find(method->name)) {
        return base_fail(error, EK_BAD_INPUT, "method", "a method needs a name that no other method has");
    }
    if (!method->texts || !method->texts->title) {
        return base_fail(error, EK_BAD_INPUT, "method", "the method %.40s needs a title: set texts", method->name);
    }
    const struct ek_support *supports = &method->supports;
    if (!(supports->units & (EK_REAL | EK_TOKENS)) || !(supports->ports & (EK_ALL_PORTS | EK_ONE_PORT))) {
        return base_fail(error, EK_BAD_INPUT, "method",
                         "the method %.40s supports no units or no ports: set supports.units and supports.ports",
                         method->name);
    }
    if (!has_functions(method)) {
        return base_fail(error, EK_BAD_INPUT, "method",
                         "the method %.40s lacks a function: set prepare, rounds, a flow for each of its units or an "
                         "act, and takes_part or next if its links need one",
                         method->name);
    }
    bool wide = method->rounds->block_wide || method->rounds->block_wide_tokens;
    if (wide && !(method->rule && method->rule->mutual)) {
        return base_fail(
            error, EK_BAD_INPUT, "method",
            "the method %.40s has a block_wide, which needs a mutual rule: set mutual, or leave block_wide out",
            method->name);
    }
    if (registered_count == REGISTERED_MAX) {
        return base_fail(error, EK_BAD_INPUT, "method", "no more than %d methods can be registered", REGISTERED_MAX);
    }
    registered[registered_count++] = method;
    return true;
}
