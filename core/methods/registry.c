// SPDX-License-Identifier: MIT
// The registry of methods: a line for each built-in one, and those registered from outside.
#include <string.h>

#include "core/methods/methods.h"
#include "base/cursor.h"

static const struct ek_method *const built_in[] = {
    &core_method_ade,
    &core_method_ode,
    &core_method_gde,
    &core_method_matching,
    &core_method_adf,
    &core_method_odf,
    &core_method_diffusion,
    &core_method_dde,
    &core_method_twa,
    &core_method_dem,
    &core_method_liquid,
    &core_method_nna,
    &core_method_splitting,
    &core_method_local_average,
    &core_method_random_neighbours,
    &core_method_sender,
    &core_method_fos,
    &core_method_sos,
    &core_method_opt,
    &core_method_ops,
    &core_method_adi,
    &core_method_mdi,
    &core_method_de,
    &core_method_de_adi,
    &core_method_ded,
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

bool ek_method_register(const struct ek_method *method, struct ek_error *error)
{
    if (!method->name || !*method->name || ek_method_find(method->name)) {
        return base_fail(error, EK_BAD_INPUT, "method", "a method needs a name that no other has");
    }
    if (!method->prepare || (!method->act && (method->units & EK_REAL) && !method->flow) ||
        (!method->act && (method->units & EK_TOKENS) && !method->flow_tokens) ||
        (method->links == EK_LINKS_SCHEDULED && !method->next) ||
        (method->links == EK_LINKS_CHOSEN && !method->takes_part)) {
        return base_fail(error, EK_BAD_INPUT, "method",
                         "%s lacks a function: prepare, an act or a flow for each of its units, takes_part or next as "
                         "its links need",
                         method->name);
    }
    if (method->block_wide && !method->mutual) {
        return base_fail(
            error, EK_BAD_INPUT, "method",
            "%s has a block_wide, which asks about one link at a time, as only a mutual rule can be: set mutual, or "
            "leave block_wide out",
            method->name);
    }
    if (registered_count == REGISTERED_MAX) {
        return base_fail(error, EK_BAD_INPUT, "method", "no more than %d methods can be registered", REGISTERED_MAX);
    }
    registered[registered_count++] = method;
    return true;
}
