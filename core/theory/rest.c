// SPDX-License-Identifier: MIT
// Tests whether loads are at rest.
#include "core/theory/rest.h"
#include "topologies/topology.h"

bool core_rest_shows(const struct ek_method *method, const struct ek_plan *plan)
{
    bool rule = method->rule && method->rule->flow && !(method->free && method->free->operate);
    return rule && !method->rounds->next && plan->port_doubles == 0 && plan->state_doubles == 0;
}

static double level_of(const struct core_rest *rest, uint32_t p)
{
    double capacity = rest->capacity ? rest->capacity[p] : 1.0;
    return rest->target ? rest->held[p] - rest->target[p] : rest->held[p] / capacity;
}

static bool sends_nothing(const struct core_rest *rest, uint32_t p)
{
    const struct ek_topology *topology = rest->topology;
    const struct ek_step step = {.colour_end = topology->colours};
    uint32_t first = topology->first[p];
    struct ek_view view = {.plan = rest->plan,
                           .step = &step,
                           .processor = p,
                           .degree = topology->first[p + 1] - first,
                           .load = level_of(rest, p),
                           .held = rest->held[p],
                           .capacity = rest->capacity ? rest->capacity[p] : 1.0,
                           .announced = rest->announced,
                           .dimension = topology->dimension + first,
                           .direction = topology->direction + first};
    for (unsigned port = 0; port < view.degree; port++) {
        rest->announced[port] = level_of(rest, topology->neighbour[first + port]);
    }
    bool nothing = true;
    for (unsigned port = 0; nothing && port < view.degree; port++) {
        if (rest->usable && !rest->usable[first + port]) {
            continue;
        }
        double amount = rest->flow(&view, port);
        if (rest->rounding != CORE_ROUNDING_DOWN && amount > 0.0) {
            amount = core_rounding_most(rest->rounding, amount);
        }
        nothing = !(amount > 0.0 && core_link_passes(rest->links, first + port, amount) > 0.0);
    }
    return nothing;
}

bool core_rest_holds(const struct core_rest *rest)
{
    for (uint32_t p = 0; p < rest->topology->processors; p++) {
        if (!sends_nothing(rest, p)) {
            return false;
        }
    }
    return true;
}
